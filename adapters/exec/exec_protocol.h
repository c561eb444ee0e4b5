#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/backend.h"
#include "harness/refusal.h"

namespace causalcheck {

// The lines of docs/exec-protocol.md. The only place that knows how they are written.

inline constexpr std::uint32_t kExecProtocol = 1;

/// What every request carries.
struct ExecCall {
  std::uint64_t id = 0;
  std::uint64_t session = 0;  // 0: of the backend as a whole
  std::int64_t deadline_ms = 0;
};

/// Each returns one line with its end.
[[nodiscard]] std::string hello_line(const ExecCall& call);
[[nodiscard]] std::string reset_line(const ExecCall& call, const RunInfo& run);
[[nodiscard]] std::string open_line(const ExecCall& call, const ClientInfo& client,
                                    const ResumeToken* resume);
[[nodiscard]] std::string commit_line(const ExecCall& call, const Message& message);
[[nodiscard]] std::string poll_line(const ExecCall& call, std::string_view topic);
[[nodiscard]] std::string drain_line(const ExecCall& call, std::string_view topic,
                                     std::string_view node);
/// For "receive", "close", "shutdown".
[[nodiscard]] std::string plain_line(const ExecCall& call, std::string_view op);
/// For "crash", "restart", "pause", "resume".
[[nodiscard]] std::string node_line(const ExecCall& call, std::string_view op,
                                    std::string_view node);

/// What a child says of itself.
struct ExecHello {
  BackendDeclaration declared{};
  std::vector<std::string> nodes{std::string()};
  bool pushes = false;   // deliver frames instead of answers to receive
  bool in_turn = false;  // answers one request before it looks at the next
  bool crashes = false;  // has the powers
  bool pauses = false;
};

/// A line that a child printed: the answer to a request, or messages handed over unasked.
struct ExecFrame {
  std::optional<std::uint64_t> id{};
  std::uint64_t session = 0;  // of messages handed over
  Outcome outcome = Outcome::kOk;
  bool undecodable = false;
  std::string text{};
  std::optional<Slot> slot{};
  std::optional<Entry> entry{};
  std::vector<Delivered> delivered{};
  std::string resume{};
  std::optional<ExecHello> hello{};
};

/// Takes a line apart. Unknown fields are ignored.
/// Errors: what was expected and what came, for people; of a hello, what it lacks.
[[nodiscard]] Attempt<ExecFrame> parse_frame(std::string_view line);

}  // namespace causalcheck
