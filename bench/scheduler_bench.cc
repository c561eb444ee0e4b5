#include <benchmark/benchmark.h>

#include "harness/scheduler.h"
#include "harness/watchdog.h"

namespace causalcheck {
namespace {

constexpr std::uint32_t kYields = 1000;

void spawn_yielding(DeterministicScheduler& scheduler, std::uint32_t fibers, std::uint32_t yields) {
  for (std::uint32_t i = 0; i < fibers; ++i) {
    Runtime& runtime = scheduler.runtime_of(i / 2, Time::zero());
    scheduler.spawn(i / 2, "worker", [&runtime, yields] {
      for (std::uint32_t k = 0; k < yields; ++k) runtime.yield();
    });
  }
}

void per_item(benchmark::State& state, std::uint64_t items) {
  state.SetItemsProcessed(static_cast<std::int64_t>(items));
  state.counters["each"] = benchmark::Counter(
      static_cast<double>(items), benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

// A yield with nobody else to go on.
void BM_YieldAlone(benchmark::State& state) {
  DeterministicScheduler scheduler;
  const Strategy strategy;
  std::uint64_t yields = 0;
  for (auto _ : state) {
    Choices choices(1);
    scheduler.begin(choices, strategy);
    spawn_yielding(scheduler, 1, kYields);
    scheduler.run();
    yields += scheduler.steps();
  }
  per_item(state, yields);
}
BENCHMARK(BM_YieldAlone);

// A yield that could switch and, by the plan, does not.
void BM_YieldThatStays(benchmark::State& state) {
  DeterministicScheduler scheduler;
  const Strategy strategy;
  std::uint64_t yields = 0;
  for (auto _ : state) {
    Choices choices(std::vector<std::uint32_t>{});
    scheduler.begin(choices, strategy);
    spawn_yielding(scheduler, 6, kYields);
    scheduler.run();
    yields += scheduler.steps();
  }
  per_item(state, yields);
}
BENCHMARK(BM_YieldThatStays);

// A yield that always switches, without drawing: two fibers park and wake each other.
void BM_Switch(benchmark::State& state) {
  DeterministicScheduler scheduler;
  const Strategy strategy;
  std::uint64_t switches = 0;
  for (auto _ : state) {
    Choices choices(1);
    scheduler.begin(choices, strategy);
    for (FiberId i = 0; i < 2; ++i) {
      scheduler.spawn(i, "worker", [&scheduler, i] {
        for (std::uint32_t k = 0; k < kYields; ++k) {
          if (i == 1 || k != 0) scheduler.park("the other");
          scheduler.wake(1 - i);
        }
      });
    }
    scheduler.run();
    switches += scheduler.steps();
  }
  per_item(state, switches);
}
BENCHMARK(BM_Switch);

// A drawn yield among six fibers of three clients, five of six of which switch.
void BM_YieldOfSix(benchmark::State& state) {
  DeterministicScheduler scheduler;
  Strategy strategy;
  strategy.kind = static_cast<StrategyKind>(state.range(0));
  strategy.stall_at = 10;
  strategy.stall_length = 100;
  strategy.change_points = {200, 400};
  std::uint64_t yields = 0;
  std::uint64_t seed = 0;
  for (auto _ : state) {
    Choices choices(++seed);
    scheduler.begin(choices, strategy);
    spawn_yielding(scheduler, 6, kYields);
    scheduler.run();
    yields += scheduler.steps();
  }
  per_item(state, yields);
}
BENCHMARK(BM_YieldOfSix)
    ->Arg(static_cast<int>(StrategyKind::kUniform))
    ->Arg(static_cast<int>(StrategyKind::kPriorities))
    ->Arg(static_cast<int>(StrategyKind::kStall));

// Sleeps: the clock jumps each time.
void BM_Sleep(benchmark::State& state) {
  DeterministicScheduler scheduler;
  const Strategy strategy;
  std::uint64_t sleeps = 0;
  for (auto _ : state) {
    Choices choices(1);
    scheduler.begin(choices, strategy);
    for (std::uint32_t i = 0; i < 6; ++i) {
      Runtime& runtime = scheduler.runtime_of(i, Time::zero());
      scheduler.spawn(i, "worker", [&runtime] {
        for (std::uint32_t k = 0; k < kYields; ++k) {
          runtime.sleep_until(runtime.now() + std::chrono::milliseconds(1));
        }
      });
    }
    scheduler.run();
    sleeps += scheduler.steps();
  }
  per_item(state, sleeps);
}
BENCHMARK(BM_Sleep);

// Fibers with nothing to do: what spawning, starting and ending one costs.
void BM_SpawnAndFinish(benchmark::State& state) {
  DeterministicScheduler scheduler;
  const Strategy strategy;
  std::uint64_t fibers = 0;
  for (auto _ : state) {
    Choices choices(1);
    scheduler.begin(choices, strategy);
    spawn_yielding(scheduler, 6, 0);
    scheduler.run();
    fibers += 6;
  }
  per_item(state, fibers);
}
BENCHMARK(BM_SpawnAndFinish);

// A run as campaigns make them: six fibers, 450 steps, watched.
void BM_Run(benchmark::State& state) {
  DeterministicScheduler scheduler;
  Watchdog watchdog;
  Watch watch(watchdog.list(), [&] { return scheduler.status(); });
  const Strategy strategy;
  std::uint64_t seed = 0;
  for (auto _ : state) {
    watch.arm();
    Choices choices(++seed);
    scheduler.begin(choices, strategy);
    spawn_yielding(scheduler, 6, 75);
    scheduler.run();
    watch.disarm();
  }
  per_item(state, seed);
}
BENCHMARK(BM_Run);

}  // namespace
}  // namespace causalcheck
