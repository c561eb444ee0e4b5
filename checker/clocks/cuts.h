#pragma once

#include <optional>
#include <string>
#include <vector>

#include "checker/clocks/stamped_log.h"

namespace causalcheck {

/// What had happened at a moment that one may imagine: of each process the events whose own entry
/// is at most its entry here.
///
/// A cut is consistent when it contains, with every event, all that happened before it: then some
/// run of the same processes passed through exactly this state.
using Cut = VectorClock;

/// Why a cut is not consistent: an event in it knows one that is not.
struct CutProblem {
  StampedIndex knows = 0;  // the latest event of its process in the cut
  ProcessId about = 0;     // the process of which it knows more than is in the cut
  Tick known = 0;
  Tick in_cut = 0;
  bool operator==(const CutProblem&) const = default;
};

/// One process pulled back: its events from `dropped` on are out, because `dropped` knows one that
/// is.
struct PullBack {
  StampedIndex dropped = 0;
  ProcessId about = 0;
  Tick known = 0;
  Tick in_cut = 0;
  bool operator==(const PullBack&) const = default;
};

/// The latest consistent cut within another, and how it came about.
struct LatestCut {
  Cut cut{};
  /// In the order made. Empty: the cut that was asked about is consistent itself.
  std::vector<PullBack> pulled{};
  bool operator==(const LatestCut&) const = default;
};

/// The cuts of one log, whose own entries must increase and whose entries must never go back. The
/// log must outlive it.
class Cuts {
 public:
  explicit Cuts(const StampedLog& log);

  /// Everything in the log.
  [[nodiscard]] Cut tails() const;
  /// The smallest consistent cut that contains the event, if the clocks are possible: what it
  /// knows.
  [[nodiscard]] Cut past_of(StampedIndex event) const { return log_.clock(event); }
  /// What the log holds up to the event and with it, in the order of the log.
  [[nodiscard]] Cut recorded_at(StampedIndex event) const;

  /// The first reason, by process, why `cut` is not consistent; nullopt when it is. Only the last
  /// event of each process is looked at: the ones before it know no more.
  [[nodiscard]] std::optional<CutProblem> problem(const Cut& cut) const;
  [[nodiscard]] bool is_consistent(const Cut& cut) const { return !problem(cut).has_value(); }

  /// The largest consistent cut within `cut`. There is exactly one: consistent cuts are a lattice.
  /// Each step pulls one process back as far as one entry asks; at most one step per event.
  [[nodiscard]] LatestCut latest_consistent(const Cut& cut) const;

  /// The last event of `process` in the cut, or kNoStamped.
  [[nodiscard]] StampedIndex last_in(const Cut& cut, ProcessId process) const;

 private:
  const StampedLog& log_;
  std::vector<std::vector<StampedIndex>> of_process_;
};

/// "line 9: A knows 2 events of B, of which 1 is in the cut".
std::string to_string(const CutProblem& problem, const StampedLog& log);
/// "A goes back before line 9, which knows 2 events of B: 1 is in the cut".
std::string to_string(const PullBack& step, const StampedLog& log);

}  // namespace causalcheck
