// The embedded backends, driven by whole runs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <tuple>

#include "adapters/adapters.h"
#include "checker/explain.h"
#include "harness/campaign.h"
#include "harness/plan_file.h"
#include "harness/run.h"

namespace causalcheck {
namespace {

class RunsOnBackend : public testing::TestWithParam<const char*> {
 protected:
  RunsOnBackend() {
    const std::string spec = GetParam();
    for (const LeftOut& left_out : left_out_adapters()) {
      if (spec.substr(0, spec.find('?')) == left_out.name) missing = true;
    }
  }
  [[nodiscard]] static std::unique_ptr<Backend> backend() {
    return make_backend(GetParam()).value();
  }
  // Those on a disk sync each write.
  [[nodiscard]] static bool in_memory() { return std::string(GetParam()).rfind("memory", 0) == 0; }
  [[nodiscard]] static std::uint32_t events() { return in_memory() ? 100 : 40; }
  bool missing = false;
};

TEST_P(RunsOnBackend, HoldsAndExercisesWhatItClaims) {
  if (missing) GTEST_SKIP() << "not in this build";
  for (const std::uint32_t topics : {1U, 3U}) {
    CampaignOptions options;
    options.plan.backend = GetParam();
    options.plan.topics = topics;
    options.plan.pipeline = 3;
    options.plan.events = events();
    options.make_backend = [] { return make_backend(GetParam()); };
    options.runs = in_memory() ? 50 : 3;
    options.on_violation = OnViolation::kKeepGoing;
    const CampaignResult result = run_campaign(options);
    ASSERT_FALSE(result.failure.has_value()) << result.failure->text;
    for (const FoundViolation& found : result.found) ADD_FAILURE() << found.seed << found.sentence;
    EXPECT_EQ(result.verdict.verdict, Verdict::kHolds) << result.verdict.why;
    EXPECT_EQ(result.summary.runs_with_switches > 0, result.declared.interleaves);
  }
}

TEST_P(RunsOnBackend, ReplaysFromASavedPlanByteForByte) {
  if (missing) GTEST_SKIP() << "not in this build";
  PlanOptions options;
  options.backend = GetParam();
  options.events = events();
  const auto first = backend();
  Runner runner(*first);
  for (std::uint64_t seed = 1; seed <= (in_memory() ? 20U : 3U); ++seed) {
    const Plan plan = draw_plan(options, seed);
    ASSERT_FALSE(runner.run(plan).failure.has_value());
    const std::string bytes = to_jsonl(runner.history_file(plan));
    const auto saved = parse_plan(plan_to_json(runner.explicit_plan(plan)));
    ASSERT_TRUE(saved.has_value());
    const auto second = backend();
    Runner other(*second);
    ASSERT_FALSE(other.run(saved->plan).failure.has_value());
    EXPECT_TRUE(to_jsonl(other.history_file(saved->plan)) == bytes) << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Embedded, RunsOnBackend,
                         testing::Values("memory", "memory?reads=feed", "replicated",
                                         "replicated?reads=feed", "fs", "fs?reads=feed", "sqlite",
                                         "sqlite?reads=feed"),
                         [](const auto& spec) {
                           std::string name = spec.param;
                           std::replace_if(
                               name.begin(), name.end(),
                               [](char c) { return c == '?' || c == '='; }, '_');
                           return name;
                         });

TEST(RunsOnMemory, KeepTheBarOfTheDefaultPlan) {
  // What the speed of runs is stated for: at least 30 observations of another client's message in
  // every run of three clients and 100 events, and real switches inside operations.
  const auto backend = make_backend("memory").value();
  Runner runner(*backend);
  PlanOptions options;
  options.backend = "memory";
  constexpr std::uint64_t kSeeds = 2000;
  std::uint64_t others_min = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t others = 0;
  std::uint64_t switches = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const RunResult result = runner.run(draw_plan(options, seed));
    ASSERT_FALSE(result.failure.has_value()) << result.failure->text;
    ASSERT_EQ(result.report.verdict, Verdict::kHolds) << "seed " << seed << "\n"
                                                      << explain(result.report, runner.history());
    others_min = std::min(others_min, result.report.counts.foreign_observes);
    others += result.report.counts.foreign_observes;
    switches += result.switches_inside;
  }
  std::printf("observations of others: at least %llu, mean %.1f; switches inside: mean %.1f\n",
              static_cast<unsigned long long>(others_min), static_cast<double>(others) / kSeeds,
              static_cast<double>(switches) / kSeeds);
  EXPECT_GE(others_min, 30U);
  EXPECT_GE(switches / kSeeds, 20U);
}

TEST(RunsOnMemory, AgreeWithTheWholeHistoryCall) {
  int round = 0;
  for (const std::uint32_t topics : {1U, 1U, 3U}) {
    // Of a feed with several topics only the overlaps can differ; see Recorder::begin_receive.
    const char* const spec = ++round % 2 == 0 ? "memory?reads=feed" : "memory";
    const auto backend = make_backend(spec).value();
    Runner runner(*backend);
    PlanOptions options;
    options.backend = spec;
    options.topics = topics;
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
      const RunResult result = runner.run(draw_plan(options, seed));
      ASSERT_FALSE(result.failure.has_value());
      EXPECT_EQ(result.report, check(runner.history())) << spec << " seed " << seed;
    }
  }
}

}  // namespace
}  // namespace causalcheck
