#include "harness/fiber.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "harness/scheduler.h"

namespace causalcheck {
namespace {

// Recurses until `bytes` of stack are in use below `top`; how deep that was. Asks for the frame and
// not for the address of a local: the address sanitizer may keep locals elsewhere.
[[gnu::noinline]] int recurse(const char* top, std::ptrdiff_t bytes) {
  volatile char filler[512] = {};
  if (top - static_cast<const char*>(__builtin_frame_address(0)) > bytes) return filler[0] + 1;
  return recurse(top, bytes) + filler[1] + 1;
}

// Bytes of memory that the process has in use.
std::size_t resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  std::size_t pages_mapped = 0;
  std::size_t pages_resident = 0;
  statm >> pages_mapped >> pages_resident;
  return pages_resident * 4096;
}

std::size_t mappings() {
  std::ifstream maps("/proc/self/maps");
  std::size_t lines = 0;
  for (std::string line; std::getline(maps, line);) ++lines;
  return lines;
}

struct Counting {
  Fiber* main = nullptr;
  Fiber* self = nullptr;
  int count = 0;
};

Fiber& count_to_three(void* argument) noexcept {
  auto& state = *static_cast<Counting*>(argument);
  for (int local = 1; local <= 3; ++local) {
    state.count = local;
    if (local < 3) state.self->switch_to(*state.main);
  }
  return *state.main;
}

TEST(Fiber, GoesOnWhereItLeftOffUntilItsEnd) {
  Fiber main;
  Counting state{&main};
  Fiber fiber(&count_to_three, &state);
  state.self = &fiber;
  for (int i = 1; i <= 3; ++i) {
    EXPECT_EQ(state.count, i - 1);
    main.switch_to(fiber);
  }
  EXPECT_EQ(state.count, 3);
}

TEST(Fiber, MayBeDestroyedBeforeItStarts) {
  Counting state;
  const Fiber fiber(&count_to_three, &state);
  EXPECT_EQ(state.count, 0);
}

TEST(FiberDeathTest, MayNotBeDestroyedWhileItIsSuspended) {
  Fiber main;
  Counting state{&main};
  EXPECT_DEATH(
      {
        Fiber fiber(&count_to_three, &state);
        state.self = &fiber;
        main.switch_to(fiber);
      },
      "kStarted");
}

// Adds up what the probe says while an exception passes by.
struct Observer {
  ~Observer() { unwinding = probe.unwinding(); }
  const ExceptionProbe& probe;
  bool& unwinding;
};

TEST(ExceptionProbe, KnowsThrowingFromHandling) {
  const ExceptionProbe probe;
  EXPECT_FALSE(probe.unwinding());
  EXPECT_FALSE(probe.handling());
  bool unwinding = false;
  try {
    const Observer observer{probe, unwinding};
    throw std::runtime_error("passes by");
  } catch (const std::runtime_error&) {
    EXPECT_FALSE(probe.unwinding());
    EXPECT_TRUE(probe.handling());
  }
  EXPECT_TRUE(unwinding);
  EXPECT_FALSE(probe.handling());
}

class FiberStack : public testing::Test {
 protected:
  FiberStack() { scheduler_.begin(choices_, strategy_); }

  Choices choices_{1};
  const Strategy strategy_{};
  DeterministicScheduler scheduler_{};
};

TEST_F(FiberStack, HoldsTwoHundredKibibytes) {
  int depth = 0;
  for (std::uint32_t i = 0; i < 2; ++i) {
    scheduler_.spawn(i, "deep", [&] {
      const auto* top = static_cast<const char*>(__builtin_frame_address(0));
      depth = recurse(top, 200 * 1024);
      scheduler_.runtime_of(0, Time::zero()).yield();
      depth += recurse(top, 200 * 1024) - depth;
    });
  }
  scheduler_.run();
  EXPECT_GT(depth, 50);
}

using FiberStackDeathTest = FiberStack;

TEST_F(FiberStackDeathTest, EndsTheProcessWhenItOverflowsEvenIntoTheNext) {
  // Fibers 0 to 7 start in turn, then 6 goes on: its stack most likely lies right above that of 7.
  Choices choices(std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5, 6, 7, 7});
  scheduler_.begin(choices, strategy_);
  Runtime& runtime = scheduler_.runtime_of(0, Time::zero());
  for (std::uint32_t i = 0; i < 8; ++i) {
    scheduler_.spawn(i, "too deep", [&] {
      const auto* top = static_cast<const char*>(__builtin_frame_address(0));
      runtime.yield();
      recurse(top, static_cast<std::ptrdiff_t>(Fiber::stack_bytes() + 64 * 1024));
      std::_Exit(0);  // no death: it wrote where it should not
    });
  }
  EXPECT_DEATH(scheduler_.run(), "");
}

TEST_F(FiberStack, IsUsedAgainInRunAfterRun) {
#if defined(CAUSALCHECK_ADDRESS_SANITIZER) || defined(CAUSALCHECK_THREAD_SANITIZER)
  constexpr std::size_t kGrowthMax = 128U << 20;  // they keep freed memory for a while
#else
  constexpr std::size_t kGrowthMax = 1U << 20;
#endif
  const auto run_some = [&](std::uint64_t runs) {
    for (std::uint64_t seed = 0; seed < runs; ++seed) {
      Choices choices(seed);
      scheduler_.begin(choices, strategy_);
      Runtime& runtime = scheduler_.runtime_of(0, Time::zero());
      for (std::uint32_t i = 0; i < 6; ++i) {
        scheduler_.spawn(i, "worker", [&] {
          runtime.yield();
          // Its stack serves more than one fiber of a run.
          scheduler_.spawn(1, "later", [&] { runtime.yield(); });
        });
      }
      if (seed % 100 == 0) scheduler_.spawn(0, "stuck", [&] { scheduler_.park("nothing"); });
      if (seed % 100 == 0) {
        EXPECT_THROW(scheduler_.run(), SchedulerError);
      } else {
        scheduler_.run();
      }
    }
  };
  run_some(200);
  const std::size_t bytes_before = resident_bytes();
  const std::size_t mappings_before = mappings();
  run_some(10'000);
  EXPECT_LT(resident_bytes(), bytes_before + kGrowthMax);
  EXPECT_LT(mappings(), mappings_before + 20);
}

}  // namespace
}  // namespace causalcheck
