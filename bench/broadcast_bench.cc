// What the broadcast group costs: delivery decisions of the hold-back queue alone, and whole runs
// of the backend. items_per_second is deliveries a second on one core.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "adapters/adapters.h"
#include "checker/delivery_rules.h"
#include "checker/holdback_queue.h"
#include "harness/plan.h"
#include "harness/run.h"

namespace causalcheck {
namespace {

constexpr std::uint32_t kMessages = 100'000;

/// The same numbers on every machine (Knuth's 64-bit constants).
class Numbers {
 public:
  std::uint32_t below(std::uint32_t bound) {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return static_cast<std::uint32_t>((state_ >> 33U) % bound);
  }

 private:
  std::uint64_t state_ = 1;
};

/// What one receiver is sent by `processes` others, each of which has delivered nearly all there is
/// whenever it broadcasts.
struct Traffic {
  explicit Traffic(std::uint32_t processes) : clocks(std::size_t{kMessages} * processes) {
    Numbers numbers;
    std::vector<std::uint32_t> known(processes, 0);  // how many of all messages each has delivered
    std::vector<std::vector<std::uint32_t>> counts(kMessages + 1,
                                                   std::vector<std::uint32_t>(processes, 0));
    for (std::uint32_t i = 0; i < kMessages; ++i) {
      const std::uint32_t sender = numbers.below(processes);
      known[sender] = std::max(known[sender], i - std::min(i, numbers.below(8)));
      std::vector<std::uint32_t> clock = counts[known[sender]];
      clock[sender] = counts[i][sender] + 1;
      const auto stamp = clocks.begin() + std::ptrdiff_t{i} * processes;
      std::copy(clock.begin(), clock.end(), stamp);
      counts[i + 1] = counts[i];
      ++counts[i + 1][sender];
      arrivals.push_back({i, {sender, clock[sender], {&*stamp, processes}}});
    }
  }

  // Each message comes up to `window` places early or late.
  void shuffle(std::uint32_t window) {
    Numbers numbers;
    for (std::size_t i = 0; i + 1 < arrivals.size(); ++i) {
      const auto reach = std::min<std::size_t>(window, arrivals.size() - i);
      std::swap(arrivals[i], arrivals[i + numbers.below(static_cast<std::uint32_t>(reach))]);
    }
  }

  std::vector<std::uint32_t> clocks;
  std::vector<Arrival> arrivals{};
};

void deliver_all(benchmark::State& state, const Traffic& traffic) {
  const CausalRule rule;
  std::uint64_t held = 0;
  for (auto _ : state) {
    HoldBackQueue queue(rule);
    std::uint32_t delivered = 0;
    for (const Arrival& arrival : traffic.arrivals) {
      if (queue.add(arrival)) ++held;
      while (queue.next()) ++delivered;
    }
    if (delivered != kMessages) state.SkipWithError("something was held for ever");
  }
  const auto all = static_cast<std::int64_t>(state.iterations()) * kMessages;
  state.SetItemsProcessed(all);
  state.counters["held"] = static_cast<double>(held) / static_cast<double>(all);
}

void deliveries_in_order(benchmark::State& state) {
  const Traffic traffic(static_cast<std::uint32_t>(state.range(0)));
  deliver_all(state, traffic);
}
BENCHMARK(deliveries_in_order)->Arg(4)->Arg(16)->Arg(64)->Unit(benchmark::kMillisecond);

void deliveries_shuffled_by_64(benchmark::State& state) {
  Traffic traffic(static_cast<std::uint32_t>(state.range(0)));
  traffic.shuffle(64);
  deliver_all(state, traffic);
}
BENCHMARK(deliveries_shuffled_by_64)->Arg(4)->Arg(16)->Arg(64)->Unit(benchmark::kMillisecond);

// The first message comes last: everything that depends on it waits, and then goes at once.
void deliveries_behind_one_that_is_late(benchmark::State& state) {
  Traffic traffic(static_cast<std::uint32_t>(state.range(0)));
  std::rotate(traffic.arrivals.begin(), traffic.arrivals.begin() + 1, traffic.arrivals.end());
  deliver_all(state, traffic);
}
BENCHMARK(deliveries_behind_one_that_is_late)->Arg(16)->Unit(benchmark::kMillisecond);

// A whole run of 100 events: plan, cascade, links, history and verdict.
void run_of_100_events(benchmark::State& state, const char* spec) {
  const auto backend = make_backend(spec).value();
  Runner runner(*backend);
  PlanOptions options;
  options.backend = spec;
  std::uint64_t seed = 0;
  std::uint64_t events = 0;
  for (auto _ : state) events += runner.run(draw_plan(options, ++seed)).events;
  state.counters["events"] =
      benchmark::Counter(static_cast<double>(events), benchmark::Counter::kIsRate);
}
BENCHMARK_CAPTURE(run_of_100_events, immediate, "broadcast?order=immediate");
BENCHMARK_CAPTURE(run_of_100_events, fifo, "broadcast?order=fifo");
BENCHMARK_CAPTURE(run_of_100_events, causal, "broadcast?order=causal");
BENCHMARK_CAPTURE(run_of_100_events, total, "broadcast?order=total");

}  // namespace
}  // namespace causalcheck
