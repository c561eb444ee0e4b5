// The broadcast group, call by call. Its links are given no choice: nothing is lost,
// and every delay is the shortest, unless a test says otherwise.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/broadcast/group.h"
#include "tests/plain_runtime.h"

namespace causalcheck {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

BroadcastSettings calm(DeliveryOrder order) {
  BroadcastSettings settings;
  settings.order = order;
  settings.links.delay_low = settings.links.delay_high = 10us;
  return settings;
}

// A group, and its clock. Time moves only where somebody sleeps.
struct World {
  explicit World(const BroadcastSettings& s) : settings(s), protocol(make_protocol(s.order)) {}

  ProcessId join(std::string_view label) { return group.join(label, runtime); }
  BroadcastId send(ProcessId process, std::string_view text) {
    group.advance(runtime);
    return group.broadcast(process, {"t", text, false}, runtime);
  }
  void wait(Time time) {
    runtime.sleep_until(runtime.now() + time);
    group.advance(runtime);
  }
  // What `process` has delivered by now, from the first on.
  std::vector<std::string> delivered(ProcessId process) {
    group.advance(runtime);
    group.receive(process, runtime.now());
    std::vector<std::string> texts;
    for (const BroadcastId id : group.delivered(process)) {
      texts.push_back(group.entry(id).entry.payload);
    }
    return texts;
  }
  void slow(ProcessId from, ProcessId to, Time delay) {
    LinkSettings link = group.network().link(from, to).settings();
    link.delay_low = link.delay_high = delay;
    group.network().link(from, to) = Link(link);
  }

  BroadcastSettings settings;
  std::unique_ptr<Protocol> protocol;
  PlainRuntime runtime{};
  Group group{settings, *protocol};
};

TEST(BroadcastGroup, ACausalReceiverHoldsTheAnswerUntilTheQuestionIsThere) {
  World world(calm(DeliveryOrder::kCausal));
  const ProcessId a = world.join("A"), b = world.join("B"), c = world.join("C");
  world.slow(b, a, 100us);
  world.send(b, "question");
  world.wait(10us);
  EXPECT_THAT(world.delivered(c), ElementsAre("question"));
  world.send(c, "answer");
  world.wait(10us);
  EXPECT_THAT(world.delivered(a), IsEmpty());
  world.wait(80us);
  EXPECT_THAT(world.delivered(a), ElementsAre("question", "answer"));
}

TEST(BroadcastGroup, FifoDeliversTheAnswerAsItComes) {
  World world(calm(DeliveryOrder::kFifo));
  const ProcessId a = world.join("A"), b = world.join("B"), c = world.join("C");
  world.slow(b, a, 100us);
  world.send(b, "question");
  world.wait(10us);
  EXPECT_THAT(world.delivered(c), ElementsAre("question"));
  world.send(c, "answer");
  world.wait(100us);
  EXPECT_THAT(world.delivered(a), ElementsAre("answer", "question"));
}

TEST(BroadcastGroup, ReceivingIsNotDeliveringAndTicksNothing) {
  World world(calm(DeliveryOrder::kCausal));
  const ProcessId a = world.join("A"), b = world.join("B"), c = world.join("C");
  world.slow(a, c, 1ms);
  world.send(a, "first");
  world.wait(10us);
  // It has arrived at B, whose client has not been handed it: what B sends does not depend on it.
  world.send(b, "independent");
  world.wait(10us);
  EXPECT_THAT(world.delivered(c), ElementsAre("independent"));
}

TEST(BroadcastGroup, ImmediateDeliversOneSendersBroadcastsAsTheyCome) {
  World world(calm(DeliveryOrder::kImmediate));
  const ProcessId a = world.join("A"), b = world.join("B");
  world.slow(b, a, 100us);
  world.send(b, "first");
  world.slow(b, a, 10us);
  world.send(b, "second");
  world.wait(100us);
  EXPECT_THAT(world.delivered(a), ElementsAre("second", "first"));
}

TEST(BroadcastGroup, EverybodyDeliversTheAgreedOrderInTotal) {
  World world(calm(DeliveryOrder::kTotal));
  const ProcessId a = world.join("A"), b = world.join("B");
  world.slow(a, 0, 20us);  // A's request reaches the sequencer after B's
  world.send(a, "of A");
  world.send(b, "of B");
  EXPECT_THAT(world.delivered(a), IsEmpty());
  world.wait(20us);
  world.wait(20us);
  EXPECT_THAT(world.delivered(a), ElementsAre("of B", "of A"));
  EXPECT_THAT(world.delivered(b), ElementsAre("of B", "of A"));
}

TEST(BroadcastGroup, TheAgreedOrderKeepsEachSendersOrder) {
  World world(calm(DeliveryOrder::kTotal));
  const ProcessId a = world.join("A");
  world.slow(a, 0, 50us);
  world.send(a, "first");
  world.slow(a, 0, 10us);
  world.send(a, "second");
  world.wait(100us);
  EXPECT_THAT(world.delivered(a), ElementsAre("first", "second"));
}

TEST(BroadcastGroup, ALatecomerIsSentEverythingFromTheStartOn) {
  for (const DeliveryOrder order : {DeliveryOrder::kCausal, DeliveryOrder::kTotal}) {
    World world(calm(order));
    const ProcessId a = world.join("A");
    world.send(a, "first");
    world.wait(1ms);
    world.send(a, "second");
    world.wait(1ms);
    const ProcessId b = world.join("B");
    world.wait(1ms);
    EXPECT_THAT(world.delivered(b), ElementsAre("first", "second")) << to_string(order);
  }
}

TEST(BroadcastGroup, ARestartedClientIsAFreshProcessAndGetsWhatItSentBefore) {
  World world(calm(DeliveryOrder::kCausal));
  const ProcessId a = world.join("A"), b = world.join("B");
  world.send(a, "before");
  world.wait(1ms);
  EXPECT_THAT(world.delivered(b), ElementsAre("before"));
  const ProcessId again = world.join("A~2");
  EXPECT_NE(again, a);
  EXPECT_FALSE(world.group.is_live(a));
  world.send(b, "while away");
  world.wait(1ms);
  EXPECT_THAT(world.delivered(a), ElementsAre("before"));
  EXPECT_THAT(world.delivered(again), ElementsAre("before", "while away"));
  world.send(again, "after");
  world.wait(1ms);
  EXPECT_THAT(world.delivered(b), ElementsAre("before", "while away", "after"));
}

TEST(BroadcastGroup, TheOutboxOfADeadIncarnationGoesOnSending) {
  World world(calm(DeliveryOrder::kCausal));
  const ProcessId a = world.join("A"), b = world.join("B");
  world.group.network().link(a, b).lose_next(1);
  world.send(a, "lost at first");
  world.join("A~2");
  world.wait(1ms);
  EXPECT_THAT(world.delivered(b), ElementsAre("lost at first"));
}

TEST(BroadcastGroup, WhoLeftAndComesBackMissesNothing) {
  World world(calm(DeliveryOrder::kCausal));
  const ProcessId a = world.join("A"), b = world.join("B");
  world.group.leave(b);
  world.send(a, "meanwhile");
  world.wait(1ms);
  EXPECT_THAT(world.delivered(b), IsEmpty());
  EXPECT_EQ(world.join("B"), b);
  world.wait(1ms);
  EXPECT_THAT(world.delivered(b), ElementsAre("meanwhile"));
}

TEST(BroadcastGroup, WhatWasNotAcknowledgedIsSentAgain) {
  World world(calm(DeliveryOrder::kCausal));
  const ProcessId a = world.join("A"), b = world.join("B");
  world.group.network().link(a, b).lose_next(3);
  world.send(a, "persistent");
  world.wait(10us);
  EXPECT_THAT(world.delivered(b), IsEmpty());
  world.wait(1ms);
  EXPECT_THAT(world.delivered(b), ElementsAre("persistent"));
  EXPECT_EQ(world.group.metrics(a).retransmitted, 3U);
}

TEST(BroadcastGroup, WithoutRetransmissionEverythingBehindALostOneWaitsForEver) {
  BroadcastSettings settings = calm(DeliveryOrder::kCausal);
  settings.retransmit = Retransmit::kOff;
  World world(settings);
  const ProcessId a = world.join("A"), b = world.join("B");
  world.group.network().link(a, b).lose_next(1);
  world.send(a, "lost");
  world.send(a, "held");
  world.wait(1h);
  EXPECT_THAT(world.delivered(b), IsEmpty());
  const std::vector<HoldEvent> stalled = world.group.stalled(world.runtime.now());
  ASSERT_EQ(stalled.size(), 1U);
  EXPECT_EQ(stalled[0].payload, "held");
  EXPECT_EQ(stalled[0].at, "B");
  EXPECT_EQ(stalled[0].from, "A");
  EXPECT_EQ(stalled[0].needs_process, "A");
  EXPECT_EQ(stalled[0].needs, 1U);
  EXPECT_EQ(stalled[0].has, 0U);
}

TEST(BroadcastGroup, ADuplicateIsDeliveredOnce) {
  BroadcastSettings settings = calm(DeliveryOrder::kImmediate);
  settings.links.duplicate_permille = 999;
  // The one draw of each packet that is not calm.
  class Doubling final : public Runtime {
   public:
    Time now() override { return time; }
    Time wall_now() override { return time; }
    void sleep_until(Time) override {}
    void yield() override {}
    std::uint32_t choose(std::uint32_t n) override { return n - 1; }
    Time time{};
  } runtime;
  const auto protocol = make_protocol(settings.order);
  Group group(settings, *protocol);
  const ProcessId a = group.join("A", runtime), b = group.join("B", runtime);
  group.broadcast(a, {"t", "twice", false}, runtime);
  group.receive(b, 1ms);
  EXPECT_EQ(group.delivered(b).size(), 1U);
  EXPECT_EQ(group.metrics(b).duplicates, 1U);
}

TEST(BroadcastGroup, EveryHoldIsToldAndEveryRelease) {
  World world(calm(DeliveryOrder::kCausal));
  const ProcessId a = world.join("A"), b = world.join("B");
  world.slow(a, b, 100us);
  world.send(a, "first");
  world.slow(a, b, 10us);
  world.send(a, "second");
  world.wait(10us);
  world.delivered(b);
  std::vector<HoldEvent> events = world.group.take_hold_events();
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].kind, HoldEvent::Kind::kHeld);
  EXPECT_EQ(events[0].payload, "second");
  EXPECT_EQ(events[0].needs_process, "A");
  EXPECT_EQ(events[0].needs, 1U);
  EXPECT_EQ(events[0].since, 10us);
  world.wait(90us);
  world.delivered(b);
  events = world.group.take_hold_events();
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].kind, HoldEvent::Kind::kReleased);
  EXPECT_EQ(events[0].payload, "second");
  EXPECT_EQ(events[0].released_by, "first");
  EXPECT_EQ(events[0].when, 100us);
  EXPECT_EQ(world.group.metrics(b).held, 1U);
  EXPECT_EQ(world.group.metrics(b).depth_max, 1U);
  EXPECT_EQ(world.group.metrics(b).age_max, 90us);
  EXPECT_THAT(world.group.stalled(world.runtime.now()), IsEmpty());
}

// Three of A's broadcasts reach B before its first, and one of them has to wait where one is
// allowed.
struct FullQueue {
  explicit FullQueue(AtCap at_cap) : world(capped(at_cap)) {
    a = world.join("A");
    b = world.join("B");
    world.slow(a, b, 200us);
    world.send(a, "1");
    world.slow(a, b, 10us);
    world.send(a, "2");
    world.send(a, "3");
    world.wait(10us);
    early = world.delivered(b);
    for (int i = 0; i < 10; ++i) {
      world.wait(100us);
      world.delivered(b);
    }
  }
  static BroadcastSettings capped(AtCap at_cap) {
    BroadcastSettings settings = calm(DeliveryOrder::kCausal);
    settings.queue_max = 1;
    settings.at_cap = at_cap;
    return settings;
  }
  World world;
  ProcessId a = 0, b = 0;
  std::vector<std::string> early{};
};

TEST(BroadcastGroup, AFullQueueThatBlocksLosesNothingAndKeepsTheOrder) {
  FullQueue full(AtCap::kBlock);
  EXPECT_THAT(full.early, IsEmpty());
  EXPECT_THAT(full.world.delivered(full.b), ElementsAre("1", "2", "3"));
  EXPECT_GT(full.world.group.metrics(full.b).refused, 0U);
  EXPECT_EQ(full.world.group.metrics(full.b).depth_max, 1U);
}

TEST(BroadcastGroup, AFullQueueThatDropsNeverDeliversWhatItDropped) {
  FullQueue full(AtCap::kDrop);
  EXPECT_THAT(full.world.delivered(full.b), ElementsAre("1", "2"));
  EXPECT_EQ(full.world.group.metrics(full.b).dropped, 1U);
}

TEST(BroadcastGroup, AFullQueueThatDeliversGivesUpTheOrder) {
  FullQueue full(AtCap::kDeliver);
  EXPECT_THAT(full.early, ElementsAre("2", "3"));
  EXPECT_THAT(full.world.delivered(full.b), ElementsAre("2", "3", "1"));
  EXPECT_EQ(full.world.group.metrics(full.b).given_up, 1U);
}

}  // namespace
}  // namespace causalcheck
