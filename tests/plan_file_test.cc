#include "harness/plan_file.h"

#include <gtest/gtest.h>

#include <string>

namespace causalcheck {
namespace {

Plan full_plan() {
  PlanOptions options{"sqlite:a b?reads=feed", 4, 2, 77, 3, {"delay", "drop-answer"}, {}};
  Plan plan = draw_plan(options, 0xFFFFFFFFFFFFFFFFU);
  plan.faults = options.faults;
  plan.strategy = {StrategyKind::kPriorities, {3, 9}, {2, 0, 1}, 1, 5, 6};
  plan.choices = std::vector<std::uint32_t>{0, 1, 0xFFFFFFFF};
  return plan;
}

std::string problem_of(const std::string& text) {
  const auto loaded = parse_plan(text);
  return loaded.has_value() ? "" : loaded.error().text;
}

std::string with(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(PlanFile, ComesBackAsItWentOut) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Plan plan = draw_plan({}, seed);
    const auto loaded = parse_plan(plan_to_json(plan));
    ASSERT_TRUE(loaded.has_value()) << loaded.error().text;
    EXPECT_EQ(loaded->plan, plan);
    EXPECT_TRUE(loaded->as_saved());
    EXPECT_EQ(loaded->hash, plan_hash(plan));
    EXPECT_EQ(loaded->stored_hash, plan_hash(plan));
  }
  const auto loaded = parse_plan(plan_to_json(full_plan()));
  ASSERT_TRUE(loaded.has_value()) << loaded.error().text;
  EXPECT_EQ(loaded->plan, full_plan());
}

TEST(PlanFile, TellsNoChoicesFromAnEmptyList) {
  Plan plan = draw_plan({}, 1);
  const std::string without = plan_hash(plan);
  plan.choices.emplace();
  EXPECT_NE(plan_hash(plan), without);
  const auto loaded = parse_plan(plan_to_json(plan));
  ASSERT_TRUE(loaded.has_value());
  ASSERT_TRUE(loaded->plan.choices.has_value());
  EXPECT_TRUE(loaded->plan.choices->empty());
}

TEST(PlanFile, HashCoversEveryMember) {
  const Plan plan = full_plan();
  const auto differs = [&](auto change) {
    Plan other = plan;
    change(other);
    return plan_hash(other) != plan_hash(plan);
  };
  EXPECT_FALSE(differs([](Plan&) {}));
  EXPECT_TRUE(differs([](Plan& p) { --p.seed; }));
  EXPECT_TRUE(differs([](Plan& p) { p.backend += "x"; }));
  EXPECT_TRUE(differs([](Plan& p) { ++p.clients; }));
  EXPECT_TRUE(differs([](Plan& p) { ++p.topics; }));
  EXPECT_TRUE(differs([](Plan& p) { ++p.events; }));
  EXPECT_TRUE(differs([](Plan& p) { ++p.pipeline; }));
  EXPECT_TRUE(differs([](Plan& p) { p.faults.pop_back(); }));
  EXPECT_TRUE(differs([](Plan& p) { ++p.clock_offsets_ms[0]; }));
  EXPECT_TRUE(differs([](Plan& p) { p.choices->push_back(0); }));
  EXPECT_TRUE(differs([](Plan& p) { p.strategy.kind = StrategyKind::kStall; }));
  EXPECT_TRUE(differs([](Plan& p) { p.strategy.change_points[0] = 4; }));
  EXPECT_TRUE(differs([](Plan& p) { p.strategy.order.pop_back(); }));
  EXPECT_TRUE(differs([](Plan& p) { ++p.strategy.stalled_client; }));
  EXPECT_TRUE(differs([](Plan& p) { ++p.strategy.stall_at; }));
  EXPECT_TRUE(differs([](Plan& p) { ++p.strategy.stall_length; }));
  for (std::uint32_t Workload::*knob :
       {&Workload::answer_permille, &Workload::delete_permille, &Workload::only_read,
        &Workload::only_write, &Workload::leave_permille, &Workload::join_late,
        &Workload::offline_permille, &Workload::restart_permille, &Workload::reread_permille,
        &Workload::filler_bytes}) {
    EXPECT_TRUE(differs([knob](Plan& p) { ++(p.workload.*knob); }));
  }
}

TEST(PlanFile, SaysWhenItWasChangedAfterItWasSaved) {
  const std::string text = with(plan_to_json(full_plan()), "\"events\": 77", "\"events\": 78");
  const auto loaded = parse_plan(text);
  ASSERT_TRUE(loaded.has_value()) << loaded.error().text;
  EXPECT_FALSE(loaded->as_saved());
  EXPECT_EQ(loaded->stored_hash, plan_hash(full_plan()));
}

TEST(PlanFile, MayBeWrittenByAPerson) {
  const auto loaded =
      parse_plan(R"({"format":"causalcheck-plan","version":1,"backend":"memory","seed":7})");
  ASSERT_TRUE(loaded.has_value()) << loaded.error().text;
  EXPECT_TRUE(loaded->as_saved());
  EXPECT_EQ(loaded->plan.clients, 3U);
  EXPECT_EQ(loaded->plan.seed, 7U);
  EXPECT_FALSE(loaded->plan.choices.has_value());
}

TEST(PlanFile, RefusesWhatDoesNotFitByName) {
  const std::string text = plan_to_json(full_plan());
  EXPECT_EQ(problem_of(with(text, "\"events\": 77", "\"events\": -77")),
            "\"events\" must be a whole number from 0 to 4294967295");
  EXPECT_EQ(problem_of(with(text, "\"events\": 77", "\"events\": 77.0")),
            "\"events\" must be a whole number from 0 to 4294967295");
  EXPECT_EQ(problem_of(with(text, "\"events\": 77", "\"events\": 4294967296")),
            "\"events\" must be a whole number from 0 to 4294967295");
  EXPECT_EQ(problem_of(with(text, "\"events\": 77", "\"events\": 0")),
            "events must be from 1 to 10000000, not 0");
  EXPECT_EQ(problem_of(with(text, "\"events\": 77", "\"evnts\": 77")),
            "\"evnts\" is not a member of a plan");
  EXPECT_EQ(problem_of(with(text, "\"join_late\"", "\"join_soon\"")),
            "\"workload.join_soon\" is not a member of a plan");
  EXPECT_EQ(problem_of(with(text, "\"priorities\"", "\"luck\"")),
            "\"strategy.kind\" must be \"uniform\", \"priorities\" or \"stall\"");
  EXPECT_EQ(problem_of(with(text, "\"choices\": [0,1", "\"choices\": [0,true")),
            "\"choices[1]\" must be a whole number from 0 to 4294967295");
  EXPECT_EQ(problem_of(with(text, "\"choices\": [", "\"choices\": [[],")),
            "\"choices[0]\" must be a whole number from 0 to 4294967295");
  EXPECT_EQ(problem_of(with(text, "\"delay\"", "7")), "\"faults\" must be a list of strings");
  EXPECT_EQ(problem_of(with(text, "causalcheck-plan", "causalcheck-history")),
            "\"format\" must be \"causalcheck-plan\"");
  EXPECT_EQ(problem_of(with(text, "\"version\": 1", "\"version\": 2")), "\"version\" must be 1");
}

TEST(PlanFile, RefusesHostileBytes) {
  EXPECT_NE(problem_of(""), "");
  EXPECT_NE(problem_of("[]"), "");
  EXPECT_NE(problem_of("{}"), "");
  EXPECT_NE(problem_of("null"), "");
  EXPECT_NE(problem_of(std::string(100'000, '[')), "");
  EXPECT_NE(problem_of(std::string(100'000, '[') + std::string(100'000, ']')), "");
  EXPECT_NE(problem_of("{\"a\":\"\xff\"}"), "");
  const std::string text = plan_to_json(full_plan());
  EXPECT_EQ(problem_of(with(text, "\"events\": 77", "\"events\": 77, \"events\": 78")),
            "a name stands twice in one object");
  for (std::size_t size = 0; size + 2 < text.size(); size += 7) {
    EXPECT_NE(problem_of(text.substr(0, size)), "");
  }
}

TEST(PlanFile, KeepsABackendNameThatIsNoUtf8Readable) {
  Plan plan = draw_plan({}, 1);
  plan.backend = "fs:\xff\xfe";
  EXPECT_EQ(problem_of(plan_to_json(plan)), "");
}

TEST(PlanFile, StandsInTheConfigOfAHeader) {
  const auto loaded = plan_of_config(plan_to_config(full_plan()));
  ASSERT_TRUE(loaded.has_value()) << loaded.error().text;
  EXPECT_EQ(loaded->plan, full_plan());
  EXPECT_TRUE(loaded->as_saved());
  EXPECT_FALSE(plan_of_config("{}").has_value());
  EXPECT_FALSE(plan_of_config("7").has_value());
  EXPECT_FALSE(plan_of_config("").has_value());
}

TEST(PlanFile, NamesThePathOfAFileThatIsNotThere) {
  const auto loaded = read_plan("/nonexistent/plan.json");
  ASSERT_FALSE(loaded.has_value());
  EXPECT_NE(loaded.error().text.find("/nonexistent/plan.json"), std::string::npos);
}

}  // namespace
}  // namespace causalcheck
