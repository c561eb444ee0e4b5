// What the memory backend costs without a scheduler: its runtime's yields do nothing. Each
// benchmark calls through the checking wrapper, as the harness does, unless it says "bare".

#include <benchmark/benchmark.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "adapters/adapters.h"
#include "harness/checked_backend.h"

namespace causalcheck {
namespace {

class IdleRuntime final : public Runtime {
 public:
  Time now() override { return now_; }
  Time wall_now() override { return now_; }
  void sleep_until(Time time) override { now_ = time; }
  void yield() override {}
  std::uint32_t choose(std::uint32_t) override { return 0; }

 private:
  Time now_{0};
};

// As long as what the harness publishes.
const std::string kPayload(64, 'p');
constexpr Time kDeadline = std::chrono::hours(1);
constexpr std::uint32_t kClients = 3;

struct Bench {
  explicit Bench(const std::string& spec) : inner(*make_backend(spec)) { reset(); }
  // A backend keeps what it allocated, so from the second run on the cost is the usual one.
  void reset() { backend.reset({"run-" + std::to_string(runs++), {"chat"}}).value(); }
  std::unique_ptr<Session> open(std::uint32_t client) {
    return *backend.open({client, "A", 1}, runtime, nullptr);
  }

  std::unique_ptr<Backend> inner;
  CheckedBackend backend{*inner};
  IdleRuntime runtime{};
  int runs = 0;
};

// One run as the cascade makes it: everybody publishes in turn, and the two others poll the new
// message and once more for nothing.
void one_run(Bench& bench, int commits) {
  bench.reset();
  std::vector<std::unique_ptr<Session>> sessions;
  for (std::uint32_t client = 0; client < kClients; ++client)
    sessions.push_back(bench.open(client));
  for (int i = 0; i < commits; ++i) {
    const auto writer = static_cast<std::size_t>(i) % kClients;
    benchmark::DoNotOptimize(sessions[writer]->commit({"chat", kPayload, false}, kDeadline));
    for (std::size_t reader = 0; reader < kClients; ++reader) {
      if (reader == writer) continue;
      benchmark::DoNotOptimize(sessions[reader]->poll("chat", kDeadline));
      benchmark::DoNotOptimize(sessions[reader]->poll("chat", kDeadline));
    }
  }
  for (auto& session : sessions) benchmark::DoNotOptimize(session->close());
  sessions.clear();
  benchmark::DoNotOptimize(bench.backend.drain("chat", "", bench.runtime));
}

void memory_run_of_35_commits_and_140_polls(benchmark::State& state) {
  Bench bench("memory");
  for (auto _ : state) one_run(bench, 35);
}
BENCHMARK(memory_run_of_35_commits_and_140_polls);

void memory_commit(benchmark::State& state) {
  Bench bench("memory");
  auto session = bench.open(0);
  std::int64_t in_run = 0;
  for (auto _ : state) {
    if (++in_run > 1000) {
      state.PauseTiming();
      session.reset();
      bench.reset();
      session = bench.open(0);
      in_run = 0;
      state.ResumeTiming();
    }
    benchmark::DoNotOptimize(session->commit({"chat", kPayload, false}, kDeadline));
  }
}
BENCHMARK(memory_commit);

void memory_poll_that_finds_nothing_new(benchmark::State& state) {
  Bench bench("memory");
  auto session = bench.open(0);
  session->commit({"chat", kPayload, false}, kDeadline).value();
  for (auto _ : state) benchmark::DoNotOptimize(session->poll("chat", kDeadline));
}
BENCHMARK(memory_poll_that_finds_nothing_new);

void memory_commit_and_poll_that_finds_it(benchmark::State& state) {
  Bench bench("memory");
  auto writer = bench.open(0);
  auto reader = bench.open(1);
  std::int64_t in_run = 0;
  for (auto _ : state) {
    if (++in_run > 1000) {
      state.PauseTiming();
      writer.reset();
      reader.reset();
      bench.reset();
      writer = bench.open(0);
      reader = bench.open(1);
      in_run = 0;
      state.ResumeTiming();
    }
    benchmark::DoNotOptimize(writer->commit({"chat", kPayload, false}, kDeadline));
    benchmark::DoNotOptimize(reader->poll("chat", kDeadline));
  }
}
BENCHMARK(memory_commit_and_poll_that_finds_it);

void memory_poll_that_finds_nothing_new_bare(benchmark::State& state) {
  Bench bench("memory");
  auto session = *bench.inner->open({0, "A", 1}, bench.runtime, nullptr);
  session->commit({"chat", kPayload, false}, kDeadline).value();
  for (auto _ : state) benchmark::DoNotOptimize(session->poll("chat", kDeadline));
}
BENCHMARK(memory_poll_that_finds_nothing_new_bare);

}  // namespace
}  // namespace causalcheck
