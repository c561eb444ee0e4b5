// Shrinking a run of the default plan on a planted bug to its fixed point. One item is one
// candidate: made, run, judged and compared. `events` is the mean size of the shrunk histories.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "fixtures/bugs/planted_bug.h"
#include "harness/plan.h"
#include "harness/shrink.h"

namespace causalcheck {
namespace {

void shrink_planted(benchmark::State& state, std::string_view name) {
  const std::vector<PlantedBug> bugs = planted_bugs();
  const auto bug = std::find_if(bugs.begin(), bugs.end(),
                                [&](const PlantedBug& one) { return one.name == name; });
  const std::unique_ptr<Backend> backend = bug->make();
  Runner runner(*backend);
  PlanOptions options;
  options.faults = bug->faults;
  options.topics = bug->topics;
  options.pipeline = bug->pipeline;
  std::vector<Plan> failing;
  for (std::uint64_t seed = 1; failing.size() < 20; ++seed) {
    const Plan plan = draw_plan(options, seed);
    if (first_broken(runner.run(plan).report) != nullptr) {
      failing.push_back(runner.explicit_plan(plan));
    }
  }
  std::uint64_t candidates = 0;
  std::uint64_t events = 0;
  std::size_t next = 0;
  for (auto _ : state) {
    const ShrinkResult shrunk = shrink(runner, failing[next++ % failing.size()], "", {});
    candidates += shrunk.runs;
    events += shrunk.events;
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(candidates));
  state.counters["candidates"] =
      benchmark::Counter(static_cast<double>(candidates), benchmark::Counter::kAvgIterations);
  state.counters["events"] =
      benchmark::Counter(static_cast<double>(events), benchmark::Counter::kAvgIterations);
}

void BM_ShrinkStaleFollower(benchmark::State& state) { shrink_planted(state, "stale-follower"); }
BENCHMARK(BM_ShrinkStaleFollower);

void BM_ShrinkHole(benchmark::State& state) { shrink_planted(state, "hole"); }
BENCHMARK(BM_ShrinkHole);

// Feeds: every client's last reads are events.
void BM_ShrinkNoDependencyCheck(benchmark::State& state) {
  shrink_planted(state, "no-dependency-check");
}
BENCHMARK(BM_ShrinkNoDependencyCheck);

void BM_ShrinkSingleSweep(benchmark::State& state) { shrink_planted(state, "single-sweep"); }
BENCHMARK(BM_ShrinkSingleSweep);

}  // namespace
}  // namespace causalcheck
