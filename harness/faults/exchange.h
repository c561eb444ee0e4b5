#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <utility>

#include "harness/faults/fault_injector.h"

namespace causalcheck {

// The life of one request under faults. A Request has
//
//   Answer                    a Result
//   Answer send(deadline)     makes the call that it stands for, in a BackendScope
//   left()                    the request has left the client, if only to get lost: those behind it
//                             may go
//   send_later()              the same as something that can be called when the caller is gone, or
//                             an empty function where that makes no sense
//   Answer cut(answer, n)     the answer, cut somewhere that `n` in [0, 256) says
//   keep(answer)              what the answer held, and nobody will be told, must not get lost
//
// Each fault is seen by the caller as harness/result.h says that it may be: kUnavailable only when
// nothing was sent.

/// How long a late request may take: nobody waits for its answer.
inline constexpr Time kLateAnswerLimit = std::chrono::seconds(10);

/// What a client is told whose answer was cut.
inline Error undecodable() { return Error(ErrorCode::kUndecodable, "the answer was cut"); }

/// What most requests have in common: nothing to let go of, to send later or to keep.
template <class Given>
struct PlainRequest {
  using Answer = Given;
  static void left() {}
  static std::function<void()> send_later() { return {}; }
  static Answer cut(Answer, std::uint32_t) { return undecodable(); }
  static void keep(Answer&) {}
};

/// A fault that acts on one request: a window of the history as long as this lives.
class FaultInjector::Effect {
 public:
  Effect(FaultInjector& faults, FaultKind kind, const std::string& target)
      : faults_(faults), window_(faults.began(kind, target, faults.current_call())) {}
  ~Effect() { faults_.ended(window_); }
  Effect(const Effect&) = delete;
  Effect& operator=(const Effect&) = delete;

 private:
  FaultInjector& faults_;
  const std::size_t window_;
};

template <class Request>
typename Request::Answer FaultInjector::exchange(FaultedClient& client, FaultSite site,
                                                 Time deadline, Request& request) {
  const HarnessScope here(scheduler_);
  if (stopped_) return request.send(deadline);
  ++exchanges_;
  if (late_open_ > 0) let_go_late_ones();
  sit_out_pause(client);
  DrawnFault fault = draw(client, site);
  if (fault.kind && unleash(client, fault)) fault.kind.reset();

  // A client inside a backend with links of its own sits at its process; what is cut is the links.
  const bool on_a_link = powers_.links == nullptr;
  if (on_a_link && client.is_down(client.raw->now())) {
    return Error(ErrorCode::kUnavailable, "the connection was refused: the link is down");
  }
  if (on_a_link && client.loses_requests(client.raw->now())) {
    request.left();
    give_up(client, 0, deadline);
    return Error(ErrorCode::kDeadline, "no answer: the client is cut off");
  }

  std::optional<Effect> effect;
  const std::uint32_t how = fault.parameter;
  const bool before = (how & 8U) == 0;
  const Time length = fault_length(how);
  if (fault.kind == FaultKind::kLateRequest) {
    if (std::function<void()> later = request.send_later()) {
      send_later(client, how, std::move(later));
      request.left();
      give_up(client, how, deadline);
      return Error(ErrorCode::kDeadline, "no answer: the request is late");
    }
    fault.kind.reset();
  }
  if (fault.kind) effect.emplace(*this, *fault.kind, client.label);
  if (fault.kind == FaultKind::kRefuse) {
    return Error(ErrorCode::kUnavailable, "the connection was refused");
  }
  if (fault.kind == FaultKind::kDropRequest) {
    request.left();
    give_up(client, how, deadline);
    return Error(ErrorCode::kDeadline, "no answer: the request was lost");
  }
  if (fault.kind == FaultKind::kDelay && before) {
    client.raw->sleep_until(client.raw->now() + length);
  }

  typename Request::Answer answer = request.send(deadline);
  if (client.strike.kind) strike(client);  // at the latest when the answer is on its way
  // The client hears of the first only. Where that was refused nothing is sent again: the second
  // might be let in, and the refusal be a lie.
  const bool refused = answer.has_error() && outcome_of(answer.error().code) == Outcome::kFail;
  if (fault.kind == FaultKind::kDuplicate && !refused) {
    static_cast<void>(request.send(deadline));
  }
  sit_out_pause(client);

  if (fault.kind == FaultKind::kDelay && !before) {
    const bool past_the_limit = how >> 4U == 15;
    client.raw->sleep_until(past_the_limit ? limit_of(client, deadline)
                                           : client.raw->now() + length);
    if (past_the_limit) {
      request.keep(answer);
      return Error(ErrorCode::kDeadline, "the answer came after the deadline");
    }
  }
  if (fault.kind == FaultKind::kDropAnswer) {
    request.keep(answer);
    give_up(client, how, deadline);
    return Error(ErrorCode::kDeadline, "no answer: it was lost");
  }
  if (fault.kind == FaultKind::kReset) {
    request.keep(answer);
    return Error(ErrorCode::kConnectionLost, "the connection died in the middle of the answer");
  }
  if (fault.kind == FaultKind::kTruncate) return request.cut(std::move(answer), how);

  if (!on_a_link || stopped_) return answer;
  if (client.is_down(client.raw->now())) {
    request.keep(answer);
    return Error(ErrorCode::kConnectionLost, "the link went down before the answer came");
  }
  if (client.loses_answers(client.raw->now())) {
    request.keep(answer);
    give_up(client, 0, deadline);
    return Error(ErrorCode::kDeadline, "no answer: the client is cut off");
  }
  return answer;
}

}  // namespace causalcheck
