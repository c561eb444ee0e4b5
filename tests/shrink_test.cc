#include "harness/shrink.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "fixtures/bugs/stale_follower.h"
#include "harness/plan_file.h"
#include "harness/shrinker.h"
#include "tests/toy_backend.h"

namespace causalcheck {
namespace {

using List = std::vector<std::uint32_t>;

/// The first plan, from `seed` on, that breaks something on the backend of `runner`.
Plan failing_plan(Runner& runner, std::uint64_t seed = 1, PlanOptions options = {}) {
  options.backend = "toy";
  for (;; ++seed) {
    const Plan plan = draw_plan(options, seed);
    if (first_broken(runner.run(plan).report) != nullptr) return runner.explicit_plan(plan);
  }
}

std::string kind_of(Runner& runner, const Plan& plan) {
  return trial_of(runner.run(plan), runner).kind;
}

/// A plan for runs that are made up.
Plan plan_with(List choices) {
  Plan plan = draw_plan({}, 1);
  plan.choices = std::move(choices);
  return plan;
}

/// A made-up run, which consumes all of its choices, or draws 30, and breaks what `kind_of` says.
template <class KindOf>
auto made_up(KindOf kind_of) {
  return [kind_of](Plan plan) {
    if (!plan.choices) {
      Choices drawn(plan.seed);
      for (int i = 0; i < 30; ++i) drawn.next(8);
      plan.choices = drawn.take_consumed();
    }
    ShrinkTrial trial;
    trial.kind = kind_of(plan);
    trial.events = plan.events;
    trial.consumed = *plan.choices;
    return trial;
  };
}

TEST(Shrink, BringsAStaleFollowerDownToAHandfulOfEvents) {
  StaleFollower follower;
  Runner runner(follower);
  std::uint64_t seed = 1;
  for (int i = 0; i < 20; ++i) {
    const Plan failing = failing_plan(runner, seed);
    seed = failing.seed + 1;
    const std::string kind = kind_of(runner, failing);
    const ShrinkResult shrunk = shrink(runner, failing, kind, {});
    EXPECT_LE(shrunk.events, 8U) << failing.seed;
    EXPECT_GE(shrunk.events_before, 100U) << failing.seed;
    EXPECT_TRUE(shrunk.fixed_point);
    EXPECT_EQ(shrunk.fails, 1U);
    EXPECT_EQ(shrunk.tries, 1U);
    EXPECT_EQ(fingerprint(*first_broken(shrunk.report)), kind);
    EXPECT_EQ(kind_of(runner, shrunk.plan), kind);
  }
}

TEST(Shrink, GivesAPlanThatReplaysByteForByteFromItsFile) {
  StaleFollower follower;
  Runner runner(follower);
  const ShrinkResult shrunk = shrink(runner, failing_plan(runner), "", {});
  const auto loaded = parse_plan(plan_to_json(shrunk.plan));
  ASSERT_TRUE(loaded.has_value()) << loaded.error().text;
  EXPECT_EQ(loaded->plan, shrunk.plan);
  StaleFollower another;
  Runner elsewhere(another);
  EXPECT_EQ(elsewhere.run(loaded->plan).report, shrunk.report);
  EXPECT_EQ(to_jsonl(elsewhere.history_file(loaded->plan)), to_jsonl(shrunk.history));
  EXPECT_EQ(shrunk.history.header.plan_hash, plan_hash(shrunk.plan));
}

TEST(Shrink, CountsTheEventsOfTheHistoryItGives) {
  StaleFollower follower;
  Runner runner(follower);
  const ShrinkResult shrunk = shrink(runner, failing_plan(runner), "", {});
  ASSERT_EQ(shrunk.plan.topics, 1U);
  std::uint64_t events = 0;
  std::map<ClientId, std::optional<MessageId>> answered;
  for (const Operation& operation : shrunk.history.history.operations) {
    if (operation.is_drain() || operation.message == kNothing) continue;
    std::optional<MessageId>& last = answered[operation.client];
    if (!operation.is_write() && last == operation.message) continue;  // the same again is no event
    ++events;
    last = operation.is_write() ? std::nullopt : std::optional(operation.message);
  }
  EXPECT_EQ(shrunk.events, events);
}

TEST(Shrink, GivesTheSameResultEachTime) {
  StaleFollower follower;
  Runner runner(follower);
  const Plan failing = failing_plan(runner, 7);
  const ShrinkResult first = shrink(runner, failing, "", {});
  const ShrinkResult second = shrink(runner, failing, "", {});
  EXPECT_EQ(first.plan, second.plan);
  EXPECT_EQ(first.runs, second.runs);
  EXPECT_EQ(to_jsonl(first.history), to_jsonl(second.history));
}

TEST(Shrink, FindsNothingMoreInItsOwnResult) {
  StaleFollower follower;
  Runner runner(follower);
  const ShrinkResult first = shrink(runner, failing_plan(runner), "", {});
  EXPECT_EQ(shrink(runner, first.plan, "", {}).plan, first.plan);
}

TEST(Shrink, TakesAPlanThatHasOnlyItsSeed) {
  StaleFollower follower;
  Runner runner(follower);
  const Plan failing = failing_plan(runner);
  Plan lazy = failing;
  lazy.choices.reset();
  const ShrinkResult shrunk = shrink(runner, lazy, "", {});
  EXPECT_EQ(shrunk.plan, shrink(runner, failing, "", {}).plan);
  EXPECT_EQ(shrunk.plan.seed, failing.seed);
}

// Both need a client that reads behind another one; the deeper one needs more events to show.
TEST(Shrink, KeepsWhatTheViolationNeeds) {
  ToyBackend toy;
  toy.spoil = [&toy](std::uint64_t number, Entry& entry) {
    if (number == 5 && !toy.logs[0].empty()) entry = toy.logs[0].back();
  };
  Runner runner(toy);
  const Plan failing = failing_plan(runner);
  const ShrinkResult shrunk = shrink(runner, failing, "", {});
  EXPECT_EQ(shrunk.report.counts.publishes, 5U) << "the fifth commit is the one that is lost";
  EXPECT_EQ(shrunk.fails, 1U);
}

TEST(Shrink, NeverDriftsToAnEasierBug) {
  std::set<std::string> kinds;
  const auto run = [&](const Plan& plan) {
    // Whatever is smaller than 30 events shows the easy bug alone.
    const ShrinkTrial trial =
        made_up([](const Plan& p) { return std::string(p.events >= 30 ? "deep" : "easy"); })(plan);
    kinds.insert(trial.kind);
    return trial;
  };
  EXPECT_EQ(shrink_plan(run, plan_with({1, 2, 3}), "deep", {}).plan.events, 30U);
  EXPECT_EQ(kinds, (std::set<std::string>{"deep", "easy"})) << "the easy one was met on the way";
  EXPECT_EQ(shrink_plan(run, plan_with({1, 2, 3}), "", {}).plan.events, 30U)
      << "the class of the first run";
}

TEST(Shrink, LeavesAPlanAloneThatFailsInAnotherClass) {
  const Plan plan = plan_with({1, 2, 3});
  const auto run = made_up([](const Plan&) { return std::string("another"); });
  const ShrunkPlan shrunk = shrink_plan(run, plan, "this", {});
  EXPECT_EQ(shrunk.plan, plan);
  EXPECT_EQ(shrunk.runs, 1U);
  EXPECT_FALSE(shrunk.fixed_point);
}

TEST(Shrink, LeavesOnlyTheChoicesThatMatter) {
  List choices(200, 1);
  choices[40] = 7;
  choices[150] = 5;
  const auto run = made_up([](const Plan& plan) {
    const auto first = std::find_if(plan.choices->begin(), plan.choices->end(),
                                    [](std::uint32_t choice) { return choice >= 3; });
    const bool second = first != plan.choices->end() &&
                        std::any_of(first + 1, plan.choices->end(),
                                    [](std::uint32_t choice) { return choice >= 2; });
    return std::string(second ? "broken" : "");
  });
  const ShrunkPlan shrunk = shrink_plan(run, plan_with(choices), "broken", {});
  EXPECT_EQ(*shrunk.plan.choices, (List{3, 2}));
  EXPECT_TRUE(shrunk.fixed_point);
}

TEST(Shrink, LeavesOnlyTheFaultsClientsAndTopicsThatMatter) {
  Plan plan = plan_with({1});
  plan.clients = 9;
  plan.clock_offsets_ms.assign(9, 5);
  plan.topics = 7;
  plan.pipeline = 4;
  plan.faults = {"delay", "drop-answer", "partition"};
  plan.workload = {900, 50, 2, 1, 5, 3, 20, 10, 300, 16};
  plan.strategy.kind = StrategyKind::kStall;
  plan.strategy.stalled_client = 8;
  const auto run = made_up([](const Plan& p) {
    const bool fault = std::count(p.faults.begin(), p.faults.end(), "drop-answer") == 1;
    return std::string(fault && p.clients >= 3 && p.topics >= 5 && p.workload.restart_permille > 0
                           ? "broken"
                           : "");
  });
  Plan expected = plan;
  expected.clients = 3;
  expected.clock_offsets_ms.clear();
  expected.topics = 5;
  expected.pipeline = 1;
  expected.faults = {"drop-answer"};
  expected.workload = {0, 0, 0, 0, 0, 0, 0, 10, 0, 0};
  expected.strategy = {};
  expected.events = 1;
  expected.choices = List{};
  EXPECT_EQ(shrink_plan(run, plan, "broken", {}).plan, expected);
}

TEST(Shrink, TakesNoStepThatMakesTheHistoryLonger) {
  const auto run = [](const Plan& plan) {
    ShrinkTrial trial = made_up([](const Plan&) { return std::string("broken"); })(plan);
    trial.events = plan.clients < 3 ? 20 : 10;
    return trial;
  };
  const ShrunkPlan shrunk = shrink_plan(run, plan_with({1}), "broken", {});
  EXPECT_EQ(shrunk.plan.clients, 3U);
  EXPECT_EQ(shrunk.events, 10U);
}

TEST(Shrink, RunsNoCandidateTwice) {
  std::set<std::string> seen;
  std::uint64_t twice = 0;
  const auto run = [&](const Plan& plan) {
    if (!seen.insert(plan_hash(plan)).second) ++twice;
    return made_up([](const Plan& p) {
      return std::string(std::count(p.choices->begin(), p.choices->end(), 2U) >= 3 ? "broken" : "");
    })(plan);
  };
  List choices;
  for (std::uint32_t i = 0; i < 60; ++i) choices.push_back(i % 4);
  const ShrunkPlan shrunk = shrink_plan(run, plan_with(choices), "broken", {});
  EXPECT_EQ(*shrunk.plan.choices, (List{2, 2, 2}));
  EXPECT_EQ(twice, 0U);
  EXPECT_EQ(shrunk.runs, seen.size());
}

TEST(Shrink, ReturnsTheOriginalWithABudgetOfNoRuns) {
  StaleFollower follower;
  Runner runner(follower);
  const Plan failing = failing_plan(runner);
  const HistoryFile history = runner.history_file(failing);
  ShrinkOptions options;
  options.runs_max = 0;
  const ShrinkResult shrunk = shrink(runner, failing, "", options);
  EXPECT_EQ(shrunk.plan, failing);
  EXPECT_EQ(shrunk.runs, 0U);
  EXPECT_FALSE(shrunk.fixed_point);
  EXPECT_EQ(shrunk.history, history);
  EXPECT_EQ(shrunk.events, shrunk.events_before);
}

TEST(Shrink, MakesNoMoreRunsThanItMay) {
  StaleFollower follower;
  Runner runner(follower);
  const Plan failing = failing_plan(runner);
  std::uint64_t events = 1'000;
  for (const std::uint64_t runs : {1U, 5U, 20U, 40U}) {
    ShrinkOptions options;
    options.runs_max = runs;
    const ShrinkResult shrunk = shrink(runner, failing, "", options);
    EXPECT_LE(shrunk.runs, runs);
    EXPECT_LE(shrunk.events, events) << "a larger budget never gives a worse result";
    EXPECT_EQ(shrunk.fails, 1U);
    events = shrunk.events;
  }
  EXPECT_LT(events, 100U);
}

TEST(Shrink, KeepsTheBestSoFarWhenItIsStopped) {
  std::atomic<bool> stop{false};
  StaleFollower follower;
  Runner runner(follower);
  const Plan failing = failing_plan(runner);
  const std::string kind = kind_of(runner, failing);
  std::uint64_t runs = 0;
  ShrinkOptions options;
  options.stop = &stop;
  const auto run = [&](const Plan& plan) {
    if (++runs == 15) stop = true;
    return trial_of(runner.run(plan), runner);
  };
  const ShrunkPlan shrunk = shrink_plan(run, failing, kind, options);
  EXPECT_EQ(shrunk.runs, 15U);
  EXPECT_FALSE(shrunk.fixed_point);
  EXPECT_LT(shrunk.events, shrunk.events_before);
  EXPECT_EQ(kind_of(runner, shrunk.plan), kind);
}

TEST(Shrink, TriesOnlyTheFirstRunWhenNoTimeIsLeftAfterIt) {
  ShrinkOptions options;
  options.time = std::chrono::nanoseconds(0);
  const Plan plan = plan_with({1, 2, 3});
  const auto run = made_up([](const Plan&) { return std::string("broken"); });
  EXPECT_EQ(shrink_plan(run, plan, "broken", options).plan, plan);
}

TEST(Shrink, TriesACandidateSeveralTimesWhenToldTo) {
  std::uint64_t calls = 0;
  const auto run = [&calls](const Plan& plan) {
    ++calls;
    return made_up([&calls](const Plan& p) {
      return std::string(calls % 3 == 0 && p.clients >= 2 ? "broken" : "");
    })(plan);
  };
  ShrinkOptions options;
  options.tries = 3;
  EXPECT_EQ(shrink_plan(run, plan_with({1}), "broken", options).plan.clients, 2U);
  options.tries = 1;
  calls = 0;
  const Plan plan = plan_with({1});
  EXPECT_EQ(shrink_plan(run, plan, "broken", options).plan, plan) << "the first run did not fail";
}

TEST(Shrink, SaysHowOftenItsResultFailed) {
  // Old answers come in every other run only.
  ToyBackend toy;
  toy.lag = [&toy](std::uint64_t) -> std::size_t { return toy.resets.size() % 2; };
  Runner runner(toy);
  const Plan failing = failing_plan(runner);
  const std::string kind = fingerprint(*first_broken([&] {
    RunResult result = runner.run(failing);
    while (first_broken(result.report) == nullptr) result = runner.run(failing);
    return result.report;
  }()));
  ShrinkOptions options;
  options.tries = 4;
  const ShrinkResult shrunk = shrink(runner, failing, kind, options);
  EXPECT_EQ(shrunk.tries, 4U);
  EXPECT_EQ(shrunk.fails, 2U);
  EXPECT_LE(shrunk.events, 8U);
  ASSERT_NE(first_broken(shrunk.report), nullptr) << "the evidence is that of a run that failed";
  EXPECT_EQ(fingerprint(*first_broken(shrunk.report)), kind);
}

TEST(Shrink, ReportsItsProgressAtTheEnd) {
  StaleFollower follower;
  Runner runner(follower);
  std::vector<std::pair<std::uint64_t, Plan>> reports;
  ShrinkOptions options;
  options.progress = [&](const ShrinkProgress& p) { reports.emplace_back(p.events, *p.best); };
  const ShrinkResult shrunk = shrink(runner, failing_plan(runner), "", options);
  ASSERT_FALSE(reports.empty());
  EXPECT_EQ(reports.back().first, shrunk.events);
  EXPECT_EQ(reports.back().second, shrunk.plan);
}

TEST(SimplerShapes, AreValidAndOthers) {
  PlanOptions options;
  options.clients = 6;
  options.topics = 5;
  options.pipeline = 3;
  options.faults = {"delay", "flip"};
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Plan plan = draw_plan(options, seed);
    plan.choices = List{1, 2};
    for (const Plan& simpler : simpler_shapes(plan)) {
      const auto valid = validate(simpler);
      ASSERT_TRUE(valid.has_value()) << seed << ": " << valid.error().text;
      EXPECT_NE(simpler, plan);
      EXPECT_EQ(simpler.choices, plan.choices);
      EXPECT_EQ(simpler.events, plan.events);
    }
  }
}

TEST(SimplerShapes, OfTheSimplestPlanAreNone) {
  Plan plan;
  plan.clients = 1;
  plan.workload = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  EXPECT_TRUE(simpler_shapes(plan).empty());
}

TEST(FirstBroken, IsTheFirstInTheOrderOfReports) {
  Report report;
  EXPECT_EQ(first_broken(report), nullptr);
  Judgement broken;
  broken.answer = Answer::kBreaks;
  broken.violation.emplace();
  report.guarantees[5] = report.guarantees[2] = broken;
  EXPECT_EQ(first_broken(report), &*report.guarantees[2].violation);
  report.guarantees[2].answer = Answer::kNotApplicable;
  EXPECT_EQ(first_broken(report), &*report.guarantees[5].violation) << "what is not claimed";
}

}  // namespace
}  // namespace causalcheck
