#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/scheduler.h"

namespace causalcheck {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;

TEST(SchedulerTime, CostsOneMicrosecondPerStep) {
  DeterministicScheduler scheduler;
  Choices choices(1);
  const Strategy strategy;
  scheduler.begin(choices, strategy);
  Runtime& runtime = scheduler.runtime_of(0, Time::zero());
  for (std::uint32_t i = 0; i < 2; ++i) {
    scheduler.spawn(i, "worker", [&] {
      for (int k = 0; k < 6; ++k) runtime.yield();
    });
  }
  scheduler.run();
  EXPECT_EQ(scheduler.now(), microseconds(12));
  scheduler.begin(choices, strategy);
  EXPECT_EQ(scheduler.now(), Time::zero());
}

TEST(SchedulerTime, JumpsToTheFirstSleeperWhenNobodyCanGoOn) {
  DeterministicScheduler scheduler;
  Choices choices(1);
  const Strategy strategy;
  scheduler.begin(choices, strategy);
  std::vector<std::string> log;
  Runtime& runtime = scheduler.runtime_of(0, seconds(-3));
  scheduler.spawn(0, "late", [&] {
    runtime.sleep_until(seconds(20));
    EXPECT_EQ(runtime.now(), seconds(20));
    EXPECT_EQ(runtime.wall_now(), seconds(17));
    log.emplace_back("late");
  });
  scheduler.spawn(1, "early", [&] {
    runtime.sleep_until(seconds(10));
    EXPECT_EQ(runtime.now(), seconds(10));
    log.emplace_back("early");
    runtime.sleep_until(seconds(5));  // long past: as a yield
    EXPECT_EQ(runtime.now(), seconds(10) + microseconds(1));
  });
  scheduler.run();
  EXPECT_THAT(log, ElementsAre("early", "late"));
}

TEST(SchedulerTime, ASleeperBecomesACandidateWhenTheClockReachesIt) {
  DeterministicScheduler scheduler;
  // The sleep makes it 1 o'clock. The worker's yields at 2 and 3 have no other candidate; at 4 it
  // goes on by choice, and at 5 the sleeper does.
  Choices choices(std::vector<std::uint32_t>{0, 0, 1});
  const Strategy strategy;
  scheduler.begin(choices, strategy);
  Runtime& runtime = scheduler.runtime_of(0, Time::zero());
  std::string log;
  scheduler.spawn(0, "sleeper", [&] {
    runtime.sleep_until(microseconds(4));
    EXPECT_EQ(runtime.now(), microseconds(5));
    log += "s";
  });
  scheduler.spawn(1, "worker", [&] {
    for (int i = 0; i < 6; ++i) {
      log += "w";
      runtime.yield();
    }
  });
  scheduler.run();
  EXPECT_EQ(log, "wwwwsww");
  EXPECT_THAT(choices.consumed(), ElementsAre(0u, 0u, 1u));
}

TEST(SchedulerTime, TiesAreCandidatesInOrderOfId) {
  DeterministicScheduler scheduler;
  for (const std::uint32_t choice : {0U, 1U, 2U}) {
    Choices choices(std::vector<std::uint32_t>{0, 0, choice});
    const Strategy strategy;
    scheduler.begin(choices, strategy);
    std::string log;
    Runtime& runtime = scheduler.runtime_of(0, Time::zero());
    for (const char letter : {'a', 'b', 'c'}) {
      scheduler.spawn(0, "sleeper", [&, letter] {
        runtime.sleep_until(milliseconds(1));
        log += letter;
      });
    }
    scheduler.run();
    EXPECT_EQ(log, std::vector<std::string>({"abc", "bac", "cab"})[choice]);
  }
}

TEST(SchedulerTime, SleepingForEverDoesNotOverflowTheClock) {
  DeterministicScheduler scheduler;
  Choices choices(1);
  const Strategy strategy;
  scheduler.begin(choices, strategy);
  Runtime& runtime = scheduler.runtime_of(0, Time::zero());
  scheduler.spawn(0, "sleeper", [&] {
    runtime.sleep_until(Time::max());
    runtime.yield();
  });
  scheduler.run();
  EXPECT_GT(scheduler.now(), std::chrono::hours(24 * 365 * 100));
}

TEST(SchedulerTime, PassesOutsideOfAFiberToo) {
  DeterministicScheduler scheduler;
  Choices choices(1);
  const Strategy strategy;
  scheduler.begin(choices, strategy);
  Runtime& runtime = scheduler.runtime_of(0, Time::zero());
  runtime.yield();
  EXPECT_EQ(runtime.now(), microseconds(1));
  runtime.sleep_until(seconds(1));
  EXPECT_EQ(runtime.now(), seconds(1));
}

TEST(SchedulerPark, ReturnsWhenItIsWoken) {
  DeterministicScheduler scheduler;
  Choices choices(1);
  const Strategy strategy;
  scheduler.begin(choices, strategy);
  Runtime& runtime = scheduler.runtime_of(0, Time::zero());
  bool given = false;
  const FiberId taker = scheduler.spawn(0, "taker", [&] {
    scheduler.park("a gift");
    EXPECT_TRUE(given);
  });
  scheduler.spawn(1, "giver", [&] {
    runtime.sleep_until(seconds(1));
    given = true;
    scheduler.wake(taker);
  });
  scheduler.run();
  EXPECT_TRUE(given);
}

TEST(SchedulerPark, ReturnsAtOnceWhenTheWakeCameFirst) {
  DeterministicScheduler scheduler;
  Choices choices(1);
  const Strategy strategy;
  scheduler.begin(choices, strategy);
  int parks = 0;
  scheduler.spawn(0, "taker", [&] {
    scheduler.wake(scheduler.current());
    scheduler.wake(scheduler.current());  // two wakes before one park are one
    scheduler.park("a gift");
    ++parks;
    scheduler.park("another gift");
    ++parks;
  });
  EXPECT_THROW(scheduler.run(), SchedulerError);
  EXPECT_EQ(parks, 1);
}

TEST(SchedulerPark, AWakeDoesNotLastIntoTheNextRun) {
  DeterministicScheduler scheduler;
  Choices choices(1);
  const Strategy strategy;
  scheduler.begin(choices, strategy);
  scheduler.spawn(0, "taker", [&] { scheduler.wake(scheduler.current()); });
  scheduler.run();
  scheduler.begin(choices, strategy);
  scheduler.spawn(0, "taker", [&] { scheduler.park("a gift"); });
  EXPECT_THROW(scheduler.run(), SchedulerError);
}

TEST(SchedulerPark, WakingAFiberThatHasEndedIsFine) {
  DeterministicScheduler scheduler;
  Choices none(std::vector<std::uint32_t>{});
  const Strategy strategy;
  scheduler.begin(none, strategy);
  const FiberId first = scheduler.spawn(0, "first", [] {});
  scheduler.spawn(0, "second", [&] { scheduler.wake(first); });
  scheduler.run();
}

}  // namespace
}  // namespace causalcheck
