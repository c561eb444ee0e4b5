#include "adapters/broadcast/broadcast_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <utility>

#include "harness/call_errors.h"

namespace causalcheck {
namespace {

// Sleeps until the next thing that is known to come; shorter at first, because what others send in
// the meantime may come before it, and nobody wakes a sleeper.
class Patience {
 public:
  // False, without sleeping, when `deadline` has come.
  bool sleep(Runtime& runtime, Time next, Time deadline) {
    const Time now = runtime.now();
    if (now >= deadline) return false;
    Time until = std::min(next, deadline);
    if (until - now > step_) {
      until = now + step_;
      step_ = std::min(step_ * 2, kLongest);
    }
    runtime.sleep_until(until);
    return true;
  }

 private:
  static constexpr Time kLongest = std::chrono::milliseconds(10);
  Time step_ = std::chrono::microseconds(16);
};

}  // namespace

Result<std::size_t> parse_position(const ResumeToken& token, std::string_view label) {
  std::string_view text = token.bytes;
  std::size_t position = 0;
  if (text.size() > label.size() && text.substr(0, label.size()) == label &&
      text[label.size()] == ':') {
    text.remove_prefix(label.size() + 1);
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, position);
    if (error == std::errc() && stop == end) return position;
  }
  return Error(
      ErrorCode::kRejected,
      fmt::format("'{}' is no resume token of {} in a broadcast group", token.bytes, label));
}

BroadcastSession::BroadcastSession(Group& group, ProcessId process,
                                   const std::vector<std::string>& topics, Runtime& runtime,
                                   std::size_t handed_over)
    : group_(group),
      process_(process),
      topics_(topics),
      runtime_(runtime),
      handed_over_(std::min(handed_over, group.delivered(process).size())) {}

BroadcastSession::~BroadcastSession() {
  if (!closed_) group_.leave(process_);
}

Result<Ack> BroadcastSession::commit(const Message& message, Time deadline) {
  if (std::find(topics_.begin(), topics_.end(), message.topic) == topics_.end()) {
    return not_a_topic(message.topic);
  }
  if (runtime_.now() >= deadline) return Error(ErrorCode::kUnavailable, "no time left to send it");
  if (!group_.is_live(process_)) {
    return Error(ErrorCode::kUnavailable, "a later incarnation has taken this process' place");
  }
  group_.advance(runtime_);
  const BroadcastId broadcast = group_.broadcast(process_, message, runtime_);
  Patience patience;
  while (!group_.acknowledged(broadcast, runtime_.now())) {
    if (!group_.is_live(process_)) {
      return Error(ErrorCode::kConnectionLost, "the process is gone, and nobody tells its client");
    }
    if (!patience.sleep(runtime_, group_.next_answer(broadcast), deadline)) {
      return Error(ErrorCode::kDeadline, "no word from the sequencer");
    }
    group_.advance(runtime_);
  }
  return Ack{};
}

Result<std::optional<Entry>> BroadcastSession::poll(std::string_view, Time) {
  return Error(ErrorCode::kRejected,
               "a broadcast group is a feed: there is no freshest message to poll");
}

Result<std::vector<Delivered>> BroadcastSession::receive(Time deadline) {
  Patience patience;
  while (true) {
    group_.advance(runtime_);
    // From here to the return nobody else runs: what is delivered is observed.
    group_.receive(process_, runtime_.now());
    const std::vector<BroadcastId>& delivered = group_.delivered(process_);
    std::vector<Delivered> batch;
    for (; handed_over_ < delivered.size(); ++handed_over_) {
      if (group_.is_news(process_, delivered[handed_over_])) {
        batch.push_back(group_.entry(delivered[handed_over_]));
      }
    }
    if (!batch.empty()) return batch;
    if (!patience.sleep(runtime_, group_.next_event(process_), deadline)) return batch;
  }
}

Result<ResumeToken> BroadcastSession::close() {
  closed_ = true;
  return ResumeToken{fmt::format("{}:{}", group_.label(process_), handed_over_)};
}

}  // namespace causalcheck
