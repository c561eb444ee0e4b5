// Shrinking a run of the default plan on a planted bug to its fixed point. One item is one
// candidate: made, run, judged and compared.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <vector>

#include "fixtures/bugs/stale_follower.h"
#include "harness/plan.h"
#include "harness/shrink.h"

namespace causalcheck {
namespace {

void BM_ShrinkStaleFollower(benchmark::State& state) {
  StaleFollower follower;
  Runner runner(follower);
  std::vector<Plan> failing;
  for (std::uint64_t seed = 1; failing.size() < 20; ++seed) {
    const Plan plan = draw_plan({}, seed);
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
BENCHMARK(BM_ShrinkStaleFollower);

}  // namespace
}  // namespace causalcheck
