#include <algorithm>
#include <array>
#include <utility>

#include "harness/shrinker.h"

namespace causalcheck {
namespace {

// 1, 2, 4, ... and last the one below `value`.
std::vector<std::uint32_t> lower_counts(std::uint32_t value) {
  std::vector<std::uint32_t> counts;
  for (std::uint32_t count = 1; count < value; count *= 2) counts.push_back(count);
  if (value > 1 && counts.back() != value - 1) counts.push_back(value - 1);
  return counts;
}

// The last clients go. Roles are counted from the last one, so the others keep theirs as far as
// there are enough of them.
Plan with_clients(Plan plan, std::uint32_t clients) {
  plan.clients = clients;
  Workload& workload = plan.workload;
  workload.only_read = std::min(workload.only_read, clients);
  workload.only_write = std::min(workload.only_write, clients - workload.only_read);
  workload.join_late = std::min(workload.join_late, clients);
  if (plan.clock_offsets_ms.size() > clients) plan.clock_offsets_ms.resize(clients);
  const auto gone = [clients](std::uint32_t client) { return client >= clients; };
  std::vector<std::uint32_t>& order = plan.strategy.order;
  order.erase(std::remove_if(order.begin(), order.end(), gone), order.end());
  if (gone(plan.strategy.stalled_client)) plan.strategy = Strategy{};
  return plan;
}

}  // namespace

std::vector<Plan> simpler_shapes(const Plan& plan) {
  static constexpr std::array<std::uint32_t Workload::*, 10> kKnobs{
      &Workload::restart_permille, &Workload::offline_permille, &Workload::leave_permille,
      &Workload::join_late,        &Workload::only_read,        &Workload::only_write,
      &Workload::delete_permille,  &Workload::answer_permille,  &Workload::reread_permille,
      &Workload::filler_bytes};
  std::vector<Plan> shapes;
  // Keeps `changed` unless it is what is there already.
  const auto add = [&](Plan changed) {
    if (changed != plan) shapes.push_back(std::move(changed));
  };
  const auto with = [&plan](auto member, auto value) {
    Plan changed = plan;
    changed.*member = std::move(value);
    return changed;
  };

  for (const std::uint32_t clients : lower_counts(plan.clients)) add(with_clients(plan, clients));
  for (const std::uint32_t topics : lower_counts(plan.topics)) add(with(&Plan::topics, topics));
  add(with(&Plan::faults, std::vector<std::string>()));
  for (std::size_t i = 0; plan.faults.size() > 1 && i < plan.faults.size(); ++i) {
    Plan changed = plan;
    changed.faults.erase(changed.faults.begin() + static_cast<std::ptrdiff_t>(i));
    add(std::move(changed));
  }
  // An explicit list says who goes on; all that is left of a strategy is whom it stalls.
  add(with(&Plan::strategy, Strategy{}));
  Workload none;
  for (const auto knob : kKnobs) none.*knob = 0;
  add(with(&Plan::workload, none));
  for (const auto knob : kKnobs) {
    Plan changed = plan;
    changed.workload.*knob = 0;
    add(std::move(changed));
  }
  for (const std::uint32_t depth : lower_counts(plan.pipeline)) add(with(&Plan::pipeline, depth));
  add(with(&Plan::clock_offsets_ms, std::vector<std::int32_t>()));
  return shapes;
}

}  // namespace causalcheck
