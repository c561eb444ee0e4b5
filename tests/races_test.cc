// What is found in a log with vector clocks: clocks that cannot be, deliveries against causal
// order, and concurrent writes, each against a slow search for the same.

#include "checker/clocks/races.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "checker/clocks/delivery.h"
#include "checker/clocks/log_check.h"
#include "tests/clock_run.h"

namespace causalcheck {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr NameId kX = 0;
constexpr NameId kY = 1;

/// One line of a made-up log; a line each from 1.
struct Line {
  ProcessId process = 0;
  VectorClock clock{};
  NameId writes = kNoName;
  NameId sends = kNoName;
  NameId receives = kNoName;
};

StampedLog log_of_lines(const std::vector<Line>& lines) {
  StampedLog log;
  log.processes = {"A", "B", "C"};
  log.names = {"x", "y", "m1", "m2"};
  std::uint64_t number = 0;
  for (const Line& line : lines) {
    StampedEvent event;
    event.process = line.process;
    event.writes = line.writes;
    event.sends = line.sends;
    event.receives = line.receives;
    event.line = ++number;
    const SparseClock clock(line.clock);
    log.add(event, {clock.entries().begin(), clock.entries().end()}, "");
  }
  return log;
}

Races races_of(const StampedLog& log, const RaceOptions& options = {}) {
  const auto races = find_races(log, options);
  EXPECT_TRUE(races.has_value());
  return races.value_or(Races{});
}

TEST(Races, WritesThatKnowNothingOfEachOtherRace) {
  const Races races = races_of(log_of_lines({{0, {1}, kX}, {1, {0, 1}, kX}}));
  EXPECT_EQ(races.pairs, 1U);
  ASSERT_THAT(races.racing, SizeIs(1));
  EXPECT_THAT(races.racing[0].examples, ElementsAre(Race{0, 1}));
}

TEST(Races, WritesThatAreOrderedOrOfAnotherResourceDoNot) {
  EXPECT_EQ(races_of(log_of_lines({{0, {1}, kX}, {1, {1, 1}, kX}})).pairs, 0U);
  const Races apart = races_of(log_of_lines({{0, {1}, kX}, {1, {0, 1}, kY}}));
  EXPECT_EQ(apart.pairs, 0U);
  EXPECT_EQ(apart.resources, 2U);
  EXPECT_EQ(races_of(log_of_lines({{0, {1}, kX}, {0, {2}, kX}})).pairs, 0U) << "one process";
}

TEST(Races, AHopThatDropsTheClockMakesUpARace) {
  // A writes x and hands over to C through B, which does not pass the clock on. C's write follows
  // A's, and the clocks cannot tell: docs/clocks.md.
  const Races dropped = races_of(log_of_lines({{0, {1}, kX}, {1, {0, 1}}, {2, {0, 1, 1}, kX}}));
  EXPECT_EQ(dropped.pairs, 1U);
  const Races kept = races_of(log_of_lines({{0, {1}, kX}, {1, {1, 1}}, {2, {1, 1, 1}, kX}}));
  EXPECT_EQ(kept.pairs, 0U);
}

TEST(Races, AWindowLeavesOutWhatIsFurtherApart) {
  const StampedLog log = log_of_lines({{0, {1}, kX}, {0, {2}}, {0, {3}, kX}, {1, {0, 1}, kX}});
  EXPECT_EQ(races_of(log).pairs, 2U);
  RaceOptions options;
  options.window_events = 1;
  const Races near = races_of(log, options);
  EXPECT_EQ(near.pairs, 1U);
  ASSERT_THAT(near.racing, SizeIs(1));
  EXPECT_THAT(near.racing[0].examples, ElementsAre(Race{2, 3}));
  options.window_events = 3;
  EXPECT_EQ(races_of(log, options).pairs, 2U);
}

TEST(Races, CountsAllAndNamesTheFirst) {
  std::vector<Line> lines;
  for (Tick i = 1; i <= 10; ++i) lines.push_back({0, {i}, kX});
  for (Tick i = 1; i <= 10; ++i) lines.push_back({1, {0, i}, kX});
  RaceOptions options;
  options.examples_max = 2;
  const Races races = races_of(log_of_lines(lines), options);
  EXPECT_EQ(races.pairs, 100U);
  ASSERT_THAT(races.racing, SizeIs(1));
  EXPECT_THAT(races.racing[0].examples, ElementsAre(Race{0, 10}, Race{1, 10}));
}

TEST(Races, ClocksInACircleHaveNone) {
  EXPECT_EQ(find_races(log_of_lines({{0, {1, 1}, kX}, {1, {1, 1}, kX}})), std::nullopt);
}

/// All pairs, by looking at each.
using Pairs = std::set<std::tuple<NameId, StampedIndex, StampedIndex>>;
Pairs slow_races(const StampedLog& log) {
  Pairs pairs;
  for (StampedIndex a = 0; a < log.events().size(); ++a) {
    for (StampedIndex b = a + 1; b < log.events().size(); ++b) {
      const NameId name = log.events()[a].writes;
      if (name == kNoName || log.events()[b].writes != name) continue;
      if (compare(log.clock(a), log.clock(b)) == ClockOrder::kConcurrent)
        pairs.insert({name, a, b});
    }
  }
  return pairs;
}

RC_GTEST_PROP(RacesLaw, AreAllPairsOfConcurrentWritesWhateverTheOrderOfTheLog, ()) {
  const auto processes = *any_below<std::size_t>(1, 5);
  const auto choices = *any_choices(40);
  const ClockRun run = run_of(processes, choices, Links::kAnyOrder);
  const auto writes =
      *rc::gen::container<std::vector<NameId>>(choices.size(), any_below<NameId>(0, 6));
  for (const LogOrder order : {LogOrder::kAsItHappened, LogOrder::kProcessByProcess}) {
    const LoggedRun logged = log_of(run, order, writes);
    RaceOptions options;
    options.examples_max = 1'000'000;
    const auto races = find_races(logged.log, options);
    RC_ASSERT(races.has_value());
    Pairs found;
    for (const ResourceRaces& resource : races->racing) {
      RC_ASSERT(resource.pairs == resource.examples.size());
      for (const Race& race : resource.examples) {
        found.insert({resource.resource, std::min(race.first, race.second),
                      std::max(race.first, race.second)});
      }
    }
    RC_ASSERT(found == slow_races(logged.log));
    RC_ASSERT(found.size() == races->pairs);
    RC_CLASSIFY(!found.empty(), "some race");
  }
}

RC_GTEST_PROP(CausalOrderLaw, PutsEveryEventBehindWhatItKnows, ()) {
  const auto processes = *any_below<std::size_t>(1, 5);
  const ClockRun run = run_of(processes, *any_choices(40), Links::kAnyOrder);
  const LoggedRun logged = log_of(run, LogOrder::kProcessByProcess);
  const auto order = causal_order(logged.log);
  RC_ASSERT(order.has_value());
  RC_ASSERT(order->size() == logged.log.events().size());
  std::vector<std::size_t> place(order->size());
  for (std::size_t i = 0; i < order->size(); ++i) place[(*order)[i]] = i;
  for (std::size_t a = 0; a < run.steps.size(); ++a) {
    for (std::size_t b = 0; b < run.steps.size(); ++b) {
      if (a == b || !run.before[a][b]) continue;
      RC_ASSERT(place[logged.index[a]] < place[logged.index[b]]);
    }
  }
}

std::vector<std::string> findings_of(const StampedLog& log) {
  std::vector<std::string> texts;
  for (const LogFinding& finding : check_log(log).findings)
    texts.push_back(to_string(finding, log));
  return texts;
}

TEST(LogCheck, AcceptsClocksThatCanBe) {
  const StampedLog log = log_of_lines({{0, {1}}, {1, {1, 1}}, {2, {0, 0, 1}}, {2, {1, 1, 2}}});
  EXPECT_THAT(findings_of(log), IsEmpty());
  EXPECT_FALSE(check_log(log).clocks_impossible);
  EXPECT_EQ(check_log(log).gaps, 0U);
}

TEST(LogCheck, FindsAnOwnEntryThatDoesNotIncrease) {
  const StampedLog log = log_of_lines({{0, {1}}, {0, {2}}, {0, {2}}});
  EXPECT_THAT(
      findings_of(log),
      ElementsAre("line 3: the own entry of A is 2 after 2 in line 2: each event must count "
                  "one more, and a restarted process needs a fresh name"));
  EXPECT_TRUE(check_log(log).own_entries_broken);
}

TEST(LogCheck, SkippingValuesIsLegalAndSaid) {
  const StampedLog log = log_of_lines({{0, {1}}, {0, {4}}, {1, {0, 2}}});
  const LogCheck check = check_log(log);
  EXPECT_THAT(check.findings, IsEmpty());
  EXPECT_EQ(check.gaps, 2U);
  EXPECT_EQ(check.first_gap, 1U);
}

TEST(LogCheck, FindsAnEntryThatGoesBack) {
  const StampedLog log = log_of_lines({{0, {1}}, {0, {2}}, {1, {2, 1}}, {1, {1, 2}}, {1, {1, 3}}});
  EXPECT_THAT(findings_of(log), ElementsAre("line 4: B knows 1 event of A, but knew 2 in line 3"));
  EXPECT_TRUE(check_log(log).clocks_impossible);
}

TEST(LogCheck, FindsKnowledgeOfWhatWasNeverDone) {
  const StampedLog log = log_of_lines({{0, {1}}, {1, {4, 1}}, {1, {5, 2}}});
  EXPECT_THAT(findings_of(log),
              ElementsAre("line 2: B knows 4 events of A, whose log ends at 1 in line 1"));
  EXPECT_FALSE(check_log(log).clocks_impossible) << "the log of A may be cut short";
}

TEST(LogCheck, FindsEventsThatKnowEachOther) {
  const StampedLog log = log_of_lines({{0, {1, 1}}, {1, {1, 1}}});
  EXPECT_THAT(findings_of(log),
              ElementsAre("line 1: this event of A and the one in line 2 each know the other",
                          "line 2: this event of B and the one in line 1 each know the other"));
}

TEST(LogCheck, FindsAClockThatLostPartOfItsPast) {
  // C heard from B, which had heard from A, and knows nothing of A: an entry was pruned.
  const StampedLog log = log_of_lines({{0, {1}}, {1, {1, 1}}, {2, {0, 1, 1}}});
  EXPECT_THAT(findings_of(log),
              ElementsAre("line 3: C knows the event in line 2, but only 0 events "
                          "of A, of which that one knew 1"));
}

TEST(LogCheck, FindsAMarkedMessageWhoseClockWasLost) {
  const std::vector<Line> lines{{0, {1}, kNoName, 2, kNoName}, {1, {0, 1}, kNoName, kNoName, 2}};
  EXPECT_THAT(findings_of(log_of_lines(lines)),
              ElementsAre("line 2: B receives m1, sent in line 1 as event 1 of A, but knows only 0 "
                          "events of A: the clock was lost on the way"));
  std::vector<Line> kept = lines;
  kept[1].clock = {1, 1};
  EXPECT_THAT(findings_of(log_of_lines(kept)), IsEmpty());
}

TEST(LogCheck, FindsTwoMessagesOfOneName) {
  EXPECT_THAT(findings_of(log_of_lines({{0, {1}, kNoName, 2}, {1, {0, 1}, kNoName, 2}})),
              ElementsAre("line 2: B sends m1, which was sent in line 1"));
}

RC_GTEST_PROP(LogCheckLaw, ClocksOfARunArePossible, ()) {
  const auto processes = *any_below<std::size_t>(1, 5);
  const ClockRun run = run_of(processes, *any_choices(40), Links::kAnyOrder);
  const LogOrder order = *rc::gen::element(LogOrder::kAsItHappened, LogOrder::kProcessByProcess);
  const LogCheck check = check_log(log_of(run, order).log);
  RC_ASSERT(check.found == 0U);
  RC_ASSERT(check.gaps == 0U);
}

RC_GTEST_PROP(LogCheckLaw, AnEntryThatIsTooSmallIsFound, ()) {
  // Whatever an event knows of others came with a message, which is marked, or from its process's
  // event before: lowered by one, the entry is at odds with either.
  const auto processes = *any_below<std::size_t>(2, 4);
  const ClockRun run = run_of(processes, *any_choices(40), Links::kAnyOrder);
  const LoggedRun logged = log_of(run, LogOrder::kAsItHappened);
  std::vector<std::pair<StampedIndex, ProcessId>> learned;
  for (StampedIndex i = 0; i < run.steps.size(); ++i) {
    for (ProcessId p = 0; p < processes; ++p) {
      if (p != run.steps[i].process && logged.log.entry(i, p) > 0) learned.emplace_back(i, p);
    }
  }
  RC_PRE(!learned.empty());
  const auto [victim, entry] = *rc::gen::elementOf(learned);
  StampedLog changed;
  changed.processes = logged.log.processes;
  changed.names = logged.log.names;
  for (StampedIndex i = 0; i < logged.log.events().size(); ++i) {
    VectorClock clock = logged.log.clock(i);
    if (i == victim) RC_ASSERT(clock.set(entry, clock[entry] - 1) == ClockStatus::kOk);
    const SparseClock sparse(clock);
    changed.add(logged.log.events()[i], {sparse.entries().begin(), sparse.entries().end()}, "");
  }
  RC_ASSERT(check_log(changed).found > 0U);
}

DeliveryCheck delivery_of(const std::vector<Line>& lines) {
  return check_delivery(log_of_lines(lines));
}

/// A sends m1; B receives it and sends m2; C receives both.
std::vector<Line> answer_and_question(bool question_first) {
  std::vector<Line> lines{{0, {1}, kNoName, 2, kNoName},
                          {1, {1, 1}, kNoName, kNoName, 2},
                          {1, {1, 2}, kNoName, 3, kNoName}};
  if (question_first) {
    lines.push_back({2, {1, 0, 1}, kNoName, kNoName, 2});
    lines.push_back({2, {1, 2, 2}, kNoName, kNoName, 3});
  } else {
    lines.push_back({2, {1, 2, 1}, kNoName, kNoName, 3});
    lines.push_back({2, {1, 2, 2}, kNoName, kNoName, 2});
  }
  return lines;
}

TEST(Delivery, AnAnswerBeforeItsQuestionIsFound) {
  const StampedLog log = log_of_lines(answer_and_question(false));
  const DeliveryCheck check = check_delivery(log);
  ASSERT_THAT(check.findings, SizeIs(1));
  EXPECT_EQ(
      to_string(check.findings[0], log),
      "line 5: C receives m1 (sent in line 1) after m2 (received in line 4), whose sender knew "
      "m1 when it sent m2 in line 3");
}

TEST(Delivery, TheQuestionFirstIsFine) {
  const DeliveryCheck check = delivery_of(answer_and_question(true));
  EXPECT_THAT(check.findings, IsEmpty());
  EXPECT_EQ(check.judged, 3U);
}

TEST(Delivery, ConcurrentMessagesMayComeInAnyOrder) {
  EXPECT_EQ(delivery_of({{0, {1}, kNoName, 2, kNoName},
                         {1, {0, 1}, kNoName, 3, kNoName},
                         {2, {0, 1, 1}, kNoName, kNoName, 3},
                         {2, {1, 1, 2}, kNoName, kNoName, 2}})
                .found,
            0U);
}

TEST(Delivery, ASecondCopyIsNotJudgedAndNeitherIsWhatNobodySent) {
  auto lines = answer_and_question(true);
  lines.push_back({2, {1, 2, 3}, kNoName, kNoName, 2});
  DeliveryCheck check = delivery_of(lines);
  EXPECT_EQ(check.found, 0U);
  EXPECT_EQ(check.repeats, 1U);
  check = delivery_of({{0, {1}, kNoName, kNoName, 2}});
  EXPECT_EQ(check.without_send, 1U);
  EXPECT_EQ(check.judged, 0U);
}

RC_GTEST_PROP(DeliveryLaw, FindsExactlyTheReceivesThatComeAfterAnEffect, ()) {
  const auto processes = *any_below<std::size_t>(2, 5);
  const ClockRun run = run_of(processes, *any_choices(40), Links::kAnyOrder);
  std::vector<std::size_t> send;
  std::vector<std::vector<std::size_t>> received(processes);  // sends, by receiver
  std::uint64_t expected = 0;
  for (std::size_t i = 0; i < run.steps.size(); ++i) {
    const ClockStep& step = run.steps[i];
    if (step.kind == ClockStep::Kind::kSend) send.push_back(i);
    if (step.kind != ClockStep::Kind::kReceive) continue;
    auto& before = received[step.process];
    const std::size_t cause = send[step.message];
    if (std::any_of(before.begin(), before.end(),
                    [&](std::size_t effect) { return run.before[cause][effect]; })) {
      ++expected;
    }
    before.push_back(cause);
  }
  const LogOrder order = *rc::gen::element(LogOrder::kAsItHappened, LogOrder::kProcessByProcess);
  const DeliveryCheck check = check_delivery(log_of(run, order).log);
  RC_CLASSIFY(expected > 0, "some against order");
  RC_ASSERT(check.found == expected);
}

}  // namespace
}  // namespace causalcheck
