#include "adapters/exec/exec_session.h"

#include <algorithm>
#include <utility>

#include "harness/backoff.h"

namespace causalcheck {
namespace {

constexpr std::chrono::seconds kCloseWait{5};

}  // namespace

Result<Ack> ExecSession::commit(const Message& message, Time deadline) {
  Result<ExecFrame> answer = channel_.ask(
      number_, left(deadline), [&](const ExecCall& call) { return commit_line(call, message); });
  if (answer.has_error()) return std::move(answer).error();
  return Ack{answer->slot};
}

Result<std::optional<Entry>> ExecSession::poll(std::string_view topic, Time deadline) {
  if (hello_.declared.promises.reads == Reads::kFeed) {
    return Error(ErrorCode::kRejected, "poll is not possible: the child declares reads: feed");
  }
  Result<ExecFrame> answer = channel_.ask(
      number_, left(deadline), [&](const ExecCall& call) { return poll_line(call, topic); });
  if (answer.has_error()) return std::move(answer).error();
  return std::move(answer->entry);
}

Result<std::vector<Delivered>> ExecSession::receive(Time deadline) {
  if (hello_.declared.promises.reads == Reads::kLatest) {
    return Error(ErrorCode::kRejected, "receive is not possible: the child declares reads: latest");
  }
  if (hello_.pushes) return channel_.take_delivered(number_, left(deadline));
  Backoff backoff;
  while (true) {
    Result<ExecFrame> answer = channel_.ask(
        number_, left(deadline), [](const ExecCall& call) { return plain_line(call, "receive"); });
    if (answer.has_error()) return std::move(answer).error();
    if (!answer->delivered.empty()) return std::move(answer->delivered);
    // A child that does not wait itself is asked again.
    if (!backoff.sleep(runtime_, deadline) || runtime_.now() >= deadline) {
      return std::vector<Delivered>();
    }
  }
}

Result<ResumeToken> ExecSession::close() {
  Result<ExecFrame> answer = channel_.ask(
      number_, kCloseWait, [](const ExecCall& call) { return plain_line(call, "close"); });
  if (answer.has_error()) return std::move(answer).error();
  return ResumeToken{std::move(answer->resume)};
}

}  // namespace causalcheck
