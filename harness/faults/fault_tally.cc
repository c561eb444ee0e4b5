#include "harness/faults/fault_tally.h"

#include <algorithm>
#include <optional>

#include "checker/fault_overlap.h"

namespace causalcheck {
namespace {

bool hits(const FaultWindow& window, const History& history) {
  const std::optional<ClientId> client = client_concerned(window, history);
  return std::any_of(history.operations.begin(), history.operations.end(),
                     [&](const Operation& operation) {
                       if (operation.is_drain() || (client && operation.client != *client)) {
                         return false;
                       }
                       return window.start <= operation.end && operation.start <= window.end;
                     });
}

}  // namespace

FaultCounts count_faults(const History& history, FaultSet armed) {
  FaultCounts counts;
  for (std::uint32_t i = 0; i < armed.size(); ++i) {
    counts[static_cast<std::size_t>(armed.nth(i))].armed = true;
  }
  for (const FaultWindow& window : history.faults) {
    const auto kind = parse_fault_kind(window.kind);
    if (!kind) continue;
    FaultCount& count = counts[static_cast<std::size_t>(*kind)];
    ++count.fired;
    if (hits(window, history)) ++count.hit;
  }
  return counts;
}

void FaultTally::add(const FaultCount& run) {
  if (run.armed) ++runs_armed;
  if (run.hit > 0) ++runs_hit;
  fired += run.fired;
  hit += run.hit;
}

void FaultTally::merge(const FaultTally& other) {
  asked = asked || other.asked;
  runs_armed += other.runs_armed;
  runs_hit += other.runs_hit;
  fired += other.fired;
  hit += other.hit;
}

}  // namespace causalcheck
