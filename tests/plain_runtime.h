#pragma once

#include <cstdint>
#include <functional>

#include "harness/runtime.h"

namespace causalcheck {

/// A runtime without anybody to let on: a clock that sleeping moves, and hooks for a test that
/// wants something to happen in between.
class PlainRuntime final : public Runtime {
 public:
  Time now() override { return now_; }
  Time wall_now() override { return now_; }
  void sleep_until(Time time) override {
    ++sleeps;
    if (time > now_) now_ = time;
    run(on_sleep);
  }
  void yield() override {
    ++yields;
    run(on_yield);
  }
  std::uint32_t choose(std::uint32_t) override { return 0; }

  std::uint64_t yields = 0;
  std::uint64_t sleeps = 0;
  std::function<void()> on_yield{};
  std::function<void()> on_sleep{};

 private:
  // A hook that comes back here is not called again.
  void run(const std::function<void()>& hook) {
    if (!hook || inside_) return;
    inside_ = true;
    hook();
    inside_ = false;
  }

  Time now_{0};
  bool inside_ = false;
};

}  // namespace causalcheck
