#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "checker/clocks/stamped_log.h"

namespace causalcheck {

/// A message that was received after one whose sender knew it: an effect before its cause.
struct DeliveryFinding {
  StampedIndex send = 0;             // of the cause
  StampedIndex receive = 0;          // of the cause, too late
  StampedIndex later_send = 0;       // of the effect, by somebody who knew `send`
  StampedIndex earlier_receive = 0;  // of the effect
  bool operator==(const DeliveryFinding&) const = default;
};

struct DeliveryCheck {
  std::uint64_t sends = 0;
  std::uint64_t receives = 0;
  std::uint64_t judged = 0;        // first receives of messages whose one send is in the log
  std::uint64_t repeats = 0;       // the same message at the same process again; not judged
  std::uint64_t without_send = 0;  // not judged
  std::uint64_t found = 0;
  /// The first kDeliveryFindingsMax, in order of receives.
  std::vector<DeliveryFinding> findings{};
  bool operator==(const DeliveryCheck&) const = default;
};

inline constexpr std::size_t kDeliveryFindingsMax = 100;

/// Whether each process received the marked messages in causal order (Birman, Schiper and
/// Stephenson 1991): of two that it received, the one whose send happened before the other's comes
/// first.
///
/// The clocks of the log must be possible. Linear in the entries of the clocks of sends, per
/// receive.
[[nodiscard]] DeliveryCheck check_delivery(const StampedLog& log);

/// "line 12: C receives m1 (sent in line 3) after m2 (received in line 9), whose sender knew m1
/// when it sent m2 in line 7".
std::string to_string(const DeliveryFinding& finding, const StampedLog& log);

}  // namespace causalcheck
