#pragma once

#include <map>
#include <optional>
#include <vector>

#include "checker/history.h"

namespace causalcheck {

/// The client whose operations alone `window` concerns: the one that its target names. Any other
/// window concerns all operations: nullopt.
[[nodiscard]] std::optional<ClientId> client_concerned(const FaultWindow& window,
                                                       const History& history);

/// Answers whether a fault window of a history overlapped an operation, in O(log faults).
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
