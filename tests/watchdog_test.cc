#include "harness/watchdog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "harness/scheduler.h"

namespace causalcheck {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::HasSubstr;

// A list whose looks happen at times that the test makes up.
class WatchListTest : public testing::Test {
 protected:
  // Looks every second for so long; what the first look that found something said.
  std::optional<std::string> look_for(seconds time) {
    for (const auto end = now_ + time; now_ < end;) {
      now_ += seconds(1);
      if (auto found = list_.look(now_)) return found;
    }
    return std::nullopt;
  }

  WatchList list_{seconds(60), seconds(1)};
  WatchList::Clock::time_point now_{};
};

TEST_F(WatchListTest, FindsARunThatDoesNotEnd) {
  Watch watch(list_, [] { return std::string("fiber 7 waits"); });
  watch.arm();
  EXPECT_EQ(look_for(seconds(60)), std::nullopt);
  const auto found = look_for(seconds(3));
  ASSERT_TRUE(found.has_value());
  EXPECT_THAT(*found, HasSubstr("60000 ms"));
  EXPECT_THAT(*found, HasSubstr("fiber 7 waits"));
}

TEST_F(WatchListTest, LeavesRunsAloneThatFollowEachOther) {
  Watch watch(list_, [] { return std::string(); });
  for (int i = 0; i < 10; ++i) {
    watch.arm();
    EXPECT_EQ(look_for(seconds(50)), std::nullopt);
  }
  for (int i = 0; i < 10; ++i) {
    watch.arm();
    EXPECT_EQ(look_for(seconds(50)), std::nullopt);
    watch.disarm();
  }
}

TEST_F(WatchListTest, LeavesAJobAloneThatHasNoRun) {
  Watch watch(list_, [] { return std::string(); });
  EXPECT_EQ(look_for(minutes(10)), std::nullopt);
  watch.arm();
  watch.disarm();
  watch.disarm();
  EXPECT_EQ(look_for(minutes(10)), std::nullopt);
}

TEST_F(WatchListTest, FindsTheOneJobOfManyThatIsStuck) {
  Watch first(list_, [] { return std::string("first"); });
  Watch stuck(list_, [] { return std::string("stuck"); });
  stuck.arm();
  std::optional<std::string> found;
  for (int i = 0; i < 10 && !found; ++i) {
    first.arm();
    found = look_for(seconds(10));
  }
  ASSERT_TRUE(found.has_value());
  EXPECT_THAT(*found, testing::EndsWith("\nstuck"));
}

TEST_F(WatchListTest, ForgetsAJobThatIsGone) {
  {
    Watch watch(list_, [] { return std::string(); });
    watch.arm();
    EXPECT_EQ(look_for(seconds(30)), std::nullopt);
  }
  EXPECT_EQ(look_for(minutes(10)), std::nullopt);
}

TEST_F(WatchListTest, DoesNotCountTheTimeInWhichNobodyLooked) {
  Watch watch(list_, [] { return std::string(); });
  watch.arm();
  EXPECT_EQ(look_for(seconds(30)), std::nullopt);
  now_ += std::chrono::hours(8);  // the process was stopped
  EXPECT_EQ(look_for(seconds(20)), std::nullopt);
  EXPECT_NE(look_for(seconds(20)), std::nullopt);
}

TEST(Watchdog, GuardsJobsOnManyThreads) {
  Watchdog watchdog;
  std::vector<std::thread> jobs;
  for (std::uint64_t job = 0; job < 3; ++job) {
    jobs.emplace_back([&watchdog, job] {
      DeterministicScheduler scheduler;
      const Watch unused(watchdog.list(), [&] { return scheduler.status(); });
      Watch watch(watchdog.list(), [&] { return scheduler.status(); });
      const Strategy strategy;
      for (std::uint64_t seed = 0; seed < 200; ++seed) {
        watch.arm();
        Choices choices(seed + job);
        scheduler.begin(choices, strategy);
        Runtime& runtime = scheduler.runtime_of(0, Time::zero());
        for (std::uint32_t i = 0; i < 4; ++i) {
          scheduler.spawn(i, "worker", [&] { runtime.yield(); });
        }
        scheduler.run();
        watch.disarm();
        // What the watchdog would do at any moment; here so that the thread sanitizer sees it.
        if (watchdog.list().look(WatchList::Clock::now())) ADD_FAILURE() << "nothing was stuck";
      }
    });
  }
  for (std::thread& job : jobs) job.join();
}

TEST(Watchdog, ReadsTheStatusOfARunThatGoesOn) {
  DeterministicScheduler scheduler;
  std::atomic<int> reads = 0;
  std::thread reader([&] {
    while (reads.load() < 100) {
      EXPECT_THAT(scheduler.status(), HasSubstr("scheduling steps"));
      ++reads;
    }
  });
  const Strategy strategy;
  for (std::uint64_t seed = 0; reads.load() < 100; ++seed) {
    Choices choices(seed);
    scheduler.begin(choices, strategy);
    Runtime& runtime = scheduler.runtime_of(0, Time::zero());
    for (std::uint32_t i = 0; i < 4; ++i) {
      scheduler.spawn(i, "worker", [&] {
        runtime.yield();
        runtime.sleep_until(milliseconds(1));
      });
    }
    scheduler.run();
  }
  reader.join();
}

TEST(WatchdogDeathTest, EndsAProcessWhoseRunIsStuck) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        const Watchdog unused;
        Watchdog watchdog(milliseconds(20));
        DeterministicScheduler scheduler;
        Watch watch(watchdog.list(), [&] { return scheduler.status(); });
        watch.arm();
        Choices choices(std::vector<std::uint32_t>{});
        const Strategy strategy;
        scheduler.begin(choices, strategy);
        scheduler.spawn(0, "A reader", [&] { scheduler.park("an answer"); });
        scheduler.spawn(1, "B writer", [] {
          for (volatile bool for_ever = true; for_ever;) {
          }
        });
        scheduler.run();
      },
      testing::ExitedWithCode(Watchdog::kExitCode),
      "a run is stuck.*20 ms(.|\n)*A reader\" of client 0: waits for an answer(.|\n)*"
      "B writer\" of client 1: runs");
}

}  // namespace
}  // namespace causalcheck
