#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>

#include "harness/scheduler.h"

namespace causalcheck {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;
using testing::Not;

std::string message_of_failed(DeterministicScheduler& scheduler) {
  try {
    scheduler.run();
  } catch (const SchedulerError& error) {
    return error.what();
  }
  ADD_FAILURE() << "the run came to its end";
  return {};
}

// Sets a flag when it is destroyed.
class Flag {
 public:
  explicit Flag(int& count) : count_(count) {}
  ~Flag() { ++count_; }
  Flag(const Flag&) = delete;
  Flag& operator=(const Flag&) = delete;

 private:
  int& count_;
};

TEST(SchedulerFailure, ADeadlockNamesEachFiberAndWhatItWaitsForAndUnwindsThem) {
  DeterministicScheduler scheduler;
  Choices none(std::vector<std::uint32_t>{});
  const Strategy strategy;
  scheduler.begin(none, strategy);
  Runtime& runtime = scheduler.runtime_of(0, Time::zero());
  int destroyed = 0;
  scheduler.spawn(3, "A writer", [&] {
    const Flag local(destroyed);
    scheduler.park("an answer");
    ADD_FAILURE() << "nobody woke it";
  });
  scheduler.spawn(4, "B reader", [&] {
    const Flag local(destroyed);
    runtime.sleep_until(milliseconds(2));
    scheduler.park("a question");
    ADD_FAILURE() << "nobody woke it";
  });
  scheduler.spawn(5, "C", [] {});
  const std::string text = message_of_failed(scheduler);
  EXPECT_THAT(text, HasSubstr("deadlock"));
  EXPECT_THAT(text, HasSubstr("fiber 0 \"A writer\" of client 3: waits for an answer since "
                              "0.000001 s"));
  EXPECT_THAT(text, HasSubstr("fiber 1 \"B reader\" of client 4: waits for a question since "
                              "0.002001 s"));
  EXPECT_THAT(text, Not(HasSubstr("fiber 2")));
  EXPECT_EQ(destroyed, 2);
}

TEST(SchedulerFailure, WhatABodyThrowsComesOutOfRunAndTheOthersAreUnwound) {
  DeterministicScheduler scheduler;
  Choices none(std::vector<std::uint32_t>{});
  const Strategy strategy;
  scheduler.begin(none, strategy);
  Runtime& runtime = scheduler.runtime_of(0, Time::zero());
  int destroyed = 0;
  int caught = 0;
  scheduler.spawn(0, "parked", [&] {
    const Flag local(destroyed);
    scheduler.park("nothing");
  });
  scheduler.spawn(1, "asleep", [&] {
    const Flag local(destroyed);
    try {
      runtime.sleep_until(seconds(1));
    } catch (const FiberCancelled&) {
      ++caught;
      throw;
    }
  });
  scheduler.spawn(2, "thrower", [&] { throw std::out_of_range("the first error"); });
  scheduler.spawn(3, "not started",
                  [&, held = std::make_shared<Flag>(destroyed)] { ADD_FAILURE() << "it started"; });
  scheduler.spawn(4, "not started", [] { throw std::runtime_error("it started"); });
  EXPECT_THROW(scheduler.run(), std::out_of_range);
  EXPECT_EQ(destroyed, 3);
  EXPECT_EQ(caught, 1);
}

TEST(SchedulerFailure, TheFirstErrorIsTheOneThatComesOut) {
  DeterministicScheduler scheduler;
  Choices none(std::vector<std::uint32_t>{});
  const Strategy strategy;
  scheduler.begin(none, strategy);
  scheduler.spawn(0, "translator", [&] {
    try {
      scheduler.park("nothing");
    } catch (const FiberCancelled&) {
      throw std::logic_error("a later error");
    }
  });
  scheduler.spawn(1, "thrower", [] { throw std::out_of_range("the first error"); });
  EXPECT_THROW(scheduler.run(), std::out_of_range);
}

TEST(SchedulerFailure, AFiberThatSwallowsItsEndMeetsItAgain) {
  DeterministicScheduler scheduler;
  Choices none(std::vector<std::uint32_t>{});
  const Strategy strategy;
  scheduler.begin(none, strategy);
  Runtime& runtime = scheduler.runtime_of(0, Time::zero());
  int swallowed = 0;
  scheduler.spawn(0, "swallower", [&] {
    try {
      scheduler.park("nothing");
    } catch (...) {
      ++swallowed;
    }
    runtime.yield();
    ADD_FAILURE() << "it went on";
  });
  EXPECT_THAT(message_of_failed(scheduler), HasSubstr("swallower"));
  EXPECT_EQ(swallowed, 1);
}

TEST(SchedulerFailure, AWaitInADestructorThatUnwindsReturnsAtOnce) {
  DeterministicScheduler scheduler;
  Choices none(std::vector<std::uint32_t>{});
  const Strategy strategy;
  scheduler.begin(none, strategy);
  struct Waiter {
    ~Waiter() { runtime.sleep_until(seconds(1)); }
    Runtime& runtime;
  };
  scheduler.spawn(0, "waiter", [&] {
    const Waiter local{scheduler.runtime_of(0, Time::zero())};
    scheduler.park("nothing");
  });
  EXPECT_THAT(message_of_failed(scheduler), HasSubstr("waiter"));
  EXPECT_LT(scheduler.now(), seconds(1));
}

TEST(SchedulerFailure, ARunThatDoesNotEndIsALivelock) {
  DeterministicScheduler scheduler;
  scheduler.limit_steps(1000);
  Choices choices(1);
  const Strategy strategy;
  scheduler.begin(choices, strategy);
  Runtime& runtime = scheduler.runtime_of(0, Time::zero());
  int destroyed = 0;
  for (std::uint32_t client = 0; client < 2; ++client) {
    scheduler.spawn(client, "poller", [&] {
      const Flag local(destroyed);
      while (true) runtime.yield();
    });
  }
  scheduler.spawn(2, "sleeper", [&] {
    const Flag local(destroyed);
    runtime.sleep_until(seconds(1));
  });
  const std::string text = message_of_failed(scheduler);
  EXPECT_THAT(text, HasSubstr("livelock"));
  EXPECT_THAT(text, HasSubstr("\"poller\" of client 0"));
  EXPECT_THAT(text, HasSubstr("\"poller\" of client 1"));
  EXPECT_THAT(text, HasSubstr("\"sleeper\" of client 2: sleeps until 1.000000 s"));
  EXPECT_EQ(destroyed, 3);
  EXPECT_EQ(scheduler.steps(), 1001u);
}

// The interleaving of three fibers.
std::string run_of(DeterministicScheduler& scheduler, std::uint64_t seed) {
  Choices choices(seed);
  const Strategy strategy;
  scheduler.begin(choices, strategy);
  std::string log;
  for (std::uint32_t i = 0; i < 3; ++i) {
    Runtime& runtime = scheduler.runtime_of(i, Time::zero());
    scheduler.spawn(i, "worker", [&log, &runtime, i] {
      for (int k = 0; k < 10; ++k) {
        log += std::to_string(i);
        runtime.yield();
      }
    });
  }
  scheduler.run();
  return log;
}

TEST(SchedulerFailure, AFailedRunLeavesNothingBehind) {
  DeterministicScheduler scheduler;
  const std::string log = run_of(scheduler, 9);
  Choices choices(1);
  const Strategy strategy;
  scheduler.begin(choices, strategy);
  for (std::uint32_t i = 0; i < 5; ++i) {
    scheduler.spawn(i, "parked", [&] { scheduler.park("nothing"); });
  }
  EXPECT_THROW(scheduler.run(), SchedulerError);
  scheduler.runtime_of(0, Time::zero()).yield();  // outside of a fiber, as a drain may
  EXPECT_EQ(run_of(scheduler, 9), log);
}

TEST(SchedulerFailure, ARunThatWasNeverRunIsForgotten) {
  DeterministicScheduler scheduler;
  Choices choices(1);
  const Strategy strategy;
  int destroyed = 0;
  scheduler.begin(choices, strategy);
  scheduler.spawn(0, "never",
                  [held = std::make_shared<Flag>(destroyed)] { ADD_FAILURE() << "it ran"; });
  scheduler.begin(choices, strategy);
  EXPECT_EQ(destroyed, 1);
  scheduler.run();
  EXPECT_EQ(scheduler.steps(), 0u);
}

TEST(SchedulerDeathTest, WaitingInACatchHandlerAsserts) {
  DeterministicScheduler scheduler;
  Choices choices(1);
  const Strategy strategy;
  scheduler.begin(choices, strategy);
  Runtime& runtime = scheduler.runtime_of(0, Time::zero());
  scheduler.spawn(0, "handler", [&] {
    try {
      throw 1;
    } catch (int) {
      runtime.yield();
    }
  });
  EXPECT_DEATH(scheduler.run(), "catch handler");
}

TEST(SchedulerDeathTest, WaitingWhileAnExceptionIsOnItsWayAsserts) {
  DeterministicScheduler scheduler;
  Choices choices(1);
  const Strategy strategy;
  scheduler.begin(choices, strategy);
  struct Waiter {
    ~Waiter() { runtime.yield(); }
    Runtime& runtime;
  };
  scheduler.spawn(0, "unwinder", [&] {
    const Waiter local{scheduler.runtime_of(0, Time::zero())};
    throw 1;
  });
  EXPECT_DEATH(scheduler.run(), "on its way");
}

}  // namespace
}  // namespace causalcheck
