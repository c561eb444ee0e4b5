// The broadcast group as a backend: its sessions, its declaration and its settings. The links are
// given no choice: nothing is lost, and every delay is the shortest, unless a test says otherwise.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/broadcast/broadcast_adapter.h"
#include "harness/backend.h"
#include "tests/plain_runtime.h"

namespace causalcheck {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr Time kDeadline = 1h;

std::vector<std::string> texts(const Result<std::vector<Delivered>>& batch) {
  std::vector<std::string> texts;
  if (batch.has_error()) return {"error: " + batch.error().text};
  for (const Delivered& delivered : *batch) texts.push_back(delivered.entry.payload);
  return texts;
}

struct Sessions {
  explicit Sessions(const std::string& spec)
      : backend(*make_broadcast_backend(parse_backend_url(spec).value())) {
    backend->reset({"run", {"t", "u"}}).value();
  }
  std::unique_ptr<Session> open(std::string_view label, const ResumeToken* token = nullptr) {
    return *backend->open({0, std::string(label), 1}, runtime, token);
  }
  std::unique_ptr<Backend> backend;
  PlainRuntime runtime{};
};

const char* const kCalm = "broadcast?delay=10&loss=0&duplicate=0&partition=0";
const char* const kCalmTotal = "broadcast?order=total&delay=10&loss=0&duplicate=0&partition=0";

TEST(BroadcastSession, AnOwnBroadcastIsNotHandedBack) {
  Sessions sessions(kCalm);
  const auto a = sessions.open("A"), b = sessions.open("B");
  ASSERT_TRUE(a->commit({"t", "mine", false}, kDeadline).has_value());
  EXPECT_THAT(texts(b->receive(1s)), ElementsAre("mine"));
  EXPECT_THAT(texts(a->receive(2s)), IsEmpty());
}

TEST(BroadcastSession, InTotalItComesBackInTheAgreedOrder) {
  Sessions sessions(kCalmTotal);
  const auto a = sessions.open("A");
  ASSERT_TRUE(a->commit({"t", "mine", false}, kDeadline).has_value());
  EXPECT_THAT(texts(a->receive(1s)), ElementsAre("mine"));
}

TEST(BroadcastSession, ACommitIsAcknowledgedAtOnceAndInTotalAfterTheRoundTrip) {
  Sessions calm_ones(kCalm);
  ASSERT_TRUE(calm_ones.open("A")->commit({"t", "m", false}, kDeadline).has_value());
  EXPECT_EQ(calm_ones.runtime.now(), 0us);
  Sessions ordered(kCalmTotal);
  const auto a = ordered.open("A");
  ASSERT_TRUE(a->commit({"t", "m", false}, kDeadline).has_value());
  EXPECT_GE(ordered.runtime.now(), 20us);
  EXPECT_EQ(ordered.backend->drain("t", "", ordered.runtime)->size(), 1U);
}

TEST(BroadcastSession, InTotalAnUnansweredRequestIsUnknown) {
  Sessions sessions(
      "broadcast?order=total&retransmit=off&loss=300&delay=10&duplicate=0&partition=0");
  class Losing final : public Runtime {
   public:
    Time now() override { return time; }
    Time wall_now() override { return time; }
    void sleep_until(Time until) override { time = std::max(time, until); }
    void yield() override {}
    std::uint32_t choose(std::uint32_t n) override { return n - 1; }
    Time time{};
  } runtime;
  const auto a = *sessions.backend->open({0, "A", 1}, runtime, nullptr);
  const Result<Ack> answer = a->commit({"t", "m", false}, 1ms);
  ASSERT_TRUE(answer.has_error());
  EXPECT_EQ(answer.error().code, ErrorCode::kDeadline);
  EXPECT_THAT(*sessions.backend->drain("t", "", runtime), IsEmpty());
}

TEST(BroadcastSession, AReconnectedClientGoesOnWhereItWas) {
  Sessions sessions(kCalm);
  const auto a = sessions.open("A");
  auto b = sessions.open("B");
  ASSERT_TRUE(a->commit({"t", "1", false}, kDeadline).has_value());
  EXPECT_THAT(texts(b->receive(1s)), ElementsAre("1"));
  ResumeToken token = *b->close();
  ASSERT_TRUE(a->commit({"u", "2", false}, kDeadline).has_value());
  b = sessions.open("B", &token);
  EXPECT_THAT(texts(b->receive(2s)), ElementsAre("2"));
}

TEST(BroadcastSession, WithoutItsTokenItStartsAtTheStart) {
  Sessions sessions(kCalm);
  const auto a = sessions.open("A");
  auto b = sessions.open("B");
  ASSERT_TRUE(a->commit({"t", "1", false}, kDeadline).has_value());
  EXPECT_THAT(texts(b->receive(1s)), ElementsAre("1"));
  ASSERT_TRUE(b->close().has_value());
  b = sessions.open("B");
  EXPECT_THAT(texts(b->receive(2s)), ElementsAre("1"));
}

TEST(BroadcastSession, RefusesATokenOfAnother) {
  Sessions sessions(kCalm);
  for (const char* bytes : {"A:0", "B", "B:", "B:x", "B:1 "}) {
    const ResumeToken token{bytes};
    const auto opened = sessions.backend->open({0, "B", 1}, sessions.runtime, &token);
    ASSERT_TRUE(opened.has_error()) << bytes;
    EXPECT_EQ(opened.error().code, ErrorCode::kRejected);
  }
}

TEST(BroadcastSession, RefusesMoreProcessesThanThereIsRoomFor) {
  Sessions sessions("broadcast?processes=2");
  auto a = sessions.open("A");
  const auto b = sessions.open("B");
  EXPECT_TRUE(sessions.backend->open({2, "C", 1}, sessions.runtime, nullptr).has_error());
  // One that restarts takes its own place, and one that leaves makes room.
  EXPECT_TRUE(sessions.backend->open({3, "B~2", 2}, sessions.runtime, nullptr).has_value());
  a.reset();
  EXPECT_TRUE(sessions.backend->open({2, "C", 1}, sessions.runtime, nullptr).has_value());
}

TEST(BroadcastSession, RefusesToPollAndTopicsThatAreNone) {
  Sessions sessions(kCalm);
  const auto a = sessions.open("A");
  EXPECT_EQ(a->poll("t", kDeadline).error().code, ErrorCode::kRejected);
  EXPECT_EQ(a->commit({"v", "m", false}, kDeadline).error().code, ErrorCode::kRejected);
  EXPECT_EQ(sessions.backend->drain("v", "", sessions.runtime).error().code, ErrorCode::kRejected);
}

TEST(BroadcastSession, TheDrainListsATopicAndItsDeletes) {
  Sessions sessions(kCalm);
  const auto a = sessions.open("A"), b = sessions.open("B");
  ASSERT_TRUE(a->commit({"t", "1", false}, kDeadline).has_value());
  ASSERT_TRUE(b->commit({"u", "2", false}, kDeadline).has_value());
  ASSERT_TRUE(b->commit({"t", "3", true}, kDeadline).has_value());
  const std::vector<Entry> log = *sessions.backend->drain("t", "", sessions.runtime);
  ASSERT_EQ(log.size(), 2U);
  EXPECT_EQ(log[0].payload, "1");
  EXPECT_EQ(log[1].payload, "3");
  EXPECT_TRUE(log[1].is_delete);
}

Declaration promises(const std::string& spec) {
  return (*make_broadcast_backend(parse_backend_url(spec).value()))->declare().promises;
}

TEST(BroadcastDeclaration, EachOrderDeclaresItsOwnLevel) {
  EXPECT_EQ(promises("broadcast?order=immediate").level, Level::kFifo);  // there is none below
  EXPECT_EQ(promises("broadcast?order=fifo").level, Level::kFifo);
  EXPECT_EQ(promises("broadcast").level, Level::kCausal);
  EXPECT_EQ(promises("broadcast?order=total").level, Level::kTotal);
}

TEST(BroadcastDeclaration, OffersOnlyWhatItsSettingsGive) {
  EXPECT_FALSE(promises("broadcast?order=immediate").offers.contains(Guarantee::kFifo));
  EXPECT_TRUE(promises("broadcast?order=fifo").offers.contains(Guarantee::kFifo));
  EXPECT_TRUE(promises("broadcast?order=fifo").offers.contains(Guarantee::kDelivery));
  EXPECT_FALSE(promises("broadcast?order=immediate").offers.contains(Guarantee::kDelivery));
  EXPECT_FALSE(promises("broadcast?at_cap=deliver").offers.contains(Guarantee::kDelivery));
  EXPECT_TRUE(promises("broadcast").offers.contains(Guarantee::kDelivery));
  EXPECT_FALSE(promises("broadcast?retransmit=off").offers.contains(Guarantee::kDelivery));
  EXPECT_TRUE(promises("broadcast?retransmit=off&loss=0&partition=0")
                  .offers.contains(Guarantee::kDelivery));
  EXPECT_FALSE(promises("broadcast?at_cap=drop").offers.contains(Guarantee::kDelivery));
  EXPECT_FALSE(promises("broadcast?at_cap=deliver").offers.contains(Guarantee::kCausal));
}

std::string refusal(const std::string& spec) {
  const auto made = make_broadcast_backend(parse_backend_url(spec).value());
  return made.has_error() ? made.error().text : "";
}

TEST(BroadcastSettings, RefusesWhatItDoesNotKnowByName) {
  EXPECT_THAT(refusal("broadcast?order=random"), HasSubstr("order=random"));
  EXPECT_THAT(refusal("broadcast?delay=9..3"), HasSubstr("delay=9..3"));
  EXPECT_THAT(refusal("broadcast?delay=9.."), HasSubstr("delay=9.."));
  EXPECT_THAT(refusal("broadcast?delay=9..x"), HasSubstr("delay=9..x"));
  EXPECT_THAT(refusal("broadcast?loss=301"), HasSubstr("loss=301"));
  EXPECT_THAT(refusal("broadcast?los=1"), HasSubstr("los"));
  EXPECT_THAT(refusal("broadcast:here"), HasSubstr("here"));
  EXPECT_EQ(refusal("broadcast?delay=7"), "");
  EXPECT_EQ(refusal("broadcast?delay=0..3600000000"), "");
}

}  // namespace
}  // namespace causalcheck
