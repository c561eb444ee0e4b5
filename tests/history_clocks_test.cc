// The clocks of recorded histories against the checker's own order of events.

#include "checker/clocks/history_clocks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

#include "checker/clause_graph.h"
#include "checker/clocks/cuts.h"
#include "checker/clocks/delivery.h"
#include "checker/clocks/log_check.h"
#include "checker/timeline.h"
#include "tests/history_of.h"
#include "tests/reference/random_history.h"

namespace causalcheck {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Whether P1 and P2 lead from one event to another: the closure of the edges, by three loops.
std::vector<std::vector<bool>> reachable(const Timeline& line) {
  const std::size_t n = line.events.size();
  std::vector<std::vector<bool>> reach(n, std::vector<bool>(n, false));
  for (std::uint32_t a = 0; a < n; ++a) {
    for (std::uint32_t b = 0; b < n; ++b) {
      const Event& from = line.events[a];
      const Event& to = line.events[b];
      const bool p1 =
          from.at.client == to.at.client && from.at.step < to.at.step && line.leads_on(a);
      const bool p2 = from.is_publish && !to.is_publish && from.message == to.message &&
                      line.publish_of(from.message) == a;
      reach[a][b] = p1 || p2;
    }
  }
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t a = 0; a < n; ++a) {
      for (std::size_t b = 0; b < n; ++b) {
        if (reach[a][k] && reach[k][b]) reach[a][b] = true;
      }
    }
  }
  return reach;
}

TEST(EventClocks, OrderTheWorkedExample) {
  const History history = history_of("B! C<B1 C! A<C2 A<B1");
  const Timeline line = timeline_of(history);
  const EventClocks clocks(history, line);
  EXPECT_EQ(clocks.order(0, 2), ClockOrder::kBefore);
  EXPECT_EQ(clocks.order(3, 0), ClockOrder::kAfter);
  EXPECT_THAT(clocks.past_of(4), ElementsAre(1, 2, 2));  // clients in order of appearance: B, C, A
}

TEST(EventClocks, ALaterStepDoesNotKnowAPublishOfUnknownOutcome) {
  const History history = history_of("A! A!? A! B<A3");
  const EventClocks clocks(history, timeline_of(history));
  EXPECT_EQ(clocks.order(0, 1), ClockOrder::kBefore);
  EXPECT_EQ(clocks.order(1, 2), ClockOrder::kConcurrent);
  EXPECT_EQ(clocks.order(1, 3), ClockOrder::kConcurrent);
  EXPECT_EQ(clocks.order(0, 3), ClockOrder::kBefore) << "P1 runs past it";
}

TEST(EventClocks, WhoObservedAPublishOfUnknownOutcomeKnowsIt) {
  const History history = history_of("A! A!? B<A2 A! B! A<B2");
  const EventClocks clocks(history, timeline_of(history));
  EXPECT_EQ(clocks.order(1, 2), ClockOrder::kBefore);
  EXPECT_EQ(clocks.order(1, 4), ClockOrder::kBefore) << "through B";
  EXPECT_EQ(clocks.order(1, 3), ClockOrder::kConcurrent);
  EXPECT_EQ(clocks.order(1, 5), ClockOrder::kBefore) << "A learned from B that it happened";
}

TEST(EventClocksLaw, ComparingIsReachabilityInTheClauseGraph) {
  const bool ok = rc::check("clocks and clauses agree", [] {
    const History history = *reference::random_history();
    const Timeline line = timeline_of(history);
    const EventClocks clocks(history, line);
    RC_ASSERT(clocks.events() == line.events.size());
    const auto reach = reachable(line);
    const ClauseGraph graph(history, line);
    bool lone = false;
    for (std::uint32_t a = 0; a < line.events.size(); ++a) {
      lone = lone || !line.leads_on(a);
      for (std::uint32_t b = 0; b < line.events.size(); ++b) {
        ClockOrder expected = ClockOrder::kConcurrent;
        if (reach[a][b]) expected = ClockOrder::kBefore;
        if (reach[b][a]) expected = ClockOrder::kAfter;
        if (a == b) expected = ClockOrder::kEqual;
        RC_ASSERT(clocks.order(a, b) == expected);
      }
    }
    for (MessageId k = 0; k < history.messages.size(); ++k) {
      for (MessageId m = 0; m < history.messages.size(); ++m) {
        const std::uint32_t from = line.publish_of(k);
        const std::uint32_t to = line.publish_of(m);
        if (k == m || from == kNoEvent || to == kNoEvent) continue;
        std::vector<bool> target(history.messages.size(), false);
        target[m] = true;
        RC_ASSERT(graph.chain(k, target).empty() ==
                  (clocks.order(from, to) != ClockOrder::kBefore));
      }
    }
    RC_CLASSIFY(lone, "some publish off the chain");
  });
  EXPECT_TRUE(ok);
}

TEST(StampedLogOfAHistory, HasALaneForEachClientAndOneForTheLog) {
  const History history = history_of("x:B!@0 x:C<B1@0 x:C!@1 x:A<C2@1 x:A<B1@0");
  const StampedLog log = stamped_log_of(history);
  EXPECT_THAT(log.processes, ElementsAre("B", "C", "A", "log"));
  std::vector<std::string> texts;
  for (StampedIndex i = 0; i < log.events().size(); ++i) texts.emplace_back(log.text(i));
  EXPECT_THAT(texts, ElementsAre("publishes B1 on x", "holds B1 on x at slot 0",
                                 "observes B1 on x at slot 0", "publishes C2 on x",
                                 "holds C2 on x at slot 1", "observes C2 on x at slot 1",
                                 "observes B1 on x at slot 0"));
  EXPECT_EQ(log.clock(4), (VectorClock{1, 2, 0, 2}));
  EXPECT_EQ(log.clock(6), (VectorClock{1, 2, 2})) << "nobody learns from the log's lane";
}

TEST(StampedLogOfAHistory, GivesTheLogANameOfItsOwn) {
  History history = history_of("A!");
  history.clients[0] = "log";
  EXPECT_THAT(stamped_log_of(history).processes, ElementsAre("log", "_log"));
}

TEST(StampedLogOfAHistory, ShowsTheBrokenDelivery) {
  const StampedLog log = stamped_log_of(history_of("B! C<B1 C! A<C2 A<B1"));
  const DeliveryCheck check = check_delivery(log);
  ASSERT_EQ(check.findings.size(), 1U);
  EXPECT_EQ(
      to_string(check.findings[0], log),
      "A2: A receives B1 (sent in B1) after C2 (received in A1), whose sender knew B1 when it "
      "sent C2 in C2");
  EXPECT_EQ(check_delivery(stamped_log_of(history_of("B! C<B1 C! A<B1 A<C2"))).found, 0U);
}

TEST(StampedLogLaw, ClocksArePossibleAndEveryCutOfTheRecordingIsConsistent) {
  const bool ok = rc::check("exported clocks are possible", [] {
    const History history = *reference::random_history();
    const StampedLog log = stamped_log_of(history);
    const LogCheck check = check_log(log);
    RC_ASSERT(!check.clocks_impossible);
    RC_ASSERT(check.gaps == 0U);
    const Cuts cuts(log);
    RC_ASSERT(cuts.is_consistent(cuts.tails()));
    for (StampedIndex i = 0; i < log.events().size(); ++i) {
      RC_ASSERT(cuts.is_consistent(cuts.recorded_at(i)));
      RC_ASSERT(cuts.is_consistent(cuts.past_of(i)));
    }
    // Where all outcomes are known its order is the checker's.
    const Timeline line = timeline_of(history);
    const EventClocks clocks(history, line);
    std::vector<std::vector<StampedIndex>> lanes = log.by_process();
    for (std::uint32_t a = 0; a < line.events.size(); ++a) {
      for (std::uint32_t b = 0; b < line.events.size(); ++b) {
        const auto at = [&](const Symbol& s) { return lanes[s.client][s.step - 1]; };
        if (clocks.order(a, b) == ClockOrder::kBefore) {
          RC_ASSERT(log.order(at(line.events[a].at), at(line.events[b].at)) == ClockOrder::kBefore);
        }
      }
    }
  });
  EXPECT_TRUE(ok);
}

}  // namespace
}  // namespace causalcheck
