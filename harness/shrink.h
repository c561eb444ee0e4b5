#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "checker/verdict.h"
#include "harness/history_file.h"
#include "harness/plan.h"
#include "harness/run.h"
#include "harness/watchdog.h"

namespace causalcheck {

/// Where shrinking stands.
struct ShrinkProgress {
  std::uint64_t runs = 0;           // made so far
  std::uint64_t events_before = 0;  // of the plan that shrinking began with
  std::uint64_t events = 0;         // of the best one so far
  std::chrono::nanoseconds elapsed{};
  const Plan* best = nullptr;  // with its choices; gone when the call returns
};

/// What a run has to break in order to fail in the class that is looked for.
enum class ShrinkMatch : std::uint8_t {
  kFirstBroken,  // its first_broken has that class: it is filed under the same fingerprint
  kAnyBroken,    // something that it breaks has
};

/// How far shrinking may go. The clock decides when it stops, never what it tries.
struct ShrinkOptions {
  std::uint64_t runs_max = std::numeric_limits<std::uint64_t>::max();
  std::chrono::nanoseconds time = std::chrono::seconds(20);
  /// Set from outside, by a signal handler for instance: the best so far is kept.
  const std::atomic<bool>* stop = nullptr;
  /// Called from time to time, and once at the end.
  std::function<void(const ShrinkProgress&)> progress{};
  /// How often a candidate is run before it counts as one that does not fail. More than 1 only
  /// makes sense for backends that are not deterministic.
  std::uint32_t tries = 1;
  ShrinkMatch match = ShrinkMatch::kFirstBroken;
  /// Armed for each run, when there is one.
  Watch* watch = nullptr;
};

/// What one run of a candidate came to.
struct ShrinkTrial {
  /// The class of what broke; empty when nothing did, or the run has no verdict.
  std::string kind{};
  /// Publishes and observations of the history, without the drain.
  std::uint64_t events = 0;
  /// How many of them there were when the violation was complete; 0 when that is not known.
  std::uint64_t events_needed = 0;
  /// The choices that the run consumed.
  std::vector<std::uint32_t> consumed{};
};

/// A plan that fails like the one it was made from, and is as small as could be found.
struct ShrunkPlan {
  Plan plan{};  // with its choices, as far as any run was made
  std::uint64_t events_before = 0;
  std::uint64_t events = 0;
  std::uint64_t runs = 0;    // that were made
  bool fixed_point = false;  // no single step makes it smaller; otherwise the budget was spent
};

/// The same with the evidence of its last runs.
struct ShrinkResult : ShrunkPlan {
  Report report{};
  HistoryFile history{};
  /// How many of the `tries` last runs of `plan` failed in the same class. 1 of 1 with a
  /// deterministic backend; 0 of some when not even the plan that shrinking began with fails again.
  std::uint32_t fails = 0;
  std::uint32_t tries = 0;
};

/// The violation that a failing run is filed under: of the first broken guarantee, in the order of
/// reports. Null when none is.
[[nodiscard]] const Violation* first_broken(const Report& report);

/// What the run that `runner` has just made means for shrinking: by its first_broken, or with
/// kAnyBroken by a violation of class `kind` if it has one.
[[nodiscard]] ShrinkTrial trial_of(const RunResult& result, const Runner& runner,
                                   std::string_view kind = {},
                                   ShrinkMatch match = ShrinkMatch::kFirstBroken);

/// Makes `failing` smaller as long as `run` says that it fails with `kind`.
///
/// In rounds, until nothing helps any more: the budget of events, down to what the violation needs;
/// clients, topics, faults, workload knobs and pipeline; then the choices, whose list is cut, freed
/// of chunks, and lowered value by value. Then smaller shapes get choices drawn afresh, a few times
/// each, and a hit begins new rounds. At last come shapes that are no simpler but may do with fewer
/// events (clients that only read, or only write, or leave, or publish offline), and a walk over
/// plans whose histories are about as small. A step counts when the class is `kind` and the history
/// has no more events than before; of the last kind, when it has fewer. So every step makes the
/// history smaller, or the plan and not the history larger, and there is an end to them. An empty
/// `kind` is that of the first run. The same plan gives the same result when `run` is deterministic
/// and the budget is not spent.
///
/// Cost: some thousand to some ten thousand calls of `run`, most of few events, some of them with
/// plans that have no choices. No plan is run twice.
[[nodiscard]] ShrunkPlan shrink_plan(const std::function<ShrinkTrial(const Plan&)>& run,
                                     const Plan& failing, std::string_view kind,
                                     const ShrinkOptions& options);

/// The same with the runs of `runner`, whose last run is then one of the result.
///
/// The class is the fingerprint of first_broken, or what `options.match` says: guarantee, reason,
/// and whether it is a contradiction; the level is one of the runner's settings and cannot change.
/// The reason belongs to it because campaigns and replays tell kinds of violations apart by the
/// fingerprint: a smaller plan that reads nothing where the original read something older would be
/// filed as something else. The runs that make sure of the result are not counted in its budget. On
/// threads the evidence is the smallest run that failed, and what is counted as `tries` are replays
/// of it.
[[nodiscard]] ShrinkResult shrink(Runner& runner, const Plan& failing, std::string_view kind,
                                  const ShrinkOptions& options);

}  // namespace causalcheck
