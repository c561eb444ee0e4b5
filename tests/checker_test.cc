// The checker by hand-written histories: the prototypes' models, the worked example, what is
// pending.
#include "checker/checker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "checker/explain.h"
#include "tests/history_of.h"

namespace causalcheck {
namespace {

constexpr std::string_view kAliceBobCarol = "B! C<B1 C! A<C2 A<B1";
// C published while offline; its message entered the log after A's and B's, which nobody had told C
// of.
constexpr std::string_view kOffline = "C!( A! B<A1 B! A<B2 C) A<C1 B<C1 C<A1 C<B2";

Declaration feed_at(Level level) {
  Declaration declared;
  declared.reads = Reads::kFeed;
  declared.level = level;
  return declared;
}

std::vector<std::string> texts(const std::vector<Clause>& clauses, const History& history) {
  std::vector<std::string> lines;
  for (const Clause& clause : clauses) lines.push_back(to_string(clause, history));
  return lines;
}

TEST(OfflineFirstPrototype, IsBlindToTheAnswerBeforeTheQuestion) {
  EXPECT_EQ(check(history_of(kAliceBobCarol, feed_at(Level::kFifo)))[Guarantee::kFifo].answer,
            Answer::kHolds);
}

TEST(OfflineFirstPrototype, AllowsMessagesThatWereBufferedOffline) {
  EXPECT_EQ(check(history_of(kOffline, feed_at(Level::kFifo)))[Guarantee::kFifo].answer,
            Answer::kHolds);
}

TEST(CentralisedPrototype, SeesTheAnswerBeforeTheQuestion) {
  const History history = history_of(kAliceBobCarol, feed_at(Level::kTotal));
  const Report report = check(history, Grounding::kInstrumentation);
  ASSERT_EQ(report[Guarantee::kTotal].answer, Answer::kBreaks);
  EXPECT_TRUE(report[Guarantee::kTotal].violation->contradiction);
}

TEST(CentralisedPrototype, AccusesMessagesThatWereBufferedOffline) {
  const History history = history_of(kOffline, feed_at(Level::kTotal));
  const Report report = check(history, Grounding::kInstrumentation);
  ASSERT_EQ(report[Guarantee::kTotal].answer, Answer::kBreaks);
  const Violation& violation = *report[Guarantee::kTotal].violation;
  EXPECT_FALSE(violation.contradiction);
  EXPECT_TRUE(violation.chain.empty());
  // Read by happened-before, all receivers agree on one order, and nothing is wrong.
  EXPECT_EQ(check(history)[Guarantee::kTotal].answer, Answer::kHolds);
}

// The per-sender order of the prototypes takes the order of calls for the order of effects.
TEST(OfflineFirstPrototype, AccusesARequestThatLandsLate) {
  const History history = history_of("C! B<C1 A!? A! B<A2 B<A1", feed_at(Level::kFifo));
  EXPECT_EQ(check(history)[Guarantee::kFifo].answer, Answer::kHolds);
  const Report literal = check(history, Grounding::kInstrumentation);
  ASSERT_EQ(literal[Guarantee::kFifo].answer, Answer::kBreaks);
  const Violation& violation = *literal[Guarantee::kFifo].violation;
  EXPECT_EQ(violation.reason, Reason::kRefutedByRecordedOrder);
  EXPECT_FALSE(violation.contradiction);
  EXPECT_EQ(to_string(*violation.broken, history), "P3 A2 < A1");
  EXPECT_EQ(literal[Guarantee::kMonotonicWrites].answer, Answer::kHolds);
}

TEST(WorkedExample, NamesTheBrokenClauseAndTheShortestChain) {
  const History history = history_of(kAliceBobCarol, feed_at(Level::kCausal));
  const Report report = check(history);
  ASSERT_EQ(report[Guarantee::kCausal].answer, Answer::kBreaks);
  const Violation& violation = *report[Guarantee::kCausal].violation;
  EXPECT_TRUE(violation.contradiction);
  EXPECT_EQ(to_string(*violation.broken, history), "P3 C2 < B1");
  EXPECT_THAT(texts(violation.chain, history), testing::ElementsAre("P2 B1 < C1", "P1 C1 < C2"));
  EXPECT_EQ(sentence(violation, history), "A observed C2, which depends on B1, before B1");
}

TEST(WorkedExample, HoldsWhenTheQuestionComesFirst) {
  const Report report = check(history_of("B! C<B1 C! A<B1 A<C2", feed_at(Level::kCausal)));
  EXPECT_EQ(report.verdict, Verdict::kHolds);
  EXPECT_GT(report[Guarantee::kCausal].judged, 0U);
}

TEST(Checker, IsExplainedTheSameWayWhateverPathFoundIt) {
  const History a = history_of(kAliceBobCarol, feed_at(Level::kCausal));
  const History b = history_of("D! A<D1 B! C<B1 C! A<C2 A<B1", feed_at(Level::kCausal));
  const Violation va = *check(a)[Guarantee::kCausal].violation;
  const Violation vb = *check(b)[Guarantee::kCausal].violation;
  EXPECT_EQ(fingerprint(va), fingerprint(vb));
  const History c = history_of("A! A<-", {});
  EXPECT_NE(fingerprint(va), fingerprint(*check(c)[Guarantee::kCausal].violation));
}

// What breaks causal order breaks the total one with it, and is told with the same operations.
TEST(Checker, NamesTheReaderThatFoundNothingAtTheLevelTotal) {
  Declaration declared;
  declared.level = Level::kTotal;
  for (const auto& [text, expected] :
       {std::pair{"A! A<-", "A found nothing on t after its own A1 was acknowledged there"},
        std::pair{"x:B! y:B! y:A<B2 x:A<-",
                  "A found nothing on x after it knew B2, which depends on B1 there"}}) {
    const History history = history_of(text, declared);
    const Report report = check(history);
    for (const Guarantee id : {Guarantee::kCausal, Guarantee::kTotal}) {
      ASSERT_EQ(report[id].answer, Answer::kBreaks) << text;
      EXPECT_EQ(sentence(*report[id].violation, history), expected) << to_string(id);
    }
  }
}

// The agreed order is looked at for 64 clients at a time.
TEST(Checker, OwesALeaverTheAgreedOrderHoweverManyClientsThereAre) {
  History history;
  history.declared = feed_at(Level::kTotal);
  history.topics = {"t"};
  history.messages = {"m", "w"};
  for (ClientId c = 0; c < 140; ++c) history.clients.push_back(client_label(c));
  Position at = 0;
  const auto add = [&](OperationKind kind, ClientId client, MessageId message) {
    Operation operation;
    operation.kind = kind;
    operation.client = client;
    operation.message = message;
    operation.start = ++at;
    operation.end = ++at;
    history.operations.push_back(operation);
  };
  add(OperationKind::kWrite, 0, 0);
  add(OperationKind::kWrite, 1, 1);
  const std::set<ClientId> leavers{3, 66, 139};
  for (ClientId c = 2; c < history.clients.size(); ++c) {
    if (leavers.count(c) == 0) add(OperationKind::kRead, c, 0);
    add(OperationKind::kRead, c, 1);
  }
  for (const ClientId c : leavers) history.leaves.push_back({c, ++at});
  const Report report = check(history);
  EXPECT_EQ(report[Guarantee::kTotal].answer, Answer::kHolds);
  EXPECT_EQ(report[Guarantee::kDelivery].broken, leavers.size());
}

TEST(Checker, ReadingTheSameMessageAgainIsNoStepBack) {
  EXPECT_EQ(check(history_of("B! A<B1 A<B1 A<B1", {})).verdict, Verdict::kHolds);
}

TEST(Checker, ClientThatNeverReadsBreaksNothing) {
  const Report report = check(history_of("A! A! A! B<A3 B<A3", {}));
  EXPECT_EQ(report.verdict, Verdict::kHolds);
}

TEST(Checker, OneClientAloneExercisesNothing) {
  const Report report = check(history_of("A! A<A1 A! A<A3", {}));
  EXPECT_EQ(report.verdict, Verdict::kUnknown);
  EXPECT_TRUE(report.vacuous);
}

TEST(Checker, EmptyHistoryIsUnknown) {
  const Report report = check(History{});
  EXPECT_EQ(report.verdict, Verdict::kUnknown);
  EXPECT_TRUE(report.vacuous);
  EXPECT_NE(report.why, "");
}

TEST(Checker, HistoryWithAHeaderAndNoDrainWasCutOff) {
  History history = history_of("B! A<B1", {});
  EXPECT_EQ(check(history).verdict, Verdict::kHolds);
  history.has_header = true;
  const Report report = check(history);
  EXPECT_EQ(report.verdict, Verdict::kUnknown);
  EXPECT_TRUE(report.cut_off);
}

/// Feeds the operations of a finished history one by one into a growing one, as a recorder would.
class GrowingHistory : public testing::Test {
 protected:
  void begin(const Declaration& declared) {
    history_.declared = declared;
    history_.clients = {"A", "B", "C"};
    history_.topics = {"t"};
    checker_.begin(history_);
  }
  OperationIndex call(ClientId client, OperationKind kind, MessageId message) {
    while (history_.messages.size() <= message && message != kNothing) {
      history_.messages.push_back("m" + std::to_string(history_.messages.size()));
    }
    Operation operation{};
    operation.start = ++now_;
    operation.client = client;
    operation.kind = kind;
    operation.message = kind == OperationKind::kWrite ? message : kNothing;
    history_.operations.push_back(operation);
    const auto index = static_cast<OperationIndex>(history_.operations.size() - 1);
    checker_.invoked(index);
    return index;
  }
  void end(OperationIndex index, Outcome outcome, MessageId message = kNothing) {
    Operation& operation = history_.operations[index];
    operation.end = ++now_;
    operation.outcome = outcome;
    if (!operation.is_write()) operation.message = message;
    checker_.completed(index);
  }
  void read(ClientId client, MessageId message) {
    end(call(client, OperationKind::kRead, kNothing), Outcome::kOk, message);
  }

  History history_{};
  Checker checker_{};
  Position now_ = 0;
};

constexpr ClientId kA = 0;
constexpr ClientId kB = 1;
constexpr MessageId kFirst = 0;
constexpr MessageId kSecond = 1;

TEST_F(GrowingHistory, ViolationIsPendingWhileAPublishOnItsChainIsOpen) {
  begin(feed_at(Level::kCausal));
  const OperationIndex first = call(kB, OperationKind::kWrite, kFirst);
  const OperationIndex second = call(kB, OperationKind::kWrite, kSecond);
  end(second, Outcome::kOk);
  read(kA, kSecond);
  read(kA, kFirst);
  ASSERT_NE(checker_.first_violation(), nullptr);
  EXPECT_TRUE(checker_.first_violation()->pending);
  end(first, Outcome::kOk);
  ASSERT_NE(checker_.first_violation(), nullptr);
  EXPECT_FALSE(checker_.first_violation()->pending);
  EXPECT_EQ(checker_.finish()[Guarantee::kFifo].answer, Answer::kBreaks);
}

TEST_F(GrowingHistory, PendingViolationGoesAwayWhenThePublishEndsUnknown) {
  begin(feed_at(Level::kCausal));
  const OperationIndex first = call(kB, OperationKind::kWrite, kFirst);
  const OperationIndex second = call(kB, OperationKind::kWrite, kSecond);
  end(second, Outcome::kOk);
  read(kA, kSecond);
  read(kA, kFirst);
  ASSERT_NE(checker_.first_violation(), nullptr);
  end(first, Outcome::kInfo);
  EXPECT_EQ(checker_.first_violation(), nullptr);
  const Report report = checker_.finish();
  EXPECT_EQ(report.verdict, Verdict::kHolds);
  EXPECT_EQ(report, check(history_));
}

TEST_F(GrowingHistory, PublishThatNeverReturnsEndsUnknown) {
  begin(feed_at(Level::kCausal));
  (void)call(kB, OperationKind::kWrite, kFirst);
  end(call(kB, OperationKind::kWrite, kSecond), Outcome::kOk);
  read(kA, kSecond);
  read(kA, kFirst);
  const Report report = checker_.finish();
  EXPECT_EQ(report.verdict, Verdict::kHolds);
  EXPECT_EQ(report, check(history_));
}

TEST_F(GrowingHistory, ReadOfAPublishThatFailsLaterBreaksOutcomeOnly) {
  begin({});
  const OperationIndex first = call(kB, OperationKind::kWrite, kFirst);
  read(kA, kFirst);
  end(first, Outcome::kFail);
  end(call(kB, OperationKind::kWrite, kSecond), Outcome::kOk);
  read(kA, kSecond);
  const Report report = checker_.finish();
  EXPECT_EQ(report[Guarantee::kOutcome].answer, Answer::kBreaks);
  EXPECT_EQ(report[Guarantee::kMonotonicReads].answer, Answer::kHolds);
  EXPECT_EQ(report, check(history_));
}

TEST_F(GrowingHistory, ClientsMayJoinWhileItGrows) {
  begin({});
  for (ClientId c = 3; c < 40; ++c) {
    history_.clients.push_back(client_label(c));
    const auto message = static_cast<MessageId>(c - 3);
    end(call(c, OperationKind::kWrite, message), Outcome::kOk);
    read(kA, message);
  }
  EXPECT_EQ(checker_.first_violation(), nullptr);
  read(kA, 0);
  const Report report = checker_.finish();
  EXPECT_EQ(report, check(history_));
  EXPECT_EQ(report.verdict, Verdict::kHolds);  // concurrent messages, nobody published twice
}

TEST(Checker, JudgesAMillionEvents) {
  History history;
  history.declared.slots = Slots::kContiguous;
  history.topics = {"t"};
  history.clients = {"A", "B", "C"};
  Position now = 0;
  for (MessageId m = 0; m < 333'334; ++m) {
    history.messages.push_back("m" + std::to_string(m));
    for (ClientId c = 0; c < 3; ++c) {
      Operation operation{};
      operation.start = ++now;
      operation.end = ++now;
      operation.client = (m + c) % 3;
      operation.message = m;
      operation.slot = m;
      operation.kind = c == 0 ? OperationKind::kWrite : OperationKind::kRead;
      history.operations.push_back(operation);
    }
  }
  EXPECT_EQ(check(history).verdict, Verdict::kHolds);
  // The violation in the very last clause is seen, too.
  history.operations.back().slot = 5;
  history.operations.back().message = 5;
  const Report report = check(history);
  EXPECT_EQ(report[Guarantee::kMonotonicReads].broken, 1U);
  EXPECT_EQ(report[Guarantee::kCausal].broken, 1U);
}

}  // namespace
}  // namespace causalcheck
