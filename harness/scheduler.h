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

/// Thrown out of `run` by the threads scheduler: the run did not end in its time. It says nothing
/// of the backend but that.
class RunOverdue : public SchedulerError {
 public:
  using SchedulerError::SchedulerError;
};

/// The same, and a client is still in a call of the backend that should have returned long ago. Its
/// thread cannot be taken back: everything it may touch has to live on until the process ends.
class ClientStuck final : public RunOverdue {
 public:
  using RunOverdue::RunOverdue;
};

/// Thrown inside the fibers of a run that has failed, out of the call in which each waits, so that
/// their locals are destroyed. Not a std::exception. Code that catches `...` around calls that may
/// wait passes it on: `catch (const FiberCancelled&) { throw; }` before it.
class FiberCancelled {};

/// How a call that leaves the harness counts.
enum class CallKind : std::uint8_t {
  kOperation,  // a commit, poll or receive: what other clients may get inside of
  kOther,      // opens, closes and drains
};

/// A call of a backend, as the scheduler knows it. The texts must outlive the call.
struct BackendCall {
  CallKind kind = CallKind::kOperation;
  const char* what = "an operation";  // "a commit"
  const char* topic = "";
  Time deadline = Time::max();  // by which it should be back; of the client's Runtime
};

/// What a choice is drawn for. On threads each has a stream of its own for each client, so that a
/// replay, which draws nothing for a cascade, meets the same faults.
enum class ChoiceUse : std::uint8_t { kCascade, kRuntime, kFaults };
inline constexpr std::uint32_t kChoiceUses = 3;

/// Who lets the clients of a run go on: one interface, two ways.
///
/// DeterministicScheduler drives them one at a time on one thread, with a virtual clock, as the
/// plan chooses; ThreadsScheduler gives each fiber a thread of its own and the real clock. To the
/// code in a fiber they look alike: between two waits (`park`, the calls of a Runtime, a
/// BackendCall) nothing else of the run happens. Under threads that is one lock, which is let go of
/// there.
class Scheduler {
 public:
  Scheduler() = default;
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;
  virtual ~Scheduler() = default;

  /// Adds a fiber of `client` (the index that strategies speak of; small) that will run `body`. May
  /// be called before `run` or from a running fiber. `name` appears in diagnostics.
  virtual FiberId spawn(std::uint32_t client, std::string name, std::function<void()> body) = 0;

  /// Drives all fibers to their end. When a body throws, or the run can not go on, every other
  /// fiber is ended by a FiberCancelled (those that had not started never do), and then the first
  /// error is rethrown. Errors thrown: what a body threw; SchedulerError.
  virtual void run() = 0;

  /// The clock and the decisions of a client. `wall_offset` is added to wall_now(). One Runtime per
  /// client: lives as long as the scheduler; asking again changes its offset.
  virtual Runtime& runtime_of(std::uint32_t client, Time wall_offset) = 0;

  /// What is drawn from on behalf of `client`, in fibers and between two waits only.
  virtual Choices& choices_of(std::uint32_t client, ChoiceUse use = ChoiceUse::kCascade) = 0;

  /// Puts the calling fiber to sleep until `wake` names it. A wake that came first is not lost: one
  /// park then returns without waiting, as a yield. `waits_for` appears in the dump of a stuck run
  /// and must live as long as the program.
  virtual void park(const char* waits_for) = 0;
  /// Lets a parked fiber go on, or the next `park` of one that is not. No step; any fiber of the
  /// run, also one that has ended.
  virtual void wake(FiberId fiber) = 0;
  /// The calling fiber.
  [[nodiscard]] virtual FiberId current() const = 0;

  /// The calling fiber calls the backend, and is back. Better through an OperationScope: a call may
  /// end by an exception.
  virtual void enter(const BackendCall& call) = 0;
  virtual void leave(CallKind kind) = 0;
  /// Inside a call: what follows is the harness's again, between two waits, until resume_call.
  /// False where it was anyway. Better through a HarnessScope.
  [[nodiscard]] virtual bool pause_call() = 0;
  /// Inside a call: what follows is the backend's. False where it was anyway. Better through a
  /// BackendScope.
  [[nodiscard]] virtual bool resume_call() = 0;

  /// Switches to another client's fiber that happened while the fiber left was inside an operation.
  [[nodiscard]] virtual std::uint64_t switches_inside() const = 0;
  /// Scheduling steps taken in this run.
  [[nodiscard]] virtual std::uint64_t steps() const = 0;
  /// Time since the run began.
  [[nodiscard]] virtual Time now() const = 0;
  /// What the run is doing, for people: who runs and who waits for what. May be called from any
  /// thread at any time (for the watchdog); exact when the run stands still.
  [[nodiscard]] virtual std::string status() const = 0;
};

/// Calls `body`, and then `ending`, also when `body` ends by an exception; but not by a
/// ClientStuck: the thread that was left behind may use what would end.
template <class Body, class Ending>
void run_to_end(Body body, Ending ending) {
  try {
    body();
  } catch (const ClientStuck&) {
    throw;
  } catch (...) {
    ending();
    throw;
  }
  ending();
}

/// The calling fiber is in a call of the backend as long as this lives.
class OperationScope {
 public:
  explicit OperationScope(Scheduler& scheduler, const BackendCall& call = {})
      : scheduler_(scheduler), kind_(call.kind) {
    scheduler_.enter(call);
  }
  ~OperationScope() { scheduler_.leave(kind_); }
  OperationScope(const OperationScope&) = delete;
  OperationScope& operator=(const OperationScope&) = delete;

 private:
  Scheduler& scheduler_;
  const CallKind kind_;
};

/// Inside a call of the backend, what stands between it and the client: guarded like the cascade.
class HarnessScope {
 public:
  explicit HarnessScope(Scheduler& scheduler)
      : scheduler_(scheduler), paused_(scheduler.pause_call()) {}
  ~HarnessScope() {
    if (paused_) static_cast<void>(scheduler_.resume_call());
  }
  HarnessScope(const HarnessScope&) = delete;
  HarnessScope& operator=(const HarnessScope&) = delete;

 private:
  Scheduler& scheduler_;
  const bool paused_;
};

/// Inside a HarnessScope, a call that goes on to the backend. Elsewhere nothing.
class BackendScope {
 public:
  explicit BackendScope(Scheduler& scheduler)
      : scheduler_(scheduler), resumed_(scheduler.resume_call()) {}
  ~BackendScope() {
    if (resumed_) static_cast<void>(scheduler_.pause_call());
  }
  BackendScope(const BackendScope&) = delete;
  BackendScope& operator=(const BackendScope&) = delete;

 private:
  Scheduler& scheduler_;
  const bool resumed_;
};

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
class DeterministicScheduler final : public Scheduler {
 public:
  static constexpr std::uint64_t kDefaultStepsMax = 50'000'000;

  DeterministicScheduler();
  ~DeterministicScheduler() override;

  /// Forgets the run before and starts one at time 0. `choices` and `strategy` must outlive the
  /// run.
  void begin(Choices& choices, const Strategy& strategy);

  /// From the next step on, a run that takes more steps than `steps_max` fails as a livelock.
  void limit_steps(std::uint64_t steps_max);

  FiberId spawn(std::uint32_t client, std::string name, std::function<void()> body) override;
  void run() override;

  /// For the fiber that calls. Outside of a fiber there is nobody to let on: its sleeps only move
  /// the clock.
  Runtime& runtime_of(std::uint32_t client, Time wall_offset) override;
  /// The plan's choices, whoever the client and whatever the use.
  Choices& choices_of(std::uint32_t client, ChoiceUse use = ChoiceUse::kCascade) override;

  void park(const char* waits_for) override;
  void wake(FiberId fiber) override;
  [[nodiscard]] FiberId current() const override;

  /// Operations count for `switches_inside`, and nest; other calls do not. Outside of a fiber both
  /// do nothing.
  void enter(const BackendCall& call) override;
  void leave(CallKind kind) override;
  [[nodiscard]] bool pause_call() override { return false; }
  [[nodiscard]] bool resume_call() override { return false; }

  [[nodiscard]] std::uint64_t switches_inside() const override;
  [[nodiscard]] std::uint64_t steps() const override;
  /// Virtual time since `begin`.
  [[nodiscard]] Time now() const override;
  [[nodiscard]] std::string status() const override;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace causalcheck
