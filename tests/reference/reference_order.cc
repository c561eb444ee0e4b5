#include "tests/reference/reference_order.h"

#include <algorithm>

namespace causalcheck::reference {
namespace {

MessageOrder happens_before(const Model& model) {
  return [&model](MessageId k, MessageId m) { return model.before(k, m); };
}

/// One author published both, and the first was acknowledged, or observed by it before the second.
MessageOrder one_author(const Model& model) {
  return [&model](MessageId k, MessageId w) { return model.fifo_before(k, w); };
}

/// The author of w had observed k when it published w.
MessageOrder follows_reads(const Model& model) {
  return [&model](MessageId k, MessageId w) {
    const Operation& send = model.messages[w].send;
    return k != w && model.observed_before(send.client, k, send.start);
  };
}

/// The slots in which both were first seen are against their order.
bool first_slots_against(const Model& model, MessageId k, MessageId w) {
  if (!model.slots || model.topic_of(k) != model.topic_of(w)) return false;
  const auto slot_k = model.smallest_slot_shown(k);
  const auto slot_w = model.smallest_slot_shown(w);
  const bool listed_fully =
      model.is_drained(model.topic_of(k)) &&
      std::none_of(model.lines.begin(), model.lines.end(), [&](const Operation& line) {
        return line.is_drain() && line.topic == model.topic_of(k) && line.outcome == Outcome::kInfo;
      });
  const bool one_copy = model.messages[k].send.outcome == Outcome::kOk &&
                        model.history.declared.retries == Retries::kNone;
  return slot_k && slot_w && (listed_fully || one_copy) && *slot_w < *slot_k;
}

/// A feed handed w over before k.
bool handed_over_against(const Model& model, MessageId k, MessageId w) {
  if (!model.feed || !model.one_log(k, w)) return false;
  for (const Operation& later : model.observations()) {
    if (later.message != k) continue;
    if (model.observed_before(later.client, w, later.end)) return true;
  }
  return false;
}

/// "An effect without its cause at the end", section 3.
bool effect_without_cause(const Model& model, MessageId k, MessageId w) {
  if (!model.one_log(k, w)) return false;
  if (model.feed) {
    for (ClientId r = 0; r < model.history.clients.size(); ++r) {
      const bool reads_topic =
          std::any_of(model.reads.begin(), model.reads.end(), [&](const Operation& read) {
            return read.client == r && read.topic == model.topic_of(k);
          });
      const bool own = model.messages[k].send.client == r;
      if (reads_topic && !own && model.handed(r, w) && !model.handed(r, k)) return true;
    }
  }
  if (model.is_durable(w) && model.lost_altogether(k)) return true;
  return !model.slots && !model.feed && model.topic_of(k) == model.topic_of(w) &&
         model.is_durable(k) && model.lost_altogether(w);
}

/// A latest reader that had read w on another topic found nothing on k's.
bool nothing_where_cause_was(const Model& model, MessageId k, MessageId w) {
  if (model.feed || !model.scope_all || model.topic_of(k) == model.topic_of(w)) return false;
  for (const Operation& read : model.answers) {
    if (read.message != kNothing || read.topic != model.topic_of(k)) continue;
    for (const Counted& counted : model.counted_at(read)) {
      if (counted.message == w && counted.observed) return true;
    }
  }
  return false;
}

bool breaks_pairs(const Model& model, const MessageOrder& pair) {
  for (const MessageId k : model.usable()) {
    for (const MessageId w : model.usable()) {
      if (!pair(k, w)) continue;
      if (first_slots_against(model, k, w) || handed_over_against(model, k, w) ||
          effect_without_cause(model, k, w) || nothing_where_cause_was(model, k, w)) {
        return true;
      }
    }
  }
  return false;
}

/// P3 at a level: a message was observed although the level puts it before one that counts.
bool observed_against(const Model& model, const MessageOrder& order) {
  for (const Operation& read : model.observations()) {
    for (const MessageId k : model.claimed_before(read, order)) {
      if (order(read.message, k)) return true;
    }
  }
  return false;
}

/// Nothing was read on a topic on which something counts already.
bool nothing_read_against(const Model& model) {
  if (model.feed) return false;
  for (const Operation& read : model.answers) {
    if (read.message == kNothing && !model.claimed_before(read, happens_before(model)).empty()) {
      return true;
    }
  }
  return false;
}

bool smaller_slot_than_counted(const Model& model) {
  for (const Operation& read : model.observations()) {
    for (const Counted& w : model.counted_at(read)) {
      if (model.topic_of(w.message) != read.topic) continue;
      if (w.slot != kNoSlot && read.slot < w.slot) return true;
    }
  }
  return false;
}

/// The prototypes' literal P3: false by event numbers.
bool refuted_by_numbers(const Model& model) {
  for (const Operation& read : model.observations()) {
    for (const Counted& w : model.counted_at(read)) {
      const bool in_scope =
          model.topic_of(w.message) == read.topic || (model.feed && model.scope_all);
      if (in_scope &&
          model.messages[w.message].send.start > model.messages[read.message].send.start) {
        return true;
      }
    }
  }
  return false;
}

/// The same of one sender only, where what is known from another topic stands for the sender's
/// messages here.
bool refuted_by_sender(const Model& model) {
  for (const Operation& read : model.observations()) {
    const Operation& shown = model.messages[read.message].send;
    for (const MessageId k : model.claimed_before(read, one_author(model))) {
      const Operation& known = model.messages[k].send;
      if (known.client == shown.client && known.start > shown.start) return true;
    }
  }
  return false;
}

}  // namespace

bool breaks_fifo(const Model& model, Grounding grounding) {
  if (observed_against(model, one_author(model))) return true;
  return grounding == Grounding::kInstrumentation && refuted_by_sender(model);
}

bool breaks_monotonic_writes(const Model& model) { return breaks_pairs(model, one_author(model)); }

bool breaks_writes_follow_reads(const Model& model) {
  return breaks_pairs(model, follows_reads(model));
}

bool breaks_causal(const Model& model) {
  return observed_against(model, happens_before(model)) || nothing_read_against(model) ||
         breaks_pairs(model, happens_before(model)) || breaks_monotonic_writes(model) ||
         breaks_writes_follow_reads(model);
}

std::vector<SendClause> total_clauses(const Model& model, TopicId topic) {
  std::vector<SendClause> clauses;
  for (const Operation& read : model.observations()) {
    if (!model.scope_all && read.topic != topic) continue;
    for (const MessageId k : model.claimed_before(read, happens_before(model))) {
      if (k != read.message) clauses.push_back({k, read.message});
    }
  }
  return clauses;
}

namespace {

Matrix closure_with(const Model& model, const std::vector<SendClause>& clauses) {
  Matrix edges = model.edges;
  for (const SendClause& clause : clauses) {
    edges[model.send_event(clause.before)][model.send_event(clause.after)] = true;
  }
  return closure_of(edges);
}

bool has_cycle(const Matrix& closure) {
  for (std::size_t i = 0; i < closure.size(); ++i) {
    if (closure[i][i]) return true;
  }
  return false;
}

}  // namespace

bool common_order_by_closure(const Model& model, const std::vector<SendClause>& clauses) {
  return !has_cycle(closure_with(model, clauses));
}

MessageOrder declared_order(const Model& model, Grounding grounding, TopicId topic) {
  const Level level = model.history.declared.level;
  if (level == Level::kFifo) return one_author(model);
  if (level == Level::kCausal || grounding == Grounding::kInstrumentation) {
    return happens_before(model);
  }
  const Matrix agreed = closure_with(model, total_clauses(model, topic));
  if (has_cycle(agreed)) return happens_before(model);
  return [&model, agreed](MessageId k, MessageId m) {
    return k != m && agreed[model.send_event(k)][model.send_event(m)];
  };
}

bool common_order_by_permutations(const Model& model, const std::vector<SendClause>& clauses) {
  std::vector<MessageId> order = model.usable();
  const auto place = [&](MessageId m) { return std::find(order.begin(), order.end(), m); };
  do {
    bool fits = std::all_of(clauses.begin(), clauses.end(), [&](const SendClause& clause) {
      return place(clause.before) < place(clause.after);
    });
    for (auto later = order.begin(); fits && later != order.end(); ++later) {
      fits = std::none_of(order.begin(), later,
                          [&](MessageId earlier) { return model.before(*later, earlier); });
    }
    if (fits) return true;
  } while (std::next_permutation(order.begin(), order.end()));
  return false;
}

bool breaks_total(const Model& model, Grounding grounding) {
  if (breaks_causal(model)) return true;
  if (grounding == Grounding::kInstrumentation) return refuted_by_numbers(model);
  if (model.slots && smaller_slot_than_counted(model)) return true;
  if (model.slots && !model.feed) return false;
  for (TopicId topic = 0; topic < model.history.topics.size(); ++topic) {
    if (!common_order_by_closure(model, total_clauses(model, topic))) return true;
  }
  return false;
}

}  // namespace causalcheck::reference
