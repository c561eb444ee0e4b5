#include "adapters/broadcast/link.h"

#include <algorithm>

namespace causalcheck {
namespace {

constexpr std::uint32_t kPermille = 1000;
// How finely the delay of a second copy is drawn.
constexpr std::uint32_t kCopyDelays = 16;
constexpr Time kMargin = std::chrono::microseconds(50);

}  // namespace

std::uint32_t Link::trouble() const {
  return settings_.loss_permille + settings_.duplicate_permille + settings_.partition_permille;
}

Time Link::round_trip() const { return 2 * settings_.delay_high + kMargin; }

// The share `drawn` of [0, of) of the way from the shortest delay to the longest.
Time Link::delay(std::uint32_t drawn, std::uint32_t of) const {
  const Time spread = settings_.delay_high - settings_.delay_low;
  return settings_.delay_low + spread * drawn / std::max(1U, of - 1);
}

Time Link::arrive(Time at) {
  if (settings_.order == LinkOrder::kFifo) at = std::max(at, last_arrival_);
  last_arrival_ = at;
  return at;
}

Transit Link::transmit(Time now, Runtime& runtime, Passage passage) {
  const bool fixed = settings_.delay_low == settings_.delay_high && trouble() == 0;
  const std::uint32_t drawn = fixed ? 0 : runtime.choose(kPermille);
  const bool at_risk = passage == Passage::kAtRisk;
  Transit transit;
  if (to_lose_ > 0) {
    --to_lose_;
    return transit;
  }
  if (at_risk && now < down_until_) return transit;
  // The upper end of what can be drawn means trouble, so that 0 never does.
  const std::uint32_t calm = kPermille - trouble();
  if (at_risk && drawn >= calm + settings_.duplicate_permille) {
    if (drawn >= kPermille - settings_.partition_permille) {
      down_until_ = now + settings_.partition_length;
    }
    return transit;
  }
  const Time from = std::max(now, down_until_);
  transit.times[transit.copies++] = arrive(from + delay(std::min(drawn, calm - 1), calm));
  if (at_risk && drawn >= calm) {
    const std::uint32_t again = runtime.choose(kCopyDelays);
    transit.times[transit.copies++] = arrive(from + delay(again, kCopyDelays));
  }
  return transit;
}

bool Link::loses(Time now, Runtime& runtime) {
  if (now < down_until_) return true;
  if (settings_.loss_permille == 0) return false;
  return runtime.choose(kPermille) >= kPermille - settings_.loss_permille;
}

}  // namespace causalcheck
