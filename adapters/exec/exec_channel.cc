#include "adapters/exec/exec_channel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "harness/json_text.h"

namespace causalcheck {
namespace {

constexpr std::chrono::seconds kTimeToEnd{1};
// From the end of its output to its exit code.
constexpr std::chrono::milliseconds kTimeToExit{200};
// What a line may cost to be written to a child that is slow to read.
constexpr std::chrono::milliseconds kLeastWait{1};

std::string indented(const std::string& words) {
  std::string text = "\n  ";
  for (const char c : words) {
    text += c;
    if (c == '\n') text += "  ";
  }
  return text;
}

}  // namespace

ExecChannel::~ExecChannel() { stop(); }

std::int64_t ExecChannel::milliseconds_of(std::chrono::nanoseconds wait) {
  return std::max<std::int64_t>(1, std::chrono::ceil<std::chrono::milliseconds>(wait).count());
}

std::uint64_t ExecChannel::next_id() {
  const std::lock_guard lock(mutex_);
  return ++ids_;
}

Result<bool> ExecChannel::start() {
  const std::lock_guard lock(mutex_);
  if (alive_) return false;
  child_.reset();
  Result<std::unique_ptr<Child>> child = Child::start(command_);
  if (child.has_error()) return child.error();
  child_ = *std::move(child);
  alive_ = true;
  lines_ = 0;
  given_up_.clear();
  delivered_.clear();
  return true;
}

void ExecChannel::stop() {
  const std::lock_guard lock(mutex_);
  if (child_ == nullptr) return;
  if (alive_) {
    const ExecCall call{++ids_, 0, milliseconds_of(kTimeToEnd)};
    const auto deadline = Clock::now() + kTimeToEnd;
    static_cast<void>(child_->write(plain_line(call, "shutdown"), deadline));
    child_->end(deadline);
  }
  alive_ = false;
  child_.reset();
}

std::string ExecChannel::last_words() const {
  if (child_ == nullptr) return {};
  const std::string words = child_->last_words();
  return words.empty() ? std::string() : "; the last it said on standard error:" + indented(words);
}

void ExecChannel::throw_if_broken() const {
  if (!broken_.empty()) throw AdapterMisuse(broken_);
}

Result<ExecFrame> ExecChannel::exchange(const ExecCall& call, const std::string& line,
                                        Clock::time_point deadline) {
  {
    std::unique_lock lock(mutex_);
    throw_if_broken();
    if (!alive_) return Error(ErrorCode::kUnavailable, "the child has ended");
    waiting_.emplace(call.id, Waiting());
  }
  bool written = false;
  {
    const std::lock_guard one(writing_);
    written = child_->write(line, std::max(deadline, Clock::now() + kLeastWait));
  }
  std::unique_lock lock(mutex_);
  if (!written) {
    // Part of a line may be under way, so that no other can follow.
    waiting_.erase(call.id);
    lose_child();
    return Error(ErrorCode::kConnectionLost, "the child takes no more requests" + last_words());
  }
  const auto mine = waiting_.find(call.id);
  read_until(lock, deadline + kGrace, [&] { return mine->second.answered; });
  Waiting waiting = std::move(mine->second);
  waiting_.erase(mine);
  if (waiting.answered) {
    ExecFrame& frame = waiting.frame;
    if (frame.outcome == Outcome::kOk) return std::move(frame);
    const ErrorCode code = frame.outcome == Outcome::kFail ? ErrorCode::kRejected
                           : frame.undecodable             ? ErrorCode::kUndecodable
                                                           : ErrorCode::kConnectionLost;
    return Error(code, frame.text.empty() ? "the child says no more" : frame.text);
  }
  throw_if_broken();
  if (!alive_) return Error(ErrorCode::kConnectionLost, "the child ended" + last_words());
  given_up_.emplace(call.id, true);
  return Error(ErrorCode::kDeadline,
               fmt::format("no answer within {} ms", call.deadline_ms + kGrace.count()));
}

Result<std::vector<Delivered>> ExecChannel::take_delivered(std::uint64_t session,
                                                           std::chrono::nanoseconds wait) {
  std::unique_lock lock(mutex_);
  throw_if_broken();
  const auto mine = delivered_.find(session);
  if (mine == delivered_.end() || !alive_) {
    return Error(ErrorCode::kUnavailable, "the child has ended");
  }
  read_until(lock, Clock::now() + wait, [&] { return !mine->second.empty(); });
  throw_if_broken();
  if (mine->second.empty() && !alive_) {
    return Error(ErrorCode::kConnectionLost, "the child ended" + last_words());
  }
  return std::exchange(mine->second, {});
}

void ExecChannel::add_session(std::uint64_t session) {
  const std::lock_guard lock(mutex_);
  delivered_[session];
}

void ExecChannel::remove_session(std::uint64_t session) {
  const std::lock_guard lock(mutex_);
  delivered_.erase(session);
}

// Until `done`, the deadline, or nothing more can come. One of those who wait reads for all.
template <class Done>
void ExecChannel::read_until(std::unique_lock<std::mutex>& lock, Clock::time_point deadline,
                             Done done) {
  while (!done() && alive_ && broken_.empty() && Clock::now() < deadline) {
    if (reading_) {
      news_.wait_until(lock, deadline);
      continue;
    }
    reading_ = true;
    Child& child = *child_;
    lock.unlock();
    std::string line;
    const Child::Got got = child.read_line(line, deadline);
    lock.lock();
    reading_ = false;
    if (got == Child::Got::kLine) take_line(line);
    if (got == Child::Got::kEnd) lose_child();
    news_.notify_all();
  }
}

void ExecChannel::take_line(const std::string& line) {
  ++lines_;
  if (line.empty()) return;
  Attempt<ExecFrame> frame = parse_frame(line);
  if (!frame) return break_off(line, frame.error().text);
  if (!frame->id) {
    const auto session = delivered_.find(frame->session);
    // A session that was closed may still have something under way.
    if (session == delivered_.end()) return;
    for (Delivered& delivered : frame->delivered) session->second.push_back(std::move(delivered));
    return;
  }
  const auto waiting = waiting_.find(*frame->id);
  if (waiting == waiting_.end()) {
    if (given_up_.erase(*frame->id) > 0) return;
    return break_off(
        line, fmt::format("expected the answer to an open request, got one to {}", *frame->id));
  }
  if (waiting->second.answered) {
    return break_off(line, fmt::format("expected one answer to request {}, got two", *frame->id));
  }
  waiting->second.answered = true;
  waiting->second.frame = *std::move(frame);
}

void ExecChannel::break_off(const std::string& line, const std::string& why) {
  alive_ = false;
  child_->end(Clock::now());
  broken_ = fmt::format("{}: line {} of what the child printed does not fit: {}; the line: {}{}",
                        spec_, lines_, why, shown(line), last_words());
}

// It ended, or has to: nothing can come from it any more.
void ExecChannel::lose_child() {
  if (!alive_) return;
  alive_ = false;
  const std::string how = child_->end(Clock::now() + kTimeToExit);
  fmt::print(stderr, "causalcheck: {}: the child {}; the next run starts it again{}\n", spec_, how,
             last_words());
}

}  // namespace causalcheck
