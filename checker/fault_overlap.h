#pragma once

#include <map>
#include <vector>

#include "checker/history.h"

namespace causalcheck {

/// Answers whether a fault window of a history overlapped an operation, in O(log faults).
///
/// A window whose target is a client's label concerns that client's operations; any other window
/// concerns all.
class FaultOverlap {
 public:
  explicit FaultOverlap(const History& history);
  [[nodiscard]] bool touches(const Operation& operation) const;

 private:
  /// Windows by start, each with the largest end up to there.
  struct Window {
    Position start = 0;
    Position latest_end = 0;
  };
  using Windows = std::vector<Window>;
  static bool hits(const Windows& windows, const Operation& operation);

  Windows common_{};
  std::map<ClientId, Windows> of_client_{};
};

}  // namespace causalcheck
