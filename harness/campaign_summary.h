#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "checker/verdict.h"
#include "harness/faults/fault_tally.h"
#include "harness/run.h"

namespace causalcheck {

/// How one guarantee fared over the runs of a campaign.
struct GuaranteeTally {
  std::uint64_t runs_judged = 0;      // in which it held or broke
  std::uint64_t runs_could_fail = 0;  // of them, those in which something could have broken it
  std::uint64_t runs_broken = 0;
  std::uint64_t judged = 0;  // how often, over all runs, it was judged where it could have failed
  std::uint64_t broken = 0;  // and how often it failed
  bool claimed = false;
  std::string why_not{};  // of the first run in which it did not apply
  bool operator==(const GuaranteeTally&) const = default;
};

/// How often one strategy ran, and in how many of these runs something broke.
struct StrategyTally {
  std::uint64_t runs = 0;
  std::uint64_t broke = 0;
  bool operator==(const StrategyTally&) const = default;
};

/// What the queues of a backend that holds messages back went through.
struct HoldTally {
  std::uint64_t runs = 0;  // 0: the backend has no such queues
  HoldMetrics metrics{};
  std::uint64_t stalled = 0;       // messages that still waited when their run ended
  std::uint64_t runs_stalled = 0;  // in which there were any
  std::string first_stall{};       // of the first such run
  bool operator==(const HoldTally&) const = default;
};

inline constexpr std::size_t kStrategyCount = 3;

/// What the runs of a campaign exercised and found, summed up. A value; the order in which runs are
/// added does not matter, but for the reasons in words.
struct CampaignSummary {
  std::uint64_t runs = 0;
  std::uint64_t held = 0;
  std::uint64_t broke = 0;
  std::uint64_t vacuous = 0;  // nothing contended; nothing against the backend, nothing for it
  std::uint64_t contaminated = 0;
  std::uint64_t cut_off = 0;
  std::string first_problem{};  // of the first run that was contaminated or cut off
  std::uint64_t events = 0;
  std::uint64_t switches_inside = 0;
  std::uint64_t runs_with_switches = 0;
  std::uint64_t steps = 0;
  Time virtual_time{};
  std::uint64_t compared = 0;  // runs that ran twice, for determinism
  Counts counts{};
  std::array<GuaranteeTally, kGuaranteeCount> guarantees{};
  std::array<StrategyTally, kStrategyCount> strategies{};
  HoldTally holds{};
  FaultTallies faults{};

  /// These were asked for, as PlanOptions::faults names them.
  void ask_faults(const std::vector<std::string>& names);
  void add(const RunResult& run);
  void merge(const CampaignSummary& other);
  [[nodiscard]] const GuaranteeTally& operator[](Guarantee id) const {
    return guarantees[static_cast<std::size_t>(id)];
  }
  [[nodiscard]] const FaultTally& operator[](FaultKind kind) const {
    return faults[static_cast<std::size_t>(kind)];
  }
  [[nodiscard]] const StrategyTally& operator[](StrategyKind kind) const {
    return strategies[static_cast<std::size_t>(kind)];
  }
  bool operator==(const CampaignSummary&) const = default;
};

/// The verdict of a campaign, and for kUnknown why.
struct CampaignVerdict {
  Verdict verdict = Verdict::kUnknown;
  std::string why{};
  bool operator==(const CampaignVerdict&) const = default;
};

/// Judges a campaign (docs/architecture.md, "Verdict of a campaign").
///
/// Breaks if any run broke. Unknown if nothing ran, any run was cut off or contaminated, nothing
/// contended in any run, a guarantee that is claimed and applies could not have failed in any run,
/// a fault that was asked for hit no operation in any run, or `interleaves` and no switch inside an
/// operation happened. `outcome` is left out of the
/// exercised ones: it can only break when operations fail, which takes a fault.
[[nodiscard]] CampaignVerdict judge_campaign(const CampaignSummary& summary, bool interleaves);

}  // namespace causalcheck
