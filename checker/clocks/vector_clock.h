#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

namespace causalcheck {

/// An index into a table of stamping identities. Dense from 0.
using ProcessId = std::uint32_t;

/// How many events of one identity. 0: none.
using Tick = std::uint64_t;

/// The largest value that a clock holds. Far below the type's limit: nothing here ever wraps, and a
/// value beyond it is a corrupted clock or a hostile one.
inline constexpr Tick kTickMax = Tick{1} << 62U;

/// How many identities may stamp, if nobody says otherwise. Every clock carries an entry for each,
/// so that a clock without a cap grows with the number of restarts.
inline constexpr std::size_t kIdentitiesMax = 4096;

/// How two clocks, and so the two events they belong to, stand to each other.
enum class ClockOrder : std::uint8_t { kBefore, kAfter, kEqual, kConcurrent };

/// Whether a clock did what it was asked to. If not, it is unchanged.
enum class ClockStatus : std::uint8_t {
  kOk,
  kNearLimit,          // the value would exceed kTickMax
  kTooManyIdentities,  // the identity lies beyond the cap
};

/// Entry by entry; an entry that one of them does not have is 0 there. Linear in the longer one.
ClockOrder compare(std::span<const Tick> a, std::span<const Tick> b);

/// One entry of a clock that names its identities.
struct ClockEntry {
  ProcessId process = 0;
  Tick tick = 0;
  bool operator==(const ClockEntry&) const = default;
};

/// A vector clock with an entry for every identity (Mattern 1989, Fidge 1988). A value.
///
/// Grows as it is asked to; an entry it does not have is 0, so that clocks which differ only by
/// trailing zeros are equal.
class VectorClock {
 public:
  VectorClock() = default;
  /// Each entry must be kTickMax at most.
  VectorClock(std::initializer_list<Tick> entries);

  Tick operator[](ProcessId process) const {
    return process < entries_.size() ? entries_[process] : 0;
  }
  [[nodiscard]] std::span<const Tick> entries() const { return entries_; }

  /// One more event of `process`.
  [[nodiscard]] ClockStatus tick(ProcessId process, std::size_t identities_max = kIdentitiesMax);
  [[nodiscard]] ClockStatus set(ProcessId process, Tick value,
                                std::size_t identities_max = kIdentitiesMax);
  /// The least upper bound of both: what somebody knows who knows both.
  void merge(const VectorClock& other);

  friend ClockOrder compare(const VectorClock& a, const VectorClock& b) {
    return compare(a.entries(), b.entries());
  }
  bool operator==(const VectorClock& other) const {
    return compare(*this, other) == ClockOrder::kEqual;
  }

 private:
  std::vector<Tick> entries_{};
};

/// A vector clock that holds only the entries that are not 0, by ascending identity. A value. For
/// many identities of which an event knows few.
class SparseClock {
 public:
  SparseClock() = default;
  explicit SparseClock(const VectorClock& dense);

  Tick operator[](ProcessId process) const;
  [[nodiscard]] std::span<const ClockEntry> entries() const { return entries_; }
  [[nodiscard]] VectorClock dense() const;

  [[nodiscard]] ClockStatus tick(ProcessId process, std::size_t identities_max = kIdentitiesMax);
  /// 0 removes the entry.
  [[nodiscard]] ClockStatus set(ProcessId process, Tick value,
                                std::size_t identities_max = kIdentitiesMax);
  void merge(const SparseClock& other);

  friend ClockOrder compare(const SparseClock& a, const SparseClock& b);
  bool operator==(const SparseClock&) const = default;

 private:
  std::vector<ClockEntry> entries_{};
};

/// The relation with both sides exchanged.
constexpr ClockOrder reversed(ClockOrder order) {
  if (order == ClockOrder::kBefore) return ClockOrder::kAfter;
  return order == ClockOrder::kAfter ? ClockOrder::kBefore : order;
}

}  // namespace causalcheck
