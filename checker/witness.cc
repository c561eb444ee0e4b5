// From a Finding to the Violation that people read: which messages, which chain, which operations.
// Runs once per broken guarantee, over the whole history.
#include <algorithm>

#include "checker/checker_impl.h"
#include "checker/clause_graph.h"

namespace causalcheck {

/// The searches behind one violation.
class Checker::Impl::Witness {
 public:
  explicit Witness(const Impl& checker)
      : checker_(checker),
        history_(*checker.history_),
        line_(timeline_of(history_, checker.knowledge_ == Knowledge::kEverything
                                        ? OpenWrites::kUnknown
                                        : OpenWrites::kTakenAsOk)),
        graph_(history_, line_) {}

  Violation describe(Guarantee guarantee, const Finding& finding) const;

 private:
  using Flags = std::vector<bool>;

  const Operation& op(OperationIndex i) const { return history_.operations[i]; }
  [[nodiscard]] bool observed(OperationIndex i) const {
    return is_observation(history_, line_.messages, op(i));
  }
  [[nodiscard]] bool acked(OperationIndex i) const {
    const Operation& o = op(i);
    if (!o.is_write() || o.is_drain() || o.message == kNothing) return false;
    const MessageFacts& fact = line_.messages[o.message];
    return fact.send == i && fact.ok && !fact.conflicted && o.end != kNever;
  }

  /// Calls `visit(operation)` for everything that counts as w when `reader` gets the answer of
  /// `read` (docs/semantics.md, "Clauses"), own acks included.
  template <class Visit>
  void for_each_counted(OperationIndex read, Visit visit) const {
    const Operation& r = op(read);
    const bool feed = history_.declared.reads == Reads::kFeed;
    const bool all = history_.declared.scope == Scope::kAll;
    for (OperationIndex i = 0; i < history_.operations.size(); ++i) {
      const Operation& o = op(i);
      if (i == read || o.client != r.client || o.is_drain() || o.end == kNever) continue;
      if (o.topic != r.topic && !all) continue;
      const bool before = feed ? o.end < r.end : o.end < r.start;
      if (before && (observed(i) || (!feed && acked(i)))) visit(i);
    }
  }

  /// Keeps of `targets` only those w that make (k, w) a pair of `guarantee`.
  void keep_pairs(Guarantee guarantee, MessageId k, Flags& targets) const;
  void attach(Violation& violation, MessageId cause, std::vector<Clause> chain,
              OperationIndex learned_from) const;
  [[nodiscard]] MessageId end_of(const std::vector<Clause>& chain) const;
  [[nodiscard]] OperationIndex shown_to(ClientId client, MessageId message) const;
  [[nodiscard]] OperationIndex drain_line(TopicId topic, MessageId message) const;

  void against_order(Violation& v, const Finding& f) const;
  void read_older(Violation& v, const Finding& f) const;
  void read_nothing(Violation& v, const Finding& f) const;
  void first_slots(Violation& v, const Finding& f) const;
  void effect_without_cause(Violation& v, const Finding& f) const;
  void refuted(Violation& v, const Finding& f) const;
  void lost(Violation& v, const Finding& f) const;
  void identity(Violation& v, const Finding& f) const;
  void real_time(Violation& v, const Finding& f) const;

  const Impl& checker_;
  const History& history_;
  Timeline line_;
  ClauseGraph graph_;
};

void Checker::Impl::Witness::keep_pairs(Guarantee guarantee, MessageId k, Flags& targets) const {
  const MessageState& cause = checker_.messages_[k];
  for (MessageId w = 0; w < targets.size(); ++w) {
    if (!targets[w]) continue;
    const MessageState& effect = checker_.messages_[w];
    const std::uint32_t seen_at = checker_.seen(k)[effect.sender];
    const bool by_own_order = effect.sender == cause.sender &&
                              (cause.ok || !cause.done ? effect.step > cause.step
                                                       : seen_at != 0 && seen_at < effect.step);
    const bool by_reading = seen_at != 0 && seen_at < effect.step;
    switch (guarantee) {
      case Guarantee::kFifo:
      case Guarantee::kMonotonicWrites:
        targets[w] = by_own_order;
        break;
      case Guarantee::kWritesFollowReads:
        targets[w] = by_reading;
        break;
      default:
        break;
    }
  }
}

MessageId Checker::Impl::Witness::end_of(const std::vector<Clause>& chain) const {
  return chain.empty() ? kNothing : op(chain.back().learned_from).message;
}

/// The first operation by which `client` came to know `message`: an observation or an own ack.
OperationIndex Checker::Impl::Witness::shown_to(ClientId client, MessageId message) const {
  OperationIndex first = kNoOperation;
  for (OperationIndex i = 0; i < history_.operations.size(); ++i) {
    const Operation& o = op(i);
    if (o.client != client || o.message != message || !(observed(i) || acked(i))) continue;
    if (first == kNoOperation || o.end < op(first).end) first = i;
  }
  return first;
}

OperationIndex Checker::Impl::Witness::drain_line(TopicId topic, MessageId message) const {
  for (const OperationIndex i : checker_.drained_[topic]) {
    if (op(i).message == message) return i;
  }
  return kNoOperation;
}

/// Puts the chain from `cause` in, with the P3 clause that it contradicts.
void Checker::Impl::Witness::attach(Violation& v, MessageId cause, std::vector<Clause> chain,
                                    OperationIndex learned_from) const {
  if (chain.empty()) return;
  const std::uint32_t publish = line_.publish_of(cause);
  if (publish == kNoEvent) return;
  v.broken =
      Clause{Principle::kObservedOrder, chain.back().after, line_.events[publish].at, learned_from};
  v.chain = std::move(chain);
  v.contradiction = true;
}

void Checker::Impl::Witness::against_order(Violation& v, const Finding& f) const {
  Flags here(history_.messages.size(), false);
  Flags elsewhere(history_.messages.size(), false);
  const TopicId topic = op(f.operation).topic;
  const bool feed = history_.declared.reads == Reads::kFeed;
  bool crosses = false;
  for_each_counted(f.operation, [&](OperationIndex i) {
    if (feed || op(i).topic == topic) {
      here[op(i).message] = true;
    } else {
      elsewhere[op(i).message] = true;
      crosses = true;
    }
  });
  Flags targets = here;
  keep_pairs(v.guarantee, f.cause, targets);
  std::vector<Clause> chain = graph_.chain(f.cause, targets);
  if (chain.empty() && crosses) {
    // What the reader knows from another topic stands for the messages here that precede it.
    targets = graph_.before_any(elsewhere);
    for (MessageId k = 0; k < targets.size(); ++k) {
      if (targets[k]) targets[k] = checker_.usable(k, topic);
    }
    keep_pairs(v.guarantee, f.cause, targets);
    chain = graph_.chain(f.cause, targets);
  }
  const MessageId effect = end_of(chain);
  if (effect != kNothing) {
    const OperationIndex shown = shown_to(op(f.operation).client, effect);
    v.operations.push_back(shown == kNoOperation ? line_.messages[effect].send : shown);
  }
  v.operations.push_back(f.operation);
  attach(v, f.cause, std::move(chain), f.operation);
}

void Checker::Impl::Witness::read_older(Violation& v, const Finding& f) const {
  const bool own = v.guarantee == Guarantee::kReadYourWrites;
  Flags targets(history_.messages.size(), false);
  for_each_counted(f.operation, [&](OperationIndex i) {
    if (op(i).topic == op(f.operation).topic && op(i).is_write() == own) {
      targets[op(i).message] = true;
    }
  });
  const MessageId older = op(f.operation).message;
  std::vector<Clause> chain = graph_.chain(older, targets);
  const MessageId newer = end_of(chain);
  if (newer != kNothing) {
    v.operations.push_back(own ? line_.messages[newer].send
                               : shown_to(op(f.operation).client, newer));
  }
  v.operations.push_back(f.operation);
  attach(v, older, std::move(chain), f.operation);
}

void Checker::Impl::Witness::read_nothing(Violation& v, const Finding& f) const {
  v.operations = {f.operation};
  if (f.other != kNoOperation) {
    v.operations.insert(v.operations.begin(), f.other);
    return;
  }
  const TopicId topic = op(f.operation).topic;
  // What breaks causal order breaks the total one too, with the same witness.
  const bool of_a_level = v.guarantee == Guarantee::kCausal || v.guarantee == Guarantee::kTotal;
  Flags effects(history_.messages.size(), false);
  OperationIndex here = kNoOperation;
  for_each_counted(f.operation, [&](OperationIndex i) {
    if (op(i).topic == topic) {
      if (here == kNoOperation) here = i;
    } else if (of_a_level || !op(i).is_write()) {
      effects[op(i).message] = true;
    }
  });
  if (of_a_level && here != kNoOperation) {
    v.operations.insert(v.operations.begin(), here);
    return;
  }
  for (MessageId k = 0; k < history_.messages.size(); ++k) {
    if (!checker_.usable(k, topic)) continue;
    Flags targets = effects;
    keep_pairs(v.guarantee, k, targets);
    std::vector<Clause> chain = graph_.chain(k, targets);
    if (chain.empty()) continue;
    const OperationIndex shown = shown_to(op(f.operation).client, end_of(chain));
    v.operations = {line_.messages[k].send, shown, f.operation};
    v.chain = std::move(chain);
    return;
  }
}

void Checker::Impl::Witness::first_slots(Violation& v, const Finding& f) const {
  Flags targets(history_.messages.size(), false);
  const MessageState& cause = checker_.messages_[f.cause];
  for (MessageId w = 0; w < targets.size(); ++w) {
    const MessageState& m = checker_.messages_[w];
    targets[w] = checker_.usable(w, cause.topic) && m.first_slot != kNoSlot &&
                 m.first_slot < cause.first_slot;
  }
  keep_pairs(v.guarantee, f.cause, targets);
  v.chain = graph_.chain(f.cause, targets);
  v.operations = {f.operation};
  if (!v.chain.empty()) v.operations.push_back(line_.messages[end_of(v.chain)].send);
}

void Checker::Impl::Witness::effect_without_cause(Violation& v, const Finding& f) const {
  const bool all = history_.declared.scope == Scope::kAll;
  Flags targets(history_.messages.size(), false);
  v.operations = {f.operation};
  if (f.effect != kNothing) {  // the cause survived, its acknowledged effect did not
    targets[f.effect] = true;
    for (const OperationIndex i : checker_.drained_[f.topic]) {
      const MessageId k = op(i).message;
      if (k == kNothing || !checker_.messages_[k].durable) continue;
      Flags pair = targets;
      keep_pairs(v.guarantee, k, pair);
      v.chain = graph_.chain(k, pair);
      if (v.chain.empty()) continue;
      v.operations.push_back(i);
      return;
    }
    return;
  }
  if (f.client != kDrainClient) {  // a reader was given the effect and never the cause
    for (OperationIndex i = 0; i < history_.operations.size(); ++i) {
      if (op(i).client == f.client && observed(i) && (all || op(i).topic == f.topic)) {
        targets[op(i).message] = true;
      }
    }
  } else {
    for (MessageId w = 0; w < targets.size(); ++w) {
      const MessageState& m = checker_.messages_[w];
      targets[w] = m.durable && (all || m.topic == f.topic);
    }
  }
  keep_pairs(v.guarantee, f.cause, targets);
  v.chain = graph_.chain(f.cause, targets);
  if (v.chain.empty()) return;
  const MessageId effect = end_of(v.chain);
  v.operations.push_back(f.client != kDrainClient
                             ? shown_to(f.client, effect)
                             : drain_line(checker_.messages_[effect].topic, effect));
}

void Checker::Impl::Witness::refuted(Violation& v, const Finding& f) const {
  const MessageId m = f.cause;
  const Operation& send = op(line_.messages[m].send);
  Flags targets(history_.messages.size(), false);
  OperationIndex latest = kNoOperation;
  for_each_counted(f.operation, [&](OperationIndex i) {
    const Operation& o = op(line_.messages[op(i).message].send);
    if (o.start <= send.start || op(i).message == m) return;
    if (v.guarantee == Guarantee::kFifo && o.client != send.client) return;
    targets[op(i).message] = true;
    latest = i;
  });
  if (latest == kNoOperation) return;
  v.operations = {latest, f.operation};
  std::vector<Clause> chain = graph_.chain(m, targets);
  if (!chain.empty()) {
    v.operations.front() = shown_to(op(f.operation).client, end_of(chain));
    attach(v, m, std::move(chain), f.operation);
    return;
  }
  v.broken =
      Clause{Principle::kObservedOrder, line_.events[line_.publish_of(op(latest).message)].at,
             line_.events[line_.publish_of(m)].at, f.operation};
}

void Checker::Impl::Witness::lost(Violation& v, const Finding& f) const {
  v.operations = {f.operation};
  const Operation& write = op(f.operation);
  for (const OperationIndex i : checker_.drained_[f.topic]) {
    const Operation& line = op(i);
    if (line.message == kNothing || line.message == write.message) continue;
    const bool replaced =
        checker_.slots_ ? line.slot == write.slot && write.slot != kNoSlot : !checker_.feed_;
    if (!replaced) continue;
    v.reason = Reason::kReplacedAtDrain;
    v.operations.push_back(i);
    return;
  }
}

void Checker::Impl::Witness::identity(Violation& v, const Finding& f) const {
  if (f.operation != kNoOperation && f.reason != Reason::kMessageInTwoSlots) {
    v.operations = {f.operation};
  }
  for (OperationIndex i = 0; i < history_.operations.size(); ++i) {
    const Operation& o = op(i);
    if (i == f.operation || o.message != f.cause) continue;
    const bool shows = final_outcome(o) == Outcome::kOk && o.slot != kNoSlot;
    switch (f.reason) {
      case Reason::kSlotHeldTwoMessages:
        if (!shows || o.topic != f.topic || o.slot != op(f.operation).slot) continue;
        v.operations.insert(v.operations.begin(), i);
        return;
      case Reason::kMessageInTwoSlots:
        if (!shows) continue;
        if (v.operations.empty() && op(f.operation).slot != kNoSlot) {
          v.operations.push_back(f.operation);
        }
        if (!v.operations.empty() && op(v.operations.front()).slot == o.slot) continue;
        v.operations.push_back(i);
        if (v.operations.size() == 2) return;
        break;
      default:  // the id stood for two messages: its write lines, or lines with two payloads
        if (o.is_write() ? final_outcome(o) == Outcome::kFail : o.payload == 0) continue;
        if (!o.is_write() && !v.operations.empty() &&
            op(v.operations.front()).payload == o.payload) {
          continue;
        }
        v.operations.push_back(i);
        if (v.operations.size() == 2) return;
    }
  }
}

void Checker::Impl::Witness::real_time(Violation& v, const Finding& f) const {
  const Operation& second = op(f.operation);
  OperationIndex first = kNoOperation;
  for (OperationIndex i = 0; i < history_.operations.size(); ++i) {
    const Operation& o = op(i);
    if (o.is_drain() || o.topic != second.topic || o.slot == kNoSlot || o.end >= second.start) {
      continue;
    }
    if (!(acked(i) || observed(i))) continue;
    if (first == kNoOperation || o.slot > op(first).slot) first = i;
  }
  if (first != kNoOperation) v.operations.push_back(first);
  v.operations.push_back(f.operation);
}

Violation Checker::Impl::Witness::describe(Guarantee guarantee, const Finding& f) const {
  Violation v;
  v.guarantee = guarantee;
  v.reason = f.reason;
  switch (f.reason) {
    case Reason::kObservedAgainstOrder:
      against_order(v, f);
      break;
    case Reason::kReadOlder:
      read_older(v, f);
      break;
    case Reason::kReadNothing:
      read_nothing(v, f);
      break;
    case Reason::kFirstSlotsAgainstOrder:
      first_slots(v, f);
      break;
    case Reason::kEffectWithoutCause:
      effect_without_cause(v, f);
      break;
    case Reason::kRefutedByRecordedOrder:
      refuted(v, f);
      break;
    case Reason::kNoCommonOrder:
      v.broken = f.cycle.front();
      v.chain.assign(f.cycle.begin() + 1, f.cycle.end());
      v.contradiction = true;
      v.operations = {f.operation};
      break;
    case Reason::kMissingAtDrain:
    case Reason::kReplacedAtDrain:
      lost(v, f);
      break;
    case Reason::kSlotHeldTwoMessages:
    case Reason::kIdStoodForTwoMessages:
    case Reason::kMessageInTwoSlots:
      identity(v, f);
      break;
    case Reason::kAgainstRealTime:
      real_time(v, f);
      break;
    case Reason::kFailedIsVisible:
    case Reason::kPayloadDiffers:
      for (OperationIndex i = 0; i < history_.operations.size(); ++i) {
        if (!op(i).is_write() || op(i).is_drain() || op(i).message != op(f.operation).message) {
          continue;
        }
        v.operations.push_back(i);
        break;
      }
      v.operations.push_back(f.operation);
      break;
    case Reason::kReadSmallerSlot:
    case Reason::kHoleInLog:
      v.operations = {f.other, f.operation};
      break;
    case Reason::kNeverDelivered:
      v.operations = {f.operation, f.other};
      break;
    case Reason::kNobodyWrote:
    case Reason::kUndecodable:
      v.operations = {f.operation};
      break;
  }
  std::erase(v.operations, kNoOperation);
  return v;
}

Violation Checker::Impl::describe(Guarantee guarantee, const Finding& finding) const {
  return Witness(*this).describe(guarantee, finding);
}

void Checker::Impl::describe_all() {
  std::optional<Witness> witness;
  for (const Guarantee id : all_guarantees()) {
    const auto at = static_cast<std::size_t>(id);
    if (judgements_[at].answer != Answer::kBreaks) continue;
    if (!witness) witness.emplace(*this);
    judgements_[at].violation = witness->describe(id, *findings_[at]);
  }
}

}  // namespace causalcheck
