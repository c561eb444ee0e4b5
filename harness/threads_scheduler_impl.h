#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "harness/choice_streams.h"
#include "harness/threads_scheduler.h"

namespace causalcheck {

/// What is behind ThreadsScheduler. Everything is guarded by `mutex_` unless it says otherwise.
class ThreadsScheduler::Impl {
 public:
  explicit Impl(ThreadsLimits limits) : limits_(limits) {}
  ~Impl();
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  void begin(const Plan& plan);
  FiberId spawn(std::uint32_t client, std::string name, std::function<void()> body);
  void run();
  Runtime& runtime_of(std::uint32_t client, Time wall_offset);
  Choices& choices_of(std::uint32_t client, ChoiceUse use) {
    return streams_.stream(kChoiceUses * std::size_t{client} + static_cast<std::size_t>(use));
  }
  [[nodiscard]] std::vector<std::uint32_t> consumed() const { return streams_.consumed(); }

  void park(const char* waits_for);
  void wake(FiberId id);
  void enter(const BackendCall& call);
  void leave();
  [[nodiscard]] bool pause_call();
  [[nodiscard]] bool resume_call();
  [[nodiscard]] FiberId current() const { return self_->running->id; }
  void yield();
  void sleep_until(Time time);

  [[nodiscard]] std::uint64_t steps() const { return steps_.load(std::memory_order_relaxed); }
  [[nodiscard]] Time now() const;
  [[nodiscard]] std::string status() const;
  /// True when a thread is left behind: this object must live on.
  [[nodiscard]] bool abandoned() const { return abandoned_.load(); }

 private:
  using Clock = std::chrono::steady_clock;
  using Lock = std::unique_lock<std::mutex>;
  enum class State : std::uint8_t { kReady, kParked, kCalling, kEnded };

  // What the run knows as a fiber.
  struct Task {
    FiberId id = 0;
    std::uint32_t client = 0;
    std::string name{};
    std::function<void()> body{};
    State state = State::kReady;
    bool wake_came = false;
    const char* waits_for = "";
    const char* topic = "";
    Time since{};
    Time deadline{};
    std::uint32_t late_looks = 0;      // of the supervisor, while the call is overdue
    std::condition_variable roused{};  // by a wake, or because the run is cancelled
  };

  // A pooled thread. It runs one body after another and waits in the pool in between.
  struct Worker {
    Task* task = nullptr;  // what it has to run
    bool quits = false;
    std::condition_variable has_task{};
    Lock* held = nullptr;  // its own: the lock, in a fiber of it
    Task* running = nullptr;
    std::thread thread{};
  };

  class ClientRuntime final : public Runtime {
   public:
    explicit ClientRuntime(Impl& impl, std::uint32_t client) : impl_(impl), client_(client) {}
    void set_offset(Time offset) { offset_.store(offset); }
    Time now() override { return impl_.now(); }
    Time wall_now() override { return impl_.now() + offset_.load(); }
    void sleep_until(Time time) override { impl_.sleep_until(time); }
    void yield() override { impl_.yield(); }
    std::uint32_t choose(std::uint32_t n) override;

   private:
    Impl& impl_;
    const std::uint32_t client_;
    std::atomic<Time> offset_{};
    std::mutex mutex_{};  // guards the stream of what the runtime answers
  };

  static thread_local Worker* self_;

  void work(Worker& worker);
  void run_body(Task& task);
  void hand_out(FiberId id);
  void supervise(Lock& lock);
  void look_for_stuck();
  void give_up(std::exception_ptr error);
  void fail(std::exception_ptr error);
  [[nodiscard]] bool check_cancelled() const;
  void check_deadlock();
  [[noreturn]] void go_nowhere(Lock& lock);
  void describe(std::string& out) const;

  const ThreadsLimits limits_;
  mutable std::mutex mutex_{};
  std::condition_variable done_{};
  Clock::time_point began_ = Clock::now();  // constant while a run is on
  std::uint32_t streams_of_ = 0;
  ChoiceStreams streams_{};
  std::atomic<std::uint64_t> steps_{0};

  std::deque<Task> tasks_{};  // those beyond count_ are left over from other runs
  FiberId count_ = 0;
  FiberId live_ = 0;
  bool running_ = false;
  FiberId parked_ = 0;
  std::atomic<bool> cancelling_{false};  // written with the lock held
  std::exception_ptr error_{};
  std::atomic<bool> abandoned_{false};

  std::vector<std::unique_ptr<Worker>> workers_{};
  std::deque<ClientRuntime> runtimes_{};
};

}  // namespace causalcheck
