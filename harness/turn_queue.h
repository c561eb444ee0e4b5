#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "harness/backend.h"

namespace causalcheck {

/// Lets calls through one at a time, in the order they came. For sessions that take several commits
/// at once and promise that they take effect in the order of their calls.
///
/// Waits by sleeping, in steps that grow, and holds no lock meanwhile. The queue must outlive its
/// turns. From many threads when made for kThreads, else from the fibers of one.
class TurnQueue {
 public:
  /// The right to go on. Passes to the next in line when it is destroyed.
  class Turn {
   public:
    explicit Turn(TurnQueue& queue) : queue_(&queue) {}
    Turn(Turn&& other) noexcept : queue_(other.queue_) { other.queue_ = nullptr; }
    Turn& operator=(Turn&&) = delete;
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    ~Turn() {
      if (queue_ != nullptr) queue_->pass_on();
    }

   private:
    TurnQueue* queue_;
  };

  explicit TurnQueue(Execution execution) : threads_(execution == Execution::kThreads) {}
  TurnQueue(const TurnQueue&) = delete;
  TurnQueue& operator=(const TurnQueue&) = delete;

  /// Waits for this call's turn; nullopt when `deadline` came first, and the place in line is given
  /// up.
  [[nodiscard]] std::optional<Turn> wait(Runtime& runtime, Time deadline);

 private:
  // Locked only where threads share the queue: fibers of one thread never meet inside.
  [[nodiscard]] std::unique_lock<std::mutex> guard() {
    std::unique_lock<std::mutex> lock(mutex_, std::defer_lock);
    if (threads_) lock.lock();
    return lock;
  }
  std::uint64_t take_ticket();
  bool is_served(std::uint64_t ticket);
  /// False when the turn came after all.
  bool give_up(std::uint64_t ticket);
  void pass_on();
  void serve_next();

  const bool threads_;
  std::mutex mutex_{};
  std::uint64_t next_ticket_ = 0;
  std::uint64_t served_ = 0;
  std::vector<std::uint64_t> given_up_{};
};

}  // namespace causalcheck
