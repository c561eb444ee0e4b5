// Each order passes its own level and those below, and fails the level above it; so do the planted
// bugs, and their twins are never accused.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "adapters/adapters.h"
#include "checker/explain.h"
#include "fixtures/bugs/broadcast_bugs.h"
#include "harness/plan.h"
#include "harness/run.h"

namespace causalcheck {

// GoogleTest finds this next to the type.
void PrintTo(const PlantedBug& bug, std::ostream* out) { *out << bug.name; }

namespace {

constexpr std::uint64_t kRunsThatHold = 1000;
constexpr std::uint64_t kRunsUntilFound = 100;

Plan plan_of(const std::string& backend, std::uint64_t seed) {
  PlanOptions options;
  options.backend = backend;
  return draw_plan(options, seed);
}

struct Row {
  const char* order;
  Level level;
};

void PrintTo(const Row& row, std::ostream* out) {
  *out << row.order << " judged by " << to_string(row.level);
}

RunnerOptions judged_by(Level level) {
  RunnerOptions options;
  options.settings.level = level;
  return options;
}

class OrderPasses : public testing::TestWithParam<Row> {};

TEST_P(OrderPasses, ItsOwnLevelAndThoseBelow) {
  const std::string spec = std::string("broadcast?order=") + GetParam().order;
  const auto backend = make_backend(spec).value();
  Runner runner(*backend, judged_by(GetParam().level));
  for (std::uint64_t seed = 1; seed <= kRunsThatHold; ++seed) {
    const RunResult result = runner.run(plan_of(spec, seed));
    ASSERT_FALSE(result.failure.has_value()) << result.failure->text;
    ASSERT_EQ(result.report.verdict, Verdict::kHolds) << "seed " << seed << "\n"
                                                      << explain(result.report, runner.history());
  }
}

INSTANTIATE_TEST_SUITE_P(Broadcast, OrderPasses,
                         testing::Values(Row{"fifo", Level::kFifo}, Row{"causal", Level::kFifo},
                                         Row{"causal", Level::kCausal}, Row{"total", Level::kFifo},
                                         Row{"total", Level::kCausal},
                                         Row{"total", Level::kTotal}));

struct Break {
  const char* order;
  Level level;
  Guarantee guarantee;
  Reason reason;
  std::vector<std::uint64_t> seeds;  // that show it
};

void PrintTo(const Break& row, std::ostream* out) {
  *out << row.order << " judged by " << to_string(row.level);
}

class OrderFails : public testing::TestWithParam<Break> {
 protected:
  OrderFails()
      : spec_(std::string("broadcast?order=") + GetParam().order),
        backend_(make_backend(spec_).value()),
        runner_(*backend_, judged_by(GetParam().level)) {}

  // Whether the run of `seed` breaks as the row says.
  bool breaks(std::uint64_t seed) {
    const RunResult result = runner_.run(plan_of(spec_, seed));
    EXPECT_FALSE(result.failure.has_value());
    const Judgement& judgement = result.report[GetParam().guarantee];
    if (judgement.answer != Answer::kBreaks) return false;
    EXPECT_EQ(judgement.violation->reason, GetParam().reason);
    EXPECT_TRUE(judgement.violation->contradiction);
    return true;
  }

  const std::string spec_;
  const std::unique_ptr<Backend> backend_;
  Runner runner_;
};

TEST_P(OrderFails, TheLevelAboveWithinAHundredRuns) {
  std::uint64_t seed = 1;
  while (seed <= kRunsUntilFound && !breaks(seed)) ++seed;
  EXPECT_LE(seed, kRunsUntilFound);
}

TEST_P(OrderFails, AtTheSeedsOfTheTable) {
  for (const std::uint64_t seed : GetParam().seeds) EXPECT_TRUE(breaks(seed)) << "seed " << seed;
}

// docs/broadcast.md has the same table.
INSTANTIATE_TEST_SUITE_P(
    Broadcast, OrderFails,
    testing::Values(
        Break{
            "immediate", Level::kFifo, Guarantee::kFifo, Reason::kObservedAgainstOrder, {1, 2, 3}},
        Break{"immediate",
              Level::kCausal,
              Guarantee::kCausal,
              Reason::kObservedAgainstOrder,
              {1, 2, 3}},
        Break{"fifo", Level::kCausal, Guarantee::kCausal, Reason::kObservedAgainstOrder, {1, 2, 3}},
        Break{"causal", Level::kTotal, Guarantee::kTotal, Reason::kNoCommonOrder, {1, 3, 8}}));

class BroadcastBug : public testing::TestWithParam<PlantedBug> {};

TEST_P(BroadcastBug, IsFoundWithinAHundredRuns) {
  const auto backend = GetParam().make();
  Runner runner(*backend);
  std::vector<Guarantee> missing = GetParam().must_break;
  for (std::uint64_t seed = 1; seed <= kRunsUntilFound && !missing.empty(); ++seed) {
    const RunResult result = runner.run(plan_of("bug", seed));
    ASSERT_FALSE(result.failure.has_value()) << result.failure->text;
    std::erase_if(missing,
                  [&](Guarantee id) { return result.report[id].answer == Answer::kBreaks; });
  }
  EXPECT_TRUE(missing.empty()) << to_string(missing.front());
}

TEST_P(BroadcastBug, ItsTwinIsNotAccused) {
  const auto backend = GetParam().make_twin();
  Runner runner(*backend);
  for (std::uint64_t seed = 1; seed <= kRunsUntilFound; ++seed) {
    const RunResult result = runner.run(plan_of("twin", seed));
    ASSERT_FALSE(result.failure.has_value()) << result.failure->text;
    ASSERT_EQ(result.report.verdict, Verdict::kHolds) << explain(result.report, runner.history());
  }
}

INSTANTIATE_TEST_SUITE_P(Broadcast, BroadcastBug, testing::ValuesIn(broadcast_bugs()));

TEST(BroadcastBugs, WithoutTheCheckOfOthersFifoStillHolds) {
  for (const PlantedBug& bug : broadcast_bugs()) {
    if (bug.name != "no-dependency-check") continue;
    const auto backend = bug.make();
    Runner runner(*backend);
    for (std::uint64_t seed = 1; seed <= kRunsUntilFound; ++seed) {
      ASSERT_EQ(runner.run(plan_of("bug", seed)).report[Guarantee::kFifo].answer, Answer::kHolds);
    }
  }
}

}  // namespace
}  // namespace causalcheck
