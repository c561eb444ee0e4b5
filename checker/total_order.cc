// Level total where slots do not decide: is there one order that satisfies happened-before and what
// every receiver observed? docs/semantics.md, "How to judge P3 without all pairs".
#include <algorithm>

#include "checker/checker_impl.h"
#include "checker/clause_graph.h"

namespace causalcheck {
namespace {

/// Something that counts as w for one latest reader: a read, or an own acknowledged write.
struct Item {
  Position start = 0;
  Position end = 0;
  OperationIndex operation = 0;
  bool is_read = false;
};

}  // namespace

/// `graph` has a common order, that of `topic`, with scope `all` that of every topic. Looks at 64
/// clients at a time.
void Checker::Impl::note_agreed_order(const ClauseGraph& graph, TopicId topic) {
  if (!feed_) return;
  const bool all = history_->declared.scope == Scope::kAll;
  std::vector<std::uint32_t> order;  // made when the first client lacks something
  for (TopicId t = all ? 0 : topic; t <= topic; ++t) {
    for (ClientId first = 0; first < clients_.size(); first += kClientsAtOnce) {
      const auto last = std::min<std::size_t>(clients_.size(), first + kClientsAtOnce);
      std::uint64_t lacking = 0;
      std::vector<std::uint64_t> handed(messages_.size(), 0);
      for (MessageId id = 0; id < messages_.size(); ++id) {
        const MessageState& m = messages_[id];
        if (!m.sent || m.conflicted || m.topic != t) continue;
        for (ClientId c = first; c < last; ++c) {
          const std::uint64_t bit = std::uint64_t{1} << (c - first);
          if (seen(id)[c] != 0) {
            handed[id] |= bit;
          } else if (m.ok && c != m.sender && reader(c, t).asked) {
            lacking |= bit;
          }
        }
      }
      if (lacking == 0) continue;
      if (order.empty()) order = graph.backwards();
      const std::vector<std::uint64_t> before = graph.ordered_before(handed, order);
      std::vector<std::uint64_t>& agreed = agreed_before_[first / kClientsAtOnce];
      agreed.resize(messages_.size(), 0);
      for (MessageId id = 0; id < messages_.size(); ++id) {
        if (messages_[id].topic == t) agreed[id] |= before[id];
      }
    }
  }
}

void Checker::Impl::judge_common_order() {
  if (grounding_ == Grounding::kInstrumentation || (!feed_ && slots_)) return;
  const Timeline line = timeline_of(*history_);
  const auto observed = [&](OperationIndex i) {
    return is_observation(*history_, line.messages, op(i));
  };
  // Per client, in order of `end`.
  std::vector<std::vector<Item>> items(clients_.size());
  for (OperationIndex i = 0; i < history_->operations.size(); ++i) {
    const Operation& o = op(i);
    if (o.is_drain() || o.end == kNever) continue;
    if (o.is_write()) {
      const MessageFacts& fact = line.messages[o.message];
      const bool acked = !feed_ && fact.send == i && fact.ok && !fact.conflicted;
      if (acked) items[o.client].push_back({o.start, o.end, i, false});
    } else if (observed(i)) {
      items[o.client].push_back({o.start, o.end, i, true});
    }
  }
  for (auto& list : items) {
    std::stable_sort(list.begin(), list.end(),
                     [](const Item& a, const Item& b) { return a.end < b.end; });
  }

  // Across topics: the newest messages of `topic` that happen before `w`, from which the clauses of
  // their senders' earlier ones follow.
  struct Author {
    std::vector<std::pair<std::uint32_t, MessageId>> acknowledged{};  // by step
  };
  std::vector<std::vector<Author>> authors(cross_mode_ ? topics_ : 0);
  std::vector<std::vector<MessageId>> unacknowledged(cross_mode_ ? topics_ : 0);
  for (auto& list : authors) list.resize(clients_.size());
  for (MessageId id = 0; id < messages_.size() && cross_mode_; ++id) {
    const MessageState& m = messages_[id];
    if (!m.sent || m.failed || m.conflicted) continue;
    if (m.ok) authors[m.topic][m.sender].acknowledged.emplace_back(m.step, id);
    if (!m.ok) unacknowledged[m.topic].push_back(id);
  }
  for (auto& list : authors) {
    for (Author& author : list) {
      std::sort(author.acknowledged.begin(), author.acknowledged.end());
    }
  }
  const auto newest_before = [&](MessageId w, TopicId topic) {
    std::vector<MessageId> newest;
    for (ClientId c = 0; c < clients_.size(); ++c) {
      const auto& steps = authors[topic][c].acknowledged;
      const auto after = std::upper_bound(
          steps.begin(), steps.end(), deps(w)[c],
          [](std::uint32_t known, const auto& entry) { return known < entry.first; });
      if (after != steps.begin()) newest.push_back(std::prev(after)->second);
    }
    for (const MessageId k : unacknowledged[topic]) {
      if (k != w && in_past(k, deps(w))) newest.push_back(k);
    }
    return newest;
  };

  const bool all = history_->declared.scope == Scope::kAll;
  ClauseGraph graph(*history_, line);
  for (TopicId t = 0; t < topics_; ++t) {
    if (!all) graph.forget_observed_order();
    for (ClientId c = 0; c < clients_.size(); ++c) {
      if (feed_) {
        if (all && t > 0) continue;
        MessageId previous = kNothing;
        std::vector<bool> handed(messages_.size(), false);
        for (const Item& item : items[c]) {
          const Operation& o = op(item.operation);
          if ((!all && o.topic != t) || handed[o.message]) continue;
          handed[o.message] = true;
          if (previous != kNothing) graph.observed(previous, o.message, item.operation);
          previous = o.message;
        }
        continue;
      }
      // A read's clauses follow from those of an earlier read that counts for it, and from what
      // came to count since that one was called.
      std::size_t best = items[c].size();  // the counted read of this topic with most behind it
      std::size_t best_behind = 0;         // how many items counted for it
      std::vector<std::size_t> best_at(items[c].size() + 1, items[c].size());
      std::vector<std::size_t> behind(items[c].size(), 0);
      for (std::size_t i = 0; i < items[c].size(); ++i) {
        best_at[i] = best;
        const Item& item = items[c][i];
        const Operation& o = op(item.operation);
        if (!item.is_read || o.topic != t) continue;
        const auto counts =
            std::lower_bound(items[c].begin(), items[c].end(), item.start,
                             [](const Item& a, Position start) { return a.end < start; });
        behind[i] = static_cast<std::size_t>(counts - items[c].begin());
        std::size_t from = 0;
        if (const std::size_t before = best_at[behind[i]]; before != items[c].size()) {
          from = behind[before];
          graph.observed(op(items[c][before].operation).message, o.message, item.operation);
        }
        for (std::size_t w = from; w < behind[i]; ++w) {
          const Operation& counted = op(items[c][w].operation);
          if (counted.topic == t) {
            graph.observed(counted.message, o.message, item.operation);
          } else if (all) {
            for (const MessageId k : newest_before(counted.message, t)) {
              graph.observed(k, o.message, item.operation);
            }
          }
        }
        if (best == items[c].size() || behind[i] >= best_behind) {
          best = i;
          best_behind = behind[i];
        }
      }
    }
    if (!all || t + 1 == topics_) {
      judged(Guarantee::kTotal, graph.observed_count());
      std::vector<Clause> cycle = graph.shortest_cycle();
      if (cycle.empty()) note_agreed_order(graph, t);
      if (cycle.empty()) continue;
      Finding finding{
          .reason = Reason::kNoCommonOrder, .operation = cycle.front().learned_from, .topic = t};
      finding.cycle = std::move(cycle);
      found(Guarantee::kTotal, std::move(finding));
    }
  }
}

}  // namespace causalcheck
