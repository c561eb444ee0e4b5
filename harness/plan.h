#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace causalcheck {

/// How the deterministic scheduler picks who goes on.
enum class StrategyKind : std::uint8_t {
  kUniform,     // every runnable client with equal chance
  kPriorities,  // fixed priorities with one to three change points (PCT)
  kStall,       // uniform, but one client stops at a chosen point and stays behind for a while
};

struct Strategy {
  StrategyKind kind = StrategyKind::kUniform;
  /// kPriorities: the switch points (count of yields) at which the running client drops to the end.
  std::vector<std::uint32_t> change_points{};
  /// kPriorities: clients from highest to lowest. Clients not listed come last, in order.
  std::vector<std::uint32_t> order{};
  /// kStall: this client makes no step between its own yields `stall_at` and the moment at which
  /// all others together have made `stall_length` yields more.
  std::uint32_t stalled_client = 0;
  std::uint32_t stall_at = 0;
  std::uint32_t stall_length = 0;
  bool operator==(const Strategy&) const = default;
};

/// What the clients do, beside publishing and observing.
struct Workload {
  std::uint32_t answer_permille = 1000;  // chance that a new observation is answered by a publish
  std::uint32_t delete_permille = 0;     // chance that a publish is a delete
  std::uint32_t only_read = 0;           // this many clients, from the last one, never publish
  std::uint32_t only_write = 0;          // this many of the others, from the last one, never read
  std::uint32_t leave_permille = 0;      // chance per publish that a client leaves for good
  std::uint32_t join_late = 0;           // this many clients, from the last one, join after half the events
  std::uint32_t offline_permille = 0;    // chance per publish that a client buffers for a while first
  std::uint32_t restart_permille = 0;    // chance per publish that a client loses its state
  bool operator==(const Workload&) const = default;
};

/// Everything random in a run. A value: same plan, same bytes of history (deterministic backends).
///
/// The shape is drawn from the seed; the choices are drawn lazily from the same seed while the run
/// goes on, or stand here explicitly in a saved plan, which then needs no seed.
struct Plan {
  std::uint64_t seed = 0;
  std::string backend{};  // as given on the command line
  std::uint32_t clients = 3;
  std::uint32_t topics = 1;
  std::uint32_t events = 100;   // publishes and observations, before the drain
  std::uint32_t pipeline = 1;   // commits in flight per client
  Workload workload{};
  Strategy strategy{};
  std::vector<std::int32_t> clock_offsets_ms{};  // per client
  std::vector<std::string> faults{};             // kinds armed in this run
  std::optional<std::vector<std::uint32_t>> choices{};
  bool operator==(const Plan&) const = default;
};

}  // namespace causalcheck
