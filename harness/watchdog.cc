#include "harness/watchdog.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace causalcheck {

namespace {

std::chrono::milliseconds interval_for(std::chrono::milliseconds limit) {
  using std::chrono::milliseconds;
  return std::clamp(limit / 8, milliseconds(1), milliseconds(1000));
}

}  // namespace

WatchList::WatchList(std::chrono::milliseconds limit, std::chrono::milliseconds interval)
    : limit_(limit), interval_(interval) {}

std::optional<std::string> WatchList::look(Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  const Clock::duration passed =
      std::min(now - looked_at_.value_or(now), Clock::duration(2 * interval_));
  looked_at_ = now;
  for (Seen& seen : seen_) {
    const std::uint64_t run = seen.watch->run_.load(std::memory_order_acquire);
    if (run != seen.run || run % 2 == 0) {
      seen.run = run;
      seen.age = Clock::duration::zero();
      continue;
    }
    seen.age += passed;
    if (seen.age <= limit_) continue;
    const auto limit_ms = std::chrono::duration_cast<std::chrono::milliseconds>(limit_).count();
    return fmt::format("a run is stuck: it has not ended within {} ms of real time\n{}", limit_ms,
                       seen.watch->describe_());
  }
  return std::nullopt;
}

Watch::Watch(WatchList& list, Describe describe) : list_(list), describe_(std::move(describe)) {
  const std::lock_guard lock(list_.mutex_);
  list_.seen_.push_back({this, 0, {}});
}

Watch::~Watch() {
  const std::lock_guard lock(list_.mutex_);
  std::erase_if(list_.seen_, [&](const WatchList::Seen& seen) { return seen.watch == this; });
}

Watchdog::Watchdog(std::chrono::milliseconds limit)
    : interval_(interval_for(limit)), list_(limit, interval_), thread_([this] { guard(); }) {}

Watchdog::~Watchdog() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void Watchdog::guard() {
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, interval_, [&] { return stopping_; })) {
    const std::optional<std::string> stuck = list_.look(WatchList::Clock::now());
    if (!stuck) continue;
    fmt::print(stderr, "causalcheck: {}\n", *stuck);
    std::fflush(stderr);
    std::_Exit(kExitCode);
  }
}

}  // namespace causalcheck
