#pragma once

#include <atomic>

namespace causalcheck::cli {

/// Turns the first SIGINT or SIGTERM into a flag, so that a campaign can keep what it found; the
/// second ends the process at once. Until the end of the object's life.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  [[nodiscard]] const std::atomic<bool>& requested() const;
};

}  // namespace causalcheck::cli
