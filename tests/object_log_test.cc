#include "harness/object_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "harness/object_format.h"
#include "harness/scheduler.h"
#include "tests/plain_runtime.h"
#include "tests/scripted_store.h"

namespace causalcheck {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr Time kFar = std::chrono::seconds(10);
constexpr char kSlot0[] = "run/x/log/00000000000000000000";
constexpr char kSlot1[] = "run/x/log/00000000000000000001";

class ObjectLogTest : public testing::Test {
 protected:
  explicit ObjectLogTest(Reads reads = Reads::kLatest) {
    auto owned = std::make_unique<ScriptedStore>();
    store_ = owned.get();
    log_ = std::make_unique<ObjectLog>(std::move(owned), ObjectLogOptions{reads});
    reset("run");
  }

  void reset(const std::string& run) { ASSERT_TRUE(log_->reset({run, {"x", "y"}}).has_value()); }
  std::unique_ptr<Session> open(const ResumeToken* resume = nullptr) {
    return *log_->open({0, "A", 1}, runtime_, resume);
  }
  Result<Ack> commit(Session& session, std::string_view payload, std::string_view topic = "x") {
    return session.commit({topic, payload, false}, kFar);
  }
  std::string polled(Session& session, std::string_view topic = "x") {
    const auto answer = session.poll(topic, kFar);
    if (answer.has_error()) return "error " + std::string(to_string(answer.error().code));
    return answer->has_value() ? (*answer)->payload : "nothing";
  }
  std::vector<std::string> drained(std::string_view topic = "x") {
    std::vector<std::string> lines;
    for (const Entry& entry : *log_->drain(topic, "", runtime_)) {
      lines.push_back((entry.slot ? std::to_string(*entry.slot) : "none") + ":" +
                      (entry.unreadable ? "unreadable" : entry.payload));
    }
    return lines;
  }

  PlainRuntime runtime_{};
  ScriptedStore* store_ = nullptr;
  std::unique_ptr<ObjectLog> log_{};
};

class ObjectLogFeedTest : public ObjectLogTest {
 protected:
  ObjectLogFeedTest() : ObjectLogTest(Reads::kFeed) {}

  std::vector<std::string> received(Session& session, Time limit = std::chrono::milliseconds(100)) {
    const auto answer = session.receive(runtime_.now() + limit);
    if (answer.has_error()) return {"error " + std::string(to_string(answer.error().code))};
    std::vector<std::string> lines;
    for (const Delivered& one : *answer) {
      lines.push_back(one.topic + ":" + one.entry.payload + "@" + std::to_string(*one.entry.slot));
    }
    return lines;
  }
};

TEST_F(ObjectLogTest, PromisesAContiguousTotalOrderOfAllTopics) {
  const BackendDeclaration declared = log_->declare();
  EXPECT_EQ(declared.promises.slots, Slots::kContiguous);
  EXPECT_EQ(declared.promises.reads, Reads::kLatest);
  EXPECT_EQ(declared.promises.level, Level::kTotal);
  EXPECT_EQ(declared.promises.scope, Scope::kAll);
  EXPECT_EQ(declared.promises.retries, Retries::kNone);
  EXPECT_EQ(declared.concurrency, Concurrency::kPipelined);
  EXPECT_TRUE(declared.interleaves);
  EXPECT_TRUE(declared.promises.claims.contains(Guarantee::kRealTime));
  EXPECT_TRUE(declared.promises.offers.contains(Guarantee::kNoLostWrites));
  EXPECT_TRUE(declared.promises.offers.contains(Guarantee::kTotal));
}

TEST_F(ObjectLogFeedTest, PromisesOrderWithinATopicOnly) {
  EXPECT_EQ(log_->declare().promises.reads, Reads::kFeed);
  EXPECT_EQ(log_->declare().promises.scope, Scope::kTopic);
}

TEST_F(ObjectLogTest, CommitsTakeTheSlotsOneAfterAnother) {
  const auto a = open();
  const auto b = open();
  EXPECT_EQ(commit(*a, "A1")->slot, 0);
  EXPECT_EQ(commit(*b, "B1")->slot, 1);
  EXPECT_EQ(commit(*a, "A2")->slot, 2);
  EXPECT_EQ(commit(*a, "A3", "y")->slot, 0);
  EXPECT_THAT(drained(), ElementsAre("0:A1", "1:B1", "2:A2"));
  EXPECT_THAT(drained("y"), ElementsAre("0:A3"));
}

TEST_F(ObjectLogTest, CommitMovesOnWhenTheSlotIsTaken) {
  const auto a = open();
  const auto b = open();
  commit(*a, "A1").value();
  store_->created.clear();
  EXPECT_EQ(commit(*b, "B1")->slot, 1);
  EXPECT_THAT(store_->created, ElementsAre(kSlot0, kSlot1));
}

TEST_F(ObjectLogTest, CommitStartsAfterWhatTheSessionHasRead) {
  const auto a = open();
  const auto b = open();
  commit(*a, "A1").value();
  EXPECT_EQ(polled(*b), "A1");
  store_->created.clear();
  EXPECT_EQ(commit(*b, "B1")->slot, 1);
  EXPECT_THAT(store_->created, ElementsAre(kSlot1));
}

TEST_F(ObjectLogTest, EveryPrimitiveIsPrecededByAYield) {
  const auto a = open();
  commit(*a, "A1").value();
  EXPECT_EQ(runtime_.yields, 1U);
  EXPECT_EQ(polled(*a), "A1");
  EXPECT_EQ(runtime_.yields, 1U + store_->got.size());
}

// Each competitor gets in between every two steps of A.
TEST_F(ObjectLogTest, ACompetitorInTheMiddleOfACommitTakesTheSlotAndNothingElse) {
  const auto a = open();
  const auto b = open();
  int rivals = 0;
  runtime_.on_yield = [&] {
    if (rivals < 3) commit(*b, "B" + std::to_string(++rivals)).value();
  };
  EXPECT_EQ(commit(*a, "A1")->slot, 3);
  EXPECT_THAT(drained(), ElementsAre("0:B1", "1:B2", "2:B3", "3:A1"));
}

TEST_F(ObjectLogTest, AnAmbiguousCommitIsToldAndNotTriedAgain) {
  const auto a = open();
  store_->on_create = [&](std::string_view key, std::string_view content) {
    EXPECT_TRUE(store_->store.create_if_absent(key, content, runtime_, kFar).has_value());
    return Result<Created>(Error(ErrorCode::kDeadline, "the answer was lost"));
  };
  const Result<Ack> answer = commit(*a, "A1");
  ASSERT_TRUE(answer.has_error());
  EXPECT_EQ(outcome_of(answer.error().code), Outcome::kInfo);
  EXPECT_THAT(store_->created, SizeIs(1));
  store_->on_create = {};
  // The next message finds the slot taken: it never overwrites, and A1 is there once.
  EXPECT_EQ(commit(*a, "A2")->slot, 1);
  EXPECT_THAT(drained(), ElementsAre("0:A1", "1:A2"));
}

TEST_F(ObjectLogTest, AnAmbiguousCommitThatNeverLandedLeavesNoHole) {
  const auto a = open();
  store_->on_create = [](std::string_view, std::string_view) {
    return Result<Created>(Error(ErrorCode::kConnectionLost, "the request was lost"));
  };
  EXPECT_TRUE(commit(*a, "A1").has_error());
  store_->on_create = {};
  EXPECT_EQ(commit(*a, "A2")->slot, 0);
  EXPECT_THAT(drained(), ElementsAre("0:A2"));
}

TEST_F(ObjectLogTest, ARefusedCommitIsToldAsSuch) {
  const auto a = open();
  store_->on_create = [](std::string_view, std::string_view) {
    return Result<Created>(Error(ErrorCode::kRejected, "the disk is full"));
  };
  EXPECT_EQ(commit(*a, "A1").error().code, ErrorCode::kRejected);
}

TEST_F(ObjectLogTest, ACommitWithoutTimeSendsNothing) {
  const auto a = open();
  const Result<Ack> answer = a->commit({"x", "A1", false}, runtime_.now());
  EXPECT_EQ(answer.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(store_->created, IsEmpty());
}

TEST_F(ObjectLogTest, ACommitThatOnlyMetTakenSlotsUntilItsDeadlineCertainlyDidNotHappen) {
  const auto a = open();
  const auto b = open();
  runtime_.on_yield = [&] {
    commit(*b, "B").value();
    runtime_.sleep_until(runtime_.now() + std::chrono::milliseconds(1));
  };
  const Result<Ack> answer = a->commit({"x", "A1", false}, std::chrono::milliseconds(5));
  EXPECT_EQ(answer.error().code, ErrorCode::kUnavailable);
  runtime_.on_yield = {};
  for (const std::string& line : drained()) EXPECT_EQ(line.back(), 'B');
}

TEST_F(ObjectLogTest, PollFindsNothingInAnEmptyTopic) {
  const auto a = open();
  EXPECT_EQ(polled(*a), "nothing");
  commit(*a, "A1", "y").value();
  EXPECT_EQ(polled(*a), "nothing");
}

TEST_F(ObjectLogTest, PollAnswersTheLastOfSeveral) {
  const auto a = open();
  const auto b = open();
  for (const char* payload : {"A1", "A2", "A3"}) commit(*a, payload).value();
  EXPECT_EQ(polled(*b), "A3");
  EXPECT_EQ(b->poll("x", kFar).value()->slot, 2);
}

TEST_F(ObjectLogTest, PollThatFindsNothingNewLooksOnce) {
  const auto a = open();
  commit(*a, "A1").value();
  EXPECT_EQ(polled(*a), "A1");
  store_->got.clear();
  EXPECT_EQ(polled(*a), "A1");
  EXPECT_THAT(store_->got, ElementsAre(kSlot1));
}

// What is read comes from reading: a store whose reads lag must be seen to lag.
TEST_F(ObjectLogTest, PollDoesNotTakeAnOwnCommitForRead) {
  const auto a = open();
  commit(*a, "A1").value();
  store_->on_get = [](std::string_view) {
    return Result<std::optional<std::string>>(std::optional<std::string>());
  };
  EXPECT_EQ(polled(*a), "nothing");
  store_->on_get = {};
  EXPECT_EQ(polled(*a), "A1");
}

TEST_F(ObjectLogTest, AMalformedLastObjectIsNeverAnOlderValue) {
  const auto a = open();
  const auto b = open();
  commit(*a, "A1").value();
  EXPECT_EQ(polled(*b), "A1");
  ASSERT_EQ(store_->store.create_if_absent(kSlot1, "", runtime_, kFar).value(), Created::kCreated);
  EXPECT_EQ(polled(*b), "error undecodable");
  EXPECT_EQ(polled(*b), "error undecodable");
  EXPECT_EQ(polled(*open()), "error undecodable");
  EXPECT_THAT(drained(), ElementsAre("0:A1", "1:unreadable"));
  // One that follows is the last one, and fine.
  EXPECT_EQ(commit(*a, "A2")->slot, 2);
  EXPECT_EQ(polled(*b), "A2");
  EXPECT_EQ(polled(*b), "A2");
}

TEST_F(ObjectLogTest, AStoreOfWhichNothingCanBeReadEndsAPollAndADrain) {
  const auto a = open();
  commit(*a, "A1").value();
  store_->on_get = [](std::string_view) {
    return Result<std::optional<std::string>>(Error(ErrorCode::kUndecodable, "cut"));
  };
  EXPECT_EQ(polled(*a), "error undecodable");
  EXPECT_LT(store_->got.size(), 100U);
  EXPECT_THAT(drained(), ElementsAre("0:unreadable", "1:unreadable"));
  store_->on_get = {};
  EXPECT_EQ(polled(*a), "A1");
}

TEST_F(ObjectLogTest, AnAnswerThatWasCutOnceIsReadAgain) {
  const auto a = open();
  commit(*a, "A1").value();
  store_->on_get = [](std::string_view key) -> std::optional<Result<std::optional<std::string>>> {
    if (key != kSlot0) return std::nullopt;
    return Result<std::optional<std::string>>(Error(ErrorCode::kUndecodable, "cut"));
  };
  EXPECT_EQ(polled(*a), "error undecodable");
  store_->on_get = {};
  EXPECT_EQ(polled(*a), "A1");
}

TEST_F(ObjectLogTest, APollThatFailsChangesNothing) {
  const auto a = open();
  commit(*a, "A1").value();
  EXPECT_EQ(polled(*a), "A1");
  store_->on_get = [](std::string_view) {
    return Result<std::optional<std::string>>(Error(ErrorCode::kConnectionLost, "reset"));
  };
  EXPECT_EQ(polled(*a), "error connection-lost");
  store_->on_get = {};
  EXPECT_EQ(polled(*a), "A1");
}

TEST_F(ObjectLogTest, APollWithoutTimeSaysSo) {
  const auto a = open();
  EXPECT_EQ(a->poll("x", runtime_.now()).error().code, ErrorCode::kDeadline);
}

TEST_F(ObjectLogTest, DeletesComeBackAsDeletes) {
  const auto a = open();
  a->commit({"x", "A1", true}, kFar).value();
  EXPECT_TRUE(a->poll("x", kFar).value()->is_delete);
  EXPECT_TRUE(log_->drain("x", "", runtime_)->at(0).is_delete);
  a->commit({"x", "A2", false}, kFar).value();
  EXPECT_FALSE(a->poll("x", kFar).value()->is_delete);
}

TEST_F(ObjectLogTest, ReceiveOfALogWithLatestReadsIsAnError) {
  EXPECT_TRUE(open()->receive(kFar).has_error());
}

TEST_F(ObjectLogFeedTest, PollOfAFeedIsAnError) {
  EXPECT_TRUE(open()->poll("x", kFar).has_error());
}

TEST_F(ObjectLogTest, ATopicThatIsNotTheRunsIsRefused) {
  const auto a = open();
  EXPECT_EQ(commit(*a, "A1", "z").error().code, ErrorCode::kRejected);
  EXPECT_TRUE(a->poll("z", kFar).has_error());
  EXPECT_TRUE(log_->drain("z", "", runtime_).has_error());
  EXPECT_THAT(store_->created, IsEmpty());
}

TEST_F(ObjectLogTest, ResetForgetsTheRunBeforeAndNothingElse) {
  ASSERT_TRUE(store_->store.create_if_absent("other/x/log/1", "", runtime_, kFar).has_value());
  {
    const auto a = open();
    commit(*a, "A1").value();
  }
  reset("run2");
  EXPECT_THAT(store_->forgotten, ElementsAre("run/"));
  EXPECT_THAT(*store_->store.list("", runtime_, kFar), ElementsAre("other/x/log/1"));
  EXPECT_EQ(polled(*open()), "nothing");
  EXPECT_THAT(drained(), IsEmpty());
}

TEST_F(ObjectLogTest, TopicsOfAnyNameAreKeptApart) {
  const std::vector<std::string> topics = {"",        "a",    "a/log", "a/log/0",           "..",
                                           "a%2Flog", "\xF0", " ",     std::string("\0", 1)};
  ASSERT_TRUE(log_->reset({"run/../other", topics}).has_value());
  const auto a = open();
  for (const std::string& topic : topics) EXPECT_EQ(commit(*a, "in " + topic, topic)->slot, 0);
  for (const std::string& topic : topics) {
    EXPECT_EQ(polled(*a, topic), "in " + topic);
    EXPECT_THAT(drained(topic), ElementsAre("0:in " + topic));
  }
}

TEST_F(ObjectLogTest, DrainShowsAHole) {
  const auto a = open();
  commit(*a, "A1").value();
  ObjectWriter writer;
  ASSERT_TRUE(store_->store
                  .create_if_absent("run/x/log/00000000000000000003", writer.encode("lost", false),
                                    runtime_, kFar)
                  .has_value());
  EXPECT_THAT(drained(), ElementsAre("0:A1", "3:lost"));
}

TEST_F(ObjectLogTest, DrainFindsWhatAListingLeavesOut) {
  const auto a = open();
  for (const char* payload : {"A1", "A2", "A3"}) commit(*a, payload).value();
  store_->on_list = [](std::string_view) { return std::vector<std::string>{kSlot1}; };
  EXPECT_THAT(drained(), ElementsAre("0:A1", "1:A2", "2:A3"));
}

TEST_F(ObjectLogTest, DrainLeavesOutWhatIsListedAndNotThere) {
  const auto a = open();
  commit(*a, "A1").value();
  store_->on_list = [](std::string_view) { return std::vector<std::string>{kSlot0, kSlot1}; };
  EXPECT_THAT(drained(), ElementsAre("0:A1"));
}

TEST_F(ObjectLogTest, DrainShowsAStrangerWithoutASlot) {
  const auto a = open();
  commit(*a, "A1").value();
  for (const char* name : {"run/x/log/junk", "run/x/log/99999999999999999999"}) {
    ASSERT_TRUE(store_->store.create_if_absent(name, "?", runtime_, kFar).has_value());
  }
  EXPECT_THAT(drained(), ElementsAre("0:A1", "none:unreadable", "none:unreadable"));
}

TEST_F(ObjectLogTest, AResumedSessionGoesOnWhereItWas) {
  auto a = open();
  commit(*a, "A1").value();
  commit(*a, "A2").value();
  EXPECT_EQ(polled(*a), "A2");
  const ResumeToken token = a->close().value();
  a.reset();
  store_->got.clear();
  const auto again = open(&token);
  EXPECT_EQ(polled(*again), "A2");
  EXPECT_THAT(store_->got, SizeIs(2));  // the last one it knew, and the one after
  store_->created.clear();
  EXPECT_EQ(commit(*again, "A3")->slot, 2);
  EXPECT_THAT(store_->created, SizeIs(1));
}

TEST_F(ObjectLogTest, ATokenThatIsNoneIsRefused) {
  for (const char* bytes : {"x", "x=", "x=a", "=1", "z=1", "x=1&", "x=1&&y=1", "x=-1"}) {
    const ResumeToken token{bytes};
    EXPECT_EQ(log_->open({0, "A", 1}, runtime_, &token).error().code, ErrorCode::kRejected)
        << bytes;
  }
}

TEST_F(ObjectLogFeedTest, ReceiveHandsOverEverythingInOrder) {
  const auto a = open();
  const auto b = open();
  for (const char* payload : {"A1", "A2"}) commit(*a, payload).value();
  commit(*a, "A3", "y").value();
  EXPECT_THAT(received(*b), ElementsAre("x:A1@0", "x:A2@1", "y:A3@0"));
  commit(*a, "A4").value();
  EXPECT_THAT(received(*b), ElementsAre("x:A4@2"));
}

TEST_F(ObjectLogFeedTest, ReceiveReturnsNothingAtItsDeadline) {
  const auto a = open();
  EXPECT_THAT(received(*a, std::chrono::milliseconds(50)), IsEmpty());
  EXPECT_EQ(runtime_.now(), std::chrono::milliseconds(50));
  EXPECT_LT(runtime_.sleeps, 30U);
}

TEST_F(ObjectLogFeedTest, ReceiveWaitsUntilSomethingComes) {
  const auto a = open();
  const auto b = open();
  runtime_.on_sleep = [&] {
    if (runtime_.sleeps == 4) commit(*a, "A1").value();
  };
  EXPECT_THAT(received(*b), ElementsAre("x:A1@0"));
  EXPECT_EQ(runtime_.sleeps, 4U);
}

TEST_F(ObjectLogFeedTest, AnUnreadableObjectHoldsUpItsTopicAndNoOther) {
  const auto a = open();
  const auto b = open();
  commit(*a, "A1").value();
  ASSERT_TRUE(store_->store.create_if_absent(kSlot1, "cut", runtime_, kFar).has_value());
  EXPECT_EQ(commit(*a, "A2")->slot, 2);
  EXPECT_THAT(received(*b), ElementsAre("x:A1@0"));
  EXPECT_THAT(received(*b), ElementsAre("error undecodable"));
  commit(*a, "A3", "y").value();
  EXPECT_THAT(received(*b), ElementsAre("y:A3@0"));
  EXPECT_THAT(received(*b), ElementsAre("error undecodable"));
}

TEST_F(ObjectLogFeedTest, WhatAFailedReceiveHeldIsHandedOverLater) {
  const auto a = open();
  const auto b = open();
  commit(*a, "A1").value();
  store_->on_get = [](std::string_view) {
    return Result<std::optional<std::string>>(Error(ErrorCode::kConnectionLost, "reset"));
  };
  EXPECT_THAT(received(*b), ElementsAre("error connection-lost"));
  store_->on_get = {};
  EXPECT_THAT(received(*b), ElementsAre("x:A1@0"));
}

TEST_F(ObjectLogFeedTest, AResumedSessionIsHandedWhatItLacks) {
  const auto a = open();
  auto b = open();
  commit(*a, "A1").value();
  EXPECT_THAT(received(*b), ElementsAre("x:A1@0"));
  const ResumeToken token = b->close().value();
  commit(*a, "A2").value();
  EXPECT_THAT(received(*open(&token)), ElementsAre("x:A2@1"));
  EXPECT_THAT(received(*open()), ElementsAre("x:A1@0", "x:A2@1"));
}

// Under the real scheduler, whatever it chooses.
TEST_F(ObjectLogTest, PipelinedCommitsTakeEffectInTheOrderOfTheirCalls) {
  DeterministicScheduler scheduler;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    reset("run" + std::to_string(seed));
    Choices choices(seed);
    const Strategy strategy;
    scheduler.begin(choices, strategy);
    const auto a = *log_->open({0, "A", 1}, scheduler.runtime_of(0, Time::zero()), nullptr);
    const auto b = *log_->open({1, "B", 1}, scheduler.runtime_of(1, Time::zero()), nullptr);
    std::vector<std::string> called;
    for (int i = 0; i < 4; ++i) {
      scheduler.spawn(0, "committer", [&, i] {
        scheduler.runtime_of(0, Time::zero()).yield();
        const std::string payload = "A" + std::to_string(i);
        called.push_back(payload);
        ASSERT_TRUE(commit(*a, payload).has_value());
      });
    }
    scheduler.spawn(1, "rival", [&] {
      for (int i = 0; i < 3; ++i) ASSERT_TRUE(commit(*b, "B").has_value());
    });
    scheduler.run();
    std::vector<std::string> landed;
    for (const Entry& entry : *log_->drain("x", "", runtime_)) {
      if (entry.payload != "B") landed.push_back(entry.payload);
    }
    EXPECT_EQ(landed, called);
    EXPECT_THAT(landed, SizeIs(4));
  }
}

TEST_F(ObjectLogTest, ACommitWhoseTurnDoesNotComeCertainlyDidNotHappen) {
  const auto a = open();
  store_->on_create = [&](std::string_view, std::string_view) {
    // The first one is still waiting for its answer when the second one is called.
    store_->on_create = {};
    const auto second =
        a->commit({"x", "A2", false}, runtime_.now() + std::chrono::milliseconds(1));
    EXPECT_EQ(second.error().code, ErrorCode::kUnavailable);
    return std::optional<Result<Created>>();
  };
  EXPECT_EQ(commit(*a, "A1")->slot, 0);
  EXPECT_EQ(commit(*a, "A3")->slot, 1);
  EXPECT_THAT(drained(), ElementsAre("0:A1", "1:A3"));
}

TEST(ObjectFormat, GivesBackWhatWasWritten) {
  ObjectWriter writer;
  for (const std::string& payload :
       {std::string(), std::string("x"), std::string(300, '\0'), std::string(70000, 'm')}) {
    for (const bool is_delete : {false, true}) {
      const std::string content(writer.encode(payload, is_delete));
      const auto trailer = read_trailer(content);
      ASSERT_TRUE(trailer.has_value());
      EXPECT_EQ(content.substr(0, trailer->payload_bytes), payload);
      EXPECT_EQ(trailer->is_delete, is_delete);
    }
  }
}

TEST(ObjectFormat, RefusesACutObjectWhereverItIsCut) {
  // A payload that looks like objects itself, so that some cuts end in something like a trailer.
  ObjectWriter writer;
  std::string payload;
  for (int i = 0; i < 4; ++i) payload = std::string(writer.encode(payload, false));
  const std::string content(writer.encode(payload, false));
  int fooled = 0;
  for (std::size_t size = 0; size < content.size(); ++size) {
    if (read_trailer(std::string_view(content).substr(0, size))) ++fooled;
  }
  // Only a cut to exactly an object inside is one.
  EXPECT_EQ(fooled, 4);
}

TEST(ObjectFormat, RefusesZeroesAndUnknownKinds) {
  EXPECT_FALSE(read_trailer(std::string(64, '\0')).has_value());
  ObjectWriter writer;
  std::string content(writer.encode("payload", false));
  content.back() = 'M';
  EXPECT_FALSE(read_trailer(content).has_value());
  content.back() = 'm';
  EXPECT_TRUE(read_trailer(content).has_value());
}

}  // namespace
}  // namespace causalcheck
