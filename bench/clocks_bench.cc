// What clocks cost: comparing and merging, and the race finder, the checks and the cut on logs of a
// million events. Prints one line per figure.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "checker/clocks/cuts.h"
#include "checker/clocks/delivery.h"
#include "checker/clocks/log_check.h"
#include "checker/clocks/races.h"
#include "checker/clocks/stamped_log.h"
#include "checker/clocks/vector_clock.h"
#include "harness/shiviz.h"

namespace causalcheck {
namespace {

/// The same numbers on every machine (Knuth's 64-bit constants).
class Numbers {
 public:
  std::uint64_t below(std::uint64_t bound) {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return (state_ >> 33U) % bound;
  }

 private:
  std::uint64_t state_ = 1;
};

void must(ClockStatus status) {
  if (status != ClockStatus::kOk) std::abort();
}

VectorClock full_clock(std::size_t processes, Numbers& numbers) {
  VectorClock clock;
  for (ProcessId p = 0; p < processes; ++p) must(clock.set(p, 1000 + numbers.below(16)));
  return clock;
}

void compare_clocks(benchmark::State& state) {
  Numbers numbers;
  const VectorClock a = full_clock(static_cast<std::size_t>(state.range(0)), numbers);
  const VectorClock b = full_clock(static_cast<std::size_t>(state.range(0)), numbers);
  for (auto _ : state) {
    ClockOrder order = compare(a, b);
    benchmark::DoNotOptimize(order);
  }
}
BENCHMARK(compare_clocks)->Arg(16)->Arg(100);

void merge_clocks(benchmark::State& state) {
  Numbers numbers;
  VectorClock a = full_clock(static_cast<std::size_t>(state.range(0)), numbers);
  const VectorClock b = full_clock(static_cast<std::size_t>(state.range(0)), numbers);
  for (auto _ : state) {
    a.merge(b);
    benchmark::ClobberMemory();
  }
}
BENCHMARK(merge_clocks)->Arg(16)->Arg(100);

/// A log of 16 processes that gossip and write to 1,000 resources: a fifth of the events are sends,
/// a fifth receives, the rest writes.
StampedLog gossip(std::uint64_t events, std::uint64_t resources) {
  constexpr std::size_t kProcesses = 16;
  Numbers numbers;
  StampedLog log;
  for (std::size_t p = 0; p < kProcesses; ++p) log.processes.push_back("p" + std::to_string(p));
  for (std::uint64_t r = 0; r < resources; ++r) log.names.push_back("r" + std::to_string(r));
  struct Message {
    NameId name = 0;
    VectorClock clock{};
  };
  std::vector<std::vector<Message>> inbox(kProcesses);
  std::vector<VectorClock> clocks(kProcesses);
  std::vector<ClockEntry> entries;
  for (std::uint64_t i = 0; i < events; ++i) {
    StampedEvent event;
    event.process = static_cast<ProcessId>(numbers.below(kProcesses));
    event.line = 2 * i + 1;
    VectorClock& clock = clocks[event.process];
    auto& mail = inbox[event.process];
    const std::uint64_t kind = numbers.below(5);
    if (kind == 0 && !mail.empty()) {
      clock.merge(mail.front().clock);
      event.receives = mail.front().name;
      mail.erase(mail.begin());
    }
    must(clock.tick(event.process));
    if (kind == 1) {
      event.sends = static_cast<NameId>(log.names.size());
      log.names.push_back("m" + std::to_string(i));
      auto& to = inbox[numbers.below(kProcesses)];
      if (to.size() < 64) to.push_back({event.sends, clock});
    }
    if (kind > 1) event.writes = static_cast<NameId>(numbers.below(resources));
    entries.clear();
    for (ProcessId p = 0; p < kProcesses; ++p) {
      if (clock[p] > 0) entries.push_back({p, clock[p]});
    }
    log.add(event, entries, "works");
  }
  return log;
}

void find_races_in_a_million_events(benchmark::State& state) {
  const StampedLog log = gossip(1'000'000, static_cast<std::uint64_t>(state.range(0)));
  std::uint64_t pairs = 0;
  for (auto _ : state) {
    const auto races = find_races(log);
    if (!races) std::abort();
    pairs = races->pairs;
  }
  state.counters["pairs"] = static_cast<double>(pairs);
}
// One resource: every write is held against those of all processes, and most pairs race.
BENCHMARK(find_races_in_a_million_events)->Arg(1000)->Arg(1)->Unit(benchmark::kMillisecond);

void check_a_million_events(benchmark::State& state) {
  const StampedLog log = gossip(1'000'000, 1000);
  for (auto _ : state) {
    if (check_log(log).found > 0) std::abort();
  }
}
BENCHMARK(check_a_million_events)->Unit(benchmark::kMillisecond);

void check_delivery_in_a_million_events(benchmark::State& state) {
  const StampedLog log = gossip(1'000'000, 1000);
  std::uint64_t judged = 0;
  for (auto _ : state) judged = check_delivery(log).judged;
  state.counters["receives"] = static_cast<double>(judged);
}
BENCHMARK(check_delivery_in_a_million_events)->Unit(benchmark::kMillisecond);

void latest_cut_of_a_million_events(benchmark::State& state) {
  const StampedLog log = gossip(1'000'000, 1000);
  const Cuts cuts(log);
  // The log of one process ends half way.
  Cut cut = cuts.tails();
  must(cut.set(0, cut[0] / 2));
  for (auto _ : state) {
    LatestCut latest = cuts.latest_consistent(cut);
    benchmark::DoNotOptimize(latest);
  }
}
BENCHMARK(latest_cut_of_a_million_events)->Unit(benchmark::kMillisecond);

void read_a_million_events(benchmark::State& state) {
  const std::string text = to_shiviz(gossip(1'000'000, 1000));
  for (auto _ : state) {
    if (!parse_shiviz(text)) std::abort();
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}
BENCHMARK(read_a_million_events)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace causalcheck
