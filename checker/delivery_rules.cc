#include "checker/delivery_rules.h"

namespace causalcheck {
namespace {

std::optional<Missing> missing_of_sender(const Stamp& stamp,
                                         std::span<const std::uint32_t> delivered) {
  const std::uint32_t has = delivered[stamp.sender];
  if (stamp.number <= has + 1) return std::nullopt;
  return Missing{stamp.sender, stamp.number - 1, has};
}

}  // namespace

std::optional<Missing> ImmediateRule::first_missing(const Stamp&,
                                                    std::span<const std::uint32_t>) const {
  return std::nullopt;
}

std::optional<Missing> FifoRule::first_missing(const Stamp& stamp,
                                               std::span<const std::uint32_t> delivered) const {
  return missing_of_sender(stamp, delivered);
}

std::optional<Missing> CausalRule::first_missing(const Stamp& stamp,
                                                 std::span<const std::uint32_t> delivered) const {
  if (const std::optional<Missing> own = missing_of_sender(stamp, delivered)) return own;
  const std::size_t entries = stamp.clock.size();
  for (std::size_t process = 0; process < entries; ++process) {
    if (stamp.clock[process] <= delivered[process]) continue;
    // A broadcast that is counted has itself in its sender's entry.
    if (process == stamp.sender && stamp.number > 0) continue;
    return Missing{static_cast<ProcessId>(process), stamp.clock[process], delivered[process]};
  }
  return std::nullopt;
}

}  // namespace causalcheck
