#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "checker/checker.h"
#include "checker/verdict.h"
#include "harness/backend.h"
#include "harness/cascade.h"
#include "harness/faults/fault_tally.h"
#include "harness/history_file.h"
#include "harness/hold_events.h"
#include "harness/plan.h"
#include "harness/settings.h"
#include "harness/threads_scheduler.h"

namespace causalcheck {

/// Why a run has no verdict that speaks of the backend's consistency.
struct RunFailure {
  enum class Kind : std::uint8_t {
    kBackend,   // it could not be reset or opened, or this build cannot drive it
    kMisuse,    // the adapter broke the rules of harness/backend.h, or threw
    kOverdue,   // on threads: it did not end in its time; what the backend does is unknown
    kInternal,  // a bug of ours, or a run that hangs
  };
  Kind kind = Kind::kInternal;
  std::string text{};
};

/// What one run came to. The history stays with the Runner.
struct RunResult {
  std::optional<RunFailure> failure{};  // then the rest says nothing
  Report report{};
  std::uint64_t events = 0;           // before the drain
  std::uint64_t switches_inside = 0;  // to another client, inside an operation
  std::uint64_t steps = 0;            // of the scheduler; on threads: calls of the backend
  Time virtual_time{};                // on threads: real time
  StrategyKind strategy = StrategyKind::kUniform;
  std::optional<HoldSummary> holds{};  // of a backend that holds messages back
  FaultCounts faults{};                // what was armed, and what became of it
};

/// How runs are judged and told apart.
struct RunnerOptions {
  SettingsOverride settings{};
  Grounding grounding = Grounding::kHappenedBefore;
  /// Begins every name that a run creates in the backend, and stands in nothing of its history. A
  /// runner adds what tells it from others, in this process and elsewhere; those made at one time
  /// on several threads need different ones all the same.
  std::string instance = "run";
  /// None: what suits the scheduler.
  std::optional<CascadeTimes> times{};
  /// For backends on threads.
  ThreadsLimits limits{};
};

/// Makes runs on one backend, one after another, from a plan to a verdict.
///
/// Keeps scheduler, recorder and checker with all their memory from run to run. One per job, on one
/// thread. A backend that declares threads is driven by ThreadsScheduler, all others by the
/// deterministic one, under which the same plan gives the same history, whatever ran before.
class Runner {
 public:
  /// `backend` must outlive this object.
  explicit Runner(Backend& backend, RunnerOptions options = {});
  /// The same with a backend of its own, which a thread that is left behind keeps as well.
  explicit Runner(std::unique_ptr<Backend> backend, RunnerOptions options = {});
  ~Runner();
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  /// Runs `plan`, which must be valid. Never throws what a backend throws: that is misuse.
  [[nodiscard]] RunResult run(const Plan& plan);

  /// Runs the calls of `recorded` again, a history of a run of `plan`, in their order (see
  /// Replayer). For backends on threads; others come out the same by `run`.
  [[nodiscard]] RunResult replay(const Plan& plan, const History& recorded);

  /// The history of the last run.
  [[nodiscard]] const History& history() const;
  /// The choices it consumed, in order; on threads those of all streams (see ChoiceStreams).
  [[nodiscard]] const std::vector<std::uint32_t>& consumed() const;
  /// `plan`, as the last run ran it, with its choices made explicit: it needs no seed any more, and
  /// running it under the deterministic scheduler gives the same history byte for byte, header and
  /// all.
  [[nodiscard]] Plan explicit_plan(const Plan& plan) const;
  /// The last run's history as a file, with a complete header. `plan` is what was run.
  [[nodiscard]] HistoryFile history_file(const Plan& plan) const;

  [[nodiscard]] const BackendDeclaration& declared() const;
  /// What the run is doing and who waits for what. From any thread, for the watchdog.
  [[nodiscard]] std::string status() const;
  /// True when a thread of the last run is still in a call of the backend. No run can be made any
  /// more, and the backend may not be destroyed before the process ends: this object lets it leak
  /// with its other parts, when it is its own; else its owner has to.
  [[nodiscard]] bool abandoned() const;

 private:
  class Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace causalcheck
