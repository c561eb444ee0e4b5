#include "harness/turn_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>
#include <vector>

#include "harness/doctor/steady_runtime.h"
#include "harness/scheduler.h"
#include "tests/plain_runtime.h"

namespace causalcheck {
namespace {

constexpr Time kFar = std::chrono::seconds(10);

TEST(TurnQueue, GivesTheTurnAtOnceWhenNobodyHasIt) {
  PlainRuntime runtime;
  TurnQueue queue(Execution::kDeterministic);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(queue.wait(runtime, kFar).has_value());
  EXPECT_EQ(runtime.sleeps, 0U);
  EXPECT_EQ(runtime.yields, 0U);
}

TEST(TurnQueue, GivesUpAtTheDeadline) {
  PlainRuntime runtime;
  TurnQueue queue(Execution::kDeterministic);
  const auto held = queue.wait(runtime, kFar);
  const Time deadline = std::chrono::milliseconds(3);
  EXPECT_FALSE(queue.wait(runtime, deadline).has_value());
  EXPECT_EQ(runtime.now(), deadline);
}

TEST(TurnQueue, PassesOverThoseWhoGaveUp) {
  PlainRuntime runtime;
  TurnQueue queue(Execution::kDeterministic);
  {
    const auto held = queue.wait(runtime, kFar);
    EXPECT_FALSE(queue.wait(runtime, runtime.now()).has_value());
    EXPECT_FALSE(queue.wait(runtime, runtime.now()).has_value());
  }
  EXPECT_TRUE(queue.wait(runtime, runtime.now()).has_value());
}

TEST(TurnQueue, LetsFibersThroughInTheOrderTheyCame) {
  DeterministicScheduler scheduler;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Choices choices(seed);
    const Strategy strategy;
    scheduler.begin(choices, strategy);
    TurnQueue queue(Execution::kDeterministic);
    std::vector<int> came;
    std::vector<int> went;
    for (int i = 0; i < 5; ++i) {
      scheduler.spawn(0, "committer", [&, i] {
        Runtime& runtime = scheduler.runtime_of(0, Time::zero());
        runtime.yield();
        came.push_back(i);
        const auto turn = queue.wait(runtime, kFar);
        ASSERT_TRUE(turn.has_value());
        runtime.yield();
        went.push_back(i);
        runtime.yield();
      });
    }
    scheduler.run();
    EXPECT_EQ(went, came);
    EXPECT_EQ(went.size(), 5U);
  }
}

TEST(TurnQueue, LetsThreadsThroughOneAtATime) {
  SteadyRuntime runtime;
  TurnQueue queue(Execution::kThreads);
  int inside = 0;  // written by whoever has the turn: a second one would be a data race
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 20; ++k) {
        const auto turn = queue.wait(runtime, std::chrono::hours(1));
        ++inside;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(inside, 80);
}

}  // namespace
}  // namespace causalcheck
