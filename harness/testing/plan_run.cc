#include "harness/testing/plan_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

#include "checker/explain.h"
#include "harness/run.h"
#include "harness/words.h"

namespace causalcheck {

PlanRun run_plan(const BackendMaker& make, const Plan& plan) {
  Result<std::unique_ptr<Backend>> backend = make();
  if (!backend) throw std::runtime_error("the backend could not be made: " + backend.error().text);
  Runner runner(*std::move(backend), RunnerOptions{});
  RunResult result = runner.run(plan);
  if (result.failure) throw std::runtime_error(result.failure->text);
  PlanRun run{std::move(result.report), {}};
  if (run.report.verdict == Verdict::kBreaks) {
    run.text = explain_violations(run.report, runner.history());
  }
  return run;
}

Plan drawn_plan(std::uint64_t seed, std::uint32_t clients, std::uint32_t topics,
                std::uint32_t events) {
  PlanOptions options;
  options.clients = clients;
  options.topics = topics;
  options.events = events;
  return draw_plan(options, seed);
}

std::vector<Plan> smaller_plans(const Plan& plan) {
  std::vector<Plan> smaller;
  const auto add = [&](std::uint32_t clients, std::uint32_t topics, std::uint32_t events) {
    if (clients == 0 || topics == 0 || events == 0) return;
    smaller.push_back(drawn_plan(plan.seed, clients, topics, events));
  };
  add(plan.clients, plan.topics, plan.events / 2);
  add(plan.clients - 1, plan.topics, plan.events);
  add(plan.clients, plan.topics - 1, plan.events);
  if (plan.events > 8) add(plan.clients, plan.topics, plan.events - plan.events / 8);
  add(plan.clients, plan.topics, plan.events - 1);
  return smaller;
}

std::string describe(const Plan& plan) {
  return fmt::format("seed {}: {} client{}, {} topic{}, {} event{}, {} scheduling", plan.seed,
                     plan.clients, plan.clients == 1 ? "" : "s", plan.topics,
                     plan.topics == 1 ? "" : "s", plan.events, plan.events == 1 ? "" : "s",
                     to_string(plan.strategy.kind));
}

PropertyExtent property_extent() {
  PropertyExtent extent;
  const auto take = [&](const char* name, std::optional<std::uint64_t>& into) {
    const char* value = std::getenv(name);
    if (value == nullptr || *value == '\0') return;
    const Attempt<std::uint64_t> number = parse_number(value, name);
    if (number) {
      into = *number;
    } else {
      extent.problem = number.error().text;
    }
  };
  take("CAUSALCHECK_SEED", extent.seed);
  take("CAUSALCHECK_RUNS", extent.runs);
  if (extent.runs && (*extent.runs == 0 || *extent.runs > 1'000'000'000)) {
    extent.problem = "CAUSALCHECK_RUNS must be from 1 to 1000000000";
  }
  return extent;
}

}  // namespace causalcheck
