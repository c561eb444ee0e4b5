#pragma once

#include <cassert>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "harness/fiber.h"
#include "harness/picker.h"
#include "harness/scheduler.h"
#include "harness/status_board.h"

namespace causalcheck {

/// What is behind DeterministicScheduler. Fibers switch to each other directly; there is no loop in
/// between, and the stack of the caller of `run` comes on again when all have ended.
class DeterministicScheduler::Impl {
 public:
  Impl() = default;
  ~Impl();
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  void begin(Choices& choices, const Strategy& strategy);
  void limit_steps(std::uint64_t steps_max) { steps_max_ = steps_max; }
  FiberId spawn(std::uint32_t client, std::string name, std::function<void()> body);
  void run();
  Runtime& runtime_of(std::uint32_t client, Time wall_offset);

  void yield();
  void sleep_until(Time time);
  void park(const char* waits_for);
  void wake(FiberId id);
  std::uint32_t choose(std::uint32_t n) { return choices_->next(n); }
  [[nodiscard]] Choices& choices() { return *choices_; }

  void change_depth(std::int32_t by) {
    if (running_ == nullptr) return;
    running_->depth += by;
    assert(running_->depth >= 0);
  }
  [[nodiscard]] FiberId current() const {
    assert(running_ != nullptr);
    return running_->id;
  }
  [[nodiscard]] std::uint64_t switches_inside() const { return switches_inside_; }
  [[nodiscard]] std::uint64_t steps() const { return steps_; }
  [[nodiscard]] Time now() const { return now_; }
  [[nodiscard]] std::string status() const { return board_.text(); }

 private:
  enum class State : std::uint8_t { kReady, kSleeping, kParked, kEnded };

  static constexpr FiberId kNobody = Picker::kNobody;
  static constexpr Time kStepCost = std::chrono::microseconds(1);
  // Who sleeps longer than this sleeps this long: the clock must not overflow in the steps after.
  static constexpr Time kForever = Time::max() / 2;

  // A pooled stack. It runs one body after another and waits in the pool in between.
  struct Worker {
    explicit Worker(Impl& impl) : owner(impl), fiber(&Impl::work, this) {}
    Impl& owner;
    Fiber fiber;
  };

  // What the run knows as a fiber. Needs a worker only between its first step and its last.
  struct Task {
    FiberId id = 0;
    std::uint32_t client = 0;
    State state = State::kEnded;
    bool wake_came = false;
    std::uint8_t place = StatusBoard::kNone;
    std::int32_t depth = 0;  // operations it is inside of
    Worker* worker = nullptr;
    const char* waits_for = nullptr;
    Time since{};  // kSleeping, kParked
    Time until{};  // kSleeping
    std::string name{};
    std::function<void()> body{};
  };

  class ClientRuntime final : public Runtime {
   public:
    explicit ClientRuntime(Impl& impl) : impl_(impl) {}
    void set_offset(Time offset) { offset_ = offset; }
    Time now() override { return impl_.now_; }
    Time wall_now() override { return impl_.now_ + offset_; }
    void sleep_until(Time time) override { impl_.sleep_until(time); }
    void yield() override { impl_.yield(); }
    std::uint32_t choose(std::uint32_t n) override { return impl_.choose(n); }

   private:
    Impl& impl_;
    Time offset_{};
  };

  static Fiber& work(void* worker) noexcept;
  void run_body(Task& task);
  void end(Task& task);
  Fiber& destination(FiberId next);
  Worker& take_worker();

  [[nodiscard]] bool may_wait() const;
  void step();
  void go_on(FiberId next);
  FiberId pick(FiberId current);
  FiberId next_to_cancel();
  void wake_sleepers();
  void fail(std::exception_ptr error);
  std::exception_ptr stuck(const char* how) const;
  void describe(const Task& task, std::string& out) const;

  Choices* choices_ = nullptr;
  Picker picker_{};
  std::uint64_t steps_ = 0;
  std::uint64_t steps_max_ = kDefaultStepsMax;
  std::uint64_t switches_inside_ = 0;
  Time now_{};
  Time next_due_ = Time::max();  // of the first sleeper

  std::vector<std::unique_ptr<Task>> tasks_{};  // those beyond count_ are left over from other runs
  FiberId count_ = 0;
  FiberId live_ = 0;
  Task* running_ = nullptr;
  std::vector<std::pair<Time, FiberId>> sleepers_{};  // a heap, the first one due on top

  bool cancelling_ = false;
  FiberId ended_below_ = 0;  // once cancelling: all fibers below have ended
  std::exception_ptr error_{};

  std::optional<Fiber> main_{};  // the stack of the caller of `run`
  std::optional<ExceptionProbe> exceptions_{};
  std::thread::id thread_{};
  std::vector<std::unique_ptr<Worker>> workers_{};
  std::vector<Worker*> idle_{};
  bool quitting_ = false;

  std::vector<std::unique_ptr<ClientRuntime>> runtimes_{};
  StatusBoard board_{};
};

}  // namespace causalcheck
