#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "harness/choices.h"
#include "harness/plan.h"
#include "harness/runtime.h"

namespace causalcheck {

/// One fiber of the current run, counted from 0 in order of spawning.
using FiberId = std::uint32_t;

/// Thrown out of `run` when the run cannot go on: all fibers wait for each other, or a body threw.
/// Its text says who waits for what.
class SchedulerError;

/// The deterministic scheduler: every fiber of a run on the calling thread, a virtual clock, and the
/// plan's choices at each yield.
///
/// One object serves many runs, one after another, and keeps its stacks. Not thread-safe; one per
/// job. Time: each scheduling step costs one virtual microsecond; when nobody is runnable the clock
/// jumps to the next sleeper.
class DeterministicScheduler {
 public:
  DeterministicScheduler();
  ~DeterministicScheduler();
  DeterministicScheduler(const DeterministicScheduler&) = delete;
  DeterministicScheduler& operator=(const DeterministicScheduler&) = delete;

  /// Forgets the run before and starts one at time 0. `choices` and `strategy` must outlive the run.
  void begin(Choices& choices, const Strategy& strategy);

  /// Adds a fiber of `client` (the index that strategies speak of) that will run `body`. May be
  /// called before `run` or from a running fiber. `name` appears in diagnostics.
  FiberId spawn(std::uint32_t client, std::string name, std::function<void()> body);

  /// Drives all fibers to their end. Rethrows what a body threw, after driving the others to theirs.
  void run();

  /// The clock and the decisions, for the fiber that calls. `wall_offset` is added to wall_now().
  /// One Runtime per client: lives as long as the scheduler or until the next `begin`.
  Runtime& runtime_of(std::uint32_t client, Time wall_offset);

  /// Puts the calling fiber to sleep until `wake` names it. A wake that came first is not lost.
  /// `waits_for` appears in the dump of a stuck run.
  void park(const char* waits_for);
  void wake(FiberId fiber);
  [[nodiscard]] FiberId current() const;

  /// Marks the calling fiber as inside an operation (for `switches_inside`).
  void enter_operation();
  void leave_operation();

  /// Switches to another client's fiber that happened while the fiber left was inside an operation.
  [[nodiscard]] std::uint64_t switches_inside() const;
  /// Scheduling steps taken in this run.
  [[nodiscard]] std::uint64_t steps() const;
  [[nodiscard]] Time now() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace causalcheck
