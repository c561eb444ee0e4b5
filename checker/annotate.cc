#include "checker/annotate.h"

#include <algorithm>
#include <vector>

#include "checker/checker.h"
#include "checker/clause_graph.h"
#include "checker/explain.h"
#include "checker/timeline.h"

namespace causalcheck {
namespace {

/// One place at which something is fed to the checker.
struct Feed {
  Position position = 0;
  bool is_return = false;
  OperationIndex operation = 0;
};

std::vector<Feed> feeds_of(const History& history) {
  std::vector<Feed> feeds;
  for (const OperationIndex i : by_start(history)) {
    const Operation& o = history.operations[i];
    feeds.push_back({o.start, false, i});
    if (o.end != kNever) feeds.push_back({o.end, true, i});
  }
  std::stable_sort(feeds.begin(), feeds.end(), [](const Feed& a, const Feed& b) {
    return a.position != b.position ? a.position < b.position : a.is_return < b.is_return;
  });
  return feeds;
}

/// The P3 clauses that an observation adds at the declared level.
class ObservedOrder {
 public:
  ObservedOrder(const History& history, const Timeline& line, Grounding grounding)
      : history_(history), line_(line), graph_(history, line), grounding_(grounding) {}

  [[nodiscard]] std::vector<Clause> added_by(OperationIndex read) const {
    const Operation& r = history_.operations[read];
    std::vector<MessageId> counted = counted_for(read);
    std::vector<bool> only_m(history_.messages.size(), false);
    only_m[r.message] = true;
    const std::vector<bool> before_m = graph_.before_any(only_m);
    std::vector<Clause> clauses;
    for (const MessageId w : counted) {
      if (w == r.message || !speaks_of(w, r.message, before_m)) continue;
      clauses.push_back({Principle::kObservedOrder, symbol(w), symbol(r.message), read});
    }
    return clauses;
  }

 private:
  [[nodiscard]] Symbol symbol(MessageId m) const { return line_.events[line_.publish_of(m)].at; }

  [[nodiscard]] bool speaks_of(MessageId w, MessageId m, const std::vector<bool>& before_m) const {
    const Operation& send_w = history_.operations[line_.messages[w].send];
    const Operation& send_m = history_.operations[line_.messages[m].send];
    switch (history_.declared.level) {
      case Level::kTotal:
        return grounding_ == Grounding::kInstrumentation || send_w.topic == send_m.topic ||
               history_.declared.scope == Scope::kAll;
      case Level::kFifo:
        if (send_w.client != send_m.client) return false;
        break;
      case Level::kCausal:
        break;
    }
    if (before_m[w]) return true;
    std::vector<bool> only_w(history_.messages.size(), false);
    only_w[w] = true;
    return !graph_.chain(m, only_w).empty();
  }

  /// What counts as w for this read: each message once, in the order in which it came to count. On
  /// another topic of a latest reader, the messages of this topic that precede it stand for it.
  [[nodiscard]] std::vector<MessageId> counted_for(OperationIndex read) const {
    const Operation& r = history_.operations[read];
    const bool feed = history_.declared.reads == Reads::kFeed;
    const bool all = history_.declared.scope == Scope::kAll;
    std::vector<OperationIndex> before;
    for (OperationIndex i = 0; i < history_.operations.size(); ++i) {
      const Operation& o = history_.operations[i];
      if (i == read || o.client != r.client || o.is_drain() || o.end == kNever) continue;
      const bool ended = feed ? o.end < r.end : o.end < r.start;
      const bool own_ack = !feed && o.is_write() && line_.messages[o.message].send == i &&
                           line_.messages[o.message].ok && !line_.messages[o.message].conflicted;
      if (!ended || !(own_ack || is_observation(history_, line_.messages, o))) continue;
      if (o.topic == r.topic || all) before.push_back(i);
    }
    std::sort(before.begin(), before.end(), [&](OperationIndex a, OperationIndex b) {
      return history_.operations[a].end < history_.operations[b].end;
    });
    std::vector<MessageId> counted;
    std::vector<bool> taken(history_.messages.size(), false);
    const auto take = [&](MessageId m) {
      if (!taken[m]) counted.push_back(m);
      taken[m] = true;
    };
    for (const OperationIndex i : before) {
      const Operation& o = history_.operations[i];
      if (feed || o.topic == r.topic) {
        take(o.message);
        continue;
      }
      std::vector<bool> only(history_.messages.size(), false);
      only[o.message] = true;
      const std::vector<bool> earlier = graph_.before_any(only);
      for (MessageId k = 0; k < earlier.size(); ++k) {
        const MessageFacts& fact = line_.messages[k];
        if (earlier[k] && !fact.conflicted && history_.operations[fact.send].topic == r.topic)
          take(k);
      }
    }
    return counted;
  }

  const History& history_;
  const Timeline& line_;
  ClauseGraph graph_;
  Grounding grounding_;
};

}  // namespace

std::string annotate(const History& history, Annotation annotation, Grounding grounding) {
  const Timeline line = timeline_of(history);
  const ObservedOrder observed(history, line, grounding);
  Checker checker(grounding);
  checker.begin(history);
  std::vector<Clause> all;
  std::vector<bool> told(line.events.size(), false);
  std::string text;
  for (const Feed& feed : feeds_of(history)) {
    const Operation& o = history.operations[feed.operation];
    if (feed.is_return) {
      checker.completed(feed.operation);
    } else {
      checker.invoked(feed.operation);
    }
    if (o.is_drain() || feed.is_return == o.is_write()) continue;  // not where it has its number

    std::vector<Clause> added;
    std::string grounding_text;
    const std::uint32_t e = line.event_of[feed.operation];
    if (e != kNoEvent && !told[e]) {
      told[e] = true;
      const Event& event = line.events[e];
      grounding_text = to_string(event.at, history) + " = " + std::to_string(event.at.number);
      Symbol before{event.at.client, 0, 0};
      std::uint32_t p = line.previous[e];
      while (p != kNoEvent && !line.leads_on(p)) p = line.previous[p];
      if (p != kNoEvent) before = line.events[p].at;
      added.push_back({Principle::kClientOrder, before, event.at, feed.operation});
      if (!event.is_publish) {
        added.push_back({Principle::kSendBeforeReceive,
                         line.events[line.publish_of(event.message)].at, event.at, feed.operation});
        const std::vector<Clause> order = observed.added_by(feed.operation);
        added.insert(added.end(), order.begin(), order.end());
      }
    }
    all.insert(all.end(), added.begin(), added.end());

    text += std::to_string(feed.position) + "  " + describe(o, history) + '\n';
    if (!grounding_text.empty()) text += "     grounding  " + grounding_text + '\n';
    for (const Clause& clause : annotation == Annotation::kAllClauses ? all : added) {
      const bool holds = clause.before.number < clause.after.number;
      text += "     clause     " + to_string(clause, history) + "  (" +
              std::to_string(clause.before.number) + " < " + std::to_string(clause.after.number) +
              (holds ? ")\n" : " is FALSE)\n");
    }
    const Violation* violation = checker.first_violation();
    text += "     so far     ";
    if (violation == nullptr) {
      text += "holds\n";
    } else {
      text += std::string(to_string(violation->guarantee)) + " breaks" +
              (violation->pending ? " (pending)" : "") + ": " + sentence(*violation, history) +
              '\n';
    }
  }
  const Report report = checker.finish();
  text += "end  " + std::string(to_string(report.verdict));
  if (!report.why.empty()) text += ": " + report.why;
  return text + '\n';
}

}  // namespace causalcheck
