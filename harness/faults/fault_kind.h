#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace causalcheck {

/// The ways in which the world can be unkind to a run. docs/faults.md tells what each does and what
/// it needs of a backend. A correct backend keeps its promises under all of them.
///
/// The numbers stand in saved plans: new kinds are added at the end.
enum class FaultKind : std::uint8_t {
  kDelay,
  kDropRequest,
  kDropAnswer,
  kLateRequest,
  kRefuse,
  kReset,
  kTruncate,
  kDuplicate,
  kPartition,
  kFlip,
  kOffline,
  kPause,
  kCrash,
  kPowerLoss,
  kSkew,
  kRestartClient,
};
inline constexpr std::size_t kFaultKindCount = 16;

/// A set of kinds; a value.
class FaultSet {
 public:
  constexpr FaultSet() = default;
  constexpr FaultSet(std::initializer_list<FaultKind> kinds) {
    for (const FaultKind kind : kinds) insert(kind);
  }
  [[nodiscard]] constexpr bool contains(FaultKind kind) const {
    return (bits_ >> static_cast<unsigned>(kind) & 1U) != 0;
  }
  constexpr void insert(FaultKind kind) { bits_ |= 1U << static_cast<unsigned>(kind); }
  constexpr void erase(FaultKind kind) { bits_ &= ~(1U << static_cast<unsigned>(kind)); }
  [[nodiscard]] constexpr bool empty() const { return bits_ == 0; }
  [[nodiscard]] constexpr std::uint32_t size() const {
    return static_cast<std::uint32_t>(std::popcount(bits_));
  }
  /// The kind before which there are `n` others. REQUIRES: n < size().
  [[nodiscard]] constexpr FaultKind nth(std::uint32_t n) const {
    std::uint32_t bits = bits_;
    for (; n > 0; --n) bits &= bits - 1;
    return static_cast<FaultKind>(std::countr_zero(bits));
  }
  constexpr FaultSet operator&(FaultSet other) const { return FaultSet(bits_ & other.bits_); }
  constexpr FaultSet operator|(FaultSet other) const { return FaultSet(bits_ | other.bits_); }
  constexpr bool operator==(const FaultSet&) const = default;

 private:
  explicit constexpr FaultSet(std::uint32_t bits) : bits_(bits) {}
  std::uint32_t bits_ = 0;
};

/// Every kind, in the order of the enumeration.
[[nodiscard]] FaultSet all_faults();

/// "drop-answer", as command lines, plans and histories have it, and back.
[[nodiscard]] std::string_view to_string(FaultKind kind);
[[nodiscard]] std::optional<FaultKind> parse_fault_kind(std::string_view text);
/// What happens, in one line for people.
[[nodiscard]] std::string_view help_of(FaultKind kind);

/// "delay, drop-answer", and the names one by one.
[[nodiscard]] std::string to_string(FaultSet kinds);
[[nodiscard]] std::vector<std::string> names_of(FaultSet kinds);
/// The kinds that `names` lists; a name that is none is left out.
[[nodiscard]] FaultSet faults_of(const std::vector<std::string>& names);

}  // namespace causalcheck
