#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "checker/verdict.h"
#include "harness/plan.h"
#include "harness/testing/backend_test.h"

namespace causalcheck {

/// One run of one plan, judged.
struct PlanRun {
  Report report{};
  std::string text{};  // every violation, explained; empty when there is none
  [[nodiscard]] bool breaks(Guarantee id) const { return report[id].answer == Answer::kBreaks; }
};

/// Runs `plan` on a backend that `make` makes. Throws std::runtime_error when the run has no
/// verdict: the backend cannot be made, or breaks the rules of harness/backend.h.
[[nodiscard]] PlanRun run_plan(const BackendMaker& make, const Plan& plan);
template <class Make>
[[nodiscard]] PlanRun run_plan(Make make, const Plan& plan) {
  return run_plan(BackendMaker(backend_maker(make)), plan);
}

/// The plan that a campaign of this shape draws from `seed`.
[[nodiscard]] Plan drawn_plan(std::uint64_t seed, std::uint32_t clients, std::uint32_t topics,
                              std::uint32_t events);

/// Plans like `plan` with fewer events, clients or topics; the smallest first.
[[nodiscard]] std::vector<Plan> smaller_plans(const Plan& plan);

/// "seed 7: 3 clients, 1 topic, 40 events, stall scheduling"
[[nodiscard]] std::string describe(const Plan& plan);

/// What CAUSALCHECK_SEED and CAUSALCHECK_RUNS say.
struct PropertyExtent {
  std::optional<std::uint64_t> seed{};
  std::optional<std::uint64_t> runs{};
  std::string problem{};  // a value that is none
};
[[nodiscard]] PropertyExtent property_extent();

}  // namespace causalcheck
