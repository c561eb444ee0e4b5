#include "adapters/exec/exec_backend.h"

#include <fmt/format.h>

#include <utility>

#include "adapters/exec/exec_session.h"

namespace causalcheck {
namespace {

using std::chrono::seconds;

// For what no client waits for: the child may have to start an interpreter, or a server.
constexpr seconds kHelloWait{10};
constexpr seconds kResetWait{10};
constexpr seconds kOpenWait{5};
constexpr seconds kDrainWait{8};
constexpr seconds kNodeWait{10};

constexpr const char* kInTurn =
    "the child works strictly in turn: no two operations are ever inside it at once";

Result<ExecHello> hello_of(ExecChannel& channel) {
  Result<ExecFrame> answer = channel.ask(0, kHelloWait, &hello_line);
  if (answer.has_error()) {
    return Error(ErrorCode::kUnavailable, "no hello from the child: " + answer.error().text);
  }
  if (!answer->hello) {
    throw AdapterMisuse(
        "the child's answer to hello lacks \"protocol\" and what it declares; see "
        "docs/exec-protocol.md");
  }
  if (answer->hello->in_turn) answer->hello->declared.limit = kInTurn;
  return *std::move(answer->hello);
}

class Crashes : public Crashable {
 public:
  virtual Result<void> ask_node(std::string_view op, std::string_view node) = 0;
  Result<void> crash_and_restart(std::string_view node, Runtime&) override {
    if (const Result<void> crashed = ask_node("crash", node); crashed.has_error()) return crashed;
    return ask_node("restart", node);
  }
};

class Pauses : public Pausable {
 public:
  virtual Result<void> ask_node(std::string_view op, std::string_view node) = 0;
  Result<void> pause(std::string_view node) override { return ask_node("pause", node); }
  Result<void> resume(std::string_view node) override { return ask_node("resume", node); }
};

/// An ExecBackend with the powers that its child offers.
template <class... Powers>
class Powerful final : public ExecBackend, public Powers... {
 public:
  using ExecBackend::ExecBackend;
  Result<void> ask_node(std::string_view op, std::string_view node) override {
    return ask_of_node(op, node);
  }
};

}  // namespace

Result<std::unique_ptr<ExecBackend>> ExecBackend::start(const std::string& spec,
                                                        const std::string& command) {
  auto channel = std::make_unique<ExecChannel>(spec, command);
  if (const Result<bool> started = channel->start(); started.has_error()) return started.error();
  Result<ExecHello> hello = hello_of(*channel);
  if (hello.has_error()) return hello.error();
  const bool crashes = hello->crashes;
  const bool pauses = hello->pauses;
  const auto made = [&]<class Made>() -> std::unique_ptr<ExecBackend> {
    return std::make_unique<Made>(std::move(channel), *std::move(hello));
  };
  if (crashes && pauses) return made.template operator()<Powerful<Crashes, Pauses>>();
  if (crashes) return made.template operator()<Powerful<Crashes>>();
  if (pauses) return made.template operator()<Powerful<Pauses>>();
  return made.template operator()<ExecBackend>();
}

std::optional<std::string> ExecBackend::went_down() const {
  if (!channel_->ended()) return std::nullopt;
  return "the child ended by itself" + channel_->last_words();
}

Result<void> ExecBackend::reset(const RunInfo& run) {
  const Result<bool> started = channel_->start();
  if (started.has_error()) return started.error();
  if (*started) {
    const Result<ExecHello> again = hello_of(*channel_);
    if (again.has_error()) return again.error();
    if (!(again->declared.promises == hello_.declared.promises)) {
      throw AdapterMisuse("the child declares something else than when it was first started");
    }
  }
  channel_->trim_words();
  const Result<ExecFrame> answer =
      channel_->ask(0, kResetWait, [&](const ExecCall& call) { return reset_line(call, run); });
  if (answer.has_error()) return answer.error();
  return {};
}

Result<std::unique_ptr<Session>> ExecBackend::open(const ClientInfo& client, Runtime& runtime,
                                                   const ResumeToken* resume) {
  const std::uint64_t number = ++sessions_;
  channel_->add_session(number);
  auto session = std::make_unique<ExecSession>(*channel_, hello_, number, runtime);
  const Result<ExecFrame> answer = channel_->ask(
      number, kOpenWait, [&](const ExecCall& call) { return open_line(call, client, resume); });
  if (answer.has_error()) return answer.error();
  return std::unique_ptr<Session>(std::move(session));
}

Result<std::vector<Entry>> ExecBackend::drain(std::string_view topic, std::string_view node,
                                              Runtime&) {
  Result<ExecFrame> answer = channel_->ask(
      0, kDrainWait, [&](const ExecCall& call) { return drain_line(call, topic, node); });
  if (answer.has_error()) return std::move(answer).error();
  std::vector<Entry> entries;
  entries.reserve(answer->delivered.size());
  for (Delivered& delivered : answer->delivered) entries.push_back(std::move(delivered.entry));
  return entries;
}

Result<void> ExecBackend::ask_of_node(std::string_view op, std::string_view node) {
  const Result<ExecFrame> answer =
      channel_->ask(0, kNodeWait, [&](const ExecCall& call) { return node_line(call, op, node); });
  if (answer.has_error()) return answer.error();
  return {};
}

}  // namespace causalcheck
