#include "harness/faults/fault_kind.h"

#include <array>

#include "harness/words.h"

namespace causalcheck {
namespace {

struct Row {
  std::string_view name;
  std::string_view help;
};
constexpr std::array<Row, kFaultKindCount> kRows{{
    {"delay", "a request or an answer takes longer, up to past the limit"},
    {"drop-request", "a request never arrives, and the client gives up waiting"},
    {"drop-answer", "a request is applied and its answer is lost"},
    {"late-request", "a request is applied after the client gave up and moved on"},
    {"refuse", "a connection is refused before anything was sent"},
    {"reset", "the connection dies in the middle of an answer"},
    {"truncate", "the body of an answer is cut"},
    {"duplicate", "a request or packet arrives twice"},
    {"partition", "a client or a replica is cut off for a while, or in one direction"},
    {"flip", "a client's connection goes up and down on a short period"},
    {"offline", "a client buffers what it publishes and catches up later"},
    {"pause", "a client or a server stops for a while, then goes on"},
    {"crash", "a server dies and restarts with what it had made durable"},
    {"power-loss", "a crash that also takes what was never synced"},
    {"skew", "a client's wall clock jumps or steps back, up to a second off"},
    {"restart-client", "a client loses its state and comes back as a new incarnation"},
}};

}  // namespace

FaultSet all_faults() {
  FaultSet all;
  for (std::size_t i = 0; i < kFaultKindCount; ++i) all.insert(static_cast<FaultKind>(i));
  return all;
}

std::string_view to_string(FaultKind kind) { return kRows[static_cast<std::size_t>(kind)].name; }

std::string_view help_of(FaultKind kind) { return kRows[static_cast<std::size_t>(kind)].help; }

std::optional<FaultKind> parse_fault_kind(std::string_view text) {
  for (std::size_t i = 0; i < kFaultKindCount; ++i) {
    if (kRows[i].name == text) return static_cast<FaultKind>(i);
  }
  return std::nullopt;
}

std::vector<std::string> names_of(FaultSet kinds) {
  std::vector<std::string> names;
  names.reserve(kinds.size());
  for (std::uint32_t i = 0; i < kinds.size(); ++i) names.emplace_back(to_string(kinds.nth(i)));
  return names;
}

std::string to_string(FaultSet kinds) { return listed(names_of(kinds)); }

FaultSet faults_of(const std::vector<std::string>& names) {
  FaultSet kinds;
  for (const std::string& name : names) {
    if (const auto kind = parse_fault_kind(name)) kinds.insert(*kind);
  }
  return kinds;
}

}  // namespace causalcheck
