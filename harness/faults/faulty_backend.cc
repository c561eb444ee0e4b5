#include "harness/faults/faulty_backend.h"

#include <chrono>
#include <iterator>
#include <utility>

#include "harness/faults/exchange.h"

namespace causalcheck {

Result<std::unique_ptr<Session>> FaultyBackend::open(const ClientInfo& info, Runtime& runtime,
                                                     const ResumeToken* resume) {
  const HarnessScope here(faults_.scheduler());
  FaultedClient& client = faults_.client_of(info, runtime);
  auto opened = [&] {
    const BackendScope there(faults_.scheduler());
    return faults_.checked().open(info, client.runtime, resume);
  }();
  if (opened.has_error()) return opened;
  // Without a token the feed starts over, and what was kept comes from there.
  if (resume == nullptr) client.kept.clear();
  return std::unique_ptr<Session>(
      std::make_unique<FaultySession>(faults_, client, info, *std::move(opened), resume));
}

struct FaultySession::CommitRequest : PlainRequest<Result<Ack>> {
  FaultySession& session;
  const Message& message;
  std::optional<TurnQueue::Turn> turn{};

  Answer send(Time deadline) {
    left();
    const BackendScope there(session.faults_.scheduler());
    return session.inner_->commit(message, deadline);
  }
  void left() { turn.reset(); }
  std::function<void()> send_later() {
    FaultedClient& client = session.client_;
    const ResumeToken* resume = session.resume_ ? &*session.resume_ : nullptr;
    auto opened = [&] {
      const BackendScope there(session.faults_.scheduler());
      return session.faults_.checked().open(session.info_, client.runtime, resume);
    }();
    if (opened.has_error()) return {};
    struct Sent {
      std::unique_ptr<Session> session;
      std::string topic;
      std::string payload;
      bool is_delete;
    };
    const auto sent = std::make_shared<Sent>(Sent{*std::move(opened), std::string(message.topic),
                                                  std::string(message.payload), message.is_delete});
    return [sent, raw = client.raw] {
      // Whatever comes of it, nobody is there to hear.
      static_cast<void>(sent->session->commit({sent->topic, sent->payload, sent->is_delete},
                                              raw->now() + kLateAnswerLimit));
      static_cast<void>(sent->session->close());
    };
  }
};

struct FaultySession::PollRequest : PlainRequest<Result<std::optional<Entry>>> {
  FaultySession& session;
  std::string_view topic;

  Answer send(Time deadline) {
    const BackendScope there(session.faults_.scheduler());
    return session.inner_->poll(topic, deadline);
  }
};

struct FaultySession::ReceiveRequest : PlainRequest<Result<std::vector<Delivered>>> {
  FaultySession& session;

  Answer send(Time deadline) {
    std::vector<Delivered>& kept = session.client_.kept;
    if (!kept.empty()) return std::exchange(kept, {});
    const BackendScope there(session.faults_.scheduler());
    return session.inner_->receive(deadline);
  }
  Answer cut(Answer answer, std::uint32_t) {
    keep(answer);
    return undecodable();
  }
  void keep(Answer& answer) {
    if (answer.has_error()) return;
    std::vector<Delivered>& kept = session.client_.kept;
    kept.insert(kept.end(), std::make_move_iterator(answer->begin()),
                std::make_move_iterator(answer->end()));
  }
};

FaultySession::FaultySession(FaultInjector& faults, FaultedClient& client, ClientInfo info,
                             std::unique_ptr<Session> inner, const ResumeToken* resume)
    : faults_(faults),
      client_(client),
      info_(std::move(info)),
      inner_(std::move(inner)),
      resume_(resume == nullptr ? std::optional<ResumeToken>() : *resume),
      pipelined_(faults.checked().declare().concurrency == Concurrency::kPipelined) {}

Result<Ack> FaultySession::commit(const Message& message, Time deadline) {
  const HarnessScope here(faults_.scheduler());
  // What is held up holds up what is behind it, as on any stream: pipelined commits are to take
  // effect in the order of their calls.
  CommitRequest request{
      {}, *this, message, pipelined_ ? turns_.wait(*client_.raw, deadline) : std::nullopt};
  if (pipelined_ && !request.turn) {
    return Error(ErrorCode::kUnavailable, "not sent: others were in front");
  }
  return faults_.exchange(client_, FaultSite::kCommit, deadline, request);
}

Result<std::optional<Entry>> FaultySession::poll(std::string_view topic, Time deadline) {
  PollRequest request{{}, *this, topic};
  return faults_.exchange(client_, FaultSite::kRead, deadline, request);
}

Result<std::vector<Delivered>> FaultySession::receive(Time deadline) {
  ReceiveRequest request{{}, *this};
  return faults_.exchange(client_, FaultSite::kRead, deadline, request);
}

}  // namespace causalcheck
