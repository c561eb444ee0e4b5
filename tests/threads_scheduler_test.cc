#include "harness/threads_scheduler.h"

#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace causalcheck {
namespace {

using namespace std::chrono_literals;

Plan plan_of(std::uint64_t seed, std::uint32_t clients = 3) {
  Plan plan;
  plan.seed = seed;
  plan.clients = clients;
  return plan;
}

/// The text of what `run` throws.
std::string thrown_by(ThreadsScheduler& scheduler) {
  try {
    scheduler.run();
  } catch (const std::exception& error) {
    return error.what();
  }
  return {};
}

TEST(ThreadsScheduler, RunsEachFiberOnAThreadOfItsOwnOneAtATime) {
  ThreadsScheduler scheduler;
  for (int round = 0; round < 20; ++round) {
    scheduler.begin(plan_of(1));
    std::set<std::thread::id> threads;
    int inside = 0;  // unguarded on purpose: the scheduler's lock has to do
    for (std::uint32_t client = 0; client < 3; ++client) {
      Runtime& runtime = scheduler.runtime_of(client, Time::zero());
      scheduler.spawn(client, "fiber", [&] {
        threads.insert(std::this_thread::get_id());
        for (int i = 0; i < 50; ++i) {
          EXPECT_EQ(++inside, 1);
          --inside;
          runtime.yield();
        }
      });
    }
    scheduler.run();
    EXPECT_EQ(threads.size(), 3U);
    EXPECT_EQ(threads.count(std::this_thread::get_id()), 0U);
  }
}

TEST(ThreadsScheduler, LetsOthersInDuringACall) {
  ThreadsScheduler scheduler;
  scheduler.begin(plan_of(1));
  // Each waits in its call until the other is in one too.
  std::mutex mutex;
  std::condition_variable both;
  int inside = 0;
  for (std::uint32_t client = 0; client < 2; ++client) {
    scheduler.spawn(client, "caller", [&] {
      const OperationScope away(scheduler, {CallKind::kOperation, "a commit", "t0", 10s});
      std::unique_lock lock(mutex);
      ++inside;
      both.notify_all();
      EXPECT_TRUE(both.wait_for(lock, 10s, [&] { return inside == 2; }));
    });
  }
  scheduler.run();
  EXPECT_EQ(scheduler.steps(), 2U);
}

TEST(ThreadsScheduler, ParksUntilWokenAndLosesNoWake) {
  ThreadsScheduler scheduler;
  for (int round = 0; round < 100; ++round) {
    scheduler.begin(plan_of(1));
    FiberId sleeper = 0;
    bool ready = false;
    sleeper = scheduler.spawn(0, "sleeper", [&] {
      while (!ready) scheduler.park("readiness");
    });
    scheduler.spawn(1, "waker", [&] {
      ready = true;
      scheduler.wake(sleeper);
    });
    scheduler.run();
  }
}

TEST(ThreadsScheduler, SleepsInRealTime) {
  ThreadsScheduler scheduler;
  scheduler.begin(plan_of(1));
  Runtime& runtime = scheduler.runtime_of(0, 5s);
  Time slept{};
  Time wall{};
  scheduler.spawn(0, "sleeper", [&] {
    const Time before = runtime.now();
    runtime.sleep_until(before + 2ms);
    slept = runtime.now() - before;
    wall = runtime.wall_now() - runtime.now();
  });
  scheduler.run();
  EXPECT_GE(slept, 2ms);
  EXPECT_GT(wall, 4s);
}

TEST(ThreadsScheduler, SaysWhoIsStuckInWhatSinceWhen) {
  // Lives on, like everything that a stuck thread may come back to.
  struct Kept {
    ThreadsScheduler scheduler{{20ms, 10s}};
    std::atomic<bool> released{false};
    std::atomic<bool> came_back{false};
  };
  auto* const kept = new Kept();
  kept->scheduler.begin(plan_of(1));
  kept->scheduler.spawn(0, "A", [kept] { kept->scheduler.park("something to do"); });
  kept->scheduler.spawn(1, "B", [kept] {
    const OperationScope away(kept->scheduler, {CallKind::kOperation, "a commit", "t0", 10ms});
    while (!kept->released) std::this_thread::sleep_for(1ms);
    kept->came_back = true;
  });
  std::string text;
  try {
    kept->scheduler.run();
  } catch (const ClientStuck& error) {
    text = error.what();
  }
  EXPECT_NE(text.find("client B is stuck in a commit on t0"), std::string::npos) << text;
  EXPECT_NE(text.find("due at 0.010000 s"), std::string::npos) << text;
  EXPECT_NE(text.find("\"A\" of client 0: waits for something to do since"), std::string::npos)
      << text;
  kept->released = true;  // and the thread that comes back goes nowhere
  while (!kept->came_back) std::this_thread::sleep_for(1ms);
}

TEST(ThreadsScheduler, EndsARunThatTakesTooLong) {
  ThreadsScheduler scheduler({1s, 30ms});
  scheduler.begin(plan_of(1));
  Runtime& runtime = scheduler.runtime_of(0, Time::zero());
  bool unwound = false;
  scheduler.spawn(0, "A", [&] {
    struct Leaving {
      bool& left;
      ~Leaving() { left = true; }
    } leaving{unwound};
    while (true) runtime.sleep_until(runtime.now() + 1ms);
  });
  EXPECT_THROW(scheduler.run(), RunOverdue);
  EXPECT_TRUE(unwound);
  // And it serves the next run.
  scheduler.begin(plan_of(2));
  bool ran = false;
  scheduler.spawn(0, "A", [&] { ran = true; });
  scheduler.run();
  EXPECT_TRUE(ran);
}

TEST(ThreadsScheduler, NoticesThatAllWaitForEachOther) {
  ThreadsScheduler scheduler;
  scheduler.begin(plan_of(1));
  scheduler.spawn(0, "A", [&] { scheduler.park("B"); });
  scheduler.spawn(1, "B", [&] { scheduler.park("A"); });
  const std::string text = thrown_by(scheduler);
  EXPECT_NE(text.find("deadlock"), std::string::npos) << text;
  EXPECT_NE(text.find("\"B\" of client 1: waits for A since"), std::string::npos) << text;
}

TEST(ThreadsScheduler, PassesOnWhatABodyThrowsAndEndsTheOthers) {
  ThreadsScheduler scheduler;
  scheduler.begin(plan_of(1));
  Runtime& runtime = scheduler.runtime_of(1, Time::zero());
  scheduler.spawn(0, "A", [&] { scheduler.park("what never comes"); });
  scheduler.spawn(1, "B", [&] { runtime.sleep_until(1h); });
  scheduler.spawn(2, "C", [] { throw std::runtime_error("out of luck"); });
  EXPECT_EQ(thrown_by(scheduler), "out of luck");
}

TEST(ThreadsScheduler, DrawsForEachClientFromAStreamOfItsOwn) {
  ThreadsScheduler scheduler;
  std::vector<std::vector<std::uint32_t>> drawn(3);
  std::vector<std::vector<std::uint32_t>> again(3);
  std::vector<std::uint32_t> saved;
  for (auto* into : {&drawn, &again}) {
    const bool replay = into == &again;
    Plan plan = plan_of(7);
    if (replay) plan.choices = saved;
    scheduler.begin(plan);
    for (std::uint32_t client = 0; client < 3; ++client) {
      Runtime& runtime = scheduler.runtime_of(client, Time::zero());
      scheduler.spawn(client, "drawer", [&scheduler, &runtime, into, client, replay] {
        // The order of the clients is another one in the second run.
        runtime.sleep_until(std::chrono::milliseconds(replay ? 3 - client : client));
        for (std::uint32_t i = 0; i < 10 + client; ++i) {
          (*into)[client].push_back(runtime.choose(1000));
          (*into)[client].push_back(scheduler.choices_of(client).next(1000));
        }
      });
    }
    scheduler.run();
    saved = scheduler.consumed();
  }
  EXPECT_EQ(drawn, again);
  EXPECT_NE(drawn[0], drawn[1]);
}

TEST(ThreadsScheduler, TellsTheWatchdogWhoWaits) {
  ThreadsScheduler scheduler;
  scheduler.begin(plan_of(1));
  std::string seen;
  scheduler.spawn(0, "A", [&] {
    const OperationScope away(scheduler, {CallKind::kOperation, "a poll", "t1", 1h});
    std::thread([&] { seen = scheduler.status(); }).join();
  });
  scheduler.run();
  EXPECT_NE(seen.find("\"A\" of client 0: in a poll on t1 since"), std::string::npos) << seen;
}

}  // namespace
}  // namespace causalcheck
