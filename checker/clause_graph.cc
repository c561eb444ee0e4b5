#include "checker/clause_graph.h"

#include <algorithm>

namespace causalcheck {

ClauseGraph::ClauseGraph(const History& history, const Timeline& timeline)
    : history_(history), timeline_(timeline) {
  const auto& events = timeline.events;
  next_.assign(events.size(), kNoEvent);
  first_observer_.assign(history.messages.size() + 1, 0);
  for (std::uint32_t e = 0; e < events.size(); ++e) {
    if (timeline.previous[e] != kNoEvent) next_[timeline.previous[e]] = e;
    if (!events[e].is_publish) ++first_observer_[events[e].message + 1];
  }
  for (std::size_t m = 1; m < first_observer_.size(); ++m) {
    first_observer_[m] += first_observer_[m - 1];
  }
  observers_.resize(first_observer_.back());
  std::vector<std::uint32_t> filled(first_observer_.begin(), first_observer_.end() - 1);
  for (std::uint32_t e = 0; e < events.size(); ++e) {
    if (!events[e].is_publish) observers_[filled[events[e].message]++] = e;
  }
}

void ClauseGraph::observed(MessageId before, MessageId after, OperationIndex operation) {
  if (before == after) return;
  observed_.push_back({timeline_.publish_of(before), timeline_.publish_of(after), operation});
}

Clause ClauseGraph::clause(Principle why, std::uint32_t from, std::uint32_t to,
                           OperationIndex learned_from) const {
  return {why, timeline_.events[from].at, timeline_.events[to].at, learned_from};
}

void ClauseGraph::index_observed() const {
  sorted_observed_ = observed_;
  std::stable_sort(sorted_observed_.begin(), sorted_observed_.end(),
                   [](const Observed& a, const Observed& b) { return a.from < b.from; });
  first_observed_.assign(timeline_.events.size() + 1, 0);
  for (const Observed& edge : sorted_observed_) ++first_observed_[edge.from + 1];
  for (std::size_t e = 1; e < first_observed_.size(); ++e) {
    first_observed_[e] += first_observed_[e - 1];
  }
}

template <class Visit>
void ClauseGraph::for_each_edge(std::uint32_t event, Visit visit) const {
  if (timeline_.leads_on(event)) {
    // P1 runs past publishes whose edge is dropped.
    for (std::uint32_t n = next_[event]; n != kNoEvent; n = next_[n]) {
      visit(Principle::kClientOrder, n, timeline_.events[n].operation);
      if (timeline_.leads_on(n)) break;
    }
  }
  const Event& e = timeline_.events[event];
  if (e.is_publish && timeline_.publish_of(e.message) == event) {
    for (std::uint32_t i = first_observer_[e.message]; i < first_observer_[e.message + 1]; ++i) {
      visit(Principle::kSendBeforeReceive, observers_[i],
            timeline_.events[observers_[i]].operation);
    }
  }
}

template <class Found>
std::vector<Clause> ClauseGraph::search(std::uint32_t from, bool with_observed,
                                        Found is_target) const {
  if (from == kNoEvent) return {};
  if (with_observed) index_observed();
  struct Visit {
    std::uint32_t parent = kNoEvent;
    Clause by{};
  };
  std::vector<Visit> visits(timeline_.events.size());
  std::vector<std::uint32_t> queue{from};
  visits[from].parent = from;
  for (std::size_t head = 0; head < queue.size(); ++head) {
    const std::uint32_t at = queue[head];
    std::uint32_t hit = kNoEvent;
    const auto visit = [&](Principle why, std::uint32_t to, OperationIndex learned_from) {
      if (hit != kNoEvent || visits[to].parent != kNoEvent) return;
      visits[to] = {at, clause(why, at, to, learned_from)};
      queue.push_back(to);
      if (is_target(to)) hit = to;
    };
    for_each_edge(at, visit);
    if (with_observed) {
      for (std::uint32_t i = first_observed_[at]; i < first_observed_[at + 1]; ++i) {
        visit(Principle::kObservedOrder, sorted_observed_[i].to, sorted_observed_[i].learned_from);
      }
    }
    if (hit == kNoEvent) continue;
    std::vector<Clause> chain;
    for (std::uint32_t e = hit; e != from; e = visits[e].parent) chain.push_back(visits[e].by);
    std::reverse(chain.begin(), chain.end());
    return chain;
  }
  return {};
}

std::vector<Clause> ClauseGraph::chain(MessageId from, const std::vector<bool>& targets) const {
  return search(timeline_.publish_of(from), false, [&](std::uint32_t event) {
    const Event& e = timeline_.events[event];
    return e.is_publish && e.message != from && e.message != kNothing && targets[e.message] &&
           timeline_.publish_of(e.message) == event;
  });
}

/// Strongly connected components, numbered; Tarjan's algorithm without recursion.
std::vector<std::uint32_t> ClauseGraph::components() const {
  const auto n = static_cast<std::uint32_t>(timeline_.events.size());
  std::vector<std::uint32_t> first_edge(n + 1, 0);
  std::vector<std::uint32_t> edges;
  for (std::uint32_t e = 0; e < n; ++e) {
    for_each_edge(e, [&](Principle, std::uint32_t to, OperationIndex) { edges.push_back(to); });
    for (std::uint32_t i = first_observed_[e]; i < first_observed_[e + 1]; ++i) {
      edges.push_back(sorted_observed_[i].to);
    }
    first_edge[e + 1] = static_cast<std::uint32_t>(edges.size());
  }
  std::vector<std::uint32_t> component(n, kNoEvent);
  std::vector<std::uint32_t> index(n, kNoEvent);
  std::vector<std::uint32_t> low(n, 0);
  std::vector<std::uint32_t> stack;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> work;  // event, next edge
  std::uint32_t counter = 0;
  std::uint32_t components = 0;
  for (std::uint32_t root = 0; root < n; ++root) {
    if (index[root] != kNoEvent) continue;
    work.emplace_back(root, first_edge[root]);
    while (!work.empty()) {
      auto& [at, edge] = work.back();
      if (index[at] == kNoEvent) {
        index[at] = low[at] = counter++;
        stack.push_back(at);
      }
      if (edge < first_edge[at + 1]) {
        const std::uint32_t to = edges[edge++];
        if (index[to] == kNoEvent) {
          work.emplace_back(to, first_edge[to]);
        } else if (component[to] == kNoEvent) {
          low[at] = std::min(low[at], index[to]);
        }
        continue;
      }
      const std::uint32_t done = at;
      if (low[done] == index[done]) {
        for (std::uint32_t member = kNoEvent; member != done;) {
          member = stack.back();
          stack.pop_back();
          component[member] = components;
        }
        ++components;
      }
      work.pop_back();
      if (!work.empty()) {
        low[work.back().first] = std::min(low[work.back().first], low[done]);
      }
    }
  }
  return component;
}

std::vector<Clause> ClauseGraph::shortest_cycle() const {
  index_observed();
  const std::vector<std::uint32_t> component = components();
  const Observed* first = nullptr;
  for (const Observed& edge : observed_) {
    if (component[edge.from] != component[edge.to]) continue;
    const auto number = [&](const Observed& e) { return history_.operations[e.learned_from].end; };
    if (first == nullptr || number(edge) < number(*first)) first = &edge;
  }
  if (first == nullptr) return {};
  std::vector<Clause> cycle{
      clause(Principle::kObservedOrder, first->from, first->to, first->learned_from)};
  const std::vector<Clause> back =
      search(first->to, true, [&](std::uint32_t event) { return event == first->from; });
  cycle.insert(cycle.end(), back.begin(), back.end());
  return cycle;
}

std::vector<std::uint32_t> ClauseGraph::backwards() const {
  index_observed();
  // Without a cycle every event is a component of its own, and what it leads to has a smaller
  // number.
  const std::vector<std::uint32_t> component = components();
  std::vector<std::uint32_t> order(component.size());
  for (std::uint32_t e = 0; e < order.size(); ++e) order[component[e]] = e;
  return order;
}

std::vector<std::uint64_t> ClauseGraph::ordered_before(
    const std::vector<std::uint64_t>& bits, const std::vector<std::uint32_t>& order) const {
  std::vector<std::uint64_t> leads(order.size(), 0);
  std::vector<std::uint64_t> before(history_.messages.size(), 0);
  for (const std::uint32_t e : order) {
    std::uint64_t reached = 0;
    for_each_edge(e, [&](Principle, std::uint32_t to, OperationIndex) { reached |= leads[to]; });
    for (std::uint32_t i = first_observed_[e]; i < first_observed_[e + 1]; ++i) {
      reached |= leads[sorted_observed_[i].to];
    }
    const Event& event = timeline_.events[e];
    const bool is_send = event.is_publish && timeline_.publish_of(event.message) == e;
    if (is_send) before[event.message] = reached;
    leads[e] = reached | (is_send ? bits[event.message] : 0);
  }
  return before;
}

std::vector<bool> ClauseGraph::before_any(const std::vector<bool>& targets) const {
  // Backwards over the events, which are in order of numbers: every edge leads forward.
  std::vector<bool> leads(timeline_.events.size(), false);
  std::vector<bool> before(history_.messages.size(), false);
  for (auto e = static_cast<std::uint32_t>(timeline_.events.size()); e-- > 0;) {
    const Event& event = timeline_.events[e];
    bool reaches = false;
    for_each_edge(
        e, [&](Principle, std::uint32_t to, OperationIndex) { reaches = reaches || leads[to]; });
    const bool is_send = event.is_publish && timeline_.publish_of(event.message) == e;
    if (is_send && reaches) before[event.message] = true;
    leads[e] = reaches || (is_send && targets[event.message]);
  }
  return before;
}

}  // namespace causalcheck
