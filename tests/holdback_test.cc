// What a causal receiver would have waited for, laid over recorded histories.
#include "checker/holdback.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "tests/history_of.h"

namespace causalcheck {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Declaration feed() {
  Declaration declared;
  declared.reads = Reads::kFeed;
  return declared;
}

std::vector<std::string> waits(std::string_view text, const Declaration& declared) {
  const History history = history_of(text, declared);
  std::vector<std::string> lines;
  for (const CausalWait& wait : causal_waits(history)) {
    lines.push_back(history.clients[wait.reader] + ": " + to_string(wait, history));
  }
  return lines;
}

// In shorthand the events are numbered 2, 4, 6, ... where they return.
TEST(CausalWaits, AnAnswerWaitsForItsQuestion) {
  EXPECT_THAT(waits("B! C<B1 C! A<C2 A<B1", feed()),
              ElementsAre("A: C2 waits for B1: needs B 1, has B 0; released by event 10"));
}

TEST(CausalWaits, AQuestionBeforeItsAnswerWaitsForNothing) {
  EXPECT_THAT(waits("B! C<B1 C! A<B1 A<C2", feed()), IsEmpty());
}

TEST(CausalWaits, EntriesCountBroadcastsAndNotSteps) {
  // B3 is B's third event and its second broadcast.
  EXPECT_THAT(waits("A! B! B<A1 B! C<B3", feed()),
              ElementsAre("C: B3 waits for B1: needs B 1, has B 0; never released"));
}

TEST(CausalWaits, AReaderHasItsOwnBroadcasts) {
  EXPECT_THAT(waits("A! B<A1 B! A<B2", feed()), IsEmpty());
}

TEST(CausalWaits, ConcurrentMessagesMayComeInAnyOrder) {
  EXPECT_THAT(waits("A! B! C<A1 C<B1 D<B1 D<A1", feed()), IsEmpty());
}

TEST(CausalWaits, ALatestReaderMaySkipForGood) {
  EXPECT_THAT(waits("B! B! A<B2", {}), IsEmpty());
  EXPECT_THAT(waits("B! B! A<B2", feed()),
              ElementsAre("A: B2 waits for B1: needs B 1, has B 0; never released"));
}

TEST(CausalWaits, ALatestReaderThatStepsBackWouldHaveWaited) {
  EXPECT_THAT(waits("B! B! B! A<B3 A<B1", {}),
              ElementsAre("A: B3 waits for B1: needs B 1, has B 0; released by event 10"));
}

TEST(CausalWaits, NobodyWaitsForAMessageOfUnknownOutcome) {
  EXPECT_THAT(waits("B!? B! A<B2 A<B1", feed()), IsEmpty());
}

TEST(CausalWaits, AMessageOfUnknownOutcomeWaitsForWhatItsSenderKnew) {
  EXPECT_THAT(waits("B! C<B1 C!? A<C2 A<B1", feed()),
              ElementsAre("A: C2 waits for B1: needs B 1, has B 0; released by event 10"));
}

TEST(CausalWaits, OrderAcrossTopicsCounts) {
  EXPECT_THAT(waits("x:B! x:C<B1 y:C! y:A<C2 x:A<B1", feed()),
              ElementsAre("A: C2 waits for B1: needs B 1, has B 0; released by event 10"));
}

TEST(CausalWaits, EveryReaderWaitsForItself) {
  EXPECT_THAT(waits("A! B<A1 B! C<B2 D<B2 D<A1 C<A1", feed()),
              ElementsAre("C: B2 waits for A1: needs A 1, has A 0; released by event 14",
                          "D: B2 waits for A1: needs A 1, has A 0; released by event 12"));
}

TEST(CausalWaits, ExplainsThemAllALineEach) {
  const History history = history_of("B! C<B1 C! A<C2 A<B1", feed());
  EXPECT_EQ(explain_waits(causal_waits(history), history),
            "A: C2 waits for B1: needs B 1, has B 0; released by event 10\n");
  EXPECT_EQ(explain_waits({}, history), "");
}

}  // namespace
}  // namespace causalcheck
