// The slow checker against every example of docs/semantics.md, the twelve labelled histories, and
// the cases that the decisions page settles. What the slow checker gets wrong, agreement cannot
// find.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "checker/declaration.h"
#include "tests/history_of.h"
#include "tests/reference/reference_checker.h"

namespace causalcheck::reference {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

using enum Guarantee;

Declaration latest() { return {}; }

Declaration feed() {
  Declaration declared;
  declared.reads = Reads::kFeed;
  return declared;
}

Declaration with(Declaration declared, Level level) {
  declared.level = level;
  return declared;
}

Declaration with(Declaration declared, Scope scope) {
  declared.scope = scope;
  return declared;
}

Declaration with(Declaration declared, Retries retries) {
  declared.retries = retries;
  return declared;
}

Declaration with(Declaration declared, Slots slots) {
  declared.slots = slots;
  return declared;
}

Declaration with(Declaration declared, Guarantee claim) {
  declared.claims.insert(claim);
  return declared;
}

std::vector<Guarantee> with_answer(const ReferenceReport& report, Answer answer) {
  std::vector<Guarantee> found;
  for (const Guarantee id : all_guarantees()) {
    if (report[id] == answer) found.push_back(id);
  }
  return found;
}

std::vector<Guarantee> broken(std::string_view text, const Declaration& declared = {}) {
  return with_answer(reference_check(history_of(text, declared)), Answer::kBreaks);
}

std::vector<Guarantee> not_applicable(std::string_view text, const Declaration& declared = {}) {
  return with_answer(reference_check(history_of(text, declared)), Answer::kNotApplicable);
}

/// One labelled file of the design's histories, retold in shorthand.
struct Labelled {
  std::string file{};
  Declaration declared{};
  std::string text{};
  std::vector<Guarantee> breaks{};
  std::vector<Guarantee> not_applicable{};  // of the nine that the labels speak about
};

void PrintTo(const Labelled& labelled, std::ostream* os) { *os << labelled.file; }

std::vector<Labelled> labelled_histories() {
  return {
      {"h01",
       feed(),
       "B! C<B1 C! A<C2 A<B1",
       {kWritesFollowReads, kCausal},
       {kNoLostWrites, kReadYourWrites, kMonotonicReads}},
      {"h02", latest(), "A!@1 A!@2 B<A2@2 C<A1@1 C<A2@2 _<A1@1 _<A2@2", {}, {kDelivery}},
      {"h03",
       latest(),
       "x:A! x:B<A1 y:B! y:C<B2 x:C<- x:C<A1",
       {kWritesFollowReads, kCausal},
       {kNoLostWrites, kDelivery}},
      {"h04", feed(), "A!? A!@1 B<A2@1 C<A2@1 B<A1@2 C<A1@2 _<A2@1 _<A1@2", {}, {kReadYourWrites}},
      {"h05", latest(), "A!x A<- B<A1@0 A<A1@0 _<A1@0", {kOutcome}, {kDelivery}},
      {"h06",
       feed(),
       "A!@3( B!@2 A) C<A1@1 B<A1@1 C<B1@2 C<A1@3 B<A1@3 _<A1@1 _<B1@2 _<A1@3",
       {},
       {kReadYourWrites}},
      {"h07", latest(), "A!@0 A<- B<A1@0 A<A1@0 _<A1@0", {kReadYourWrites, kCausal}, {kDelivery}},
      {"h08",
       latest(),
       "A!@0 C<A1@0 B!@1 A<B1@1 B!@2 B!@3 C<B3@3( A<B3@3( C) B<B3@3( A) B) "
       "_<A1@0 _<B1@1 _<B2@2 _<B3@3",
       {},
       {kDelivery}},
      {"h09",
       latest(),
       "A!@1 A!@2 A!@3 A!@4 A<A4@4 A<A2@2 A!@3 B<A7@3 _<A1@1 _<A2@2 _<A7@3",
       {kNoLostWrites, kReadYourWrites, kMonotonicReads, kMonotonicWrites, kWritesFollowReads,
        kCausal, kIdentity},
       {kDelivery}},
      {"h10",
       latest(),
       "A! A! A<A1 B<A1 A<A1 _<A1",
       {kNoLostWrites, kReadYourWrites, kMonotonicWrites, kCausal},
       {kDelivery}},
      {"h11",
       feed(),
       "C!@3( A!@1 B<A1@1 B!@2 A<B2@2 C) A<C1@3 B<C1@3 C<A1@1 C<B2@2 _<A1@1 _<B2@2 _<C1@3",
       {},
       {kReadYourWrites}},
  };
}

class LabelledHistory : public ::testing::TestWithParam<Labelled> {};

TEST_P(LabelledHistory, ComesOutAsLabelled) {
  const std::vector<Guarantee> nine{kNoLostWrites,    kReadYourWrites,    kMonotonicReads,
                                    kMonotonicWrites, kWritesFollowReads, kCausal,
                                    kDelivery,        kIdentity,          kOutcome};
  const ReferenceReport report = reference_check(history_of(GetParam().text, GetParam().declared));
  EXPECT_FALSE(report.contaminated);
  for (const Guarantee id : nine) {
    Answer expected = Answer::kHolds;
    if (::testing::Value(GetParam().breaks, ::testing::Contains(id))) expected = Answer::kBreaks;
    if (::testing::Value(GetParam().not_applicable, ::testing::Contains(id))) {
      expected = Answer::kNotApplicable;
    }
    EXPECT_EQ(report[id], expected) << "guarantee " << static_cast<int>(id);
  }
  EXPECT_EQ(report.verdict, GetParam().breaks.empty() ? Verdict::kHolds : Verdict::kBreaks);
}

INSTANTIATE_TEST_SUITE_P(Twelve, LabelledHistory, ::testing::ValuesIn(labelled_histories()),
                         [](const auto& of) { return of.param.file; });

TEST(Reference, H12SeenBeforeItWasSentIsContaminated) {
  const auto report = reference_check(history_of("B<A1@0 A!@1 B<A1@1 _<A1@0 _<A1@1", latest()));
  EXPECT_TRUE(report.contaminated);
  EXPECT_EQ(report.verdict, Verdict::kUnknown);
  EXPECT_THAT(with_answer(report, Answer::kBreaks), IsEmpty());
  EXPECT_THAT(with_answer(report, Answer::kHolds), IsEmpty());
}

// Section 2, P3 with scope `all`.

TEST(Reference, LatestReaderChoosesItsTopic) {
  const std::string_view text = "x:B! y:B! y:C<B2 x:C<B1";
  EXPECT_THAT(broken(text, latest()), IsEmpty());
  EXPECT_THAT(broken(text, feed()), ElementsAre(kMonotonicWrites, kFifo, kCausal));
  EXPECT_THAT(broken(text, with(feed(), Scope::kTopic)), IsEmpty());
}

TEST(Reference, GoingBehindACauseOnTheTopicBreaksBothKindsOfReads) {
  const std::string_view text = "x:B! x:B! y:B! y:C<B3 x:C<B1";
  EXPECT_THAT(broken(text, latest()), ElementsAre(kFifo, kCausal));
  EXPECT_THAT(broken(text, feed()), ElementsAre(kMonotonicWrites, kFifo, kCausal));
}

TEST(Reference, FifoIsBlindForTwoSenders) {
  EXPECT_THAT(broken("B! C<B1 C! A<C2 A<B1", with(feed(), Level::kFifo)),
              ElementsAre(kWritesFollowReads));
}

TEST(Reference, TotalSeesTwoReceiversThatDisagree) {
  const Declaration total = with(feed(), Level::kTotal);
  EXPECT_THAT(broken("A! B! C<A1 C<B1 D<B1 D<A1", total), ElementsAre(kTotal));
  EXPECT_THAT(broken("A! B! C<B1 C<A1 D<B1 D<A1", total), IsEmpty());
}

TEST(Reference, TotalSeesACycleThroughHappensBefore) {
  // B2 follows A1 by happens-before; C sees D1 before A1, E sees B2 before D1.
  const Declaration total = with(feed(), Level::kTotal);
  EXPECT_THAT(broken("A! B<A1 B! D! C<D1 C<A1 C<B2 E<A1 E<B2 E<D1", total), ElementsAre(kTotal));
  EXPECT_THAT(broken("A! D! B<D1 B<A1 B! C<D1 C<A1 C<B3 E<D1 E<A1 E<B3", total), IsEmpty());
  // C and E agree; but B, which has A1, can be handed D1 no more without contradicting them.
  EXPECT_THAT(broken("A! B<A1 B! D! C<D1 C<A1 C<B2 E<D1 E<A1 E<B2", total), ElementsAre(kDelivery));
}

TEST(Reference, LiteralGroundingFlagsTwoUnrelatedMessages) {
  const auto history = history_of("A! B! C<B1 C<A1", with(feed(), Level::kTotal));
  EXPECT_EQ(reference_check(history)[kTotal], Answer::kHolds);
  EXPECT_EQ(reference_check(history, Grounding::kInstrumentation)[kTotal], Answer::kBreaks);
}

TEST(Reference, LiteralGroundingTakesASendersCallsForItsOrder) {
  // What nobody knows of landed late: legal, and against the order of the calls.
  const auto late = history_of("A!? A! B<A2 B<A1", with(feed(), Level::kFifo));
  EXPECT_EQ(reference_check(late)[kFifo], Answer::kHolds);
  EXPECT_EQ(reference_check(late, Grounding::kInstrumentation)[kFifo], Answer::kBreaks);
  const auto others = history_of("A! B! C<B1 C<A1", with(feed(), Level::kFifo));
  EXPECT_EQ(reference_check(others, Grounding::kInstrumentation)[kFifo], Answer::kHolds);
}

TEST(Reference, TotalOfARegisterThatMayRepeatIsNotJudged) {
  const Declaration total = with(latest(), Level::kTotal);
  const std::string_view text = "A! B! C<A1 C<B1 C<A1";
  EXPECT_THAT(broken(text, total), ElementsAre(kTotal));
  EXPECT_THAT(not_applicable(text, with(total, Retries::kAtLeastOnce)),
              ::testing::Contains(kTotal));
}

TEST(Reference, TotalBySlotsComparesWithTheOwnAck) {
  const Declaration total = with(latest(), Level::kTotal);
  EXPECT_THAT(broken("A!@1 B!@2 B<A1@1", total), ElementsAre(kReadYourWrites, kTotal));
  EXPECT_THAT(broken("A!@1 B!@2 B<B1@2", total), IsEmpty());
}

// Section 2, own messages and outcomes.

TEST(Reference, AnUnacknowledgedOwnWriteBindsNothing) {
  EXPECT_THAT(broken("A! B<A1 B!( B<A1 B)"), IsEmpty());
  EXPECT_THAT(broken("A! B<A1 B! B<A1"), ElementsAre(kReadYourWrites, kCausal));
}

TEST(Reference, ALateRequestBindsOnlyWhatItsSenderPublishedAfterSeeingIt) {
  // A1 ended info. A2 was published in between, A4 after A had seen A1.
  const std::string_view text = "A!? A! A<A1 A! ";
  EXPECT_THAT(broken(std::string(text) + "B<A2 B<A1", feed()), IsEmpty());
  EXPECT_THAT(broken(std::string(text) + "B<A4 B<A1", feed()),
              ::testing::IsSupersetOf({kMonotonicWrites, kFifo, kCausal}));
}

TEST(Reference, AWriteCalledBeforeAReadReturnedDoesNotDependOnIt) {
  EXPECT_THAT(broken("A! B<A1( B! B) C<B1 C<A1", feed()), IsEmpty());
  EXPECT_THAT(broken("A! B<A1( B) B! C<B2 C<A1", feed()), ElementsAre(kWritesFollowReads, kCausal));
}

TEST(Reference, AChainRunsPastAPublishWhoseEdgeIsDropped) {
  EXPECT_THAT(broken("A! B<A1 B!? B! C<B3 C<A1", feed()), ElementsAre(kWritesFollowReads, kCausal));
}

TEST(Reference, AnotherIncarnationIsAnotherClient) {
  EXPECT_THAT(broken("A! A~2! B<A~2.1 B<A1", feed()), IsEmpty());
  EXPECT_THAT(broken("A! A! B<A2 B<A1", feed()), ElementsAre(kMonotonicWrites, kFifo, kCausal));
}

// Section 3.

TEST(Reference, ADuplicateIsLegalInAFeedAndBuriesItsReplyInARegister) {
  const std::string_view text = "A! B<A1 B! C<A1 C<B2 C<A1";
  EXPECT_THAT(broken(text, feed()), IsEmpty());
  EXPECT_THAT(broken(text, latest()), ElementsAre(kMonotonicReads, kCausal));
}

TEST(Reference, NothingIsTheStartOfTheTopic) {
  EXPECT_THAT(broken("A! A<-"), ElementsAre(kReadYourWrites, kCausal));
  EXPECT_THAT(broken("A! B<A1 B<-"), ElementsAre(kMonotonicReads, kCausal));
  EXPECT_THAT(broken("A! B<-"), IsEmpty());
  EXPECT_THAT(broken("A! B<-?"), IsEmpty());
  EXPECT_THAT(broken("x:A! y:A! y:B<A2 x:B<-"), ElementsAre(kMonotonicWrites, kCausal));
  EXPECT_THAT(broken("x:A! y:A! y:B<A2 x:B<-", with(latest(), Scope::kTopic)), IsEmpty());
  EXPECT_THAT(broken("y:A! x:A! y:B<A1 x:B<-"), IsEmpty());
}

TEST(Reference, AFeedThatSkipsTheCauseForGood) {
  EXPECT_THAT(broken("A! A! B<A2", feed()), ElementsAre(kMonotonicWrites, kCausal, kDelivery));
  EXPECT_THAT(broken("A! C<A1 C! B<C2", feed()),
              ElementsAre(kWritesFollowReads, kCausal, kDelivery));
  EXPECT_THAT(broken("A!? A! B<A2", feed()), IsEmpty());
  EXPECT_THAT(broken("A! A<A1 B<A1", feed()), IsEmpty());
}

TEST(Reference, ADrainWithTheEffectAndNotTheCause) {
  EXPECT_THAT(broken("A!@1 A!@2 _<A2@2"), ElementsAre(kNoLostWrites, kMonotonicWrites, kCausal));
  EXPECT_THAT(broken("A!@1 A!@2 _<A1@1"), ElementsAre(kNoLostWrites));
  EXPECT_THAT(broken("A!@1 A!@2 _<A2@2 _<-@1?"), IsEmpty());
  EXPECT_THAT(broken("A!@1 A!@2 _<A2@2 _<-@3?"),
              ElementsAre(kNoLostWrites, kMonotonicWrites, kCausal));
  EXPECT_THAT(broken("A!@1 A!@2 _<A2@2 _<-?"), IsEmpty());
  EXPECT_THAT(broken("A!? A!@2 _<A2@2"), IsEmpty());
}

TEST(Reference, WhatSurvivesInARegister) {
  EXPECT_THAT(broken("A! A! _<A2"), IsEmpty());
  EXPECT_THAT(broken("A! B! _<A1"), IsEmpty());
  EXPECT_THAT(broken("A! B! _<-"), ElementsAre(kNoLostWrites));
  EXPECT_THAT(broken("A! B<A1 B! _<A1"), ElementsAre(kNoLostWrites, kWritesFollowReads, kCausal));
  EXPECT_THAT(broken("x:A! y:A! y:_<-"), ElementsAre(kNoLostWrites));
  EXPECT_THAT(broken("x:A! y:A! y:_<A2"), IsEmpty());
  EXPECT_THAT(broken("x:A! y:A! x:_<- y:_<A2"),
              ElementsAre(kNoLostWrites, kMonotonicWrites, kCausal));
}

TEST(Reference, DeliveryAsksEveryLiveReader) {
  EXPECT_THAT(broken("A!@1 B<-", feed()), ElementsAre(kDelivery));
  EXPECT_THAT(broken("A!@1 B<-?", feed()), IsEmpty());
  EXPECT_THAT(broken("A!@1 B<- B.", feed()), IsEmpty());
  EXPECT_THAT(broken("A!@1 B<- B~2<A1@1", feed()), IsEmpty());
  EXPECT_THAT(broken("B<- A!@1", feed()), IsEmpty());
  EXPECT_THAT(broken("A!@1 A<-", feed()), IsEmpty());
  EXPECT_THAT(broken("A!@1? B<-", feed()), IsEmpty());
  EXPECT_THAT(broken("A!@1( B<- A)", feed()), IsEmpty());
}

TEST(Reference, DeliveryMissesAGapThatALargerSlotProves) {
  EXPECT_THAT(broken("A!@1 B!@2 C<B1@2", feed()), ElementsAre(kDelivery));
  EXPECT_THAT(broken("A!@1 B!@2 C<A1@1", feed()), IsEmpty());
}

TEST(Reference, DeliveryOwesALeaverWhatTheLevelPutsInFront) {
  const Declaration fifo = with(feed(), Level::kFifo);
  EXPECT_THAT(broken("A! A! B<A2 B.", fifo), ElementsAre(kMonotonicWrites, kDelivery));
  EXPECT_THAT(broken("A!? A! B<A2 B.", fifo), IsEmpty());
  // An effect without its cause: two senders, which fifo leaves to themselves.
  EXPECT_THAT(broken("A! C<A1 C! B<C2 B.", fifo), ElementsAre(kWritesFollowReads));
  EXPECT_THAT(broken("A! C<A1 C! B<C2 B.", feed()),
              ElementsAre(kWritesFollowReads, kCausal, kDelivery));
  // Who stays is owed everything, whatever the level.
  EXPECT_THAT(broken("A! C<A1 C! B<C2 B<-", fifo), ElementsAre(kWritesFollowReads, kDelivery));
}

TEST(Reference, DeliveryOwesALeaverWhatTheOneOrderPutsInFront) {
  const Declaration total = with(feed(), Level::kTotal);
  EXPECT_THAT(broken("A! B! C<A1 C<B1 D<B1 D.", total), ElementsAre(kDelivery));
  EXPECT_THAT(broken("A! B! C<A1 C<B1 D<B1 D.", feed()), IsEmpty());
  EXPECT_THAT(broken("A! B! C<A1 C<B1 D<A1 D.", total), IsEmpty());
  // On one topic: that of what is owed and of what was handed over.
  EXPECT_THAT(broken("x:A! y:B! x:C<A1 y:C<B1 x:D<- y:D<B1 D.", total), IsEmpty());
  // Two receivers that contradict each other have no order to argue from.
  EXPECT_THAT(broken("A! B! C<A1 C<B1 E<B1 E<A1 D<B1 D.", total), ElementsAre(kTotal));
}

TEST(Reference, AFailedIdThatIsTriedAgainIsNotShownBeforeItsSend) {
  EXPECT_THAT(broken("B!x A<B1@5 B!@6 A<B2@6 B!#B1#@9"), IsEmpty());
  EXPECT_FALSE(reference_check(history_of("B!x A<B1 B!#B1#")).contaminated);
}

TEST(Reference, AReadOfWhatIsLeftOutIsStillARead) {
  // B asked again and was given something, if only what had failed: it did not come to rest on
  // nothing.
  EXPECT_THAT(broken("A! A!x B<- B<A2", feed()), ElementsAre(kOutcome));
  EXPECT_THAT(broken("A! A!x B<A2 B<-", feed()), ElementsAre(kDelivery, kOutcome));
}

TEST(Reference, AMessageOnAnotherTopicIsOneThatNobodyWrote) {
  EXPECT_TRUE(reference_check(history_of("x:A! y:B<A1")).contaminated);
  EXPECT_FALSE(reference_check(history_of("x:A! y:C!#A1# y:B<A1")).contaminated);
  EXPECT_THAT(broken("x:A! y:C!#A1# y:B<A1"), ElementsAre(kIdentity));
}

TEST(Reference, ALatestReaderThatGoesBackToAnEarlierCopyGoesBack) {
  const Declaration total = with(latest(), Level::kTotal);
  EXPECT_THAT(broken("A!@1 B<A1@3 B<A1@1", total), ElementsAre(kMonotonicReads, kTotal));
  EXPECT_THAT(broken("A!@1 C!@2 B<C1@2 B<A1@1", total), ElementsAre(kMonotonicReads, kTotal));
}

// Section 5, the rows.

TEST(Reference, ALostWrite) {
  EXPECT_THAT(broken("A!@1 _<-"), ElementsAre(kNoLostWrites));
  EXPECT_THAT(broken("A!@1 _<A1@2"), ElementsAre(kNoLostWrites));
  EXPECT_THAT(broken("A!@1 _<A1@1 _<A1@2"), IsEmpty());
  EXPECT_THAT(broken("A!@1? _<-"), IsEmpty());
  EXPECT_THAT(not_applicable("A!@1"), ::testing::Contains(kNoLostWrites));
}

TEST(Reference, ReadYourWritesStartsAtTheAck) {
  EXPECT_THAT(broken("A!@1 B!@2 B<A1@1"), ElementsAre(kReadYourWrites));
  EXPECT_THAT(broken("A!@1 B!@2( B<A1@1 B)"), IsEmpty());
  EXPECT_THAT(broken("A!@1 B!@2 B<A1@1", feed()), IsEmpty());
}

TEST(Reference, MonotonicReadsOfAFeedLooksAtSessions) {
  EXPECT_THAT(broken("A!@1 B!@2 C<A1@1 C<B1@2 C<A1@1", feed()), ElementsAre(kMonotonicReads));
  EXPECT_THAT(broken("A!@1 B!@2 C<A1@1 C<B1@2 C<A1@1/2 C<B1@2/2", feed()), IsEmpty());
  EXPECT_THAT(broken("A!@1 B!@2 C<B1@2 C<A1@1/2", latest()), ElementsAre(kMonotonicReads));
}

TEST(Reference, FirstSlotsAgainstIssueOrder) {
  EXPECT_THAT(broken("A!@2 A!@1 _<A2@1 _<A1@2"), ElementsAre(kMonotonicWrites, kCausal));
  EXPECT_THAT(broken("A!@2 A!@1"), IsEmpty());
  EXPECT_THAT(broken("A!@2 A!@1", with(latest(), Retries::kNone)),
              ElementsAre(kMonotonicWrites, kCausal));
  EXPECT_THAT(broken("A!@2 A!@1 _<A1@0 _<A2@1 _<A1@2"), IsEmpty());
}

TEST(Reference, OneSlotHeldTwoMessages) {
  EXPECT_THAT(broken("A!@1 B!@1"), ElementsAre(kIdentity));
  EXPECT_THAT(broken("x:A!@1 y:B!@1"), IsEmpty());
  EXPECT_THAT(broken("A!@1 B!@1?"), IsEmpty());
}

TEST(Reference, OneIdStoodForTwoMessages) {
  EXPECT_THAT(broken("A!#k# B!#k# C<#k#"), ElementsAre(kIdentity));
  EXPECT_THAT(not_applicable("A!#k# B!#k# C<#k#"), ::testing::IsSupersetOf({kFifo, kCausal}));
  EXPECT_THAT(broken("A!#k# B!#k#x C<#k#"), IsEmpty());
  EXPECT_THAT(broken("A!$p$ C<A1$q$"), ElementsAre(kIdentity));
  EXPECT_THAT(broken("A!$p$ C<A1$p$"), IsEmpty());
}

TEST(Reference, HolesOnlyWhereNoneWerePromised) {
  const Declaration contiguous = with(latest(), Slots::kContiguous);
  EXPECT_THAT(broken("A!@1 B!@3 _<A1@1 _<B1@3", contiguous), ElementsAre(kIdentity));
  EXPECT_THAT(broken("A!@1 B!@3 _<A1@1 _<-@2? _<B1@3", contiguous), IsEmpty());
  EXPECT_THAT(broken("A!@1 B!@3 _<A1@1 _<-? _<B1@3", contiguous), IsEmpty());
  EXPECT_THAT(broken("A!@1 B!@3 _<A1@1 _<B1@3", latest()), IsEmpty());
}

TEST(Reference, AnAcknowledgedMessageInTwoSlots) {
  EXPECT_THAT(broken("A!@1 B<A1@1 B<A1@2", with(latest(), Retries::kNone)), ElementsAre(kIdentity));
  EXPECT_THAT(broken("A!@1 B<A1@1 B<A1@2", latest()), IsEmpty());
  EXPECT_THAT(broken("A!? B<A1@1 B<A1@2", with(latest(), Retries::kNone)), IsEmpty());
}

TEST(Reference, WhatFailedStaysInvisible) {
  EXPECT_THAT(broken("A!x B<A1"), ElementsAre(kOutcome));
  EXPECT_THAT(broken("A!x _<A1"), ElementsAre(kOutcome));
  EXPECT_THAT(broken("A!x B<A1?"), IsEmpty());
  EXPECT_THAT(broken("A!? B<A1"), IsEmpty());
}

TEST(Reference, IntegrityIsJudgedWherePayloadsAre) {
  const auto breaks_when_checked = [](std::string_view text) {
    History history = history_of(text);
    history.payloads_checked = true;
    return with_answer(reference_check(history), Answer::kBreaks);
  };
  EXPECT_THAT(breaks_when_checked("A! B<#ghost#"), ElementsAre(kIntegrity));
  EXPECT_THAT(breaks_when_checked("A!$p$ B<A1$q$"), ElementsAre(kIdentity, kIntegrity));
  EXPECT_THAT(breaks_when_checked("B<-%"), ElementsAre(kIntegrity));
  EXPECT_THAT(breaks_when_checked("[truncate B<-% ]truncate"), IsEmpty());
  EXPECT_THAT(breaks_when_checked("[truncate:B B<-% ]truncate:B"), IsEmpty());
  EXPECT_THAT(breaks_when_checked("[truncate:n1 B<-% ]truncate:n1"), IsEmpty());
  EXPECT_THAT(breaks_when_checked("[truncate:A A! B<-% ]truncate:A"), ElementsAre(kIntegrity));
  EXPECT_THAT(breaks_when_checked("[truncate ]truncate B<-%"), ElementsAre(kIntegrity));
  EXPECT_TRUE(reference_check(history_of("A! B<#ghost#")).contaminated);
  EXPECT_TRUE(reference_check(history_of("A! B<A1*")).contaminated);
}

TEST(Reference, RealTimeComparesWholeOperations) {
  const Declaration claimed = with(latest(), kRealTime);
  EXPECT_THAT(broken("A!@2 B!@1", claimed), ElementsAre(kRealTime));
  EXPECT_THAT(broken("A!@2( B!@1 A)", claimed), IsEmpty());
  EXPECT_THAT(broken("A!@2 B<-", claimed), ElementsAre(kRealTime));
  EXPECT_THAT(broken("A!@2 B!? C<B1@1", claimed), ElementsAre(kRealTime));
  EXPECT_THAT(broken("A!@1 B!@2 C<A1@1", claimed), ElementsAre(kRealTime));
  EXPECT_THAT(broken("A!@1 B!@2 C<A1@1 C<B1@2", with(feed(), kRealTime)), IsEmpty());
  EXPECT_THAT(broken("B!@3 C<B1@3 A!@1", with(feed(), kRealTime)),
              ElementsAre(kDelivery, kRealTime));
  EXPECT_THAT(not_applicable("A! B!", claimed), ::testing::Contains(kRealTime));
}

// Verdicts.

TEST(Reference, ARunThatNothingContendedInIsUnknown) {
  EXPECT_EQ(reference_check({}).verdict, Verdict::kUnknown);
  EXPECT_EQ(reference_check(history_of("A! A<A1")).verdict, Verdict::kUnknown);
  EXPECT_EQ(reference_check(history_of("A! B<A1")).verdict, Verdict::kHolds);
}

TEST(Reference, ARunWithoutItsDrainWasCutOff) {
  History history = history_of("A! B<A1");
  history.has_header = true;
  EXPECT_EQ(reference_check(history).verdict, Verdict::kUnknown);
  history = history_of("A! B<A1 _<A1");
  history.has_header = true;
  EXPECT_EQ(reference_check(history).verdict, Verdict::kHolds);
}

TEST(Reference, AFaultThatWasAskedForMustHaveMetSomething) {
  for (const auto& [text, verdict] :
       std::vector<std::pair<std::string, Verdict>>{{"A! B<A1", Verdict::kUnknown},
                                                    {"[delay ]delay A! B<A1", Verdict::kUnknown},
                                                    {"A! [delay B<A1 ]delay", Verdict::kHolds}}) {
    History history = history_of(text);
    history.faults_asked = true;
    EXPECT_EQ(reference_check(history).verdict, verdict) << text;
  }
}

// Public reports that come without a file.

TEST(Reference, ReportedCases) {
  // Exclusive only through one endpoint.
  EXPECT_THAT(broken("A!@0 B!@0 _<B1@0"), ElementsAre(kNoLostWrites, kIdentity));
  // Reconnect to a lagging server.
  EXPECT_THAT(broken("A!@1 A!@2 C<A2@2 C<A1@1/2"), ElementsAre(kMonotonicReads, kFifo, kCausal));
  // An own write flickers.
  EXPECT_THAT(broken("A! A<A1 A<- A<A1"),
              UnorderedElementsAre(kReadYourWrites, kMonotonicReads, kCausal));
  // A negative answer is cached.
  EXPECT_THAT(broken("A<- A! A<- A<A1"), ElementsAre(kReadYourWrites, kCausal));
  // Sparse positions.
  EXPECT_THAT(broken("A!@3 B!@5 C<A1@3 C<B1@5 _<A1@3 _<B1@5"), IsEmpty());
  // Two writes from one base; a reader passes both.
  EXPECT_THAT(broken("C! A<C1( B<C1( A) A! B) B! D<C1 D<A2 D<B2"), IsEmpty());
}

}  // namespace
}  // namespace causalcheck::reference
