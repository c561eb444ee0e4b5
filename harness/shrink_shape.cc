#include <algorithm>
#include <array>
#include <utility>

#include "harness/choices.h"
#include "harness/shrinker.h"

namespace causalcheck {
namespace {

constexpr std::uint32_t kOften = 300;

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

std::vector<std::uint32_t> lower_counts(std::uint32_t value) {
  std::vector<std::uint32_t> counts;
  for (std::uint32_t count = 1; count < value; count *= 2) counts.push_back(count);
  if (value > 1 && counts.back() != value - 1) counts.push_back(value - 1);
  return counts;
}

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

std::vector<Plan> quieter_shapes(const Plan& plan) {
  std::vector<Plan> shapes;
  for (const auto& [only_read, only_write] : {std::pair{1U, 1U}, {1U, 0U}, {0U, 1U}}) {
    Plan changed = plan;
    changed.workload.only_read += only_read;
    changed.workload.only_write += only_write;
    // Somebody has to write.
    if (changed.workload.only_read >= plan.clients) continue;
    if (changed.workload.only_read + changed.workload.only_write > plan.clients) continue;
    shapes.push_back(std::move(changed));
  }
  for (const auto knob : {&Workload::leave_permille, &Workload::offline_permille}) {
    Plan changed = plan;
    changed.workload.*knob = std::max(changed.workload.*knob, kOften);
    if (changed != plan) shapes.push_back(std::move(changed));
  }
  return shapes;
}

Plan smaller(const Plan& plan, Choices& draws) {
  Plan changed = plan;
  if (plan.clients > 1 && draws.next(8) == 0) changed = with_clients(plan, plan.clients - 1);
  if (draws.next(2) == 0) {
    std::vector<Plan> quieter = quieter_shapes(changed);
    const std::uint32_t chosen = draws.next(static_cast<std::uint32_t>(quieter.size()));
    if (!quieter.empty()) changed = std::move(quieter[chosen]);
  }
  const std::uint32_t range = draws.next(2) == 0 ? changed.events : std::min(changed.events, 4U);
  changed.events -= draws.next(range);
  return changed;
}

Plan mutated(const Plan& plan, Choices& draws) {
  Plan changed = smaller(plan, draws);
  std::vector<std::uint32_t>& list = *changed.choices;
  for (std::uint32_t edits = 1 + draws.next(3); edits > 0 && !list.empty(); --edits) {
    const std::uint32_t place = draws.next(static_cast<std::uint32_t>(list.size()));
    const auto at = list.begin() + place;
    const std::uint32_t length = 1 + draws.next(6);
    switch (draws.next(3)) {
      case 0:
        list.erase(at, list.size() - place > length ? at + length : list.end());
        break;
      case 1:
        list.insert(at, length, 0U);
        break;
      default:
        *at = draws.next(4);
        break;
    }
  }
  return changed;
}

}  // namespace causalcheck
