#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "fixtures/bugs/stale_follower.h"
#include "harness/campaign.h"
#include "harness/files.h"
#include "harness/plan_file.h"
#include "harness/temporary_folder.h"

namespace causalcheck {
namespace {

class CampaignShrinking : public testing::Test {
 protected:
  [[nodiscard]] CampaignOptions options() const {
    CampaignOptions options;
    options.plan.backend = "planted:stale-follower";
    options.make_backend = []() -> Result<std::unique_ptr<Backend>> {
      return std::unique_ptr<Backend>(std::make_unique<StaleFollower>());
    };
    options.runs = 40;
    options.out = folder.path();
    options.shrink.emplace();
    return options;
  }
  TemporaryFolder folder = TemporaryFolder::make("campaign-shrink-test").value();
};

TEST_F(CampaignShrinking, LeavesTheShrunkRunBesideTheOriginal) {
  const CampaignResult result = run_campaign(options());
  ASSERT_EQ(result.found.size(), 1U);
  EXPECT_TRUE(result.problems.empty());
  const FoundViolation& found = result.found[0];
  EXPECT_GE(found.events, 100U);
  EXPECT_LE(found.shrunk_events, 8U);
  EXPECT_TRUE(found.shrink_finished);
  EXPECT_EQ(found.shrunk_folder, found.folder + "/shrunk");
  EXPECT_LT(found.shrunk_explanation.size(), found.explanation.size() + 1);
  EXPECT_EQ(read_plan(found.folder + "/plan.json")->hash, found.plan_hash) << "as it was";

  const auto shrunk = read_plan(found.shrunk_folder + "/plan.json");
  ASSERT_TRUE(shrunk.has_value()) << shrunk.error().text;
  StaleFollower follower;
  Runner runner(follower);
  EXPECT_EQ(fingerprint(*first_broken(runner.run(shrunk->plan).report)), found.fingerprint);
  EXPECT_EQ(to_jsonl(runner.history_file(shrunk->plan)),
            *read_file(found.shrunk_folder + "/history.jsonl"));
  EXPECT_EQ(read_file(found.shrunk_folder + "/report.txt")
                ->rfind("causalcheck replay " + found.shrunk_folder, 0),
            0U);
}

TEST_F(CampaignShrinking, IsDoneOnceForEachKind) {
  CampaignOptions all = options();
  all.on_violation = OnViolation::kKeepGoing;
  all.jobs = 3;
  const CampaignResult result = run_campaign(all);
  ASSERT_GT(result.found.size(), 1U);
  for (const FoundViolation& found : result.found) {
    EXPECT_LE(found.shrunk_events, 8U) << found.seed;
    EXPECT_FALSE(found.shrunk_explanation.empty());
    EXPECT_TRUE(std::filesystem::exists(found.shrunk_folder + "/history.jsonl"));
  }
}

TEST_F(CampaignShrinking, NeedsNoFolder) {
  CampaignOptions nowhere = options();
  nowhere.out.clear();
  const CampaignResult result = run_campaign(nowhere);
  ASSERT_EQ(result.found.size(), 1U);
  EXPECT_LE(result.found[0].shrunk_events, 8U);
  EXPECT_TRUE(result.found[0].shrunk_folder.empty());
}

TEST_F(CampaignShrinking, IsLeftOutWithoutABudget) {
  CampaignOptions without = options();
  without.shrink.reset();
  const CampaignResult result = run_campaign(without);
  ASSERT_EQ(result.found.size(), 1U);
  EXPECT_TRUE(result.found[0].shrunk_explanation.empty());
  EXPECT_FALSE(std::filesystem::exists(result.found[0].folder + "/shrunk"));
}

TEST_F(CampaignShrinking, KeepsTheBestSoFarWhenItIsCutShort) {
  std::atomic<bool> stop{false};
  CampaignOptions stopped = options();
  stopped.shrink->stop = &stop;
  stopped.shrink->runs_max = 12;
  const CampaignResult cut = run_campaign(stopped);
  ASSERT_EQ(cut.found.size(), 1U);
  EXPECT_FALSE(cut.found[0].shrink_finished);
  EXPECT_LT(cut.found[0].shrunk_events, cut.found[0].events);
  EXPECT_TRUE(read_plan(cut.found[0].shrunk_folder + "/plan.json").has_value());

  stop = true;
  const CampaignResult at_once = run_campaign(stopped);
  EXPECT_EQ(at_once.found.at(0).shrink_runs, 0U);
  EXPECT_EQ(at_once.found.at(0).shrunk_events, at_once.found.at(0).events);
}

TEST_F(CampaignShrinking, ThatCannotBeWrittenIsAProblemAndNoVerdict) {
  CampaignOptions blocked = options();
  const CampaignResult first = run_campaign(blocked);
  std::filesystem::remove_all(first.found.at(0).shrunk_folder);
  std::ofstream(first.found.at(0).shrunk_folder) << "in the way";
  const CampaignResult result = run_campaign(blocked);
  EXPECT_EQ(result.verdict.verdict, Verdict::kBreaks);
  EXPECT_EQ(result.problems.size(), 1U);
  EXPECT_TRUE(result.found.at(0).shrunk_folder.empty());
  EXPECT_FALSE(result.found.at(0).shrunk_explanation.empty());
}

}  // namespace
}  // namespace causalcheck
