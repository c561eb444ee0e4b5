#pragma once

#include <cstdint>
#include <optional>

#include "checker/clocks/vector_clock.h"

namespace causalcheck {

/// A Lamport clock (Lamport 1978): if one event happens before another its stamp is smaller.
/// Nothing follows the other way round: of two stamps nobody can tell whether the events are
/// concurrent.
class LamportClock {
 public:
  [[nodiscard]] Tick now() const { return now_; }
  /// An event of this process, its sends included: its stamp. nullopt at kTickMax.
  [[nodiscard]] std::optional<Tick> tick();
  /// The receive of a message stamped `stamp`: the stamp of the receive. nullopt, and nothing
  /// changed, when that would exceed kTickMax: one wild stamp must not carry everybody to the
  /// limit.
  [[nodiscard]] std::optional<Tick> receive(Tick stamp);

 private:
  Tick now_ = 0;
};

/// A stamp of a hybrid logical clock. Compared by wall time first.
struct HybridStamp {
  std::uint64_t wall = 0;   // the largest wall clock reading heard of, in the clock's unit
  std::uint32_t count = 0;  // tells apart what shares it
  auto operator<=>(const HybridStamp&) const = default;
};

/// A hybrid logical clock (Kulkarni et al. 2014): a Lamport clock that stays close to the wall
/// clock. Like a Lamport clock it respects happened-before and cannot tell concurrency.
///
/// The caller reads the wall clock and hands the reading in; it may jump either way.
class HybridClock {
 public:
  /// Refuses stamps of others that lie more than `ahead_max` before this process's wall clock.
  explicit HybridClock(std::uint64_t ahead_max = kTickMax) : ahead_max_(ahead_max) {}

  [[nodiscard]] HybridStamp now() const { return now_; }
  /// An event of this process, its sends included. nullopt, and nothing changed, when a part of the
  /// stamp would exceed its limit (kTickMax, kCountMax).
  [[nodiscard]] std::optional<HybridStamp> tick(std::uint64_t wall);
  /// The receive of a message stamped `stamp`. nullopt as above, or when `stamp` is too far ahead.
  [[nodiscard]] std::optional<HybridStamp> receive(std::uint64_t wall, const HybridStamp& stamp);

  /// The paper packs the count into 16 bits.
  static constexpr std::uint32_t kCountMax = 0xFFFF;

 private:
  [[nodiscard]] std::optional<HybridStamp> take(const HybridStamp& next);
  std::uint64_t ahead_max_;
  HybridStamp now_{};
};

}  // namespace causalcheck
