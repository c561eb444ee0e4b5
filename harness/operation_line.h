#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "checker/history.h"

namespace causalcheck {

/// One operation as its line tells it. The texts are valid until the next line is read.
struct OperationLine {
  Operation operation{};  // its client, topic, message, node and payload are not filled in
  std::string_view client{};
  std::string_view topic{};
  std::string_view message{};  // empty: nothing
  std::string_view node{};
  std::string_view payload{};
  std::string extras{};  // unknown members, as they stand in the file
};

/// What does not fit: the member concerned and what it had to be. An empty `key` means that the
/// line is no operation, or no JSON.
struct LineProblem {
  std::string_view key{};
  std::string expected{};
};

/// Reads operations, the many lines of a history. Allocates nothing per line once it is warm.
class OperationLineReader {
 public:
  OperationLineReader();
  ~OperationLineReader();
  OperationLineReader(const OperationLineReader&) = delete;
  OperationLineReader& operator=(const OperationLineReader&) = delete;

  /// Reads `line`, behind which 64 bytes must be readable. On a problem the line may still be of
  /// another kind: that is for the caller to find out.
  [[nodiscard]] std::optional<LineProblem> read(std::string_view line);

  /// The line read last; meaningful only when `read` found no problem.
  [[nodiscard]] const OperationLine& line() const { return line_; }

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
  OperationLine line_{};
};

/// The largest position a history may hold.
inline constexpr Position kPositionMax = Position{1} << 62U;
/// The largest slot a history may hold.
inline constexpr Slot kSlotMax = std::numeric_limits<Slot>::max() - 1;

inline constexpr std::string_view kDrainName = "_drain";
inline constexpr std::string_view kPositionExpected = "a whole number from 1 to 2^62";

}  // namespace causalcheck
