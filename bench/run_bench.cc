// Whole runs of the default plan of `fuzz memory`: recorder and incremental checker on, no
// artifacts, one thread. And what a run is made of, apart.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "adapters/adapters.h"
#include "harness/faults/fault_powers.h"
#include "harness/payload.h"
#include "harness/plan.h"
#include "harness/recorder.h"
#include "harness/run.h"

namespace causalcheck {
namespace {

benchmark::Counter rate(std::uint64_t count) {
  return {static_cast<double>(count), benchmark::Counter::kIsRate};
}
benchmark::Counter mean(std::uint64_t sum) {
  return {static_cast<double>(sum), benchmark::Counter::kAvgIterations};
}

// Columns: runs and events per second, and what a run exercises: observations of another client's
// message (the mean and the least of any run), switches to another client inside an operation.
void runs(benchmark::State& state, const std::string& spec, PlanOptions options) {
  auto backend = make_backend(spec);
  if (backend.has_error()) return state.SkipWithError(backend.error().text.c_str());
  Runner runner(**backend);
  options.backend = spec;
  std::uint64_t seed = 0;
  std::uint64_t events = 0;
  std::uint64_t others = 0;
  std::uint64_t others_min = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t switches = 0;
  for (auto _ : state) {
    const RunResult result = runner.run(draw_plan(options, ++seed));
    if (result.failure) return state.SkipWithError(result.failure->text.c_str());
    // Under faults a run may be vacuous: none of them hit an operation.
    const bool may_be_unknown = !options.faults.empty() && result.report.vacuous;
    if (result.report.verdict != Verdict::kHolds && !may_be_unknown) {
      return state.SkipWithError("a run did not hold");
    }
    events += result.events;
    others += result.report.counts.foreign_observes;
    others_min = std::min(others_min, result.report.counts.foreign_observes);
    switches += result.switches_inside;
  }
  state.counters["runs/s"] = rate(seed);
  state.counters["events/s"] = rate(events);
  state.counters["others"] = mean(others);
  state.counters["others_min"] = static_cast<double>(others_min);
  state.counters["switches"] = mean(switches);
}

void BM_DefaultPlanOnMemory(benchmark::State& state) { runs(state, "memory", {}); }
BENCHMARK(BM_DefaultPlanOnMemory);

void BM_FeedOnMemory(benchmark::State& state) { runs(state, "memory?reads=feed", {}); }
BENCHMARK(BM_FeedOnMemory);

// A leader and two followers that lag, acknowledged by a majority.
void BM_DefaultPlanOnReplicated(benchmark::State& state) { runs(state, "replicated", {}); }
BENCHMARK(BM_DefaultPlanOnReplicated);

void BM_FeedOnReplicated(benchmark::State& state) {
  runs(state, "replicated?reads=feed&read=any", {});
}
BENCHMARK(BM_FeedOnReplicated);

// With everything that it can undergo.
void BM_HeavyFaultsOnReplicated(benchmark::State& state) {
  const auto probe = make_backend("replicated");
  PlanOptions options;
  options.faults = *choose_faults("heavy", **probe);
  runs(state, "replicated", options);
}
BENCHMARK(BM_HeavyFaultsOnReplicated);

// Every hundredth commit or so costs the leader its place.
void BM_FailoversOnReplicated(benchmark::State& state) {
  runs(state, "replicated?failover=10", {});
}
BENCHMARK(BM_FailoversOnReplicated);

void BM_TenThousandEventsOnMemory(benchmark::State& state) {
  PlanOptions options;
  options.events = 10'000;
  runs(state, "memory", options);
}
BENCHMARK(BM_TenThousandEventsOnMemory);

void BM_DrawPlan(benchmark::State& state) {
  const PlanOptions options;
  std::uint64_t seed = 0;
  for (auto _ : state) benchmark::DoNotOptimize(draw_plan(options, ++seed));
}
BENCHMARK(BM_DrawPlan);

void BM_EncodePayload(benchmark::State& state) {
  const RunTag run(7);
  std::string payload;
  std::uint32_t number = 0;
  for (auto _ : state) {
    payload.clear();
    ++number;
    append_payload(payload, run, {number, "C", number, false}, 0);
    benchmark::DoNotOptimize(payload.data());
  }
}
BENCHMARK(BM_EncodePayload);

void BM_DecodePayload(benchmark::State& state) {
  const RunTag run(7);
  std::string payload;
  append_payload(payload, run, {42, "C", 12, false}, 0);
  for (auto _ : state) {
    benchmark::DoNotOptimize(payload.data());
    benchmark::DoNotOptimize(decode_payload(payload, run));
  }
}
BENCHMARK(BM_DecodePayload);

// A publish and a read of it; the time is of both together.
void BM_RecordPublishAndRead(benchmark::State& state) {
  Recorder recorder;
  RecordedRun run;
  run.clients = {"A", "B", "C"};
  run.topics = {"t0"};
  run.nodes = {""};
  run.declared.slots = Slots::kContiguous;
  std::uint32_t number = 0;
  Result<std::optional<Entry>> answer{std::optional<Entry>(Entry{})};
  for (auto _ : state) {
    if (number++ % 100 == 0) recorder.begin(run, nullptr);
    const WriteCall call = recorder.begin_write(0, 0, false);
    recorder.complete_write(call.operation, Ack{Slot{number}});
    (*answer)->payload.assign(call.payload);
    (*answer)->slot = number;
    benchmark::DoNotOptimize(recorder.complete_read(recorder.begin_read(1, 0), answer));
  }
}
BENCHMARK(BM_RecordPublishAndRead);

// The same by several threads at once into one recorder, as of a backend on threads: a client each,
// publishing and reading its own. The time is a thread's, of both together.
void BM_RecordPublishAndReadOnThreads(benchmark::State& state) {
  static std::unique_ptr<Recorder> recorder;
  if (state.thread_index() == 0) {
    recorder = std::make_unique<Recorder>(Recorder::Calls::kManyThreads);
    RecordedRun run;
    run.clients = {"A", "B", "C", "D"};
    run.topics = {"t0"};
    run.nodes = {""};
    run.declared.slots = Slots::kContiguous;
    recorder->begin(run, nullptr);
  }
  const auto client = static_cast<ClientId>(state.thread_index());
  Slot slot = 0;
  Result<std::optional<Entry>> answer{std::optional<Entry>(Entry{})};
  for (auto _ : state) {
    const WriteCall call = recorder->begin_write(client, 0, false);
    recorder->complete_write(call.operation, Ack{++slot});
    (*answer)->payload.assign(call.payload);
    (*answer)->slot = slot;
    benchmark::DoNotOptimize(recorder->complete_read(recorder->begin_read(client, 0), answer));
  }
}
// Few enough for the tables of one run.
BENCHMARK(BM_RecordPublishAndReadOnThreads)->Iterations(20'000)->ThreadRange(1, 4)->UseRealTime();

void BM_DefaultPlanOnThreads(benchmark::State& state) {
  runs(state, "memory?execution=threads", {});
}
BENCHMARK(BM_DefaultPlanOnThreads)->UseRealTime();

}  // namespace
}  // namespace causalcheck
