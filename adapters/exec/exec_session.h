#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/exec/exec_channel.h"
#include "harness/backend.h"

namespace causalcheck {

/// One session of a child: each call is a request.
class ExecSession final : public Session {
 public:
  ExecSession(ExecChannel& channel, const ExecHello& hello, std::uint64_t number, Runtime& runtime)
      : channel_(channel), hello_(hello), number_(number), runtime_(runtime) {}
  ~ExecSession() override { channel_.remove_session(number_); }

  [[nodiscard]] Result<Ack> commit(const Message& message, Time deadline) override;
  [[nodiscard]] Result<std::optional<Entry>> poll(std::string_view topic, Time deadline) override;
  [[nodiscard]] Result<std::vector<Delivered>> receive(Time deadline) override;
  [[nodiscard]] Result<ResumeToken> close() override;

 private:
  [[nodiscard]] Time left(Time deadline) { return deadline - runtime_.now(); }

  ExecChannel& channel_;
  const ExecHello& hello_;
  const std::uint64_t number_;
  Runtime& runtime_;
};

}  // namespace causalcheck
