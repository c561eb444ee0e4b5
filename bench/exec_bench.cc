// Operations a second through a child behind `exec:`, one after another and from three clients. The
// children are the examples; the bars are 10,000 through C++ and 5,000 through Python or Node.js on
// one core (run it under `taskset -c 0` to have one).
#include <benchmark/benchmark.h>

#include <memory>
#include <string>
#include <utility>

#include "adapters/adapters.h"
#include "harness/plan.h"
#include "harness/run.h"

namespace causalcheck {
namespace {

const std::string kCpp = CAUSALCHECK_EXAMPLE;
const std::string kExamples = std::string(CAUSALCHECK_SOURCE_DIR) + "/examples/exec/";

/// The real clock.
class BenchRuntime final : public Runtime {
 public:
  Time now() override { return std::chrono::steady_clock::now() - began_; }
  Time wall_now() override { return now(); }
  void sleep_until(Time) override {}
  void yield() override {}
  std::uint32_t choose(std::uint32_t) override { return 0; }

 private:
  const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

// A commit and a poll of it, by one session: two operations.
void operations(benchmark::State& state, const std::string& command) {
  auto backend = make_backend("exec:" + command);
  if (backend.has_error()) return state.SkipWithError(backend.error().text.c_str());
  BenchRuntime runtime;
  if ((*backend)->reset({"bench", {"t0"}}).has_error()) return state.SkipWithError("no reset");
  auto session = (*backend)->open({0, "A", 1}, runtime, nullptr);
  if (session.has_error()) return state.SkipWithError(session.error().text.c_str());
  const std::string payload = "causalcheck 0123456789abcdef 0000002a w C 2 89abcdef01234567";
  const Time far = std::chrono::hours(1);
  std::uint64_t done = 0;
  for (auto _ : state) {
    const auto ack = (*session)->commit({"t0", payload, false}, far);
    const auto entry = (*session)->poll("t0", far);
    if (ack.has_error() || entry.has_error()) return state.SkipWithError("an operation failed");
    done += 2;
  }
  state.counters["operations/s"] =
      benchmark::Counter(static_cast<double>(done), benchmark::Counter::kIsRate);
}

// Whole runs of the default plan: the cascade, the recorder and the checker are in it.
void runs(benchmark::State& state, const std::string& command) {
  auto backend = make_backend("exec:" + command);
  if (backend.has_error()) return state.SkipWithError(backend.error().text.c_str());
  Runner runner(**backend);
  PlanOptions options;
  options.backend = "exec:" + command;
  std::uint64_t seed = 0;
  std::uint64_t done = 0;
  for (auto _ : state) {
    const RunResult result = runner.run(draw_plan(options, ++seed));
    if (result.failure) return state.SkipWithError(result.failure->text.c_str());
    if (result.report.verdict != Verdict::kHolds) return state.SkipWithError("a run did not hold");
    done += result.report.counts.operations;
  }
  state.counters["operations/s"] =
      benchmark::Counter(static_cast<double>(done), benchmark::Counter::kIsRate);
}

BENCHMARK_CAPTURE(operations, Cpp, kCpp)->UseRealTime();
BENCHMARK_CAPTURE(operations, Python, "python3 " + kExamples + "store.py")->UseRealTime();
BENCHMARK_CAPTURE(operations, Node, "node " + kExamples + "store.js")->UseRealTime();
BENCHMARK_CAPTURE(runs, Cpp, kCpp)->UseRealTime();
BENCHMARK_CAPTURE(runs, Python, "python3 " + kExamples + "store.py")->UseRealTime();
BENCHMARK_CAPTURE(runs, Node, "node " + kExamples + "store.js")->UseRealTime();

}  // namespace
}  // namespace causalcheck
