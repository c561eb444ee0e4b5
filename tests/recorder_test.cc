#include "harness/recorder.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <thread>
#include <vector>

#include "checker/checker.h"
#include "checker/shorthand.h"

namespace causalcheck {
namespace {

RecordedRun three_clients(std::vector<std::string> topics = {"t"}) {
  RecordedRun run;
  run.id = 5;
  run.clients = {"A", "B", "C"};
  run.topics = std::move(topics);
  run.nodes = {""};
  run.declared.slots = Slots::kContiguous;
  return run;
}

Entry entry_of(std::string_view payload, Slot slot, bool is_delete = false) {
  return Entry{std::string(payload), slot, is_delete, false};
}

Result<std::optional<Entry>> answer(const Entry& entry) { return std::optional<Entry>(entry); }
Result<std::optional<Entry>> nothing() { return std::optional<Entry>(); }

class RecorderTest : public testing::Test {
 protected:
  RecorderTest() { recorder.begin(three_clients(), &checker); }

  /// A publish that is acknowledged at `slot`; its payload.
  std::string write(ClientId client, Slot slot, bool is_delete = false) {
    const WriteCall call = recorder.begin_write(client, 0, is_delete);
    recorder.complete_write(call.operation, Ack{slot});
    return std::string(call.payload);
  }
  Observed read(ClientId client, const Result<std::optional<Entry>>& what) {
    return recorder.complete_read(recorder.begin_read(client, 0), what);
  }
  [[nodiscard]] std::string shorthand() const { return to_shorthand(recorder.history()); }
  [[nodiscard]] const Operation& last() const { return recorder.history().operations.back(); }

  Checker checker{};
  Recorder recorder{};
};

TEST_F(RecorderTest, NamesMessagesByTheStepOfTheirPublish) {
  const std::string b1 = write(1, 0);
  read(2, answer(entry_of(b1, 0)));
  const std::string c2 = write(2, 1);
  read(0, answer(entry_of(c2, 1)));
  write(0, 2);
  EXPECT_EQ(recorder.history().messages, (std::vector<std::string>{"B1", "C2", "A2"}));
  EXPECT_EQ(shorthand(), "B!@0 C<B1@0 C!@1 A<C2@1 A!@2");
}

TEST_F(RecorderTest, CountsStepsAsTheCheckerDoes) {
  // Equal answers, empty reads, failed and unknown operations, an own message.
  const std::string b1 = write(1, 0);
  read(2, nothing());
  read(2, answer(entry_of(b1, 0)));
  read(2, answer(entry_of(b1, 0)));
  read(2, Error(ErrorCode::kDeadline, ""));
  read(1, answer(entry_of(b1, 0)));
  const WriteCall failed = recorder.begin_write(2, 0, false);
  recorder.complete_write(failed.operation, Error(ErrorCode::kRejected, ""));
  const WriteCall unknown = recorder.begin_write(2, 0, false);
  recorder.complete_write(unknown.operation, Error(ErrorCode::kDeadline, ""));
  const std::string c4 = write(2, 1);
  read(2, answer(entry_of(b1, 0)));
  write(1, 2);
  EXPECT_EQ(recorder.history().messages, (std::vector<std::string>{"B1", "C2", "C3", "C4", "B3"}));
  EXPECT_EQ(recorder.events(), 8U);
  const Report report = checker.finish();
  EXPECT_EQ(report.counts.publishes + report.counts.observes, recorder.events());
  EXPECT_EQ(report.counts.repeats, 1U);
}

TEST_F(RecorderTest, TakesThePositionOfAWriteBeforeAndOfAReadAfterTheCall) {
  const OperationIndex early = recorder.begin_read(2, 0);
  const WriteCall call = recorder.begin_write(1, 0, false);
  recorder.complete_read(early, answer(entry_of(call.payload, 0)));
  recorder.complete_write(call.operation, Ack{0});
  const History& history = recorder.history();
  EXPECT_EQ(history.operations[0].start, 1U);
  EXPECT_EQ(history.operations[1].start, 2U);
  EXPECT_EQ(history.operations[0].end, 3U);
  EXPECT_EQ(history.operations[1].end, 4U);
  EXPECT_FALSE(checker.finish().contaminated) << "seen after its call and before its return";
}

TEST_F(RecorderTest, LeavesAnOperationThatNeverReturnsOpen) {
  recorder.begin_write(1, 0, false);
  EXPECT_EQ(last().end, kNever);
  EXPECT_EQ(checker.finish().counts.info, 1U);
}

TEST_F(RecorderTest, TellsNewsFromOwnAndKnownMessages) {
  const std::string b1 = write(1, 0);
  const std::string c1 = write(2, 1);
  EXPECT_EQ(read(2, answer(entry_of(b1, 0))).news, 1U);
  EXPECT_EQ(read(2, answer(entry_of(b1, 0))).news, 0U) << "a repeat";
  EXPECT_EQ(read(2, answer(entry_of(c1, 1))).news, 0U);
  EXPECT_EQ(read(2, answer(entry_of(b1, 0))).news, 0U) << "an event, but known";
  EXPECT_EQ(recorder.events(), 5U);
  EXPECT_EQ(read(1, answer(entry_of(b1, 0))).own, 1U);
  const Observed failed = read(1, Error(ErrorCode::kUnavailable, ""));
  EXPECT_TRUE(failed.failed);
  EXPECT_FALSE(failed.unknown);
  EXPECT_TRUE(read(1, Error(ErrorCode::kConnectionLost, "")).unknown);
}

TEST_F(RecorderTest, TakesOutcomesFromTheOneTable) {
  for (const ErrorCode code : {ErrorCode::kRejected, ErrorCode::kUnavailable, ErrorCode::kDeadline,
                               ErrorCode::kConnectionLost, ErrorCode::kUndecodable}) {
    const WriteCall call = recorder.begin_write(0, 0, false);
    recorder.complete_write(call.operation, Error(code, ""));
    EXPECT_EQ(last().outcome, outcome_of(code));
    EXPECT_EQ(last().undecodable, code == ErrorCode::kUndecodable);
    read(0, Error(code, ""));
    EXPECT_EQ(last().outcome, outcome_of(code));
    EXPECT_EQ(last().undecodable, code == ErrorCode::kUndecodable);
  }
}

TEST_F(RecorderTest, RecordsAnAnswerThatCannotBeDecodedAsInfo) {
  const std::string b1 = write(1, 0);
  const Observed observed = read(2, answer(entry_of(b1.substr(0, b1.size() - 1), 0)));
  EXPECT_TRUE(observed.unknown);
  EXPECT_EQ(last().outcome, Outcome::kInfo);
  EXPECT_TRUE(last().undecodable);
  EXPECT_EQ(last().message, kNothing);
  EXPECT_EQ(checker.finish()[Guarantee::kIntegrity].answer, Answer::kBreaks);
}

TEST_F(RecorderTest, RecordsAPayloadOfAnotherRunAsForeign) {
  std::string payload;
  append_payload(payload, RunTag(4), {0, "B", 1, false}, 0);
  write(1, 0);
  read(2, answer(entry_of(payload, 0)));
  EXPECT_TRUE(last().foreign);
  EXPECT_EQ(recorder.history().messages.back(), "B1 of run 0000000000000004");
  EXPECT_EQ(recorder.events(), 1U);
  EXPECT_TRUE(checker.finish().contaminated);
}

TEST_F(RecorderTest, RecordsAMessageOfThisRunThatNobodyWrote) {
  std::string payload;
  append_payload(payload, RunTag(5), {9, "B", 7, false}, 0);
  write(1, 0);
  read(2, answer(entry_of(payload, 1)));
  EXPECT_EQ(recorder.history().messages.back(), "B7");
  EXPECT_EQ(recorder.events(), 1U);
  const Report report = checker.finish();
  EXPECT_EQ(report[Guarantee::kIntegrity].answer, Answer::kBreaks);
  EXPECT_FALSE(report.contaminated);
}

TEST_F(RecorderTest, NoticesAPayloadThatDiffersFromWhatWasWritten) {
  // Right in every respect but that it is longer than what was written: only a comparison can tell.
  const std::string b1 = write(1, 0);
  std::string payload;
  append_payload(payload, RunTag(5), {0, "B", 1, false}, 3);
  read(2, answer(entry_of(b1, 0)));
  EXPECT_FALSE(recorder.touched_the_past());
  read(0, answer(entry_of(payload, 0)));
  EXPECT_TRUE(recorder.touched_the_past());
  EXPECT_EQ(recorder.history().payloads.size(), 2U);
  EXPECT_EQ(check(recorder.history())[Guarantee::kIdentity].answer, Answer::kBreaks);
}

TEST_F(RecorderTest, NoticesADeleteThatCameBackAsAMessage) {
  const std::string b1 = write(1, 0, true);
  read(2, answer(entry_of(b1, 0, true)));
  EXPECT_FALSE(recorder.touched_the_past());
  EXPECT_TRUE(last().is_delete);
  read(0, answer(entry_of(b1, 0, false)));
  EXPECT_TRUE(recorder.touched_the_past());
}

TEST_F(RecorderTest, NumbersSessions) {
  write(1, 0);
  recorder.new_session(1);
  write(1, 1);
  EXPECT_EQ(recorder.history().operations[0].session, 1U);
  EXPECT_EQ(recorder.history().operations[1].session, 2U);
}

TEST_F(RecorderTest, CountsANewIncarnationFromItsOwnStart) {
  write(1, 0);
  const ClientId again = recorder.add_client("B~2");
  const std::string payload = write(again, 1);
  EXPECT_EQ(recorder.history().messages.back(), "B~2.1");
  read(0, answer(entry_of(payload, 1)));
  EXPECT_EQ(last().message, 1U);
}

TEST_F(RecorderTest, RecordsWhoLeft) {
  write(1, 0);
  recorder.leave(1);
  ASSERT_EQ(recorder.history().leaves.size(), 1U);
  EXPECT_EQ(recorder.history().leaves[0], (Leave{1, 3}));
}

TEST_F(RecorderTest, WritesOneDrainLinePerEntryAndOneForNone) {
  recorder.begin(three_clients({"t", "u", "v", "w"}), &checker);
  const std::string b1 = write(1, 0);
  Entry torn;
  torn.unreadable = true;
  torn.slot = 1;
  recorder.record_drain(0, 0, std::vector<Entry>{entry_of(b1, 0), torn});
  recorder.record_drain(1, 0, std::vector<Entry>{});
  recorder.record_drain(2, 0, Error(ErrorCode::kDeadline, ""));
  const auto& lines = recorder.history().operations;
  ASSERT_EQ(lines.size(), 5U);
  for (std::size_t i = 1; i < lines.size(); ++i) {
    EXPECT_TRUE(lines[i].is_drain());
    EXPECT_EQ(lines[i].node, 0U);
    EXPECT_LT(lines[i].start, lines[i].end);
  }
  EXPECT_EQ(lines[1].message, 0U);
  EXPECT_EQ(lines[2].outcome, Outcome::kInfo);
  EXPECT_EQ(lines[2].slot, 1);
  EXPECT_TRUE(lines[2].undecodable);
  EXPECT_EQ(lines[3].outcome, Outcome::kOk);
  EXPECT_EQ(lines[3].message, kNothing);
  EXPECT_EQ(lines[3].topic, 1U);
  EXPECT_EQ(lines[4].outcome, Outcome::kInfo);
  EXPECT_EQ(lines[4].slot, kNoSlot);
  EXPECT_EQ(recorder.events(), 1U);
}

TEST_F(RecorderTest, NamesTheNodesOfADrainThatHaveNames) {
  RecordedRun run = three_clients();
  run.nodes = {"left", "right"};
  recorder.begin(run, nullptr);
  recorder.record_drain(0, 1, std::vector<Entry>{});
  EXPECT_EQ(last().node, 2U);
}

TEST_F(RecorderTest, RecordsABatchAsOneReadPerMessage) {
  RecordedRun run = three_clients({"t", "u"});
  run.declared.reads = Reads::kFeed;
  recorder.begin(run, &checker);
  const WriteCall first = recorder.begin_write(1, 0, false);
  recorder.complete_write(first.operation, Ack{0});
  const ReceiveCall call = recorder.begin_receive(2);
  const WriteCall second = recorder.begin_write(1, 1, false);
  recorder.complete_write(second.operation, Ack{0});
  const Observed observed =
      recorder.complete_receive(call, std::vector<Delivered>{{"u", entry_of(second.payload, 0)},
                                                             {"t", entry_of(first.payload, 0)},
                                                             {"u", entry_of(second.payload, 0)}});
  EXPECT_EQ(observed.news, 2U);
  EXPECT_EQ(observed.handed_over, 3U);
  EXPECT_EQ(shorthand(), "B!@0 u:C<B2@0( u:B!@0 C) C<B1@0 u:C<B2@0");
  EXPECT_EQ(recorder.events(), 5U) << "the copy is an event of a feed";
  const Report report = checker.finish();
  EXPECT_EQ(report.counts.duplicates, 1U);
  EXPECT_EQ(report, check(recorder.history()));
}

TEST_F(RecorderTest, RecordsAnEmptyReceiveOncePerTopicWhereItWasCalled) {
  RecordedRun run = three_clients({"t", "u", "v"});
  run.declared.reads = Reads::kFeed;
  recorder.begin(run, &checker);
  const ReceiveCall call = recorder.begin_receive(2);
  write(1, 0);
  recorder.complete_receive(call, std::vector<Delivered>{});
  std::set<TopicId> topics;
  std::set<Position> ends;
  for (const Operation& o : recorder.history().operations) {
    if (o.is_write()) continue;
    EXPECT_EQ(o.start, 1U);
    EXPECT_EQ(o.message, kNothing);
    EXPECT_EQ(o.outcome, Outcome::kOk);
    topics.insert(o.topic);
    ends.insert(o.end);
  }
  EXPECT_EQ(topics, (std::set<TopicId>{0, 1, 2}));
  EXPECT_EQ(ends, (std::set<Position>{4, 5, 6}));
  EXPECT_EQ(checker.finish().counts.reads_nothing, 3U);
}

TEST_F(RecorderTest, RecordsAFailedReceiveOncePerTopic) {
  recorder.begin(three_clients({"t", "u"}), nullptr);
  const Observed observed =
      recorder.complete_receive(recorder.begin_receive(2), Error(ErrorCode::kDeadline, ""));
  EXPECT_TRUE(observed.failed);
  EXPECT_TRUE(observed.unknown);
  ASSERT_EQ(recorder.history().operations.size(), 2U);
  for (const Operation& o : recorder.history().operations) EXPECT_EQ(o.outcome, Outcome::kInfo);
}

TEST_F(RecorderTest, StartsEachRunFromNothing) {
  write(1, 0);
  recorder.new_session(1);
  recorder.add_client("B~2");
  recorder.leave(0);
  recorder.record_drain(0, 0, std::vector<Entry>{});
  const RecordedRun run = three_clients({"x"});
  recorder.begin(run, &checker);
  Recorder fresh;
  fresh.begin(run, nullptr);
  EXPECT_EQ(recorder.history(), fresh.history());
  EXPECT_EQ(recorder.events(), 0U);
  const std::string b1 = write(1, 0);
  EXPECT_EQ(last().session, 1U);
  EXPECT_EQ(read(2, answer(entry_of(b1, 0))).news, 1U);
}

TEST_F(RecorderTest, FeedsTheCheckerWhatTheWholeHistorySays) {
  const std::string b1 = write(1, 0);
  const std::string c1 = write(2, 1);
  read(0, answer(entry_of(c1, 1)));
  read(0, answer(entry_of(b1, 0)));
  ASSERT_NE(checker.first_violation(), nullptr);
  recorder.record_drain(0, 0, std::vector<Entry>{entry_of(b1, 0), entry_of(c1, 1)});
  EXPECT_EQ(checker.finish(), check(recorder.history()));
}

TEST(RecorderOfThreads, OrdersWhatManyThreadsRecord) {
  constexpr std::uint32_t kThreads = 4;
  constexpr std::uint32_t kRounds = 500;
  Checker checker;
  Recorder recorder(Recorder::Calls::kManyThreads);
  RecordedRun run = three_clients();
  run.clients = {"A", "B", "C", "D"};
  run.declared.slots = Slots::kNone;
  run.declared.level = Level::kFifo;
  recorder.begin(run, &checker);
  {
    std::vector<std::jthread> threads;
    for (ClientId client = 0; client < kThreads; ++client) {
      threads.emplace_back([&recorder, client] {
        for (std::uint32_t i = 0; i < kRounds; ++i) {
          const WriteCall call = recorder.begin_write(client, 0, false);
          Entry entry;
          entry.payload = call.payload;
          recorder.complete_write(call.operation, Ack{});
          const OperationIndex read = recorder.begin_read(client, 0);
          recorder.complete_read(read, std::optional<Entry>(entry));
        }
      });
    }
  }
  const History& history = recorder.history();
  ASSERT_EQ(history.operations.size(), 2U * kThreads * kRounds);
  std::set<Position> positions;
  for (const Operation& operation : history.operations) {
    positions.insert(operation.start);
    positions.insert(operation.end);
    EXPECT_LT(operation.start, operation.end);
    EXPECT_EQ(operation.outcome, Outcome::kOk);
    EXPECT_EQ(history.messages[operation.message].front(),
              history.clients[operation.client].front());
  }
  EXPECT_EQ(positions.size(), 4U * kThreads * kRounds);
  EXPECT_EQ(*positions.rbegin(), 4U * kThreads * kRounds);
  EXPECT_EQ(recorder.events(), 2U * kThreads * kRounds);
  const Report report = checker.finish();
  EXPECT_EQ(report, check(history));
  EXPECT_EQ(report.counts.observes, kThreads * kRounds);
}

}  // namespace
}  // namespace causalcheck
