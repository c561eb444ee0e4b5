#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/backend.h"
#include "harness/faults/fault_injector.h"
#include "harness/recorder.h"
#include "harness/scheduler.h"

namespace causalcheck {

/// The calls that the clients of a run make, each told to the scheduler and to the faults: what a
/// cascade and a replay have in common. `until` is a Time of the calling client's Runtime. Nothing
/// of the run may be relied on to be as it was when a call returns, but for what the caller holds.
class BackendCalls {
 public:
  BackendCalls(Backend& backend, Scheduler& scheduler) : backend_(backend), scheduler_(scheduler) {}

  /// For the next run; null: none.
  void use_faults(FaultInjector* faults) { faults_ = faults; }

  [[nodiscard]] Result<Ack> commit(Session& session, const std::string& topic,
                                   const WriteCall& call, Time until) {
    tell(call.operation);
    const OperationScope away(scheduler_, {CallKind::kOperation, "a commit", topic.c_str(), until});
    return session.commit({topic, call.payload, call.is_delete}, until);
  }

  [[nodiscard]] Result<std::optional<Entry>> poll(Session& session, const std::string& topic,
                                                  OperationIndex operation, Time until) {
    tell(operation);
    const OperationScope away(scheduler_, {CallKind::kOperation, "a poll", topic.c_str(), until});
    return session.poll(topic, until);
  }

  [[nodiscard]] Result<std::vector<Delivered>> receive(Session& session, OperationIndex operation,
                                                       Time until) {
    tell(operation);
    const OperationScope away(scheduler_, {CallKind::kOperation, "a receive", "", until});
    return session.receive(until);
  }

  [[nodiscard]] Result<std::unique_ptr<Session>> open(const ClientInfo& client, Runtime& runtime,
                                                      const std::optional<ResumeToken>& resume,
                                                      Time until) {
    const OperationScope away(scheduler_, {CallKind::kOther, "an open", "", until});
    Backend& backend = faults_ == nullptr ? backend_ : faults_->sessions();
    return backend.open(client, runtime, resume ? &*resume : nullptr);
  }

  /// Closes and ends `session`.
  [[nodiscard]] Result<ResumeToken> close(std::unique_ptr<Session> session, Time until) {
    const OperationScope away(scheduler_, {CallKind::kOther, "a close", "", until});
    Result<ResumeToken> token = session->close();
    session.reset();
    return token;
  }

  /// Ends `session` as it is: its client is no more.
  void drop(std::unique_ptr<Session> session, Time until) {
    const OperationScope away(scheduler_, {CallKind::kOther, "a close", "", until});
    session.reset();
  }

  /// Lists the durable log of every topic at every node into `recorder`; each listing may take
  /// `limit`.
  void drain(const std::vector<std::string>& topics, const std::vector<std::string>& nodes,
             Runtime& runtime, Time limit, Recorder& recorder) {
    for (TopicId topic = 0; topic < topics.size(); ++topic) {
      for (std::uint32_t node = 0; node < nodes.size(); ++node) {
        const Time until = runtime.now() + limit;
        const Result<std::vector<Entry>> listed = [&] {
          const OperationScope away(scheduler_, {CallKind::kOther, "a drain", "", until});
          return backend_.drain(topics[topic], nodes[node], runtime);
        }();
        recorder.record_drain(topic, node, listed);
      }
    }
  }

 private:
  void tell(OperationIndex operation) {
    if (faults_ != nullptr) faults_->calls(operation);
  }

  Backend& backend_;
  Scheduler& scheduler_;
  FaultInjector* faults_ = nullptr;
};

}  // namespace causalcheck
