// The simulated links and the network made of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "adapters/broadcast/link.h"
#include "adapters/broadcast/network.h"

namespace causalcheck {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

// Answers what it was told, one after another, and then 0.
class ScriptedChance final : public Runtime {
 public:
  explicit ScriptedChance(std::deque<std::uint32_t> answers) : answers_(std::move(answers)) {}
  Time now() override { return {}; }
  Time wall_now() override { return {}; }
  void sleep_until(Time) override {}
  void yield() override {}
  std::uint32_t choose(std::uint32_t n) override {
    ++asked;
    if (answers_.empty()) return 0;
    const std::uint32_t answer = answers_.front();
    answers_.pop_front();
    EXPECT_LT(answer, n);
    return answer;
  }
  int asked = 0;

 private:
  std::deque<std::uint32_t> answers_;
};

std::vector<Time> sent(Link& link, Time now, Runtime& chance, Passage passage = Passage::kAtRisk) {
  const Transit transit = link.transmit(now, chance, passage);
  return {transit.arrivals().begin(), transit.arrivals().end()};
}

LinkSettings settings(Time low, Time high) {
  LinkSettings made;
  made.delay_low = low;
  made.delay_high = high;
  return made;
}

LinkSettings troubled() {
  LinkSettings made = settings(10us, 110us);
  made.loss_permille = 100;       // 900..998, with what follows taken off the upper end
  made.duplicate_permille = 100;  // 799..898
  made.partition_permille = 1;    // 999
  made.partition_length = 1ms;
  return made;
}

TEST(Link, ZeroMeansTheShortestDelayAndNoTrouble) {
  Link link(troubled());
  ScriptedChance chance({0});
  EXPECT_THAT(sent(link, 5us, chance), ElementsAre(15us));
}

TEST(Link, TheDelayGrowsWithWhatIsDrawnUpToTheLongest) {
  Link link(settings(10us, 110us));
  ScriptedChance chance({999, 0});
  EXPECT_THAT(sent(link, 0us, chance), ElementsAre(110us));
  EXPECT_THAT(sent(link, 0us, chance), ElementsAre(10us));
}

TEST(Link, WhatLeavesNoChoiceDrawsNothing) {
  Link link(settings(10us, 10us));
  ScriptedChance chance({});
  EXPECT_THAT(sent(link, 0us, chance), ElementsAre(10us));
  EXPECT_EQ(chance.asked, 0);
}

TEST(Link, LosesAtTheUpperEnd) {
  Link link(troubled());
  ScriptedChance chance({900, 0});
  EXPECT_THAT(sent(link, 0us, chance), IsEmpty());
  EXPECT_THAT(sent(link, 0us, chance), ElementsAre(10us));
}

TEST(Link, ADuplicateHasADelayOfItsOwn) {
  Link link(troubled());
  ScriptedChance chance({800, 0});
  EXPECT_THAT(sent(link, 0us, chance), ElementsAre(110us, 10us));
}

TEST(Link, APartitionLosesEverythingUntilItEnds) {
  Link link(troubled());
  ScriptedChance chance({999});
  EXPECT_THAT(sent(link, 0us, chance), IsEmpty());
  EXPECT_THAT(sent(link, 999us, chance), IsEmpty());
  EXPECT_TRUE(link.loses(999us, chance));
  EXPECT_THAT(sent(link, 1ms, chance), ElementsAre(1010us));
  EXPECT_FALSE(link.loses(1ms, chance));
}

TEST(Link, AnAssuredPacketIsNeverLostAndWaitsForTheLink) {
  Link link(troubled());
  ScriptedChance chance({950, 0, 0});
  EXPECT_THAT(sent(link, 0us, chance, Passage::kAssured), ElementsAre(110us));
  link.cut(1ms);
  EXPECT_THAT(sent(link, 0us, chance), IsEmpty());
  EXPECT_THAT(sent(link, 0us, chance, Passage::kAssured), ElementsAre(1010us));
}

TEST(Link, LosesWhatATestTellsItTo) {
  Link link(settings(10us, 10us));
  ScriptedChance chance({});
  link.lose_next(1);
  EXPECT_THAT(sent(link, 0us, chance), IsEmpty());
  EXPECT_THAT(sent(link, 0us, chance), ElementsAre(10us));
}

TEST(Link, OnlyAFifoLinkKeepsPacketsFromOvertaking) {
  LinkSettings fifo = settings(10us, 110us);
  fifo.order = LinkOrder::kFifo;
  Link keeps(fifo);
  ScriptedChance chance({999, 0, 999, 0});
  EXPECT_THAT(sent(keeps, 0us, chance), ElementsAre(110us));
  EXPECT_THAT(sent(keeps, 1us, chance), ElementsAre(110us));
  Link reorders(settings(10us, 110us));
  EXPECT_THAT(sent(reorders, 0us, chance), ElementsAre(110us));
  EXPECT_THAT(sent(reorders, 1us, chance), ElementsAre(11us));
}

std::vector<std::uint64_t> taken(Network& network, NodeId node, Time until) {
  std::vector<std::uint64_t> contents;
  while (const auto packet = network.take(node, until)) contents.push_back(packet->content);
  return contents;
}

TEST(Network, HandsOverByTimeOfArrivalAndThenInTheOrderSent) {
  Network network(settings(10us, 10us));
  network.grow(3);
  ScriptedChance chance({});
  network.send(1, 0, 7, 5us, chance);
  network.send(2, 0, 8, 0us, chance);
  network.send(1, 0, 9, 0us, chance);
  EXPECT_EQ(network.next_arrival(0), 10us);
  EXPECT_EQ(network.next_arrival(1), Time::max());
  EXPECT_THAT(taken(network, 0, 9us), IsEmpty());
  EXPECT_THAT(taken(network, 0, 20us), ElementsAre(8, 9, 7));
}

TEST(Network, WhatIsPutBackComesAgain) {
  Network network(settings(10us, 10us));
  network.grow(2);
  ScriptedChance chance({});
  network.send(1, 0, 7, 0us, chance);
  const std::optional<Packet> packet = network.take(0, 10us);
  ASSERT_TRUE(packet.has_value());
  network.put_back(0, *packet, 30us);
  EXPECT_EQ(network.next_arrival(0), 30us);
  EXPECT_EQ(network.take(0, 30us)->from, 1U);
}

TEST(Network, ALinkKeepsItsStateWhenTheNetworkGrows) {
  Network network(settings(10us, 10us));
  network.grow(2);
  network.link(0, 1).cut(1ms);
  network.grow(5);
  ScriptedChance chance({});
  EXPECT_EQ(network.send(0, 1, 7, 0us, chance).copies, 0U);
  EXPECT_EQ(network.send(1, 0, 7, 0us, chance).copies, 1U);
}

}  // namespace
}  // namespace causalcheck
