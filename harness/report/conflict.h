#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "checker/history.h"
#include "checker/timeline.h"
#include "checker/verdict.h"

namespace causalcheck {

/// A lane of the picture of a conflict: a client's timeline, or a topic's log.
struct ConflictLane {
  std::string label{};
  bool is_log = false;
  std::uint32_t id = 0;  // of the client or the topic
};

/// One operation in the picture, a row. Time goes downwards.
struct ConflictRow {
  enum class Kind : std::uint8_t {
    kPublish,
    kObserve,
    kEmpty,    // a read that found nothing
    kUnknown,  // a read without an answer that counts
    kDrain,    // a line of the durable log
  };
  Kind kind = Kind::kPublish;
  OperationIndex operation = 0;
  Position number = 0;     // where the event has its number
  std::string symbol{};    // "C2"; empty when it is no event
  std::string text{};      // "C published C2"
  std::size_t lane = 0;    // the client's; of a line of the drain the log's
  std::size_t log = 0;     // the lane of its topic
  bool in_log = false;     // something of it is in the log: an acknowledged publish, an answer
  std::string log_text{};  // "#1" where the slot is known
  bool open = false;       // a publish of unknown outcome
  bool failed = false;     // a publish that failed
};

inline constexpr std::size_t kNoRow = std::numeric_limits<std::size_t>::max();

/// A clause of the conflict as a line between two rows.
struct ConflictEdge {
  std::size_t number = 0;  // 1, 2, ... in the order of the sentence; the broken one is the last
  Clause clause{};
  bool broken = false;
  std::size_t from = kNoRow;
  std::size_t to = kNoRow;
  std::size_t learned_at = kNoRow;
};

/// What the small picture of a violation shows: the operations that its sentence and its chain
/// name, and nothing else. A function of the violation and the history alone.
struct Conflict {
  std::vector<ConflictLane> lanes{};  // clients in the history's order, then logs
  std::vector<ConflictRow> rows{};    // by number
  std::vector<ConflictEdge> edges{};  // by number
};

/// `timeline` is that of `history`.
[[nodiscard]] Conflict conflict_of(const Violation& violation, const History& history,
                                   const Timeline& timeline);

/// The violation that a report opens with: the first contradiction in report order, or else the
/// first violation, or null.
[[nodiscard]] const Violation* main_violation(const Report& report);

/// The violations of `report` in report order, those that show the same operations and clauses
/// once, the main one first.
struct ViolationGroup {
  const Violation* violation = nullptr;
  std::vector<Guarantee> guarantees{};  // all that break by it
};
[[nodiscard]] std::vector<ViolationGroup> violation_groups(const Report& report);

/// `history` with names that a page can show: each name of a client, topic or message that is long
/// is cut, and told apart by its place in the table. Operations are the same.
[[nodiscard]] History with_short_names(const History& history);

}  // namespace causalcheck
