#include "checker/explain.h"

#include <algorithm>

namespace causalcheck {
namespace {

/// A name from a file: control characters are shown, not sent to the terminal.
std::string printable(std::string_view name) {
  std::string text;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F) {
      text += "\\x";
      text += "0123456789abcdef"[byte >> 4U];
      text += "0123456789abcdef"[byte & 15U];
    } else {
      text += c;
    }
  }
  return text;
}

std::string name(MessageId message, const History& history) {
  return message == kNothing ? "nothing" : printable(history.messages[message]);
}

std::string client(ClientId id, const History& history) {
  return id == kDrainClient ? "the drain" : printable(history.clients[id]);
}

std::string at_slot(const Operation& o) {
  return o.slot == kNoSlot ? std::string() : " at slot " + std::to_string(o.slot);
}

/// The operations of a violation, by place; a default one where there are fewer.
struct Involved {
  const History& history;
  const Violation& violation;

  [[nodiscard]] const Operation& operator[](std::size_t i) const {
    static const Operation none{};
    return i < violation.operations.size() ? history.operations[violation.operations[i]] : none;
  }
  [[nodiscard]] std::string message(std::size_t i) const {
    return name((*this)[i].message, history);
  }
  [[nodiscard]] std::string who(std::size_t i) const { return client((*this)[i].client, history); }
  [[nodiscard]] std::string topic(std::size_t i) const {
    return (*this)[i].topic < history.topics.size() ? printable(history.topics[(*this)[i].topic])
                                                    : std::string();
  }
  [[nodiscard]] std::size_t size() const { return violation.operations.size(); }
};

/// How the later message of a pair is tied to the earlier one.
std::string tie(const Violation& v, const std::string& later, const std::string& earlier) {
  switch (v.guarantee) {
    case Guarantee::kFifo:
    case Guarantee::kMonotonicWrites:
      return later + ", which the same client published after " + earlier;
    case Guarantee::kWritesFollowReads:
      return later + ", whose author had observed " + earlier;
    default:
      return later + ", which depends on " + earlier;
  }
}

std::string against_order(const Violation& v, const Involved& ops) {
  if (ops.size() < 2) return ops.who(0) + " observed " + ops.message(0) + " too late";
  const Operation& first = ops[0];
  const std::string m = ops.message(1);
  if (first.client != ops[1].client) {  // latest, across topics: it never saw the message itself
    return ops.who(1) + " observed " + m + ", although what it had observed before depends on " +
           tie(v, ops.message(0), m);
  }
  const bool own = first.is_write();
  return ops.who(1) + (own ? " had its own " : " observed ") + tie(v, ops.message(0), m) +
         (own ? ", acknowledged, and then observed " + m : ", before " + m);
}

std::string effect_without_cause(const Violation& v, const Involved& ops) {
  const Operation& cause = ops[0];
  const Operation& effect = ops[1];
  const std::string where = effect.is_drain() ? "the durable log" : ops.who(1);
  if (effect.is_drain() && !v.chain.empty() &&
      ops.history.operations[v.chain.back().learned_from].message == cause.message) {
    return ops.message(1) + " survived, but not the acknowledged " +
           tie(v, ops.message(0), ops.message(1));
  }
  return where + (effect.is_drain() ? " holds " : " was given ") +
         tie(v, ops.message(1), ops.message(0)) + ", but never " + ops.message(0) + " itself";
}

}  // namespace

std::string to_string(const Symbol& symbol, const History& history) {
  return event_symbol(printable(history.clients[symbol.client]), symbol.step);
}

std::string to_string(const Clause& clause, const History& history) {
  return std::string(to_string(clause.why)) + ' ' + to_string(clause.before, history) + " < " +
         to_string(clause.after, history);
}

std::string describe(const Operation& o, const History& history) {
  const std::string topic = printable(history.topics[o.topic]);
  std::string text = client(o.client, history);
  const bool open = o.end == kNever;
  if (o.is_write() && !o.is_drain()) {
    text += " published " + name(o.message, history) + (o.is_delete ? " (a delete)" : "") + " on " +
            topic + ": ";
    if (open) {
      text += "no answer";
    } else if (o.outcome == Outcome::kOk) {
      text += "acknowledged" + at_slot(o);
    } else {
      text += o.outcome == Outcome::kFail ? "failed" : "outcome unknown";
    }
  } else {
    text += (o.is_drain() ? " found on " : " read ") + topic + ": ";
    if (open || o.outcome == Outcome::kInfo) {
      text += o.undecodable ? "an answer that cannot be decoded" : "no answer";
      text += at_slot(o);
    } else if (o.outcome == Outcome::kFail) {
      text += "refused";
    } else {
      text += name(o.message, history) + (o.is_delete ? " (a delete)" : "") + at_slot(o);
    }
  }
  text += " [" + std::to_string(o.start) + ".." + (open ? "" : std::to_string(o.end)) + ']';
  return text;
}

std::string sentence(const Violation& v, const History& history) {
  const Involved ops{history, v};
  switch (v.reason) {
    case Reason::kObservedAgainstOrder:
      return against_order(v, ops);
    case Reason::kReadOlder:
    case Reason::kReadSmallerSlot: {
      const bool own = ops[0].is_write();
      const std::string before =
          own ? "its own " + ops.message(0) + " was acknowledged" + at_slot(ops[0])
              : "it had observed " + ops.message(0) + at_slot(ops[0]);
      return ops.who(1) + " observed " + ops.message(1) + at_slot(ops[1]) + " after " + before;
    }
    case Reason::kReadNothing:
      if (ops.size() > 2) {
        return ops.who(2) + " found nothing on " + ops.topic(2) + " after it knew " +
               tie(v, ops.message(1), ops.message(0)) + " there";
      }
      return ops.who(1) + " found nothing on " + ops.topic(1) + " after " +
             (ops[0].is_write() ? "its own " + ops.message(0) + " was acknowledged there"
                                : "it had observed " + ops.message(0) + " there");
    case Reason::kFirstSlotsAgainstOrder:
      return "in the log, " + tie(v, ops.message(1), ops.message(0)) + ", lies in front of it";
    case Reason::kEffectWithoutCause:
      return effect_without_cause(v, ops);
    case Reason::kNoCommonOrder:
      return "no one order of the topic agrees with what all receivers observed";
    case Reason::kRefutedByRecordedOrder:
      return ops.who(1) + " observed " + ops.message(0) + " before " + ops.message(1) +
             ", which was published earlier in the recorded order";
    case Reason::kMissingAtDrain:
      return "the acknowledged " + ops.message(0) + at_slot(ops[0]) +
             " is not in the durable log of " + ops.topic(0);
    case Reason::kReplacedAtDrain:
      return "the acknowledged " + ops.message(0) + at_slot(ops[0]) +
             " is not in the durable log of " + ops.topic(0) + ", which holds " + ops.message(1) +
             (ops[1].slot == kNoSlot ? " instead" : " there");
    case Reason::kNeverDelivered:
      return ops.who(1) + " reads " + ops.topic(0) + " and was never handed the acknowledged " +
             ops.message(0);
    case Reason::kSlotHeldTwoMessages:
      return "slot " + std::to_string(ops[1].slot) + " of " + ops.topic(1) +
             " held two messages: " + ops.message(0) + " and " + ops.message(1);
    case Reason::kIdStoodForTwoMessages:
      return "the id " + ops.message(0) + " stood for two messages";
    case Reason::kHoleInLog:
      return "the durable log of " + ops.topic(1) + " has a hole between slots " +
             std::to_string(ops[0].slot) + " and " + std::to_string(ops[1].slot);
    case Reason::kMessageInTwoSlots:
      return ops.message(0) + " is in two slots, " + std::to_string(ops[0].slot) + " and " +
             std::to_string(ops[1].slot) + ", though no retries were declared";
    case Reason::kFailedIsVisible:
      return ops.message(0) + " was reported as failed, yet " + ops.who(1) + " found it";
    case Reason::kNobodyWrote:
      return ops.who(0) + " was given " + ops.message(0) + ", which no client of this run wrote";
    case Reason::kPayloadDiffers:
      return ops.who(1) + " was given " + ops.message(1) +
             " with another payload than the one that was written";
    case Reason::kUndecodable:
      return ops.who(0) + " was given an answer that cannot be decoded, and no fault was at work";
    case Reason::kAgainstRealTime:
      return describe(ops[0], history) + " had ended before " + ops.who(1) +
             " called: " + describe(ops[1], history);
  }
  return std::string(to_string(v.reason));
}

std::string_view class_of(const Violation& v) {
  if (v.contradiction) return "contradiction: no order of these events is possible";
  if (v.broken) return "refuted by the recorded order only: another order might do";
  return "refuted by what the backend answered";
}

std::string because(const Clause& clause, const History& history) {
  const Operation& o = history.operations[clause.learned_from];
  const std::string who = client(o.client, history);
  switch (clause.why) {
    case Principle::kClientOrder:
      return who + (o.is_write() ? " published " : " observed ") + name(o.message, history) +
             " next";
    case Principle::kSendBeforeReceive:
      return who + " observed " + name(o.message, history);
    case Principle::kObservedOrder:
      return who + " came to know them in this order";
  }
  return {};
}

namespace {

void add_clause(std::string& text, const Clause& clause, const History& history) {
  std::string line = "    " + to_string(clause, history);
  line.resize(std::max<std::size_t>(line.size() + 2, 22), ' ');
  const Operation& o = history.operations[clause.learned_from];
  text += line + "because " + because(clause, history) + " [" + std::to_string(o.start) + ".." +
          (o.end == kNever ? "" : std::to_string(o.end)) + "]\n";
}

}  // namespace

std::string explain(const Violation& v, const History& history) {
  std::string text =
      std::string(to_string(v.guarantee)) + " breaks: " + sentence(v, history) + ".\n";
  text += "  " + std::string(class_of(v)) +
          (v.pending ? " (pending: a publish is still open)" : "") + "\n";
  if (v.broken) {
    text += v.contradiction ? "  this order was observed:\n" : "  this clause is false:\n";
    add_clause(text, *v.broken, history);
    if (!v.chain.empty()) text += "  and contradicts:\n";
  } else if (!v.chain.empty()) {
    text += "  the one happens before the other:\n";
  }
  for (const Clause& clause : v.chain) add_clause(text, clause, history);
  if (!v.operations.empty()) text += "  operations:\n";
  for (const OperationIndex i : v.operations) {
    text += "    " + describe(history.operations[i], history) + '\n';
  }
  text += "  fingerprint " + fingerprint(v) + '\n';
  return text;
}

std::string explain_violations(const Report& report, const History& history) {
  std::string text;
  // One root often breaks several guarantees: the same operations are explained once.
  std::vector<const Violation*> told;
  for (const Guarantee id : all_guarantees()) {
    const std::optional<Violation>& v = report[id].violation;
    if (!v) continue;
    const auto same = std::find_if(told.begin(), told.end(), [&](const Violation* other) {
      return other->operations == v->operations && other->chain == v->chain &&
             other->broken == v->broken;
    });
    if (same != told.end()) {
      text += '\n' + std::string(to_string(id)) + " breaks by the same as " +
              std::string(to_string((*same)->guarantee)) + ".\n";
      continue;
    }
    told.push_back(&*v);
    text += '\n' + explain(*v, history);
  }
  return text;
}

std::string explain(const Report& report, const History& history) {
  std::string text = std::string(to_string(report.verdict));
  if (!report.why.empty()) text += ": " + report.why;
  text += "\n\n";
  for (const Guarantee id : all_guarantees()) {
    const Judgement& j = report[id];
    std::string line = "  " + std::string(to_string(id));
    line.resize(24, ' ');
    line += to_string(j.answer);
    line.resize(32, ' ');
    if (j.answer == Answer::kNotApplicable) {
      line += j.why;
      if (!j.claimed && j.judged > 0 && j.broken == 0 && !report.contaminated &&
          id != Guarantee::kTotal) {
        line += "; held without being claimed";
      }
    } else if (j.answer == Answer::kBreaks) {
      line += std::to_string(j.broken) + " of " + std::to_string(j.judged) + " times judged";
    } else if (j.judged == 0) {
      line += "nothing in this run could have broken it";
    } else {
      line += "judged " + std::to_string(j.judged) + " times";
    }
    while (line.back() == ' ') line.pop_back();
    text += line + '\n';
  }
  return text + explain_violations(report, history);
}

}  // namespace causalcheck
