#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "harness/plan.h"
#include "harness/scheduler.h"

namespace causalcheck {

/// How long the threads of a run may take, in real time, before it is given up.
struct ThreadsLimits {
  /// A call that is not back so long after its deadline is stuck.
  Time after_deadline = std::chrono::seconds(5);
  /// The whole run.
  Time run = std::chrono::minutes(1);
};

/// The scheduler for backends that need real threads: one for each fiber, and the real clock.
///
/// One lock stands for the one thread of the deterministic scheduler. A fiber holds it but for its
/// waits and its calls of the backend. The plan fixes what is drawn (a stream for each client, see
/// ChoiceStreams); who goes on is the machine's business.
///
/// Every wait is bounded. A call that does not return by its deadline and the limit after it makes
/// `run` throw ClientStuck, which says who waits for what and since when; the threads of that call
/// are left behind and go nowhere when they come back. They come back to this object, which may
/// not be destroyed then. A run that takes longer than its limit makes `run` throw RunOverdue. If
/// every fiber is parked, that is a deadlock of the harness: SchedulerError, as of the
/// deterministic scheduler.
///
/// One object serves many runs, one after another, and keeps its threads. All but `status` and the
/// runtimes is for the thread that calls `run` and for the fibers.
class ThreadsScheduler final : public Scheduler {
 public:
  explicit ThreadsScheduler(ThreadsLimits limits = {});
  ~ThreadsScheduler() override;

  /// Forgets the run before and starts one: the clock counts from here. Clients 0 to plan.clients,
  /// the last one for what no client does.
  void begin(const Plan& plan);
  /// The choices that the run consumed, as a saved plan holds them. Not while it goes on.
  [[nodiscard]] std::vector<std::uint32_t> consumed() const;

  FiberId spawn(std::uint32_t client, std::string name, std::function<void()> body) override;
  void run() override;
  Runtime& runtime_of(std::uint32_t client, Time wall_offset) override;
  Choices& choices_of(std::uint32_t client, ChoiceUse use = ChoiceUse::kCascade) override;
  void park(const char* waits_for) override;
  void wake(FiberId fiber) override;
  [[nodiscard]] FiberId current() const override;
  /// Lets go of the lock, and takes it again. Do not nest.
  void enter(const BackendCall& call) override;
  void leave(CallKind kind) override;
  [[nodiscard]] bool pause_call() override;
  [[nodiscard]] bool resume_call() override;

  /// Not known: the machine does not say. 0.
  [[nodiscard]] std::uint64_t switches_inside() const override { return 0; }
  /// Calls of the backend.
  [[nodiscard]] std::uint64_t steps() const override;
  [[nodiscard]] Time now() const override;
  [[nodiscard]] std::string status() const override;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace causalcheck
