#include "harness/event_clash.h"

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <vector>

namespace causalcheck {
namespace {

bool is_event(const Operation& operation) {
  if (operation.is_drain()) return false;
  return operation.is_write() ||
         (operation.outcome == Outcome::kOk && operation.message != kNothing);
}

Position position_of(const Operation& operation) {
  return operation.is_write() ? operation.start : operation.end;
}

bool all_in_order(const History& history) {
  std::vector<Position> last(history.clients.size(), 0);
  for (const Operation& operation : history.operations) {
    if (!is_event(operation)) continue;
    if (position_of(operation) <= last[operation.client]) return false;
    last[operation.client] = position_of(operation);
  }
  return true;
}

}  // namespace

std::optional<EventClash> first_event_clash(const History& history) {
  if (all_in_order(history)) return std::nullopt;
  std::vector<EventClash> events;
  for (std::size_t i = 0; i < history.operations.size(); ++i) {
    const Operation& operation = history.operations[i];
    if (!is_event(operation)) continue;
    events.push_back({operation.client, position_of(operation), static_cast<OperationIndex>(i)});
  }
  std::sort(events.begin(), events.end(), [](const EventClash& a, const EventClash& b) {
    return std::tie(a.client, a.position, a.operation) <
           std::tie(b.client, b.position, b.operation);
  });
  std::optional<EventClash> first;
  for (std::size_t i = 1; i < events.size(); ++i) {
    const EventClash& before = events[i - 1];
    const EventClash& after = events[i];
    if (before.client != after.client || before.position != after.position) continue;
    if (!first || after.operation < first->operation) first = after;
  }
  return first;
}

}  // namespace causalcheck
