#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/refusal.h"

namespace causalcheck {

/// How the deterministic scheduler picks who goes on.
enum class StrategyKind : std::uint8_t {
  kUniform,     // every runnable client with equal chance
  kPriorities,  // fixed priorities with one to three change points (PCT)
  kStall,       // uniform, but one client stops at a chosen point and stays behind for a while
};

struct Strategy {
  StrategyKind kind = StrategyKind::kUniform;
  /// kPriorities: the change points, counted in scheduling steps of the run from 1, at which the
  /// client that made the step drops to the end.
  std::vector<std::uint32_t> change_points{};
  /// kPriorities: clients from highest to lowest. Clients not listed come last, in order.
  std::vector<std::uint32_t> order{};
  /// kStall: this client makes no step between its own `stall_at`-th and the moment at which all
  /// others together have made `stall_length` more, or nobody else can go on.
  std::uint32_t stalled_client = 0;
  std::uint32_t stall_at = 0;
  std::uint32_t stall_length = 0;
  bool operator==(const Strategy&) const = default;
};

/// What the clients do, beside publishing and observing. Chances are in 1000.
struct Workload {
  std::uint32_t answer_permille = 1000;  // chance that a new observation is answered by a publish
  std::uint32_t delete_permille = 0;     // chance that a publish is a delete
  std::uint32_t only_read = 0;           // this many clients, from the last one, never publish
  std::uint32_t only_write = 0;          // this many of the others, from the last one, never read
  std::uint32_t leave_permille = 0;      // chance per publish that a client leaves for good
  std::uint32_t join_late = 0;  // this many clients, from the last one, join after half the events
  std::uint32_t offline_permille = 0;  // chance per publish that a client buffers for a while first
  std::uint32_t restart_permille = 0;  // chance per publish that a client loses its state
  std::uint32_t reread_permille = 100;  // chance per read that the client reads again at once
  std::uint32_t filler_bytes = 0;       // what a payload carries beside its fields
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
  std::uint32_t events = 100;  // publishes and observations, before the drain
  std::uint32_t pipeline = 1;  // commits in flight per client
  Workload workload{};
  Strategy strategy{};
  std::vector<std::int32_t> clock_offsets_ms{};  // per client
  std::vector<std::string> faults{};             // kinds armed in this run
  std::optional<std::vector<std::uint32_t>> choices{};
  bool operator==(const Plan&) const = default;
};

/// What a campaign lets its plans range over.
struct PlanOptions {
  std::string backend{};
  std::uint32_t clients = 3;
  std::uint32_t topics = 1;
  std::uint32_t events = 100;
  std::uint32_t pipeline = 1;         // at most; each plan draws from 1 to this
  std::vector<std::string> faults{};  // kinds asked for; each plan arms some of them
  /// When set, every plan has this workload; else each draws its own.
  std::optional<Workload> workload{};
  bool operator==(const PlanOptions&) const = default;
};

inline constexpr std::uint32_t kPlanClientsMax = 256;
inline constexpr std::uint32_t kPlanTopicsMax = 64;
inline constexpr std::uint32_t kPlanEventsMax = 10'000'000;
inline constexpr std::uint32_t kPlanPipelineMax = 64;
inline constexpr std::uint32_t kPlanFillerBytesMax = 1 << 20;
inline constexpr std::int32_t kPlanClockOffsetMaxMs = 86'400'000;
/// clients x topics x events: what the tables of one run grow with.
inline constexpr std::uint64_t kPlanSizeMax = 1'000'000'000;

/// The plan that `seed` means under `options`: the same on every machine, compiler and run. Valid
/// when the options are. Cost: below a microsecond.
[[nodiscard]] Plan draw_plan(const PlanOptions& options, std::uint64_t seed);

/// Whether a run of `plan` can be tried at all. Errors: the first value out of its range, by name.
[[nodiscard]] Attempt<void> validate(const Plan& plan);

/// The same for what a campaign draws from.
[[nodiscard]] Attempt<void> validate(const PlanOptions& options);

/// A number that tells the shapes of plans apart, with the choices left out: a seed's run and its
/// replay from the saved plan have the same. Cheap; stands in every payload of the run.
[[nodiscard]] std::uint64_t run_id(const Plan& plan);

/// "uniform", "priorities", "stall", as plan files and reports have them, and back.
[[nodiscard]] std::string_view to_string(StrategyKind kind);
[[nodiscard]] std::optional<StrategyKind> parse_strategy_kind(std::string_view text);

}  // namespace causalcheck
