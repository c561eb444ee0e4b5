#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/exec/exec_channel.h"
#include "harness/backend.h"
#include "harness/mortal.h"

namespace causalcheck {

/// A backend in another program, in any language, by the protocol of docs/exec-protocol.md.
///
/// The program is kept over runs. When it ends, what was asked of it ended `info`, what is asked of
/// it later `fail`, the run counts as cut off, and the next `reset` starts it again.
class ExecBackend : public Backend, public Mortal {
 public:
  /// Starts `command` and has it say hello. `spec` names it in messages.
  /// Errors: kUnavailable when it cannot be run, ends, or says no hello in time.
  /// Throws AdapterMisuse when its hello does not fit.
  [[nodiscard]] static Result<std::unique_ptr<ExecBackend>> start(const std::string& spec,
                                                                  const std::string& command);

  [[nodiscard]] BackendDeclaration declare() const override { return hello_.declared; }
  [[nodiscard]] Result<void> reset(const RunInfo& run) override;
  [[nodiscard]] Result<std::unique_ptr<Session>> open(const ClientInfo& client, Runtime& runtime,
                                                      const ResumeToken* resume) override;
  [[nodiscard]] std::vector<std::string> nodes() const override { return hello_.nodes; }
  [[nodiscard]] Result<std::vector<Entry>> drain(std::string_view topic, std::string_view node,
                                                 Runtime& runtime) override;

  [[nodiscard]] std::optional<std::string> went_down() const override;

  ExecBackend(std::unique_ptr<ExecChannel> channel, ExecHello hello)
      : channel_(std::move(channel)), hello_(std::move(hello)) {}

 protected:
  /// Asks for `op` of a node: what the powers do.
  [[nodiscard]] Result<void> ask_of_node(std::string_view op, std::string_view node);

 private:
  const std::unique_ptr<ExecChannel> channel_;
  const ExecHello hello_;
  std::atomic<std::uint64_t> sessions_{0};
};

}  // namespace causalcheck
