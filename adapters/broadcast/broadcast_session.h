#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/broadcast/group.h"
#include "harness/backend.h"

namespace causalcheck {

/// One client's connection to its process. All of `group`, `topics` and `runtime` outlive it.
class BroadcastSession final : public Session {
 public:
  /// `handed_over` of what the process has delivered were handed to the client before.
  BroadcastSession(Group& group, ProcessId process, const std::vector<std::string>& topics,
                   Runtime& runtime, std::size_t handed_over);
  /// A session that ends without a close is a client that is gone: its process leaves the group.
  ~BroadcastSession() override;

  [[nodiscard]] Result<Ack> commit(const Message& message, Time deadline) override;
  [[nodiscard]] Result<std::optional<Entry>> poll(std::string_view topic, Time deadline) override;
  [[nodiscard]] Result<std::vector<Delivered>> receive(Time deadline) override;
  /// The process stays in the group and goes on when its client comes back.
  [[nodiscard]] Result<ResumeToken> close() override;

 private:
  Group& group_;
  const ProcessId process_;
  const std::vector<std::string>& topics_;
  Runtime& runtime_;
  std::size_t handed_over_;
  bool closed_ = false;
};

/// The position in `token`, which a session of `label` left behind. Errors: kRejected.
[[nodiscard]] Result<std::size_t> parse_position(const ResumeToken& token, std::string_view label);

}  // namespace causalcheck
