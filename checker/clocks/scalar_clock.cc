#include "checker/clocks/scalar_clock.h"

#include <algorithm>

namespace causalcheck {

std::optional<Tick> LamportClock::tick() { return receive(0); }

std::optional<Tick> LamportClock::receive(Tick stamp) {
  const Tick later = std::max(now_, stamp);
  if (later >= kTickMax) return std::nullopt;
  now_ = later + 1;
  return now_;
}

std::optional<HybridStamp> HybridClock::take(const HybridStamp& next) {
  if (next.wall > kTickMax || next.count > kCountMax) return std::nullopt;
  now_ = next;
  return now_;
}

std::optional<HybridStamp> HybridClock::tick(std::uint64_t wall) {
  if (wall > now_.wall) return take({wall, 0});
  return take({now_.wall, now_.count + 1});
}

std::optional<HybridStamp> HybridClock::receive(std::uint64_t wall, const HybridStamp& stamp) {
  if (stamp.wall > kTickMax || stamp.count > kCountMax) return std::nullopt;
  if (stamp.wall > wall && stamp.wall - wall > ahead_max_) return std::nullopt;
  const std::uint64_t latest = std::max({wall, now_.wall, stamp.wall});
  std::uint32_t count = 0;
  if (latest == now_.wall) count = now_.count + 1;
  if (latest == stamp.wall) count = std::max(count, stamp.count + 1);
  return take({latest, count});
}

}  // namespace causalcheck
