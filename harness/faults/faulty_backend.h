#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/backend.h"
#include "harness/faults/fault_injector.h"
#include "harness/turn_queue.h"

namespace causalcheck {

/// A backend whose sessions meet the faults of a run. Forwards everything.
class FaultyBackend final : public Backend {
 public:
  explicit FaultyBackend(FaultInjector& faults) : faults_(faults) {}

  [[nodiscard]] BackendDeclaration declare() const override { return faults_.checked().declare(); }
  [[nodiscard]] Result<void> reset(const RunInfo& run) override {
    return faults_.checked().reset(run);
  }
  [[nodiscard]] Result<std::unique_ptr<Session>> open(const ClientInfo& client, Runtime& runtime,
                                                      const ResumeToken* resume) override;
  [[nodiscard]] std::vector<std::string> nodes() const override {
    return faults_.checked().nodes();
  }
  [[nodiscard]] Result<std::vector<Entry>> drain(std::string_view topic, std::string_view node,
                                                 Runtime& runtime) override {
    return faults_.checked().drain(topic, node, runtime);
  }

 private:
  FaultInjector& faults_;
};

/// One session behind a FaultyBackend.
///
/// A late commit goes through a session of its own: the client has long closed this one by then,
/// and may have one call at a time only. What a feed handed over in an answer that the client did
/// not get is kept, and comes with the next one, also in the client's next session.
class FaultySession final : public Session {
 public:
  FaultySession(FaultInjector& faults, FaultedClient& client, ClientInfo info,
                std::unique_ptr<Session> inner, const ResumeToken* resume);

  [[nodiscard]] Result<Ack> commit(const Message& message, Time deadline) override;
  [[nodiscard]] Result<std::optional<Entry>> poll(std::string_view topic, Time deadline) override;
  [[nodiscard]] Result<std::vector<Delivered>> receive(Time deadline) override;
  [[nodiscard]] Result<ResumeToken> close() override { return inner_->close(); }

 private:
  struct CommitRequest;
  struct PollRequest;
  struct ReceiveRequest;

  FaultInjector& faults_;
  FaultedClient& client_;
  const ClientInfo info_;
  const std::unique_ptr<Session> inner_;
  const std::optional<ResumeToken> resume_;
  const bool pipelined_;
  TurnQueue turns_{Execution::kDeterministic};  // of commits that have not left yet
};

}  // namespace causalcheck
