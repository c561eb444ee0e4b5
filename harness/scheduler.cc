#include "harness/scheduler.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <functional>
#include <iterator>
#include <utility>

#include "harness/scheduler_impl.h"

namespace causalcheck {

DeterministicScheduler::Impl::~Impl() {
  assert(running_ == nullptr);
  quitting_ = true;
  main_.emplace();
  for (const auto& worker : workers_) main_->switch_to(worker->fiber);
}

void DeterministicScheduler::Impl::begin(Choices& choices, const Strategy& strategy) {
  assert(running_ == nullptr);
  for (FiberId id = 0; id < count_; ++id) {
    Task& task = *tasks_[id];
    if (task.state == State::kEnded) continue;  // as every fiber is after `run`
    task.body = nullptr;
    board_.remove(task.place);
    task.state = State::kEnded;
  }
  choices_ = &choices;
  picker_.begin(strategy);
  steps_ = 0;
  switches_inside_ = 0;
  now_ = Time::zero();
  next_due_ = Time::max();
  count_ = 0;
  live_ = 0;
  sleepers_.clear();
  cancelling_ = false;
  ended_below_ = 0;
  error_ = nullptr;
  board_.steps(0, now_);
}

FiberId DeterministicScheduler::Impl::spawn(std::uint32_t client, std::string name,
                                            std::function<void()> body) {
  assert(choices_ != nullptr);
  picker_.know(client);
  if (count_ == tasks_.size()) tasks_.push_back(std::make_unique<Task>());
  Task& task = *tasks_[count_];
  task.id = count_++;
  ++live_;
  task.client = client;
  task.state = State::kReady;
  task.wake_came = false;
  task.depth = 0;
  task.name = std::move(name);
  task.body = std::move(body);
  task.place = board_.add(task.id, client, task.name);
  if (!cancelling_) picker_.add(task.id, client);
  return task.id;
}

void DeterministicScheduler::Impl::run() {
  assert(running_ == nullptr);
  if (!exceptions_) {
    exceptions_.emplace();
    thread_ = std::this_thread::get_id();
  }
  assert(thread_ == std::this_thread::get_id());
  assert(!exceptions_->unwinding() && !exceptions_->handling());
  main_.emplace();
  const FiberId first = pick(kNobody);
  if (first != kNobody) main_->switch_to(destination(first));
  cancelling_ = false;
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
}

// The life of a pooled stack. A body that ends hands its stack to a fiber that has not started
// yet, if it is that one's turn, without a switch.
Fiber& DeterministicScheduler::Impl::work(void* worker) noexcept {
  Worker& self = *static_cast<Worker*>(worker);
  Impl& impl = self.owner;
  while (!impl.quitting_) {
    Task& task = *impl.running_;
    impl.run_body(task);
    impl.end(task);
    impl.idle_.push_back(&self);
    Fiber& next = impl.destination(impl.pick(kNobody));
    if (&next != &self.fiber) self.fiber.switch_to(next);
  }
  return *impl.main_;
}

void DeterministicScheduler::Impl::run_body(Task& task) {
  std::exception_ptr error;
  try {
    task.body();
  } catch (const FiberCancelled&) {
    assert(cancelling_);
  } catch (...) {
    error = std::current_exception();
  }
  if (error) fail(std::move(error));
}

void DeterministicScheduler::Impl::end(Task& task) {
  if (task.state == State::kReady && !cancelling_) picker_.remove(task.id, task.client);
  task.state = State::kEnded;
  --live_;
  task.worker = nullptr;
  task.body = nullptr;
  board_.remove(task.place);
}

// Makes `next` the running fiber and says where to switch to. A fiber that has not started gets
// the stack that became free last: possibly the one we are on.
Fiber& DeterministicScheduler::Impl::destination(FiberId next) {
  if (next == kNobody) {
    running_ = nullptr;
    board_.runs(StatusBoard::kNone);
    return *main_;
  }
  Task& task = *tasks_[next];
  if (task.worker == nullptr) task.worker = &take_worker();
  running_ = &task;
  board_.runs(task.place);
  return task.worker->fiber;
}

DeterministicScheduler::Impl::Worker& DeterministicScheduler::Impl::take_worker() {
  if (idle_.empty()) {
    idle_.reserve(workers_.size() + 1);  // so that a worker can always return to it
    workers_.push_back(std::make_unique<Worker>(*this));
    return *workers_.back();
  }
  Worker& worker = *idle_.back();
  idle_.pop_back();
  return worker;
}

// False when the call must return at once: the run is being cancelled, and so is this fiber.
bool DeterministicScheduler::Impl::may_wait() const {
  if (cancelling_) [[unlikely]] {
    if (exceptions_->unwinding()) return false;
    throw FiberCancelled();
  }
  if (running_ != nullptr) {
    assert(!exceptions_->unwinding() && "a fiber may not wait while an exception is on its way");
    assert(!exceptions_->handling() && "a fiber may not wait in a catch handler");
  }
  return true;
}

void DeterministicScheduler::Impl::step() {
  ++steps_;
  now_ += kStepCost;
  board_.steps(steps_, now_);
  if (steps_ > steps_max_) [[unlikely]] {
    std::exception_ptr error = stuck("livelock: the run does not come to an end");
    if (running_ == nullptr) std::rethrow_exception(error);
    fail(std::move(error));
    throw FiberCancelled();
  }
  if (now_ >= next_due_) wake_sleepers();
  if (running_ != nullptr) picker_.step(running_->client, now_);
}

void DeterministicScheduler::Impl::yield() {
  if (!may_wait()) return;
  step();
  if (running_ == nullptr) return;
  go_on(pick(picker_.stalls(running_->client) ? kNobody : running_->id));
}

void DeterministicScheduler::Impl::sleep_until(Time time) {
  if (!may_wait()) return;
  time = std::min(time, kForever);
  step();
  if (running_ == nullptr) {
    now_ = std::max(now_, time);
    return;
  }
  Task& self = *running_;
  if (time <= now_) {
    go_on(pick(picker_.stalls(self.client) ? kNobody : self.id));
    return;
  }
  self.state = State::kSleeping;
  self.since = now_;
  self.until = time;
  board_.waits(self.place, "a time");
  picker_.remove(self.id, self.client);
  sleepers_.emplace_back(time, self.id);
  std::push_heap(sleepers_.begin(), sleepers_.end(), std::greater<>());
  next_due_ = sleepers_.front().first;
  go_on(pick(kNobody));
}

void DeterministicScheduler::Impl::park(const char* waits_for) {
  assert(running_ != nullptr);
  if (!may_wait()) return;
  step();
  Task& self = *running_;
  if (std::exchange(self.wake_came, false)) {
    go_on(pick(picker_.stalls(self.client) ? kNobody : self.id));
    return;
  }
  self.state = State::kParked;
  self.since = now_;
  self.waits_for = waits_for;
  board_.waits(self.place, waits_for);
  picker_.remove(self.id, self.client);
  go_on(pick(kNobody));
}

void DeterministicScheduler::Impl::wake(FiberId id) {
  assert(id < count_);
  Task& task = *tasks_[id];
  if (task.state != State::kParked) {
    task.wake_came = true;
    return;
  }
  if (cancelling_) return;
  task.state = State::kReady;
  board_.waits(task.place, nullptr);
  picker_.add(id, task.client);
}

void DeterministicScheduler::Impl::wake_sleepers() {
  while (!sleepers_.empty() && sleepers_.front().first <= now_) {
    Task& task = *tasks_[sleepers_.front().second];
    std::pop_heap(sleepers_.begin(), sleepers_.end(), std::greater<>());
    sleepers_.pop_back();
    task.state = State::kReady;
    board_.waits(task.place, nullptr);
    picker_.add(task.id, task.client);
  }
  next_due_ = sleepers_.empty() ? Time::max() : sleepers_.front().first;
}

// Leaves the running fiber for `next` and comes back when it is its turn again.
void DeterministicScheduler::Impl::go_on(FiberId next) {
  Task& self = *running_;
  if (next != self.id) {
    if (self.depth > 0 && tasks_[next]->client != self.client) ++switches_inside_;
    Fiber& there = destination(next);
    self.worker->fiber.switch_to(there);
  }
  if (cancelling_) [[unlikely]]
    throw FiberCancelled();
}

// The fiber that goes on; kNobody when all have ended. `current` as in Picker::pick.
FiberId DeterministicScheduler::Impl::pick(FiberId current) {
  while (!cancelling_) {
    const FiberId next = picker_.pick(*choices_, current);
    if (next != kNobody) return next;
    if (picker_.stalling() && !picker_.stall_outlasts(next_due_)) {
      picker_.end_stall();
    } else if (!sleepers_.empty()) {
      now_ = next_due_;
      wake_sleepers();
    } else if (live_ == 0) {
      return kNobody;
    } else {
      fail(stuck("deadlock: every fiber waits for another"));
    }
  }
  return next_to_cancel();
}

// In a failed run the fibers are ended one by one, by id. Those that have not started never do.
FiberId DeterministicScheduler::Impl::next_to_cancel() {
  for (; ended_below_ < count_; ++ended_below_) {
    Task& task = *tasks_[ended_below_];
    if (task.state == State::kEnded) continue;
    if (task.worker != nullptr) return ended_below_;
    end(task);
  }
  return kNobody;
}

void DeterministicScheduler::Impl::fail(std::exception_ptr error) {
  if (!error_) error_ = std::move(error);
  cancelling_ = true;
}

std::exception_ptr DeterministicScheduler::Impl::stuck(const char* how) const {
  std::string text = fmt::format("{}; after {} scheduling steps, at virtual time {}", how, steps_,
                                 virtual_time(now_));
  for (FiberId id = 0; id < count_; ++id) describe(*tasks_[id], text);
  return std::make_exception_ptr(SchedulerError(text));
}

void DeterministicScheduler::Impl::describe(const Task& task, std::string& out) const {
  if (task.state == State::kEnded) return;
  const auto end = std::back_inserter(out);
  fmt::format_to(end, "\n  fiber {} \"{}\" of client {}: ", task.id, task.name, task.client);
  if (task.state == State::kParked) {
    fmt::format_to(end, "waits for {} since {}", task.waits_for, virtual_time(task.since));
  } else if (task.state == State::kSleeping) {
    fmt::format_to(end, "sleeps until {} since {}", virtual_time(task.until),
                   virtual_time(task.since));
  } else if (&task == running_) {
    out += "runs";
  } else if (picker_.stalls(task.client)) {
    out += "is stalled";
  } else {
    out += task.worker == nullptr ? "has not started" : "could go on";
  }
}

Runtime& DeterministicScheduler::Impl::runtime_of(std::uint32_t client, Time wall_offset) {
  while (runtimes_.size() <= client) runtimes_.push_back(std::make_unique<ClientRuntime>(*this));
  runtimes_[client]->set_offset(wall_offset);
  return *runtimes_[client];
}

DeterministicScheduler::DeterministicScheduler() : impl_(std::make_unique<Impl>()) {}
DeterministicScheduler::~DeterministicScheduler() = default;

void DeterministicScheduler::begin(Choices& choices, const Strategy& strategy) {
  impl_->begin(choices, strategy);
}
void DeterministicScheduler::limit_steps(std::uint64_t steps_max) { impl_->limit_steps(steps_max); }
FiberId DeterministicScheduler::spawn(std::uint32_t client, std::string name,
                                      std::function<void()> body) {
  return impl_->spawn(client, std::move(name), std::move(body));
}
void DeterministicScheduler::run() { impl_->run(); }
Runtime& DeterministicScheduler::runtime_of(std::uint32_t client, Time wall_offset) {
  return impl_->runtime_of(client, wall_offset);
}
Choices& DeterministicScheduler::choices_of(std::uint32_t, ChoiceUse) { return impl_->choices(); }
void DeterministicScheduler::park(const char* waits_for) { impl_->park(waits_for); }
void DeterministicScheduler::wake(FiberId fiber) { impl_->wake(fiber); }
FiberId DeterministicScheduler::current() const { return impl_->current(); }
void DeterministicScheduler::enter(const BackendCall& call) {
  if (call.kind == CallKind::kOperation) impl_->change_depth(1);
}
void DeterministicScheduler::leave(CallKind kind) {
  if (kind == CallKind::kOperation) impl_->change_depth(-1);
}
std::uint64_t DeterministicScheduler::switches_inside() const { return impl_->switches_inside(); }
std::uint64_t DeterministicScheduler::steps() const { return impl_->steps(); }
Time DeterministicScheduler::now() const { return impl_->now(); }
std::string DeterministicScheduler::status() const { return impl_->status(); }

}  // namespace causalcheck
