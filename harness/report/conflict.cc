#include "harness/report/conflict.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "checker/explain.h"
#include "harness/report/markup.h"

namespace causalcheck {
namespace {

constexpr std::size_t kNameCharactersMax = 40;

OperationIndex operation_of(const Symbol& symbol, const Timeline& timeline) {
  for (const Event& event : timeline.events) {
    if (event.at == symbol) return event.operation;
  }
  return kNoOperation;
}

std::string row_text(const Operation& o, const History& history) {
  const std::string who = o.is_drain() ? "the drain" : history.clients[o.client];
  const std::string message = o.message == kNothing ? "nothing" : history.messages[o.message];
  if (o.is_write() && !o.is_drain()) {
    const std::string what = o.is_delete ? " published the delete " : " published ";
    const Outcome outcome = final_outcome(o);
    return who + what + message +
           (outcome == Outcome::kOk     ? ""
            : outcome == Outcome::kFail ? ", which failed"
                                        : ", outcome unknown");
  }
  if (o.undecodable) return who + " got an answer that cannot be decoded";
  if (final_outcome(o) != Outcome::kOk) return who + " got no answer";
  return who + (o.is_drain() ? " found " : " observed ") + message;
}

ConflictRow::Kind kind_of(const Operation& o) {
  using Kind = ConflictRow::Kind;
  if (o.is_drain()) return Kind::kDrain;
  if (o.is_write()) return Kind::kPublish;
  if (final_outcome(o) != Outcome::kOk) return Kind::kUnknown;
  return o.message == kNothing ? Kind::kEmpty : Kind::kObserve;
}

ConflictRow row_of(OperationIndex index, const History& history, const Timeline& timeline) {
  const Operation& o = history.operations[index];
  ConflictRow row;
  row.kind = kind_of(o);
  row.operation = index;
  row.number = o.is_write() && !o.is_drain() ? o.start : (o.end == kNever ? o.start : o.end);
  if (const std::uint32_t event = timeline.event_of[index]; event != kNoEvent) {
    row.symbol = visible(to_string(timeline.events[event].at, history));
  }
  row.text = visible(row_text(o, history));
  const bool answered = final_outcome(o) == Outcome::kOk;
  row.in_log = answered && o.message != kNothing;
  if (o.slot != kNoSlot) row.log_text = "#" + std::to_string(o.slot);
  row.open = row.kind == ConflictRow::Kind::kPublish && final_outcome(o) == Outcome::kInfo;
  row.failed = row.kind == ConflictRow::Kind::kPublish && final_outcome(o) == Outcome::kFail;
  return row;
}

/// Cuts what is long in `names`, keeping names that differ different.
void shorten(std::vector<std::string>& names) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i].size() <= kNameCharactersMax) continue;
    const std::string cut = shortened(names[i], kNameCharactersMax);
    if (cut.size() != names[i].size()) names[i] = fmt::format("{}({})", cut, i + 1);
  }
}

}  // namespace

Conflict conflict_of(const Violation& violation, const History& history, const Timeline& timeline) {
  Conflict conflict;
  std::vector<ConflictEdge>& edges = conflict.edges;
  for (const Clause& clause : violation.chain) edges.push_back({edges.size() + 1, clause, false});
  if (violation.broken) edges.push_back({edges.size() + 1, *violation.broken, true});

  std::set<OperationIndex> shown(violation.operations.begin(), violation.operations.end());
  for (const ConflictEdge& edge : edges) {
    shown.insert(edge.clause.learned_from);
    shown.insert(operation_of(edge.clause.before, timeline));
    shown.insert(operation_of(edge.clause.after, timeline));
  }
  shown.erase(kNoOperation);
  for (const OperationIndex i : shown) conflict.rows.push_back(row_of(i, history, timeline));
  std::stable_sort(conflict.rows.begin(), conflict.rows.end(),
                   [](const ConflictRow& a, const ConflictRow& b) {
                     const bool publish_a = a.kind == ConflictRow::Kind::kPublish;
                     const bool publish_b = b.kind == ConflictRow::Kind::kPublish;
                     return std::tie(a.number, publish_b) < std::tie(b.number, publish_a);
                   });

  std::set<ClientId> clients;
  std::set<TopicId> topics;
  for (const ConflictRow& row : conflict.rows) {
    const Operation& o = history.operations[row.operation];
    if (!o.is_drain()) clients.insert(o.client);
    topics.insert(o.topic);
  }
  std::map<std::uint32_t, std::size_t> lane_of_client;
  std::map<std::uint32_t, std::size_t> lane_of_topic;
  for (const ClientId client : clients) {
    lane_of_client[client] = conflict.lanes.size();
    conflict.lanes.push_back({visible(history.clients[client]), false, client});
  }
  for (const TopicId topic : topics) {
    lane_of_topic[topic] = conflict.lanes.size();
    conflict.lanes.push_back({"log " + visible(history.topics[topic]), true, topic});
  }
  std::map<OperationIndex, std::size_t> row_of_operation;
  for (std::size_t i = 0; i < conflict.rows.size(); ++i) {
    ConflictRow& row = conflict.rows[i];
    const Operation& o = history.operations[row.operation];
    row.log = lane_of_topic[o.topic];
    row.lane = o.is_drain() ? row.log : lane_of_client[o.client];
    row_of_operation[row.operation] = i;
  }
  const auto find = [&](OperationIndex operation) {
    const auto found = row_of_operation.find(operation);
    return found == row_of_operation.end() ? kNoRow : found->second;
  };
  for (ConflictEdge& edge : edges) {
    edge.from = find(operation_of(edge.clause.before, timeline));
    edge.to = find(operation_of(edge.clause.after, timeline));
    edge.learned_at = find(edge.clause.learned_from);
  }
  return conflict;
}

const Violation* main_violation(const Report& report) {
  const Violation* first = nullptr;
  for (const Guarantee id : all_guarantees()) {
    const std::optional<Violation>& v = report[id].violation;
    if (!v) continue;
    if (v->contradiction) return &*v;
    if (first == nullptr) first = &*v;
  }
  return first;
}

std::vector<ViolationGroup> violation_groups(const Report& report) {
  std::vector<ViolationGroup> groups;
  const Violation* main = main_violation(report);
  if (main == nullptr) return groups;
  groups.push_back({main, {}});
  for (const Guarantee id : all_guarantees()) {
    const std::optional<Violation>& v = report[id].violation;
    if (!v) continue;
    const auto same = std::find_if(groups.begin(), groups.end(), [&](const ViolationGroup& group) {
      return group.violation->operations == v->operations && group.violation->chain == v->chain &&
             group.violation->broken == v->broken;
    });
    if (same == groups.end()) {
      groups.push_back({&*v, {id}});
    } else {
      same->guarantees.push_back(id);
    }
  }
  return groups;
}

History with_short_names(const History& history) {
  History shown = history;
  shorten(shown.clients);
  shorten(shown.topics);
  shorten(shown.messages);
  return shown;
}

}  // namespace causalcheck
