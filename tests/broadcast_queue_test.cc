// The delivery rules and the hold-back queue, against sets and against the queue as the paper has
// it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "checker/delivery_rules.h"
#include "checker/holdback_queue.h"
#include "tests/random_group.h"

namespace causalcheck {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using Clock = std::vector<std::uint32_t>;

// The queue as it is described: scanned from the front after every delivery, until nothing moves.
class RescannedQueue {
 public:
  RescannedQueue(const DeliveryRule& rule, std::size_t processes)
      : rule_(rule), clock_(processes) {}

  std::vector<std::uint32_t> add(const Arrival& arrival) {
    queue_.push_back(arrival);
    std::vector<std::uint32_t> delivered;
    for (auto at = queue_.begin(); at != queue_.end();) {
      if (rule_.first_missing(at->stamp, clock_)) {
        ++at;
        continue;
      }
      delivered.push_back(at->message);
      std::uint32_t& entry = clock_[at->stamp.sender];
      entry = std::max(entry, at->stamp.number);
      queue_.erase(at);
      at = queue_.begin();
    }
    return delivered;
  }
  [[nodiscard]] std::vector<std::uint32_t> held() const {
    std::vector<std::uint32_t> held;
    for (const Arrival& arrival : queue_) held.push_back(arrival.message);
    return held;
  }

 private:
  const DeliveryRule& rule_;
  Clock clock_;
  std::vector<Arrival> queue_{};
};

std::vector<std::uint32_t> deliver(HoldBackQueue& queue) {
  std::vector<std::uint32_t> delivered;
  while (const auto delivery = queue.next()) delivered.push_back(delivery->message);
  return delivered;
}

std::vector<std::uint32_t> held(const HoldBackQueue& queue) {
  std::vector<std::uint32_t> held;
  for (const HeldBack& item : queue.held()) held.push_back(item.message);
  return held;
}

TEST(FifoRule, WantsTheSendersVeryNextBroadcast) {
  const FifoRule rule;
  const Clock delivered{0, 2};
  EXPECT_EQ(rule.first_missing({1, 3, {}}, delivered), std::nullopt);
  EXPECT_EQ(rule.first_missing({1, 5, {}}, delivered), (Missing{1, 4, 2}));
}

TEST(FifoRule, DoesNotLookAtOthers) {
  const Clock stamp{7, 1};
  EXPECT_EQ(FifoRule().first_missing({1, 1, stamp}, Clock{0, 0}), std::nullopt);
}

TEST(CausalRule, WantsWhatTheSenderHadDeliveredOfOthers) {
  const CausalRule rule;
  const Clock stamp{0, 1, 2};  // the first of process 1, which had delivered two of process 2
  EXPECT_EQ(rule.first_missing({1, 1, stamp}, Clock{0, 0, 1}), (Missing{2, 2, 1}));
  EXPECT_EQ(rule.first_missing({1, 1, stamp}, Clock{0, 0, 2}), std::nullopt);
}

TEST(CausalRule, WantsTheSendersVeryNextBroadcastToo) {
  const Clock stamp{0, 2};
  EXPECT_EQ(CausalRule().first_missing({1, 2, stamp}, Clock{0, 0}), (Missing{1, 1, 0}));
}

TEST(CausalRule, ABroadcastWithoutANumberWaitsForItsSendersOthers) {
  const Clock stamp{0, 2};
  EXPECT_EQ(CausalRule().first_missing({1, 0, stamp}, Clock{0, 1}), (Missing{1, 2, 1}));
  EXPECT_EQ(CausalRule().first_missing({1, 0, stamp}, Clock{0, 2}), std::nullopt);
}

TEST(HoldBackQueue, OneDeliveryLetsAWholeChainGoThatCameBackwards) {
  const CausalRule rule;
  HoldBackQueue queue(rule);
  const Clock first{1, 0}, second{1, 1}, third{2, 1};
  EXPECT_EQ(queue.add({30, {0, 2, third}}), (Missing{0, 1, 0}));
  EXPECT_EQ(queue.add({20, {1, 1, second}}), (Missing{0, 1, 0}));
  EXPECT_THAT(deliver(queue), IsEmpty());
  EXPECT_THAT(held(queue), ElementsAre(30, 20));
  EXPECT_EQ(queue.add({10, {0, 1, first}}), std::nullopt);
  EXPECT_THAT(deliver(queue), ElementsAre(10, 20, 30));
  EXPECT_THAT(held(queue), IsEmpty());
}

TEST(HoldBackQueue, TellsWhatLetAHeldOneGo) {
  const CausalRule rule;
  HoldBackQueue queue(rule);
  const Clock first{1, 0}, second{1, 1};
  queue.add({20, {1, 1, second}});
  queue.add({10, {0, 1, first}});
  EXPECT_FALSE(queue.next()->was_held);
  const std::optional<Delivery> released = queue.next();
  EXPECT_TRUE(released->was_held);
  EXPECT_EQ(released->released_by, 10U);
}

TEST(HoldBackQueue, GivesTheLongestWaitingOneUpAndGoesOnFromThere) {
  const CausalRule rule;
  HoldBackQueue queue(rule);
  const Clock second{2, 0}, third{3, 0};
  queue.add({20, {0, 2, second}});
  queue.add({30, {0, 3, third}});
  EXPECT_EQ(queue.give_up_oldest()->message, 20U);
  EXPECT_THAT(deliver(queue), ElementsAre(30));
  EXPECT_FALSE(queue.give_up_oldest().has_value());
}

TEST(HoldBackQueue, AGivenUpOneIsNotDeliveredAgainWhenWhatItWaitedForComes) {
  const CausalRule rule;
  HoldBackQueue queue(rule);
  const Clock of_one{1, 1}, of_zero{1, 0};
  queue.add({20, {1, 1, of_one}});
  EXPECT_TRUE(queue.give_up_oldest().has_value());
  queue.add({10, {0, 1, of_zero}});
  EXPECT_THAT(deliver(queue), ElementsAre(10));
}

struct Case {
  std::uint32_t processes = 1;
  std::vector<RandomBroadcast> broadcasts{};
  std::vector<std::uint32_t> arrivals{};  // a random order of some of them
};

Case random_case() {
  Case made;
  made.processes = *rc::gen::inRange<std::uint32_t>(1, 6);
  made.broadcasts = random_broadcasts(
      made.processes,
      *rc::gen::container<std::vector<std::uint32_t>>(*rc::gen::inRange<std::size_t>(0, 100),
                                                      rc::gen::arbitrary<std::uint32_t>()));
  std::vector<std::uint32_t> left;
  for (std::uint32_t i = 0; i < made.broadcasts.size(); ++i) left.push_back(i);
  const auto lost_in_ten = *rc::gen::inRange(0, 3);
  while (!left.empty()) {
    const auto at = *rc::gen::inRange<std::size_t>(0, left.size());
    if (*rc::gen::inRange(0, 10) >= lost_in_ten) made.arrivals.push_back(left[at]);
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(at));
  }
  RC_TAG(made.arrivals.size() < made.broadcasts.size() ? "some are lost" : "all arrive");
  return made;
}

// The receiver is one that broadcasts nothing itself: an entry more than the senders have.
void deliver_both_ways(const DeliveryRule& rule) {
  const Case c = random_case();
  HoldBackQueue queue(rule);
  RescannedQueue rescanned(rule, c.processes);
  for (const std::uint32_t i : c.arrivals) {
    const Arrival arrival{i, c.broadcasts[i].stamp()};
    queue.add(arrival);
    RC_ASSERT(deliver(queue) == rescanned.add(arrival));
    RC_ASSERT(held(queue) == rescanned.held());
    RC_ASSERT(queue.held_count() == rescanned.held().size());
  }
}

RC_GTEST_PROP(HoldBackQueueProperty, DeliversWhatRescanningUntilNothingMovesDelivers, ()) {
  deliver_both_ways(CausalRule());
}

RC_GTEST_PROP(HoldBackQueueProperty, DoesSoUnderFifoToo, ()) { deliver_both_ways(FifoRule()); }

RC_GTEST_PROP(HoldBackQueueProperty, NothingIsDeliveredBeforeItsCausalPast, ()) {
  const Case c = random_case();
  const CausalRule rule;
  HoldBackQueue queue(rule);
  std::uint64_t delivered = 0;
  for (const std::uint32_t i : c.arrivals) {
    queue.add({i, c.broadcasts[i].stamp()});
    for (const std::uint32_t message : deliver(queue)) {
      RC_ASSERT((c.broadcasts[message].past & ~delivered) == 0U);
      delivered |= std::uint64_t{1} << message;
    }
  }
}

RC_GTEST_PROP(HoldBackQueueProperty, HoldsAtTheEndExactlyWhatLacksAPredecessor, ()) {
  const Case c = random_case();
  const CausalRule rule;
  HoldBackQueue queue(rule);
  std::uint64_t arrived = 0;
  for (const std::uint32_t i : c.arrivals) {
    queue.add({i, c.broadcasts[i].stamp()});
    deliver(queue);
    arrived |= std::uint64_t{1} << i;
  }
  std::vector<std::uint32_t> lacking;
  for (const std::uint32_t i : c.arrivals) {
    if ((c.broadcasts[i].past & ~arrived) != 0) lacking.push_back(i);
  }
  RC_CLASSIFY(!lacking.empty(), "something is held");
  RC_ASSERT(held(queue) == lacking);
}

}  // namespace
}  // namespace causalcheck
