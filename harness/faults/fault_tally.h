#pragma once

#include <array>
#include <cstdint>

#include "checker/history.h"
#include "harness/faults/fault_kind.h"

namespace causalcheck {

/// What one kind of fault did in a run.
struct FaultCount {
  bool armed = false;
  std::uint32_t fired = 0;  // windows in the history
  std::uint32_t hit = 0;    // of them, those that overlapped an operation of their target
};
using FaultCounts = std::array<FaultCount, kFaultKindCount>;

/// Counts what took effect in a run that armed `armed`: by the history, as the checker sees it.
[[nodiscard]] FaultCounts count_faults(const History& history, FaultSet armed);

/// How one kind of fault fared over the runs of a campaign.
struct FaultTally {
  bool asked = false;
  std::uint64_t runs_armed = 0;
  std::uint64_t runs_hit = 0;  // in which it overlapped an operation
  std::uint64_t fired = 0;
  std::uint64_t hit = 0;
  void add(const FaultCount& run);
  void merge(const FaultTally& other);
  bool operator==(const FaultTally&) const = default;
};
using FaultTallies = std::array<FaultTally, kFaultKindCount>;

}  // namespace causalcheck
