#include "harness/campaign_summary.h"

#include <gtest/gtest.h>

namespace causalcheck {
namespace {

/// A run in which everything that is claimed could have failed and did not.
RunResult good_run() {
  RunResult run;
  run.events = 100;
  run.switches_inside = 3;
  run.report.verdict = Verdict::kHolds;
  run.report.counts.operations = 120;
  run.report.counts.fail = 2;
  for (const Guarantee id : {Guarantee::kNoLostWrites, Guarantee::kCausal}) {
    Judgement& judgement = run.report[id];
    judgement.answer = Answer::kHolds;
    judgement.claimed = true;
    judgement.judged = 5;
  }
  run.report[Guarantee::kDelivery].why = "latest reads may skip messages";
  run.report[Guarantee::kDelivery].claimed = true;
  return run;
}

CampaignVerdict verdict_of(const RunResult& run, bool interleaves = true) {
  CampaignSummary summary;
  summary.add(run);
  return judge_campaign(summary, interleaves);
}

TEST(CampaignSummary, AddsUpWhatRunsExercised) {
  CampaignSummary summary;
  summary.add(good_run());
  RunResult broken = good_run();
  broken.strategy = StrategyKind::kStall;
  broken.report.verdict = Verdict::kBreaks;
  broken.report[Guarantee::kCausal].answer = Answer::kBreaks;
  broken.report[Guarantee::kCausal].broken = 2;
  summary.add(broken);
  EXPECT_EQ(summary.runs, 2U);
  EXPECT_EQ(summary.held, 1U);
  EXPECT_EQ(summary.broke, 1U);
  EXPECT_EQ(summary.events, 200U);
  EXPECT_EQ(summary.switches_inside, 6U);
  EXPECT_EQ(summary.counts.operations, 240U);
  EXPECT_EQ(summary.counts.fail, 4U);
  EXPECT_EQ(summary[Guarantee::kCausal].runs_judged, 2U);
  EXPECT_EQ(summary[Guarantee::kCausal].runs_broken, 1U);
  EXPECT_EQ(summary[Guarantee::kCausal].judged, 10U);
  EXPECT_EQ(summary[Guarantee::kCausal].broken, 2U);
  EXPECT_EQ(summary[Guarantee::kDelivery].runs_judged, 0U);
  EXPECT_EQ(summary[Guarantee::kDelivery].why_not, "latest reads may skip messages");
  EXPECT_EQ(summary[StrategyKind::kStall].broke, 1U);
  EXPECT_EQ(summary[StrategyKind::kUniform].broke, 0U);
}

TEST(CampaignSummary, MergesToWhatOneJobWouldHaveSummed) {
  CampaignSummary one;
  CampaignSummary left;
  CampaignSummary right;
  for (std::uint64_t i = 0; i < 10; ++i) {
    RunResult run = good_run();
    run.events += i;
    run.steps = i;
    run.virtual_time = Time(i);
    run.switches_inside = i % 2;
    run.strategy = static_cast<StrategyKind>(i % 3);
    run.report.vacuous = i == 3;
    run.report.contaminated = i == 4;
    run.report.cut_off = i == 5;
    run.report.why = i == 4 || i == 5 ? "left-over data" : "";
    if (i % 2 == 0) {
      HoldSummary holds;
      holds.metrics.held = i;
      holds.metrics.depth_max = 10 - i;
      holds.metrics.age_max = Time(i * i);
      holds.stalled = i == 6 ? 2 : 0;
      holds.first_stall = i == 6 ? "A holds C2" : "";
      run.holds = holds;
    }
    one.add(run);
    (i < 5 ? left : right).add(run);
  }
  left.merge(right);
  EXPECT_EQ(left, one);
  EXPECT_EQ(one.holds.runs, 5U);
  EXPECT_EQ(one.holds.metrics.held, 20U);
  EXPECT_EQ(one.holds.metrics.depth_max, 10U);
  EXPECT_EQ(one.holds.metrics.age_max, Time(64));
  EXPECT_EQ(one.holds.stalled, 2U);
  EXPECT_EQ(one.holds.runs_stalled, 1U);
  EXPECT_EQ(one.holds.first_stall, "A holds C2");
}

TEST(JudgeCampaign, HoldsWhenEverythingWasExercised) {
  EXPECT_EQ(verdict_of(good_run()).verdict, Verdict::kHolds) << verdict_of(good_run()).why;
}

TEST(JudgeCampaign, BreaksIfAnyRunBroke) {
  CampaignSummary summary;
  RunResult cut_off = good_run();
  cut_off.report.verdict = Verdict::kUnknown;
  cut_off.report.cut_off = true;
  summary.add(cut_off);
  RunResult broken = good_run();
  broken.report.verdict = Verdict::kBreaks;
  summary.add(broken);
  EXPECT_EQ(judge_campaign(summary, true).verdict, Verdict::kBreaks);
}

TEST(JudgeCampaign, IsUnknownWhenNothingRan) {
  EXPECT_EQ(judge_campaign({}, false).verdict, Verdict::kUnknown);
}

TEST(JudgeCampaign, IsUnknownWhenOneRunWasContaminatedOrCutOff) {
  CampaignSummary summary;
  for (int i = 0; i < 9; ++i) summary.add(good_run());
  EXPECT_EQ(judge_campaign(summary, true).verdict, Verdict::kHolds);
  RunResult run = good_run();
  run.report.verdict = Verdict::kUnknown;
  run.report.contaminated = true;
  run.report.why = "left-over data";
  summary.add(run);
  EXPECT_EQ(judge_campaign(summary, true).verdict, Verdict::kUnknown);
  EXPECT_NE(judge_campaign(summary, true).why.find("left-over data"), std::string::npos);
}

TEST(JudgeCampaign, IsUnknownWhenEveryRunWasVacuousAndNotWhenOneWas) {
  RunResult vacuous = good_run();
  vacuous.report.verdict = Verdict::kUnknown;
  vacuous.report.vacuous = true;
  EXPECT_EQ(verdict_of(vacuous).verdict, Verdict::kUnknown);
  CampaignSummary summary;
  summary.add(vacuous);
  summary.add(good_run());
  EXPECT_EQ(judge_campaign(summary, true).verdict, Verdict::kHolds);
}

TEST(JudgeCampaign, IsUnknownWhenAClaimWasNeverExercisedAndSaysWhich) {
  RunResult idle = good_run();
  idle.report[Guarantee::kNoLostWrites].judged = 0;
  EXPECT_EQ(verdict_of(idle).verdict, Verdict::kUnknown);
  EXPECT_NE(verdict_of(idle).why.find("no-lost-writes"), std::string::npos);
  CampaignSummary summary;
  summary.add(idle);
  summary.add(good_run());
  EXPECT_EQ(judge_campaign(summary, true).verdict, Verdict::kHolds) << "one run exercised it";
}

TEST(JudgeCampaign, AsksNothingOfWhatIsNotClaimedOrNeedsAFault) {
  RunResult run = good_run();
  run.report[Guarantee::kRealTime].answer = Answer::kHolds;
  run.report[Guarantee::kOutcome].answer = Answer::kHolds;
  run.report[Guarantee::kOutcome].claimed = true;
  EXPECT_EQ(verdict_of(run).verdict, Verdict::kHolds) << verdict_of(run).why;
}

TEST(JudgeCampaign, IsUnknownWhenABackendThatInterleavesNeverDid) {
  RunResult run = good_run();
  run.switches_inside = 0;
  EXPECT_EQ(verdict_of(run, true).verdict, Verdict::kUnknown);
  EXPECT_EQ(verdict_of(run, false).verdict, Verdict::kHolds);
}

}  // namespace
}  // namespace causalcheck
