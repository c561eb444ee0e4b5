#pragma once

#include <algorithm>
#include <chrono>

#include "harness/runtime.h"

namespace causalcheck {

/// Waiting for something that nobody announces: sleeps that start short and double.
///
/// Sleeping, unlike yielding, lets others go on under every strategy: a plan may answer each yield
/// with "the same one again".
class Backoff {
 public:
  /// Sleeps for the next step, or until `deadline` when that is nearer. False, without sleeping,
  /// when `deadline` has come.
  bool sleep(Runtime& runtime, Time deadline) {
    const Time now = runtime.now();
    if (now >= deadline) return false;
    runtime.sleep_until(deadline - now > step_ ? now + step_ : deadline);
    step_ = std::min(step_ * 2, Time(kLongest));
    return true;
  }

 private:
  static constexpr std::chrono::microseconds kShortest{2};
  static constexpr std::chrono::milliseconds kLongest{10};
  Time step_ = kShortest;
};

}  // namespace causalcheck
