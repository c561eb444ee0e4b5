#pragma once

#include <memory>

#include "checker/history.h"
#include "checker/verdict.h"

namespace causalcheck {

/// Judges one history while it grows, or afterwards in one go.
///
/// Feed every operation of the history twice: `invoked` at its call (a publish takes its number and
/// its causal past there) and `completed` at its return, in the order of positions; at one position
/// calls come before returns. Drain lines are fed like reads. `finish` judges what can only be
/// judged at the end (the drain, delivery, first slots, the common order of all receivers).
/// Operations that never returned count as kInfo.
///
/// While a publish is open it is taken to end well; where that assumption turns out wrong and
/// mattered, the history is judged again from its start at the next question, once.
///
/// Cost per event: constant for `fifo` and for `total` with slots, O(clients) for `causal`, times
/// the number of topics for latest reads with scope `all` and more than one topic. Memory per
/// publish: 2 x 4 bytes per client and about 40 bytes; nothing per read. Not thread-safe. The
/// history must outlive the checker, and its operations must not be removed or reordered.
class Checker {
 public:
  explicit Checker(Grounding grounding = Grounding::kHappenedBefore);
  ~Checker();
  Checker(const Checker&) = delete;
  Checker& operator=(const Checker&) = delete;

  /// Starts on `history`, which may still be empty, and forgets the one before. The declaration and
  /// the flags of its header must be in place.
  void begin(const History& history);
  void invoked(OperationIndex operation);
  void completed(OperationIndex operation);

  /// The first violation found so far of any guarantee that is judged along the way, or null.
  /// Final unless `pending`.
  [[nodiscard]] const Violation* first_violation();

  /// Judges the whole. Call once, after the last operation.
  [[nodiscard]] Report finish();

  /// `check` on this object's tables: judges the finished `history` in one go.
  [[nodiscard]] Report check_whole(const History& history);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// The whole-history call: feeds `history` in order of positions and finishes. O(n log n) when the
/// operations are not sorted yet, else linear.
[[nodiscard]] Report check(const History& history,
                           Grounding grounding = Grounding::kHappenedBefore);

}  // namespace causalcheck
