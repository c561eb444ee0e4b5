#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>

#include "harness/choices.h"
#include "harness/plan.h"
#include "harness/runtime.h"

namespace causalcheck {

/// One fiber of the current run, counted from 0 in order of spawning.
using FiberId = std::uint32_t;

/// Thrown out of `run` when the run cannot come to an end by itself: all fibers wait for each other
/// (deadlock), or the limit on steps is reached (livelock). The text names every live fiber, its
/// client, what it waits for and since when.
class SchedulerError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Thrown inside the fibers of a run that has failed, out of the call in which each waits, so that
/// their locals are destroyed. Not a std::exception. Code that catches `...` around calls that may
/// wait passes it on: `catch (const FiberCancelled&) { throw; }` before it.
class FiberCancelled {};

/// The deterministic scheduler: every fiber of a run on the calling thread, a virtual clock, and
/// the plan's choices at each yield.
///
/// One object serves many runs, one after another, and keeps its stacks. Not thread-safe; one per
/// job, and all its runs on one thread.
///
/// Scheduling steps: each yield, sleep and park is one. It costs one virtual microsecond, and then
/// one of the fibers that can go on does. Candidate 0 is the fiber that made the step, if it can go
/// on; the others follow by id. The number taken is a choice of the plan (Choices::next_by); a
/// single candidate consumes none. When nobody can go on the clock jumps to the next sleeper;
/// sleepers due at the same time become candidates together.
///
/// Strategies, where the plan does not hold the choices already. `uniform`: each client that can go
/// on with equal chance, then each of its fibers. `priorities`: the client highest in the order,
/// then each of its fibers with equal chance; at the change points, which count the scheduling
/// steps of the run from 1, the client that made the step drops below all others. A client that
/// spins on `yield` starves the ones below; one that finds nothing to do must sleep. `stall`:
/// uniform, but from the stalled client's own step `stall_at` (0: from the start) its fibers are no
/// candidates, until the others have made `stall_length` steps together, or nobody else is left to
/// go on, or the clock would pass 100 virtual ms since the stall began. A stall is in force in a
/// replay too: it is part of the plan's shape and not a choice.
///
/// A fiber may not wait (yield, sleep, park) in a catch handler or while an exception is on its
/// way; this asserts. A destructor should not wait at all: what ends a failed run is an exception
/// thrown out of that call.
class DeterministicScheduler {
 public:
  static constexpr std::uint64_t kDefaultStepsMax = 50'000'000;

  DeterministicScheduler();
  ~DeterministicScheduler();
  DeterministicScheduler(const DeterministicScheduler&) = delete;
  DeterministicScheduler& operator=(const DeterministicScheduler&) = delete;

  /// Forgets the run before and starts one at time 0. `choices` and `strategy` must outlive the
  /// run.
  void begin(Choices& choices, const Strategy& strategy);

  /// From the next step on, a run that takes more steps than `steps_max` fails as a livelock.
  void limit_steps(std::uint64_t steps_max);

  /// Adds a fiber of `client` (the index that strategies speak of; small) that will run `body`. May
  /// be called before `run` or from a running fiber. `name` appears in diagnostics.
  FiberId spawn(std::uint32_t client, std::string name, std::function<void()> body);

  /// Drives all fibers to their end. When a body throws, or the run can not go on, every other
  /// fiber is ended by a FiberCancelled (those that had not started never do), and then the first
  /// error is rethrown. Errors thrown: what a body threw; SchedulerError.
  void run();

  /// The clock and the decisions, for the fiber that calls. `wall_offset` is added to wall_now().
  /// One Runtime per client: lives as long as the scheduler; asking again changes its offset.
  /// Outside of a fiber there is nobody to let on: its sleeps only move the clock.
  Runtime& runtime_of(std::uint32_t client, Time wall_offset);

  /// Puts the calling fiber to sleep until `wake` names it. A wake that came first is not lost: one
  /// park then returns without waiting, as a yield. `waits_for` appears in the dump of a stuck run
  /// and must live as long as the program.
  void park(const char* waits_for);
  /// Lets a parked fiber go on, or the next `park` of one that is not. No step; any fiber of the
  /// run, also one that has ended.
  void wake(FiberId fiber);
  /// The calling fiber.
  [[nodiscard]] FiberId current() const;

  /// Marks the calling fiber as inside an operation (for `switches_inside`); nests. Outside of a
  /// fiber it does nothing. Better through an OperationScope: an operation may end by an exception.
  void enter_operation();
  void leave_operation();

  /// Switches to another client's fiber that happened while the fiber left was inside an operation.
  [[nodiscard]] std::uint64_t switches_inside() const;
  /// Scheduling steps taken in this run.
  [[nodiscard]] std::uint64_t steps() const;
  /// Virtual time since `begin`.
  [[nodiscard]] Time now() const;

  /// What the run is doing, for people: steps, and who runs and who waits for what. May be called
  /// from any thread at any time (for the watchdog); exact when the run stands still.
  [[nodiscard]] std::string status() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// The calling fiber is inside an operation as long as this lives.
class OperationScope {
 public:
  explicit OperationScope(DeterministicScheduler& scheduler) : scheduler_(scheduler) {
    scheduler_.enter_operation();
  }
  ~OperationScope() { scheduler_.leave_operation(); }
  OperationScope(const OperationScope&) = delete;
  OperationScope& operator=(const OperationScope&) = delete;

 private:
  DeterministicScheduler& scheduler_;
};

}  // namespace causalcheck
