#include "harness/plan.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace causalcheck {
namespace {

TEST(DrawPlan, GivesTheSamePlanForTheSameSeed) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    EXPECT_EQ(draw_plan({}, seed), draw_plan({}, seed));
    EXPECT_NE(run_id(draw_plan({}, seed)), run_id(draw_plan({}, seed + 1)));
  }
}

TEST(DrawPlan, MeansTheSameOnEveryMachine) {
  // Recorded once. A change here changes what every seed ever printed means.
  PlanOptions options;
  options.backend = "memory";
  EXPECT_EQ(run_id(draw_plan(options, 1)), 0x218cd94b9ad1b718U);
  options = {"sqlite:x", 5, 3, 1000, 4, {"delay"}, {}};
  EXPECT_EQ(run_id(draw_plan(options, 0xFFFFFFFFFFFFFFFFU)), 0x31b8b76d4aba21b3U);
}

TEST(DrawPlan, IsValidWheneverItsOptionsAre) {
  for (const std::uint32_t clients : {1U, 2U, 3U, 7U, kPlanClientsMax}) {
    for (const std::uint32_t events : {1U, 2U, 100U, 10'000U}) {
      PlanOptions options;
      options.clients = clients;
      options.events = events;
      options.topics = 4;
      options.pipeline = 8;
      ASSERT_TRUE(validate(options).has_value());
      for (std::uint64_t seed = 0; seed < 200; ++seed) {
        const auto ok = validate(draw_plan(options, seed));
        EXPECT_TRUE(ok.has_value()) << ok.error().text;
      }
    }
  }
}

TEST(DrawPlan, MixesStrategiesAndTurnsEveryKnobInSomePlans) {
  std::map<StrategyKind, int> kinds;
  std::set<std::size_t> points;
  Workload touched;
  PlanOptions options;
  options.pipeline = 4;
  std::set<std::uint32_t> pipelines;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const Plan plan = draw_plan(options, seed);
    ++kinds[plan.strategy.kind];
    if (plan.strategy.kind == StrategyKind::kPriorities)
      points.insert(plan.strategy.change_points.size());
    pipelines.insert(plan.pipeline);
    const Workload& w = plan.workload;
    touched.answer_permille = std::min(touched.answer_permille, w.answer_permille);
    touched.delete_permille += w.delete_permille;
    touched.only_read += w.only_read;
    touched.only_write += w.only_write;
    touched.leave_permille += w.leave_permille;
    touched.join_late += w.join_late;
    touched.offline_permille += w.offline_permille;
    touched.restart_permille += w.restart_permille;
    touched.filler_bytes += w.filler_bytes;
    EXPECT_LE(w.only_read + w.only_write, 1U) << "two of three clients publish and observe";
  }
  EXPECT_GT(kinds[StrategyKind::kUniform], 400);
  EXPECT_GT(kinds[StrategyKind::kPriorities], 150);
  EXPECT_GT(kinds[StrategyKind::kStall], 150);
  EXPECT_EQ(points, (std::set<std::size_t>{1, 2, 3}));
  EXPECT_EQ(pipelines, (std::set<std::uint32_t>{1, 2, 3, 4}));
  EXPECT_LT(touched.answer_permille, 1000U);
  for (const std::uint32_t knob :
       {touched.delete_permille, touched.only_read, touched.only_write, touched.leave_permille,
        touched.join_late, touched.offline_permille, touched.restart_permille,
        touched.filler_bytes}) {
    EXPECT_GT(knob, 0U);
  }
}

TEST(DrawPlan, KeepsAWorkloadThatIsGiven) {
  PlanOptions options;
  options.workload = Workload{};
  options.workload->delete_permille = 77;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    EXPECT_EQ(draw_plan(options, seed).workload, *options.workload);
  }
}

TEST(DrawPlan, KeepsClocksWithinASecond) {
  std::int32_t least = 0;
  std::int32_t most = 0;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    for (const std::int32_t offset : draw_plan({}, seed).clock_offsets_ms) {
      least = std::min(least, offset);
      most = std::max(most, offset);
    }
  }
  EXPECT_GE(least, -1000);
  EXPECT_LT(least, -900);
  EXPECT_LE(most, 1000);
  EXPECT_GT(most, 900);
}

TEST(RunId, DependsOnTheShapeAndNotOnTheChoices) {
  const Plan plan = draw_plan({}, 7);
  Plan saved = plan;
  saved.choices = std::vector<std::uint32_t>{1, 2, 3};
  EXPECT_EQ(run_id(saved), run_id(plan));
  Plan other = plan;
  ++other.workload.join_late;
  EXPECT_NE(run_id(other), run_id(plan));
  other = plan;
  other.backend = "fs";
  EXPECT_NE(run_id(other), run_id(plan));
  other = plan;
  other.faults = {"delay"};
  EXPECT_NE(run_id(other), run_id(plan));
}

TEST(ValidatePlan, NamesTheValueThatIsOutOfRange) {
  const auto problem = [](auto change) {
    Plan plan = draw_plan({}, 1);
    plan.strategy = {};
    change(plan);
    const auto ok = validate(plan);
    return ok.has_value() ? std::string() : ok.error().text;
  };
  EXPECT_EQ(problem([](Plan&) {}), "");
  EXPECT_EQ(problem([](Plan& p) { p.clients = 0; }), "clients must be from 1 to 256, not 0");
  EXPECT_EQ(problem([](Plan& p) { p.topics = 65; }), "topics must be from 1 to 64, not 65");
  EXPECT_NE(problem([](Plan& p) { p.events = 0; }), "");
  EXPECT_NE(problem([](Plan& p) { p.pipeline = 65; }), "");
  EXPECT_NE(problem([](Plan& p) { p.workload.leave_permille = 1001; }), "");
  EXPECT_NE(problem([](Plan& p) { p.workload.only_read = 2, p.workload.only_write = 2; }), "");
  EXPECT_NE(problem([](Plan& p) { p.strategy.order = {0, 0}; }), "");
  EXPECT_NE(problem([](Plan& p) { p.strategy.order = {3}; }), "");
  EXPECT_NE(problem([](Plan& p) { p.strategy.stalled_client = 3; }), "");
  EXPECT_NE(problem([](Plan& p) { p.clock_offsets_ms.resize(4); }), "");
  EXPECT_NE(problem([](Plan& p) { p.clock_offsets_ms[0] = 86'400'001; }), "");
  EXPECT_NE(problem([](Plan& p) { p.clients = 256, p.topics = 64, p.events = 1'000'000; }), "");
}

}  // namespace
}  // namespace causalcheck
