#include "harness/threads_scheduler.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <iterator>
#include <utility>

#include "harness/status_board.h"
#include "harness/threads_scheduler_impl.h"

namespace causalcheck {
namespace {

// How often the supervisor looks for calls that do not come back.
constexpr std::chrono::milliseconds kLookInterval{50};
// And how often it has to have seen a call overdue: a process that was stopped is not stuck.
constexpr std::uint32_t kLateLooks = 10;
// Who sleeps longer than this is woken all the same: no run takes so long.
constexpr Time kSleepMax = std::chrono::hours(1);
// One yield in so many, as the plan chooses, is a pause that lets others overtake, and one lets go
// of the processor: on a busy machine that alone may take milliseconds.
constexpr std::uint32_t kYieldsPerPause = 16;
constexpr std::uint32_t kPauseMaxMicros = 64;

}  // namespace

// The pooled thread that is running, for the calls that a fiber makes.
thread_local ThreadsScheduler::Impl::Worker* ThreadsScheduler::Impl::self_ = nullptr;

ThreadsScheduler::Impl::~Impl() {
  {
    const std::lock_guard lock(mutex_);
    for (const auto& worker : workers_) {
      worker->quits = true;
      worker->has_task.notify_one();
    }
  }
  for (const auto& worker : workers_) worker->thread.join();
}

void ThreadsScheduler::Impl::begin(const Plan& plan) {
  const std::lock_guard lock(mutex_);
  assert(live_ == 0 && !abandoned_);
  streams_of_ = plan.clients + 1;
  streams_.begin(plan.seed, plan.choices, kChoiceUses * std::size_t{streams_of_});
  while (runtimes_.size() < streams_of_) {
    runtimes_.emplace_back(*this, static_cast<std::uint32_t>(runtimes_.size()));
  }
  steps_ = 0;
  count_ = live_ = parked_ = 0;
  cancelling_ = false;
  error_ = nullptr;
  began_ = Clock::now();
}

FiberId ThreadsScheduler::Impl::spawn(std::uint32_t client, std::string name,
                                      std::function<void()> body) {
  Lock lock(mutex_, std::defer_lock);
  const bool in_fiber = self_ != nullptr && self_->running != nullptr;
  if (!in_fiber || !self_->held->owns_lock()) lock.lock();
  if (count_ == tasks_.size()) tasks_.emplace_back();
  Task& task = tasks_[count_];
  task.id = count_++;
  ++live_;
  task.client = client;
  task.name = std::move(name);
  task.body = std::move(body);
  task.state = State::kReady;
  task.wake_came = false;
  task.waits_for = task.topic = "";
  task.since = now();
  task.late_looks = 0;
  if (running_) hand_out(task.id);
  return task.id;
}

Runtime& ThreadsScheduler::Impl::runtime_of(std::uint32_t client, Time wall_offset) {
  assert(client < streams_of_);
  runtimes_[client].set_offset(wall_offset);
  return runtimes_[client];
}

std::uint32_t ThreadsScheduler::Impl::ClientRuntime::choose(std::uint32_t n) {
  const std::lock_guard lock(mutex_);
  return impl_.choices_of(client_, ChoiceUse::kRuntime).next(n);
}

void ThreadsScheduler::Impl::run() {
  Lock lock(mutex_);
  running_ = true;
  for (FiberId id = 0; id < count_; ++id) hand_out(id);
  supervise(lock);
  running_ = false;
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
}

// Gives a fiber to a thread.
void ThreadsScheduler::Impl::hand_out(FiberId id) {
  while (workers_.size() <= id) {
    workers_.push_back(std::make_unique<Worker>());
    Worker& worker = *workers_.back();
    worker.thread = std::thread([this, &worker] { work(worker); });
  }
  workers_[id]->task = &tasks_[id];
  workers_[id]->has_task.notify_one();
}

void ThreadsScheduler::Impl::work(Worker& worker) {
  self_ = &worker;
  Lock lock(mutex_);
  worker.held = &lock;
  while (true) {
    worker.has_task.wait(lock, [&] { return worker.task != nullptr || worker.quits; });
    if (worker.task == nullptr) return;
    Task& task = *std::exchange(worker.task, nullptr);
    worker.running = &task;
    run_body(task);
    worker.running = nullptr;
  }
}

void ThreadsScheduler::Impl::run_body(Task& task) {
  try {
    if (!cancelling_) task.body();
  } catch (const FiberCancelled&) {
    assert(cancelling_);
  } catch (...) {
    fail(std::current_exception());
  }
  task.body = nullptr;
  task.state = State::kEnded;
  --live_;
  check_deadlock();
  if (live_ == 0) done_.notify_one();
}

// The thread that called `run`: waits for the others, and for none of them for ever.
void ThreadsScheduler::Impl::supervise(Lock& lock) {
  while (live_ > 0 && !abandoned_) {
    done_.wait_for(lock, kLookInterval, [this] { return live_ == 0; });
    if (live_ == 0) return;
    look_for_stuck();
    if (!cancelling_ && now() > limits_.run) {
      std::string text = fmt::format("the run did not end within {}", virtual_time(limits_.run));
      describe(text);
      fail(std::make_exception_ptr(RunOverdue(text)));
    }
  }
}

// Gives the run up when somebody has been in a call for too long and nobody else is still on the
// way out.
void ThreadsScheduler::Impl::look_for_stuck() {
  const auto end = tasks_.begin() + count_;
  for (auto task = tasks_.begin(); task != end; ++task) {
    const bool late = task->state == State::kCalling && now() > task->deadline &&
                      now() - task->deadline > limits_.after_deadline;
    task->late_looks = late ? task->late_looks + 1 : 0;
  }
  const auto overdue = [](const Task& task) { return task.late_looks >= kLateLooks; };
  const auto stuck = std::count_if(tasks_.begin(), end, overdue);
  if (stuck == 0) return;
  if (!cancelling_) {
    const auto first = std::find_if(tasks_.begin(), end, overdue);
    // The cascade marks those threads of a client that only publish.
    const std::string client = first->name.substr(0, first->name.find('!'));
    std::string text =
        fmt::format("client {} is stuck in {}{}{}, called at {} and due at {}, and it is {} now",
                    client, first->waits_for, *first->topic == '\0' ? "" : " on ", first->topic,
                    virtual_time(first->since), virtual_time(first->deadline), virtual_time(now()));
    describe(text);
    fail(std::make_exception_ptr(ClientStuck(text)));
  }
  if (static_cast<FiberId>(stuck) < live_) return;  // the others are on their way out
  give_up(error_);
}

// Leaves the threads that are left behind.
void ThreadsScheduler::Impl::give_up(std::exception_ptr error) {
  try {
    std::rethrow_exception(std::move(error));
  } catch (const ClientStuck&) {
  } catch (const std::exception& earlier) {
    std::string text = std::string(earlier.what()) + "; and after that a client was stuck";
    describe(text);
    error_ = std::make_exception_ptr(ClientStuck(text));
  } catch (...) {
    std::string text = "a client was stuck after another one had thrown something";
    describe(text);
    error_ = std::make_exception_ptr(ClientStuck(text));
  }
  abandoned_ = true;
}

void ThreadsScheduler::Impl::fail(std::exception_ptr error) {
  if (!error_) error_ = std::move(error);
  cancelling_ = true;
  for (FiberId id = 0; id < count_; ++id) tasks_[id].roused.notify_all();
}

// True when the call must return at once: the run is being cancelled, and an exception is already
// on its way through this fiber.
bool ThreadsScheduler::Impl::check_cancelled() const {
  if (!cancelling_) return false;
  if (std::uncaught_exceptions() == 0) throw FiberCancelled();
  return true;
}

// Only a call that comes back, or a sleep that ends, can wake those who are parked.
void ThreadsScheduler::Impl::check_deadlock() {
  if (live_ == 0 || parked_ < live_ || cancelling_) return;
  std::string text = "deadlock: every fiber waits for another";
  describe(text);
  fail(std::make_exception_ptr(SchedulerError(text)));
}

void ThreadsScheduler::Impl::park(const char* waits_for) {
  assert(self_ != nullptr && self_->running != nullptr && self_->held->owns_lock());
  Task& task = *self_->running;
  if (check_cancelled() || std::exchange(task.wake_came, false)) return;
  task.state = State::kParked;
  task.waits_for = waits_for;
  task.topic = "";
  task.since = now();
  ++parked_;
  check_deadlock();
  task.roused.wait(*self_->held, [&] { return task.state == State::kReady || cancelling_; });
  if (task.state == State::kParked) {
    task.state = State::kReady;
    --parked_;
  }
  task.waits_for = "";
  static_cast<void>(check_cancelled());
}

void ThreadsScheduler::Impl::wake(FiberId id) {
  assert(id < count_);
  Task& task = tasks_[id];
  if (task.state != State::kParked) {
    task.wake_came = true;
    return;
  }
  task.state = State::kReady;
  --parked_;
  task.roused.notify_one();
}

void ThreadsScheduler::Impl::enter(const BackendCall& call) {
  if (self_ == nullptr || self_->running == nullptr) return;
  if (check_cancelled()) return;
  Task& task = *self_->running;
  task.state = State::kCalling;
  task.waits_for = call.what;
  task.topic = call.topic;
  task.since = now();
  task.deadline = call.deadline;
  task.late_looks = 0;
  steps_.fetch_add(1, std::memory_order_relaxed);
  self_->held->unlock();
}

void ThreadsScheduler::Impl::leave() {
  if (self_ == nullptr || self_->running == nullptr) return;
  if (!self_->held->owns_lock()) self_->held->lock();
  if (abandoned_) go_nowhere(*self_->held);
  self_->running->state = State::kReady;
  self_->running->waits_for = self_->running->topic = "";
}

bool ThreadsScheduler::Impl::pause_call() {
  if (self_ == nullptr || self_->running == nullptr || self_->held->owns_lock()) return false;
  self_->held->lock();
  if (abandoned_) go_nowhere(*self_->held);
  return true;
}

bool ThreadsScheduler::Impl::resume_call() {
  if (self_ == nullptr || self_->running == nullptr || !self_->held->owns_lock()) return false;
  self_->held->unlock();
  return true;
}

// The end of a thread that was left behind: nothing of its run may be touched any more.
void ThreadsScheduler::Impl::go_nowhere(Lock& lock) {
  std::condition_variable never;
  while (true) never.wait(lock);
}

void ThreadsScheduler::Impl::yield() {
  Worker* const self = self_;
  if (self == nullptr || self->running == nullptr) return std::this_thread::yield();
  Runtime& runtime = runtimes_[self->running->client];
  const std::uint32_t drawn = runtime.choose(kYieldsPerPause);
  if (drawn == kYieldsPerPause - 1) {
    const std::uint32_t pause = 1 + runtime.choose(kPauseMaxMicros);
    return sleep_until(now() + std::chrono::microseconds(pause));
  }
  const bool held = self->held->owns_lock();
  if (held) self->held->unlock();
  if (held || drawn == kYieldsPerPause - 2) std::this_thread::yield();
  if (held) self->held->lock();
  static_cast<void>(check_cancelled());
}

void ThreadsScheduler::Impl::sleep_until(Time time) {
  const Clock::time_point until = began_ + std::min(time, now() + kSleepMax);
  Worker* const self = self_;
  if (self == nullptr || self->running == nullptr) return std::this_thread::sleep_until(until);
  if (check_cancelled()) return;
  // Inside a call it is the call that is shown as what the fiber waits for.
  const bool held = self->held->owns_lock();
  if (!held) self->held->lock();
  Task& task = *self->running;
  const bool in_call = task.state == State::kCalling;
  if (!in_call) {
    task.waits_for = "a time";
    task.since = now();
  }
  task.roused.wait_until(*self->held, until, [this] { return cancelling_.load(); });
  if (!in_call) task.waits_for = "";
  if (!held) self->held->unlock();
  static_cast<void>(check_cancelled());
}

Time ThreadsScheduler::Impl::now() const { return Clock::now() - began_; }

void ThreadsScheduler::Impl::describe(std::string& out) const {
  const auto end = std::back_inserter(out);
  for (FiberId id = 0; id < count_; ++id) {
    const Task& task = tasks_[id];
    if (task.state == State::kEnded) continue;
    fmt::format_to(end, "\n  thread {} \"{}\" of client {}: ", id, task.name, task.client);
    if (task.state == State::kReady && *task.waits_for == '\0') {
      out += "runs";
    } else {
      fmt::format_to(end, "{} {}{}{} since {}", task.state == State::kCalling ? "in" : "waits for",
                     task.waits_for, *task.topic == '\0' ? "" : " on ", task.topic,
                     virtual_time(task.since));
      if (task.state == State::kCalling) {
        fmt::format_to(end, ", due at {}", virtual_time(task.deadline));
      }
    }
  }
}

std::string ThreadsScheduler::Impl::status() const {
  // For the watchdog, which must not hang on a lock that a broken run holds.
  Lock lock(mutex_, std::defer_lock);
  const Clock::time_point patience = Clock::now() + kLookInterval;
  while (!lock.try_lock() && Clock::now() < patience) std::this_thread::yield();
  if (!lock.owns_lock()) return "a thread of the run does not let go of its lock";
  std::string text = fmt::format("after {} calls, at {}", steps(), virtual_time(now()));
  describe(text);
  return text;
}

ThreadsScheduler::ThreadsScheduler(ThreadsLimits limits) : impl_(std::make_unique<Impl>(limits)) {}
ThreadsScheduler::~ThreadsScheduler() {
  assert(!impl_->abandoned() && "a thread that was left behind may come back");
}
void ThreadsScheduler::begin(const Plan& plan) { impl_->begin(plan); }
std::vector<std::uint32_t> ThreadsScheduler::consumed() const { return impl_->consumed(); }
FiberId ThreadsScheduler::spawn(std::uint32_t client, std::string name,
                                std::function<void()> body) {
  return impl_->spawn(client, std::move(name), std::move(body));
}
void ThreadsScheduler::run() { impl_->run(); }
Runtime& ThreadsScheduler::runtime_of(std::uint32_t client, Time wall_offset) {
  return impl_->runtime_of(client, wall_offset);
}
Choices& ThreadsScheduler::choices_of(std::uint32_t client, ChoiceUse use) {
  return impl_->choices_of(client, use);
}
bool ThreadsScheduler::pause_call() { return impl_->pause_call(); }
bool ThreadsScheduler::resume_call() { return impl_->resume_call(); }
FiberId ThreadsScheduler::current() const { return impl_->current(); }
void ThreadsScheduler::park(const char* waits_for) { impl_->park(waits_for); }
void ThreadsScheduler::wake(FiberId fiber) { impl_->wake(fiber); }
void ThreadsScheduler::enter(const BackendCall& call) { impl_->enter(call); }
void ThreadsScheduler::leave(CallKind) { impl_->leave(); }
std::uint64_t ThreadsScheduler::steps() const { return impl_->steps(); }
Time ThreadsScheduler::now() const { return impl_->now(); }
std::string ThreadsScheduler::status() const { return impl_->status(); }

}  // namespace causalcheck
