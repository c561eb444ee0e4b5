#include "harness/checked_backend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "tests/plain_runtime.h"

namespace causalcheck {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr Time kDeadline = std::chrono::seconds(1);

// What a backend answers to everything; a test changes one thing.
struct Answers {
  BackendDeclaration declared{};
  Result<Ack> ack = Ack{Slot{0}};
  std::optional<Entry> polled{};
  std::optional<Error> poll_error{};  // instead
  Result<std::vector<Delivered>> received = Error(ErrorCode::kRejected, "no feed");
  Result<std::vector<Entry>> drained = std::vector<Entry>();
  std::vector<std::string> nodes{""};
  bool opens = true;
  std::function<void()> during{};  // runs inside of every call
};

class AnsweringSession final : public Session {
 public:
  explicit AnsweringSession(Answers& answers) : answers_(answers) {}
  Result<Ack> commit(const Message&, Time) override { return given(answers_.ack); }
  Result<std::optional<Entry>> poll(std::string_view, Time) override {
    if (answers_.during) answers_.during();
    if (answers_.poll_error) return *answers_.poll_error;
    return answers_.polled;
  }
  Result<std::vector<Delivered>> receive(Time) override { return given(answers_.received); }
  Result<ResumeToken> close() override { return ResumeToken{"token"}; }

 private:
  template <class T>
  T given(const T& answer) {
    if (answers_.during) answers_.during();
    return answer;
  }
  Answers& answers_;
};

class AnsweringBackend final : public Backend {
 public:
  explicit AnsweringBackend(Answers& answers) : answers_(answers) {}
  BackendDeclaration declare() const override { return answers_.declared; }
  Result<void> reset(const RunInfo&) override { return {}; }
  Result<std::unique_ptr<Session>> open(const ClientInfo&, Runtime&, const ResumeToken*) override {
    if (!answers_.opens) return std::unique_ptr<Session>();
    return std::unique_ptr<Session>(std::make_unique<AnsweringSession>(answers_));
  }
  std::vector<std::string> nodes() const override { return answers_.nodes; }
  Result<std::vector<Entry>> drain(std::string_view, std::string_view, Runtime&) override {
    return answers_.drained;
  }

 private:
  Answers& answers_;
};

Entry entry(std::string payload, std::optional<Slot> slot) {
  Entry made;
  made.payload = std::move(payload);
  made.slot = slot;
  return made;
}

class CheckedBackendTest : public testing::Test {
 protected:
  CheckedBackendTest() { answers_.declared.promises.slots = Slots::kSparse; }

  // The declaration is taken when the wrapper is made: tests set theirs first.
  CheckedBackend& checked() {
    if (!checked_) {
      checked_ = std::make_unique<CheckedBackend>(inner_);
      EXPECT_TRUE(checked_->reset({"run", {"x", "y"}}).has_value());
    }
    return *checked_;
  }
  Session& session() {
    if (!session_) session_ = *checked().open({0, "A~2", 2}, runtime_, nullptr);
    return *session_;
  }
  std::vector<std::string> misuse() {
    std::vector<std::string> texts;
    for (const Misuse& one : checked().misuse()) texts.push_back(one.text);
    return texts;
  }
  void commit() { static_cast<void>(session().commit({"x", "A1\n", false}, kDeadline)); }
  void poll() { static_cast<void>(session().poll("x", kDeadline)); }
  void receive() { static_cast<void>(session().receive(kDeadline)); }
  void drain() { static_cast<void>(checked().drain("x", "", runtime_)); }
  void feed() {
    answers_.declared.promises.reads = Reads::kFeed;
    answers_.poll_error = Error(ErrorCode::kRejected, "a feed");
    answers_.received = std::vector<Delivered>();
  }

  PlainRuntime runtime_{};
  Answers answers_{};
  AnsweringBackend inner_{answers_};
  std::unique_ptr<CheckedBackend> checked_{};
  std::unique_ptr<Session> session_{};
};

TEST_F(CheckedBackendTest, PassesAnswersOnAsTheyCame) {
  answers_.ack = Ack{Slot{7}};
  answers_.polled = entry("B1", 3);
  answers_.drained = std::vector<Entry>{entry("B1", 3), entry("A1", 7)};
  EXPECT_EQ(session().commit({"x", "A1", false}, kDeadline)->slot, 7);
  EXPECT_EQ(session().poll("x", kDeadline).value()->payload, "B1");
  EXPECT_TRUE(session().receive(kDeadline).has_error());
  EXPECT_EQ(session().close()->bytes, "token");
  EXPECT_THAT(*checked().drain("x", "", runtime_), SizeIs(2));
  EXPECT_THAT(checked().nodes(), ElementsAre(""));
  EXPECT_THAT(misuse(), IsEmpty());
}

TEST_F(CheckedBackendTest, AnErrorIsNeverMisuse) {
  answers_.ack = Error(ErrorCode::kDeadline, "late");
  answers_.poll_error = Error(ErrorCode::kUndecodable, "cut");
  answers_.drained = Error(ErrorCode::kUnavailable, "gone");
  commit();
  poll();
  receive();
  drain();
  EXPECT_THAT(misuse(), IsEmpty());
}

TEST_F(CheckedBackendTest, WhatTheBackendGetsWrongIsNeverMisuse) {
  // One message twice, two messages in one slot, an older one after a newer one.
  answers_.drained = std::vector<Entry>{entry("A1", 3), entry("A1", 4), entry("B1", 4)};
  drain();
  answers_.ack = Ack{Slot{5}};
  commit();
  answers_.polled = entry("A2", 5);
  poll();
  answers_.polled = entry("A1", 3);
  poll();
  answers_.polled.reset();
  poll();
  EXPECT_THAT(misuse(), IsEmpty());
}

TEST_F(CheckedBackendTest, ReportsAnAckWithoutASlot) {
  answers_.ack = Ack{};
  commit();
  EXPECT_THAT(misuse(), ElementsAre(AllOf(HasSubstr("A~2.commit(x, 'A1\\x0A')"),
                                          HasSubstr("answered no slot"), HasSubstr("sparse"))));
}

TEST_F(CheckedBackendTest, ReportsASlotWhereNoneWasDeclared) {
  answers_.declared.promises.slots = Slots::kNone;
  commit();
  answers_.polled = entry("B1", 3);
  poll();
  answers_.drained = std::vector<Entry>{entry("B1", 3)};
  drain();
  EXPECT_THAT(misuse(), ElementsAre(HasSubstr("has slot 0"), HasSubstr("has slot 3"),
                                    HasSubstr("has slot 3")));
}

TEST_F(CheckedBackendTest, AcceptsNoSlotWhereNoneWasDeclared) {
  answers_.declared.promises.slots = Slots::kNone;
  answers_.ack = Ack{};
  answers_.polled = entry("B1", std::nullopt);
  answers_.drained = std::vector<Entry>{entry("B1", std::nullopt)};
  commit();
  poll();
  drain();
  EXPECT_THAT(misuse(), IsEmpty());
}

TEST_F(CheckedBackendTest, ReportsANegativeSlot) {
  answers_.ack = Ack{Slot{-1}};
  commit();
  EXPECT_THAT(misuse(), ElementsAre(HasSubstr("negative slot -1")));
}

TEST_F(CheckedBackendTest, ReportsAllProblemsOfOneAnswerAtOnce) {
  feed();
  answers_.received =
      std::vector<Delivered>{{"z", entry("B1", std::nullopt)}, {"x", entry("B2", -3)}};
  receive();
  EXPECT_THAT(misuse(), ElementsAre(AllOf(HasSubstr("A~2.receive()"), HasSubstr("'z' is no topic"),
                                          HasSubstr("no slot"), HasSubstr("negative slot -3"),
                                          HasSubstr("z: 'B1' at slot none"))));
}

TEST_F(CheckedBackendTest, AcceptsTheMessagesOfTheRunsTopics) {
  feed();
  answers_.received = std::vector<Delivered>{{"y", entry("B1", 0)}, {"x", entry("B2", 0)}};
  receive();
  poll();
  EXPECT_THAT(misuse(), IsEmpty());
}

TEST_F(CheckedBackendTest, ReportsAPollOfAFeedThatIsAnswered) {
  feed();
  answers_.poll_error.reset();
  poll();
  EXPECT_THAT(misuse(), ElementsAre(AllOf(HasSubstr("A~2.poll(x) answered nothing"),
                                          HasSubstr("reads: feed"))));
}

TEST_F(CheckedBackendTest, ReportsAReceiveOfLatestReadsThatIsAnswered) {
  answers_.received = std::vector<Delivered>();
  receive();
  EXPECT_THAT(misuse(), ElementsAre(HasSubstr("reads: latest")));
}

TEST_F(CheckedBackendTest, ReportsAnAnswerMoreThanASecondLate) {
  answers_.during = [&] {
    runtime_.sleep_until(kDeadline + CheckedBackend::kGrace + std::chrono::milliseconds(5));
  };
  answers_.ack = Error(ErrorCode::kDeadline, "late");
  commit();
  EXPECT_THAT(misuse(), ElementsAre(AllOf(HasSubstr("1005 ms after the deadline"),
                                          HasSubstr("error deadline (late)"))));
}

TEST_F(CheckedBackendTest, AcceptsAnAnswerWithinTheGrace) {
  answers_.during = [&] { runtime_.sleep_until(kDeadline + CheckedBackend::kGrace); };
  commit();
  EXPECT_THAT(misuse(), IsEmpty());
}

TEST_F(CheckedBackendTest, ReportsADrainOutOfSlotOrder) {
  answers_.drained = std::vector<Entry>{entry("A1", 3), entry("A2", 5), entry("A3", 4)};
  drain();
  EXPECT_THAT(misuse(), ElementsAre(AllOf(HasSubstr("drain(x, '')"),
                                          HasSubstr("slot 4 comes after slot 5"))));
}

TEST_F(CheckedBackendTest, OnlyADrainMayShowWhatCouldNotBeRead) {
  Entry bad;
  bad.unreadable = true;
  answers_.drained = std::vector<Entry>{bad};  // nobody knows where
  drain();
  bad.slot = 4;
  answers_.drained = std::vector<Entry>{bad};
  drain();
  EXPECT_THAT(misuse(), IsEmpty());
  answers_.polled = bad;
  poll();
  EXPECT_THAT(misuse(), ElementsAre(HasSubstr("unreadable")));
}

TEST_F(CheckedBackendTest, ReportsAMissingSessionAndMakesItAnError) {
  answers_.opens = false;
  EXPECT_TRUE(checked().open({0, "A", 1}, runtime_, nullptr).has_error());
  EXPECT_THAT(misuse(), ElementsAre(HasSubstr("open(A)")));
}

TEST_F(CheckedBackendTest, ReportsNoNodesAtAll) {
  answers_.nodes = {};
  EXPECT_THAT(checked().nodes(), IsEmpty());
  EXPECT_THAT(misuse(), ElementsAre(HasSubstr("nodes()")));
}

TEST_F(CheckedBackendTest, ReportsADeclarationThatChanges) {
  checked();
  answers_.declared.promises.level = Level::kFifo;
  EXPECT_TRUE(checked().reset({"run2", {"x"}}).has_value());
  EXPECT_THAT(misuse(), ElementsAre(HasSubstr("declare()")));
  EXPECT_EQ(checked().declare().promises.level, Level::kCausal);
}

TEST_F(CheckedBackendTest, KeepsTheFirstHundred) {
  answers_.ack = Ack{};
  for (int i = 0; i < 200; ++i) commit();
  EXPECT_THAT(misuse(), SizeIs(CheckedBackend::kMisuseMax));
}

TEST_F(CheckedBackendTest, OverlappingCallsWithinTheDeclarationAreFine) {
  answers_.declared.concurrency = Concurrency::kPipelined;
  int depth = 0;
  answers_.during = [&] {
    if (++depth == 1) commit();
    if (depth == 2) poll();
  };
  commit();
  EXPECT_EQ(depth, 3);
  EXPECT_THAT(misuse(), IsEmpty());
}

using CheckedBackendDeathTest = CheckedBackendTest;

TEST_F(CheckedBackendDeathTest, TheHarnessMayNotMakeMoreCallsAtOnceThanDeclared) {
  answers_.declared.concurrency = Concurrency::kReadDuringCommit;
  answers_.during = [&] {
    answers_.during = {};
    commit();
  };
  EXPECT_DEATH(commit(), "commits <= 1");
  answers_.during = [&] {
    answers_.during = {};
    poll();
  };
  EXPECT_DEATH(poll(), "reads <= 1");
}

TEST_F(CheckedBackendDeathTest, TheHarnessMayNotReadDuringACommitOfASessionThatTakesOneCall) {
  answers_.during = [&] {
    answers_.during = {};
    poll();
  };
  EXPECT_DEATH(commit(), "commits \\+ reads <= 1");
}

TEST_F(CheckedBackendDeathTest, TheHarnessMayNotCallAClosedSession) {
  EXPECT_TRUE(session().close().has_value());
  EXPECT_DEATH(commit(), "closed_");
}

TEST_F(CheckedBackendDeathTest, TheHarnessMayNotResetWhileSessionsAreOpen) {
  commit();
  EXPECT_DEATH(static_cast<void>(checked().reset({"run2", {"x"}})), "sessions_open");
}

}  // namespace
}  // namespace causalcheck
