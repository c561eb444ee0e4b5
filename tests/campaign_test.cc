#include "harness/campaign.h"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <limits>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "harness/files.h"
#include "harness/plan_file.h"
#include "harness/temporary_folder.h"
#include "tests/toy_backend.h"

namespace causalcheck {
namespace {

/// Makes toys that a test has prepared.
std::function<Result<std::unique_ptr<Backend>>()> toys(
    std::function<void(ToyBackend&)> prepare = {}) {
  return [prepare]() -> Result<std::unique_ptr<Backend>> {
    auto toy = std::make_unique<ToyBackend>();
    if (prepare) prepare(*toy);
    return std::unique_ptr<Backend>(std::move(toy));
  };
}

/// Loses the 60th commit of a run, if a run comes that far: about half of the runs do.
void lose_rarely(ToyBackend& toy) {
  toy.spoil = [&toy](std::uint64_t number, Entry& entry) {
    if (number == 52 && !toy.logs[0].empty()) entry = toy.logs[0].back();
  };
}

CampaignOptions options_of(std::uint64_t runs, std::function<void(ToyBackend&)> prepare = {}) {
  CampaignOptions options;
  options.plan.backend = "toy";
  options.make_backend = toys(std::move(prepare));
  options.runs = runs;
  return options;
}

TEST(Campaign, RunsAsManySeedsAsItIsTold) {
  const CampaignResult result = run_campaign(options_of(45));
  EXPECT_EQ(result.summary.runs, 45U);
  EXPECT_EQ(result.summary.compared, 3U) << "one in twenty, and the first";
  EXPECT_EQ(result.verdict.verdict, Verdict::kHolds) << result.verdict.why;
  EXPECT_FALSE(result.failure.has_value());
  EXPECT_TRUE(result.found.empty());
  EXPECT_GE(result.summary.events, 45U * 100U);
  EXPECT_EQ(run_campaign(options_of(1)).summary.compared, 1U);
}

TEST(Campaign, SumsUpTheSameWhateverTheNumberOfJobs) {
  CampaignOptions options = options_of(60, lose_rarely);
  options.on_violation = OnViolation::kKeepGoing;
  const CampaignResult one = run_campaign(options);
  options.jobs = 4;
  const CampaignResult four = run_campaign(options);
  EXPECT_EQ(one.summary, four.summary);
  EXPECT_GT(one.summary.broke, 0U);
  EXPECT_LT(one.summary.broke, one.summary.runs);
  ASSERT_EQ(one.found.size(), four.found.size());
  for (std::size_t i = 0; i < one.found.size(); ++i) {
    EXPECT_EQ(one.found[i].seed, four.found[i].seed);
    EXPECT_EQ(one.found[i].runs, four.found[i].runs);
    EXPECT_EQ(one.found[i].plan_hash, four.found[i].plan_hash);
  }
}

TEST(Campaign, StopsAtTheLowestFailingSeedWhateverTheNumberOfJobs) {
  CampaignOptions options = options_of(1000, lose_rarely);
  options.first_seed = 7;
  const CampaignResult one = run_campaign(options);
  ASSERT_FALSE(one.found.empty());
  EXPECT_EQ(one.verdict.verdict, Verdict::kBreaks);
  EXPECT_EQ(one.summary.runs, one.found[0].seed - 7 + 1) << "and not one run more";
  EXPECT_EQ(one.found[0].guarantee, Guarantee::kNoLostWrites);
  EXPECT_FALSE(one.found[0].sentence.empty());
  EXPECT_NE(one.found[0].command.find("--seed " + std::to_string(one.found[0].seed)),
            std::string::npos);
  for (std::uint32_t jobs = 2; jobs <= 4; ++jobs) {
    options.jobs = jobs;
    const CampaignResult more = run_campaign(options);
    ASSERT_FALSE(more.found.empty());
    EXPECT_EQ(more.found[0].seed, one.found[0].seed);
    EXPECT_LT(more.summary.runs, one.summary.runs + jobs);
  }
}

TEST(Campaign, CountsRunsByStrategy) {
  CampaignOptions options = options_of(100, lose_rarely);
  options.on_violation = OnViolation::kKeepGoing;
  const CampaignSummary summary = run_campaign(options).summary;
  std::uint64_t runs = 0;
  std::uint64_t broke = 0;
  for (const StrategyTally& tally : summary.strategies) {
    EXPECT_GT(tally.runs, 0U);
    runs += tally.runs;
    broke += tally.broke;
  }
  EXPECT_EQ(runs, 100U);
  EXPECT_EQ(broke, summary.broke);
}

TEST(Campaign, SplitsItsSeedsAmongShards) {
  CampaignOptions options = options_of(41, lose_rarely);
  options.first_seed = 100;
  options.on_violation = OnViolation::kKeepGoing;
  const CampaignSummary whole = run_campaign(options).summary;
  options.shards = 3;
  CampaignSummary parts;
  for (options.shard = 0; options.shard < 3; ++options.shard) {
    const CampaignResult part = run_campaign(options);
    EXPECT_EQ(part.summary.runs, options.shard < 2 ? 14U : 13U);
    for (const FoundViolation& found : part.found) EXPECT_EQ((found.seed - 100) % 3, options.shard);
    parts.merge(part.summary);
  }
  parts.compared = whole.compared;
  EXPECT_EQ(parts, whole);
  options.shard = 2;
  options.runs = 2;
  EXPECT_EQ(run_campaign(options).summary.runs, 0U) << "a shard may have nothing to do";
}

TEST(Campaign, RunsOnceEvenWhenTheTimeIsUpAtOnce) {
  CampaignOptions options = options_of(1000);
  options.time = std::chrono::nanoseconds(1);
  EXPECT_EQ(run_campaign(options).summary.runs, 1U);
  options.runs.reset();
  EXPECT_EQ(run_campaign(options).summary.runs, 1U);
}

TEST(Campaign, EndsAtTheLastSeedThereIs) {
  CampaignOptions options = options_of(1000);
  options.runs.reset();
  options.time = std::chrono::hours(1);
  options.first_seed = std::numeric_limits<std::uint64_t>::max() - 1;
  EXPECT_LE(run_campaign(options).summary.runs, 2U);
}

TEST(Campaign, KeepsWhatWasFoundWhenItIsStopped) {
  std::atomic<bool> stop = false;
  std::atomic<int> commits = 0;
  CampaignOptions options = options_of(1'000'000'000, [&](ToyBackend& toy) {
    lose_rarely(toy);
    toy.lose_answer = [&](std::uint64_t) -> std::optional<Error> {
      if (++commits == 2000) stop = true;
      return std::nullopt;
    };
  });
  options.stop = &stop;
  options.on_violation = OnViolation::kKeepGoing;
  const CampaignResult result = run_campaign(options);
  EXPECT_TRUE(result.interrupted);
  EXPECT_GT(result.summary.runs, 10U);
  EXPECT_LT(result.summary.runs, 200U);
  EXPECT_FALSE(result.found.empty());
  EXPECT_EQ(result.verdict.verdict, Verdict::kBreaks);
}

TEST(Campaign, DoesNotBeginWhenItIsStoppedAlready) {
  const std::atomic<bool> stop = true;
  CampaignOptions options = options_of(10);
  options.stop = &stop;
  const CampaignResult result = run_campaign(options);
  EXPECT_EQ(result.summary.runs, 0U);
  EXPECT_TRUE(result.interrupted);
  EXPECT_EQ(result.verdict.verdict, Verdict::kUnknown);
}

TEST(Campaign, SaysWhereTwoRunsOfOnePlanDiffer) {
  auto commits = std::make_shared<std::uint64_t>(0);
  const CampaignResult result = run_campaign(options_of(5, [commits](ToyBackend& toy) {
    toy.refuse_commit = [commits](std::uint64_t number) -> std::optional<Error> {
      // Chance that is not the plan's.
      if (++*commits > 30 && number == 4) return Error(ErrorCode::kRejected, "by chance");
      return std::nullopt;
    };
  }));
  ASSERT_TRUE(result.failure.has_value());
  EXPECT_EQ(result.failure->kind, RunFailure::Kind::kInternal);
  EXPECT_EQ(result.failed_seed, 1U);
  EXPECT_NE(result.failure->text.find("line "), std::string::npos) << result.failure->text;
  EXPECT_NE(result.failure->text.find("first  {\"client\""), std::string::npos)
      << result.failure->text;
  EXPECT_EQ(result.summary.runs, 1U);
}

TEST(Campaign, EndsWithTheFailureOfTheLowestSeed) {
  CampaignOptions options = options_of(100, [](ToyBackend& toy) {
    toy.refuse_open = [&toy](std::uint64_t) -> std::optional<Error> {
      // The namespace says which run of the job it is.
      if (toy.resets.size() > 3) return Error(ErrorCode::kUnavailable, "went away");
      return std::nullopt;
    };
  });
  const CampaignResult result = run_campaign(options);
  ASSERT_TRUE(result.failure.has_value());
  EXPECT_EQ(result.failure->kind, RunFailure::Kind::kBackend);
  EXPECT_NE(result.failure->text.find("went away"), std::string::npos);
  EXPECT_EQ(result.failed_seed, 3U) << "the first seed ran twice";
  options.jobs = 3;
  EXPECT_TRUE(run_campaign(options).failure.has_value());
}

TEST(Campaign, SaysWhyNoBackendCouldBeMade) {
  CampaignOptions options = options_of(3);
  options.make_backend = []() -> Result<std::unique_ptr<Backend>> {
    return Error(ErrorCode::kUnavailable, "no server here");
  };
  const CampaignResult result = run_campaign(options);
  ASSERT_TRUE(result.failure.has_value());
  EXPECT_EQ(result.failure->text, "no server here");
  EXPECT_EQ(result.summary.runs, 0U);
}

TEST(Campaign, NeverGivesTwoRunsOneNamespace) {
  std::mutex mutex;
  std::multiset<std::string> names;
  CampaignOptions options = options_of(60, [&](ToyBackend& toy) {
    toy.refuse_drain = [&](std::uint64_t) -> std::optional<Error> {
      const std::lock_guard lock(mutex);
      names.insert(toy.resets.back().id);
      return std::nullopt;
    };
  });
  options.jobs = 3;
  EXPECT_FALSE(run_campaign(options).failure.has_value());
  EXPECT_FALSE(run_campaign(options).failure.has_value());
  EXPECT_EQ(names.size(), 2U * (60 + 3));
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
}

TEST(Campaign, ReportsItsProgressAtTheEnd) {
  CampaignOptions options = options_of(30, lose_rarely);
  options.on_violation = OnViolation::kKeepGoing;
  options.jobs = 2;
  std::vector<CampaignProgress> reports;
  options.progress = [&reports](const CampaignProgress& progress) { reports.push_back(progress); };
  const CampaignResult result = run_campaign(options);
  ASSERT_FALSE(reports.empty());
  EXPECT_EQ(reports.back().runs, 30U);
  EXPECT_EQ(reports.back().events, result.summary.events);
  EXPECT_EQ(reports.back().broke, result.summary.broke);
  EXPECT_EQ(reports.back().left, std::chrono::nanoseconds(0));
}

class CampaignArtifacts : public testing::Test {
 protected:
  TemporaryFolder folder = TemporaryFolder::make("campaign-test").value();
};

TEST_F(CampaignArtifacts, AreLeftByTheLowestSeedOfEachKind) {
  CampaignOptions options = options_of(60, lose_rarely);
  options.out = folder.path();
  options.on_violation = OnViolation::kKeepGoing;
  const CampaignResult result = run_campaign(options);
  ASSERT_FALSE(result.found.empty());
  EXPECT_TRUE(result.problems.empty()) << result.problems[0];
  for (const FoundViolation& found : result.found) {
    ASSERT_FALSE(found.folder.empty());
    const auto loaded = read_plan(found.folder + "/plan.json");
    ASSERT_TRUE(loaded.has_value()) << loaded.error().text;
    EXPECT_TRUE(loaded->as_saved());
    EXPECT_EQ(loaded->hash, found.plan_hash);
    EXPECT_EQ(loaded->plan.seed, found.seed);
    // The saved plan alone gives the saved history, byte for byte.
    ToyBackend toy;
    lose_rarely(toy);
    Runner runner(toy);
    EXPECT_EQ(runner.run(loaded->plan).report.verdict, Verdict::kBreaks);
    const auto bytes = read_file(found.folder + "/history.jsonl");
    ASSERT_TRUE(bytes.has_value());
    EXPECT_TRUE(to_jsonl(runner.history_file(loaded->plan)) == *bytes);
    const auto report = read_file(found.folder + "/report.txt");
    ASSERT_TRUE(report.has_value());
    EXPECT_EQ(report->rfind("causalcheck replay " + found.folder, 0), 0U);
  }
}

TEST_F(CampaignArtifacts, ThatCannotBeWrittenAreAProblemAndNoVerdict) {
  const std::string file = folder.path() + "/file";
  std::ofstream(file) << "in the way";
  CampaignOptions options = options_of(60, lose_rarely);
  options.out = file;
  const CampaignResult result = run_campaign(options);
  EXPECT_EQ(result.verdict.verdict, Verdict::kBreaks);
  ASSERT_EQ(result.problems.size(), 1U);
  EXPECT_NE(result.problems[0].find(file), std::string::npos);
  EXPECT_TRUE(result.found.at(0).folder.empty());
}

TEST(ValidateCampaign, NamesTheOptionThatIsOutOfRange) {
  const auto problem = [](auto change) {
    CampaignOptions options = options_of(10);
    change(options);
    const auto ok = validate(options);
    return ok.has_value() ? std::string() : ok.error().text;
  };
  EXPECT_EQ(problem([](CampaignOptions&) {}), "");
  EXPECT_EQ(problem([](CampaignOptions& o) { o.jobs = 0; }), "jobs must be from 1 to 1024, not 0");
  EXPECT_NE(problem([](CampaignOptions& o) { o.shard = 1; }), "");
  EXPECT_NE(problem([](CampaignOptions& o) { o.runs = 0; }), "");
  EXPECT_NE(problem([](CampaignOptions& o) { o.time = std::chrono::nanoseconds(0); }), "");
  EXPECT_NE(problem([](CampaignOptions& o) { o.plan.clients = 0; }), "");
  EXPECT_NE(
      problem([](CampaignOptions& o) { o.first_seed = std::numeric_limits<std::uint64_t>::max(); }),
      "");
}

}  // namespace
}  // namespace causalcheck
