#pragma once

#include <chrono>
#include <cstdint>
#include <thread>

#include "harness/runtime.h"

namespace causalcheck {

/// A runtime for real threads: the real clock, counted from when it was made. Answers every choice
/// 0.
class SteadyRuntime final : public Runtime {
 public:
  Time now() override { return std::chrono::steady_clock::now() - start_; }
  Time wall_now() override { return now(); }
  void sleep_until(Time time) override { std::this_thread::sleep_until(start_ + time); }
  void yield() override { std::this_thread::yield(); }
  std::uint32_t choose(std::uint32_t) override { return 0; }

 private:
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace causalcheck
