#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace causalcheck {

class Watch;

/// How long the run of each Watch has been going on. The thinking part of the Watchdog, without its
/// thread. All members may be called from any thread.
class WatchList {
 public:
  using Clock = std::chrono::steady_clock;

  /// A run may take `limit`. Someone will look every `interval` or so.
  WatchList(std::chrono::milliseconds limit, std::chrono::milliseconds interval);
  WatchList(const WatchList&) = delete;
  WatchList& operator=(const WatchList&) = delete;

  /// Looks at every watch; what to print when a run has been seen for longer than the limit.
  ///
  /// No more than two intervals are counted between one look and the next: a process that was
  /// stopped or a machine that slept is not a stuck run.
  [[nodiscard]] std::optional<std::string> look(Clock::time_point now);

 private:
  friend class Watch;
  struct Seen {
    const Watch* watch;
    std::uint64_t run;
    Clock::duration age;
  };

  const Clock::duration limit_;
  const Clock::duration interval_;
  std::mutex mutex_{};
  std::optional<Clock::time_point> looked_at_{};
  std::vector<Seen> seen_{};
};

/// The runs of one job, for a WatchList to look at. `arm` and `disarm` cost a few nanoseconds and
/// belong to one thread.
class Watch {
 public:
  /// Says what the run does and who waits for what, on the watchdog's thread while the run may be
  /// stuck: it may take no lock that the run could hold.
  using Describe = std::function<std::string()>;

  /// `list` must outlive this.
  Watch(WatchList& list, Describe describe);
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  /// A run starts, or the next one does.
  void arm() { run_.store((run_.load(std::memory_order_relaxed) + 1) | 1, kOrder); }
  /// The run has come to its end.
  void disarm() {
    run_.store((run_.load(std::memory_order_relaxed) + 1) & ~std::uint64_t{1}, kOrder);
  }

 private:
  friend class WatchList;
  static constexpr auto kOrder = std::memory_order_release;

  WatchList& list_;
  Describe describe_;
  std::atomic<std::uint64_t> run_ = 0;  // odd while a run is on
};

/// Ends the process when a run hangs in real time: a backend that loops or blocks and never comes
/// back to the scheduler, which nothing inside the run can notice.
///
/// One object per campaign, with a thread of its own. When a run takes longer than the limit, what
/// its Watch says goes to stderr and the process ends at once, without destructors, with exit code
/// 5 (internal error).
class Watchdog {
 public:
  static constexpr std::chrono::milliseconds kDefaultLimit = std::chrono::minutes(1);
  static constexpr int kExitCode = 5;

  explicit Watchdog(std::chrono::milliseconds limit = kDefaultLimit);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  /// Where a job's Watch belongs.
  [[nodiscard]] WatchList& list() { return list_; }

 private:
  void guard();

  const std::chrono::milliseconds interval_;
  WatchList list_;
  std::mutex mutex_{};
  std::condition_variable wake_{};
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace causalcheck
