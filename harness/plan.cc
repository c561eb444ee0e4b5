#include "harness/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "harness/faults/fault_kind.h"
#include "harness/split_mix.h"

namespace causalcheck {
namespace {

// The generator of shapes. Its stream has nothing in common with that of Choices, which starts from
// the same seed: the key is mixed with a constant of its own.
class ShapeDraws {
 public:
  explicit ShapeDraws(std::uint64_t seed) : state_(split_mix(seed ^ 0x5CA1AB1E0DDBA11ULL)) {}

  /// In [low, high].
  std::uint32_t between(std::uint32_t low, std::uint32_t high) {
    const std::uint64_t span = std::uint64_t{high} - low + 1;
    return low + static_cast<std::uint32_t>((next() >> 32U) * span >> 32U);
  }
  bool one_in(std::uint32_t n) { return between(1, n) == 1; }
  template <std::size_t kCount>
  std::uint32_t one_of(const std::array<std::uint32_t, kCount>& values) {
    return values[between(0, kCount - 1)];
  }

 private:
  std::uint64_t next() { return split_mix(state_ += kSplitMixGamma); }

  std::uint64_t state_;
};

// Yields a client makes per event of its own, roughly: what scheduling points are spread over.
constexpr std::uint32_t kYieldsPerEvent = 4;

Strategy draw_strategy(ShapeDraws& draws, const PlanOptions& options) {
  Strategy strategy;
  const std::uint32_t yields = std::max(1U, options.events * kYieldsPerEvent);
  switch (draws.between(0, 3)) {
    case 0: {
      strategy.kind = StrategyKind::kPriorities;
      const std::uint32_t points = draws.between(1, 3);
      strategy.change_points.reserve(points);
      for (std::uint32_t i = 0; i < points; ++i) {
        strategy.change_points.push_back(draws.between(1, yields));
      }
      std::sort(strategy.change_points.begin(), strategy.change_points.end());
      strategy.order.resize(options.clients);
      std::iota(strategy.order.begin(), strategy.order.end(), 0U);
      for (std::uint32_t i = options.clients - 1; i > 0; --i) {
        std::swap(strategy.order[i], strategy.order[draws.between(0, i)]);
      }
      break;
    }
    case 1:
      strategy.kind = StrategyKind::kStall;
      strategy.stalled_client = draws.between(0, options.clients - 1);
      strategy.stall_at = draws.between(0, yields / options.clients);
      strategy.stall_length = draws.between(1, std::max(2U, yields / 2));
      break;
    default:
      break;  // uniform, in half of the plans
  }
  return strategy;
}

// Knobs are off in most plans, so that a plan has a character of its own. Each leaves at least two
// clients that publish and observe, and what is rare enough not to end the cascade.
Workload draw_workload(ShapeDraws& draws, const PlanOptions& options) {
  Workload workload;
  const std::uint32_t spare = options.clients > 2 ? options.clients - 2 : 0;
  if (draws.one_in(4)) workload.answer_permille = draws.one_of<3>({900, 700, 400});
  if (draws.one_in(4)) workload.delete_permille = draws.one_of<2>({50, 300});
  if (draws.one_in(4)) workload.reread_permille = draws.one_of<3>({0, 300, 500});
  if (draws.one_in(8)) workload.filler_bytes = draws.one_of<3>({16, 200, 2000});
  if (draws.one_in(8)) workload.offline_permille = draws.one_of<2>({20, 80});
  if (draws.one_in(8)) workload.restart_permille = draws.one_of<2>({10, 30});
  if (draws.one_in(8)) workload.leave_permille = draws.one_of<2>({5, 20});
  if (spare > 0) {
    if (draws.one_in(8)) workload.join_late = draws.between(1, spare);
    if (draws.one_in(8)) {
      workload.only_read = draws.between(1, spare);
    } else if (draws.one_in(8)) {
      workload.only_write = draws.between(1, spare);
    }
  }
  return workload;
}

// Each kind in a share of the plans that differs from plan to plan, so that runs differ in what
// they go through; always one at least.
std::vector<std::string> arm_faults(ShapeDraws& draws, const std::vector<std::string>& asked) {
  std::vector<std::string> armed;
  if (asked.empty()) return armed;
  const std::uint32_t of_four = draws.between(1, 3);
  for (const std::string& kind : asked) {
    if (draws.between(1, 4) <= of_four) armed.push_back(kind);
  }
  if (armed.empty()) {
    armed.push_back(asked[draws.between(0, static_cast<std::uint32_t>(asked.size()) - 1)]);
  }
  return armed;
}

Attempt<void> validate_faults(const std::vector<std::string>& faults) {
  FaultSet seen;
  for (const std::string& name : faults) {
    const auto kind = parse_fault_kind(name);
    if (!kind) {
      return Refusal::because(
          fmt::format("there is no fault \"{}\"; known are {}", name, to_string(all_faults())));
    }
    if (seen.contains(*kind)) return Refusal::because(fmt::format("fault {} is there twice", name));
    seen.insert(*kind);
  }
  return {};
}

Attempt<void> refuse_outside(std::string_view name, std::uint64_t value, std::uint64_t low,
                             std::uint64_t high) {
  if (value >= low && value <= high) return {};
  return Refusal::because(fmt::format("{} must be from {} to {}, not {}", name, low, high, value));
}

Attempt<void> validate_workload(const Workload& workload, std::uint32_t clients) {
  struct Range {
    std::string_view name;
    std::uint32_t value;
    std::uint32_t high;
  };
  const std::array<Range, 11> ranges{{
      {"workload.answer_permille", workload.answer_permille, 1000},
      {"workload.delete_permille", workload.delete_permille, 1000},
      {"workload.leave_permille", workload.leave_permille, 1000},
      {"workload.offline_permille", workload.offline_permille, 1000},
      {"workload.restart_permille", workload.restart_permille, 1000},
      // A client that read again for ever would never come to its next publish.
      {"workload.reread_permille", workload.reread_permille, 900},
      {"workload.only_read", workload.only_read, clients},
      {"workload.only_write", workload.only_write, clients},
      {"workload.only_read + only_write", workload.only_read + workload.only_write, clients},
      {"workload.join_late", workload.join_late, clients},
      {"workload.filler_bytes", workload.filler_bytes, kPlanFillerBytesMax},
  }};
  for (const Range& range : ranges) {
    if (const auto ok = refuse_outside(range.name, range.value, 0, range.high); !ok) return ok;
  }
  return {};
}

Attempt<void> validate_sizes(std::uint32_t clients, std::uint32_t topics, std::uint32_t events,
                             std::uint32_t pipeline) {
  if (const auto ok = refuse_outside("clients", clients, 1, kPlanClientsMax); !ok) return ok;
  if (const auto ok = refuse_outside("topics", topics, 1, kPlanTopicsMax); !ok) return ok;
  if (const auto ok = refuse_outside("events", events, 1, kPlanEventsMax); !ok) return ok;
  if (const auto ok = refuse_outside("pipeline", pipeline, 1, kPlanPipelineMax); !ok) return ok;
  const std::uint64_t size = std::uint64_t{clients} * topics * events;
  if (size > kPlanSizeMax) {
    return Refusal::because(
        fmt::format("clients x topics x events must be at most {}, not {}", kPlanSizeMax, size));
  }
  return {};
}

Attempt<void> validate_strategy(const Plan& plan) {
  const Strategy& strategy = plan.strategy;
  if (strategy.change_points.size() > 1000) {
    return Refusal::because(
        fmt::format("strategy.change_points may have 1000 entries at most, not {}",
                    strategy.change_points.size()));
  }
  std::vector<bool> listed(plan.clients, false);
  for (const std::uint32_t client : strategy.order) {
    if (client >= plan.clients) {
      return Refusal::because(fmt::format("strategy.order names client {}, and there are only {}",
                                          client, plan.clients));
    }
    if (listed[client]) {
      return Refusal::because(fmt::format("strategy.order names client {} twice", client));
    }
    listed[client] = true;
  }
  return refuse_outside("strategy.stalled_client", strategy.stalled_client, 0, plan.clients - 1);
}

}  // namespace

Plan draw_plan(const PlanOptions& options, std::uint64_t seed) {
  ShapeDraws draws(seed);
  Plan plan;
  plan.seed = seed;
  plan.backend = options.backend;
  plan.clients = options.clients;
  plan.topics = options.topics;
  plan.events = options.events;
  plan.pipeline = draws.between(1, options.pipeline);
  plan.clock_offsets_ms.reserve(options.clients);
  for (std::uint32_t i = 0; i < options.clients; ++i) {
    plan.clock_offsets_ms.push_back(static_cast<std::int32_t>(draws.between(0, 2000)) - 1000);
  }
  plan.strategy = draw_strategy(draws, options);
  plan.workload = options.workload ? *options.workload : draw_workload(draws, options);
  // Last, so that a seed has one shape with faults and without.
  plan.faults = arm_faults(draws, options.faults);
  return plan;
}

Attempt<void> validate(const Plan& plan) {
  if (const auto ok = validate_sizes(plan.clients, plan.topics, plan.events, plan.pipeline); !ok) {
    return ok;
  }
  if (plan.clock_offsets_ms.size() > plan.clients) {
    return Refusal::because(
        fmt::format("clock_offsets_ms has {} entries, and there are only {} clients",
                    plan.clock_offsets_ms.size(), plan.clients));
  }
  for (const std::int32_t offset : plan.clock_offsets_ms) {
    if (offset < -kPlanClockOffsetMaxMs || offset > kPlanClockOffsetMaxMs) {
      return Refusal::because(fmt::format("clock_offsets_ms must be from -{0} to {0}, not {1}",
                                          kPlanClockOffsetMaxMs, offset));
    }
  }
  if (const auto ok = validate_strategy(plan); !ok) return ok;
  if (const auto ok = validate_faults(plan.faults); !ok) return ok;
  return validate_workload(plan.workload, plan.clients);
}

Attempt<void> validate(const PlanOptions& options) {
  if (const auto ok =
          validate_sizes(options.clients, options.topics, options.events, options.pipeline);
      !ok) {
    return ok;
  }
  if (const auto ok = validate_faults(options.faults); !ok) return ok;
  return options.workload ? validate_workload(*options.workload, options.clients) : Attempt<void>{};
}

std::uint64_t run_id(const Plan& plan) {
  // The order of the fields and the lengths of the lists are part of it, so that no two shapes give
  // the same sequence of words.
  std::uint64_t hash = 0;
  const auto add = [&hash](std::uint64_t word) {
    hash = split_mix(hash + kSplitMixGamma) ^ split_mix(word);
  };
  const auto add_text = [&add](std::string_view text) {
    add(text.size());
    for (const char byte : text) add(static_cast<unsigned char>(byte));
  };
  const Workload& w = plan.workload;
  const Strategy& s = plan.strategy;
  add(plan.seed);
  for (const std::uint32_t word :
       {plan.clients, plan.topics, plan.events, plan.pipeline, w.answer_permille, w.delete_permille,
        w.only_read, w.only_write, w.leave_permille, w.join_late, w.offline_permille,
        w.restart_permille, w.reread_permille, w.filler_bytes, static_cast<std::uint32_t>(s.kind),
        s.stalled_client, s.stall_at, s.stall_length}) {
    add(word);
  }
  add(s.change_points.size());
  for (const std::uint32_t point : s.change_points) add(point);
  add(s.order.size());
  for (const std::uint32_t client : s.order) add(client);
  add(plan.clock_offsets_ms.size());
  for (const std::int32_t offset : plan.clock_offsets_ms) add(static_cast<std::uint32_t>(offset));
  add(plan.faults.size());
  for (const std::string& kind : plan.faults) add_text(kind);
  add_text(plan.backend);
  return split_mix(hash);
}

std::string_view to_string(StrategyKind kind) {
  switch (kind) {
    case StrategyKind::kUniform:
      return "uniform";
    case StrategyKind::kPriorities:
      return "priorities";
    case StrategyKind::kStall:
      return "stall";
  }
  return "?";
}

std::optional<StrategyKind> parse_strategy_kind(std::string_view text) {
  for (const StrategyKind kind :
       {StrategyKind::kUniform, StrategyKind::kPriorities, StrategyKind::kStall}) {
    if (text == to_string(kind)) return kind;
  }
  return std::nullopt;
}

}  // namespace causalcheck
