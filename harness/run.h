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
#include "harness/checked_backend.h"
#include "harness/choices.h"
#include "harness/faults/fault_injector.h"
#include "harness/faults/fault_tally.h"
#include "harness/history_file.h"
#include "harness/hold_events.h"
#include "harness/plan.h"
#include "harness/recorder.h"
#include "harness/scheduler.h"
#include "harness/settings.h"

namespace causalcheck {

/// Why a run has no verdict that speaks of the backend's consistency.
struct RunFailure {
  enum class Kind : std::uint8_t {
    kBackend,   // it could not be reset or opened, or this build cannot drive it
    kMisuse,    // the adapter broke the rules of harness/backend.h, or threw
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
  std::uint64_t steps = 0;            // of the scheduler
  Time virtual_time{};
  StrategyKind strategy = StrategyKind::kUniform;
  std::optional<HoldSummary> holds{};  // of a backend that holds messages back
  FaultCounts faults{};  // what was armed, and what became of it
};

/// How runs are judged and told apart.
struct RunnerOptions {
  SettingsOverride settings{};
  Grounding grounding = Grounding::kHappenedBefore;
  /// Begins every name that a run creates in the backend, and stands in nothing of its history. A
  /// runner adds what tells it from others, in this process and elsewhere; those made at one time
  /// on several threads need different ones all the same.
  std::string instance = "run";
  CascadeTimes times{};
};

/// Makes runs on one backend, one after another, from a plan to a verdict.
///
/// Keeps scheduler, recorder and checker with all their memory from run to run. One per job, on one
/// thread. Under the deterministic scheduler the same plan gives the same history, whatever ran
/// before.
class Runner {
 public:
  /// `backend` must outlive this object.
  explicit Runner(Backend& backend, RunnerOptions options = {});
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  /// Runs `plan`, which must be valid. Never throws what a backend throws: that is misuse.
  [[nodiscard]] RunResult run(const Plan& plan);

  /// The history of the last run.
  [[nodiscard]] const History& history() const { return recorder_.history(); }
  /// The choices it consumed, in order.
  [[nodiscard]] const std::vector<std::uint32_t>& consumed() const { return choices_.consumed(); }
  /// `plan`, as the last run ran it, with its choices made explicit: it needs no seed any more, and
  /// running it gives the same history byte for byte, header and all.
  [[nodiscard]] Plan explicit_plan(const Plan& plan) const;
  /// The last run's history as a file, with a complete header. `plan` is what was run.
  [[nodiscard]] HistoryFile history_file(const Plan& plan) const;

  [[nodiscard]] const BackendDeclaration& declared() const { return declared_; }
  /// What the run is doing and who waits for what. From any thread, for the watchdog.
  [[nodiscard]] std::string status() const { return scheduler_.status(); }

 private:
  [[nodiscard]] std::optional<RunFailure> drive(const Plan& plan);
  [[nodiscard]] std::optional<std::string> run_cascade(const Plan& plan);
  [[nodiscard]] std::optional<RunFailure> new_misuse();

  Backend& user_backend_;
  CheckedBackend backend_;
  HoldReporter* const holds_;  // the backend, if it has that power
  RunnerOptions options_;
  const BackendDeclaration declared_;
  const std::string namespace_;
  std::uint64_t runs_ = 0;
  std::size_t misuse_seen_ = 0;
  DeterministicScheduler scheduler_{};
  Checker checker_;
  Recorder recorder_{};
  Choices choices_{0};
  Cascade cascade_;
  std::unique_ptr<FaultInjector> faults_{};  // made when the first plan arms one
  RecordedRun recorded_{};
  RunInfo info_{};
};

}  // namespace causalcheck
