#include "tests/reference/reference_rows.h"

#include <algorithm>
#include <set>

#include "tests/reference/reference_order.h"

namespace causalcheck::reference {
namespace {

/// A latest answer is behind what it must not be behind: it is nothing, or, by slots or without
/// them by happens-before, older.
bool is_behind(const Model& model, const Operation& read, const Operation& known) {
  if (read.message == kNothing) return true;
  if (model.slots) return known.slot != kNoSlot && read.slot < known.slot;
  return model.before(read.message, known.message);
}

bool overlap(const Operation& operation, const FaultWindow& window) {
  return operation.start <= window.end && window.start <= operation.end;
}

bool is_live(const Model& model, ClientId client) {
  const Incarnation own = incarnation_of(model.history.clients[client]);
  for (const Leave& leave : model.history.leaves) {
    if (leave.client == client) return false;
  }
  for (const std::string& label : model.history.clients) {
    const Incarnation other = incarnation_of(label);
    if (other.base == own.base && other.number > own.number) return false;
  }
  return true;
}

/// The client's last answer on the topic was nothing, asked for after the run's last commit ended.
bool asked_at_the_end(const Model& model, ClientId client, TopicId topic) {
  Operation last;
  last.end = 0;
  for (const Operation& read : model.reads) {
    if (read.client == client && read.topic == topic && read.end > last.end) last = read;
  }
  if (last.end == 0 || last.message != kNothing) return false;
  return std::all_of(model.lines.begin(), model.lines.end(), [&](const Operation& line) {
    return !line.is_write() || line.end == kNever || line.end < last.start;
  });
}

/// `in_front(k, m)`: whoever was handed m must have been handed k.
bool missed(const Model& model, ClientId client, const Operation& ack,
            const MessageOrder& in_front) {
  const bool reads_topic = std::any_of(
      model.reads.begin(), model.reads.end(),
      [&](const Operation& read) { return read.client == client && read.topic == ack.topic; });
  bool was_handed_later = false;
  for (const Operation& read : model.answers) {
    if (read.client != client || read.topic != ack.topic || read.message == kNothing) continue;
    if (model.slots && ack.slot != kNoSlot && read.slot > ack.slot) was_handed_later = true;
    if (in_front(ack.message, read.message)) was_handed_later = true;
  }
  if (!reads_topic || model.handed(client, ack.message)) return false;
  return was_handed_later || (is_live(model, client) && asked_at_the_end(model, client, ack.topic));
}

bool has_hole(const Model& model, TopicId topic) {
  std::set<Slot> seen;
  for (const Operation& line : model.lines) {
    if (!line.is_drain() || line.topic != topic || line.outcome == Outcome::kFail) continue;
    if (line.slot != kNoSlot) {
      seen.insert(line.slot);
    } else if (line.outcome == Outcome::kInfo) {
      return false;
    }
  }
  return !seen.empty() && *seen.rbegin() - *seen.begin() + 1 != static_cast<Slot>(seen.size());
}

/// An ok line that shows a message which no write line carries, though it bears this run's id.
bool shows_what_nobody_wrote(const Model& model, const Operation& line) {
  return !line.is_write() && line.outcome == Outcome::kOk && line.message != kNothing &&
         !model.written_to(line.message, line.topic) && model.history.payloads_checked &&
         !line.foreign;
}

bool payload_differs(const Model& model, const Operation& line) {
  if (line.is_write() || line.outcome != Outcome::kOk || line.message == kNothing) return false;
  if (line.payload == 0) return false;
  bool told = false;
  for (const Operation& write : model.lines) {
    if (!write.is_write() || write.message != line.message || write.payload == 0) continue;
    if (write.payload == line.payload) return false;
    told = true;
  }
  return told;
}

/// Whether a fault window overlapped the line. One aimed at a client concerns only that client.
bool touched_by_a_fault(const Model& model, const Operation& line) {
  const History& history = model.history;
  return std::any_of(history.faults.begin(), history.faults.end(), [&](const FaultWindow& window) {
    const bool names_a_client = std::find(history.clients.begin(), history.clients.end(),
                                          window.target) != history.clients.end();
    const bool names_this_one = !line.is_drain() && window.target == history.clients[line.client];
    return overlap(line, window) && (!names_a_client || names_this_one);
  });
}

}  // namespace

bool breaks_no_lost_writes(const Model& model) {
  return std::any_of(model.acks.begin(), model.acks.end(),
                     [&](const Operation& ack) { return model.lost(ack); });
}

bool breaks_read_your_writes(const Model& model) {
  for (const Operation& read : model.answers) {
    for (const Operation& ack : model.acks) {
      const bool own = ack.client == read.client && ack.topic == read.topic;
      if (own && ack.end < read.start && is_behind(model, read, ack)) return true;
    }
  }
  return false;
}

bool breaks_monotonic_reads(const Model& model) {
  for (const Operation& read : model.answers) {
    for (const Operation& other : model.answers) {
      if (other.client != read.client || other.topic != read.topic) continue;
      if (other.message == kNothing) continue;
      if (model.feed) {
        if (read.message == kNothing || other.session != read.session) continue;
        if (other.end < read.end && read.slot < other.slot) return true;
      } else if (other.end < read.start && is_behind(model, read, other)) {
        return true;
      }
    }
  }
  return false;
}

bool breaks_delivery(const Model& model, Grounding grounding) {
  for (const Operation& ack : model.acks) {
    const MessageOrder in_front = declared_order(model, grounding, ack.topic);
    for (ClientId client = 0; client < model.history.clients.size(); ++client) {
      if (client != ack.client && missed(model, client, ack, in_front)) return true;
    }
  }
  return false;
}

bool breaks_identity(const Model& model) {
  const Declaration& declared = model.history.declared;
  for (const MessageFacts& facts : model.messages) {
    if (facts.conflicted) return true;
  }
  for (const Operation& a : model.lines) {
    for (const Operation& b : model.lines) {
      if (a.outcome != Outcome::kOk || b.outcome != Outcome::kOk) continue;
      if (a.message == kNothing || b.message == kNothing) continue;
      if (a.slot == kNoSlot || b.slot == kNoSlot) continue;
      if (a.topic != b.topic) continue;
      if (a.slot == b.slot && a.message != b.message) return true;
      const MessageFacts& facts = model.messages[a.message];
      const bool acknowledged = facts.usable() && facts.send.outcome == Outcome::kOk;
      if (a.message == b.message && a.slot != b.slot && acknowledged &&
          a.topic == model.topic_of(a.message) && declared.retries == Retries::kNone) {
        return true;
      }
    }
  }
  if (declared.slots != Slots::kContiguous) return false;
  for (TopicId topic = 0; topic < model.history.topics.size(); ++topic) {
    if (has_hole(model, topic)) return true;
  }
  return false;
}

bool breaks_outcome(const Model& model) {
  return std::any_of(model.lines.begin(), model.lines.end(), [&](const Operation& line) {
    return !line.is_write() && line.outcome == Outcome::kOk && line.message != kNothing &&
           model.messages[line.message].failed && model.written_to(line.message, line.topic);
  });
}

bool breaks_integrity(const Model& model) {
  return std::any_of(model.lines.begin(), model.lines.end(), [&](const Operation& line) {
    return shows_what_nobody_wrote(model, line) || payload_differs(model, line) ||
           (line.undecodable && !touched_by_a_fault(model, line));
  });
}

bool breaks_real_time(const Model& model) {
  struct Placed {
    Operation operation{};
    Slot slot = kNoSlot;
  };
  std::vector<Placed> first;
  std::vector<Placed> second;
  for (const Operation& ack : model.acks) {
    if (ack.slot == kNoSlot) continue;
    first.push_back({ack, ack.slot});
    second.push_back({ack, ack.slot});
  }
  for (const Operation& read : model.answers) {
    if (read.message != kNothing) first.push_back({read, read.slot});
    const Slot nothing = kNoSlot;  // below every slot
    if (!model.feed) second.push_back({read, read.message == kNothing ? nothing : read.slot});
  }
  for (const MessageId m : model.usable()) {
    const Operation& send = model.messages[m].send;
    const auto slot = model.smallest_slot_shown(m);
    if (send.outcome == Outcome::kInfo && slot) second.push_back({send, *slot});
  }
  for (const Placed& a : first) {
    for (const Placed& b : second) {
      if (a.operation.topic == b.operation.topic && a.operation.end < b.operation.start &&
          b.slot < a.slot) {
        return true;
      }
    }
  }
  return false;
}

bool is_contaminated(const Model& model) {
  for (const Operation& line : model.lines) {
    if (line.foreign) return true;
    if (line.is_write() || line.outcome != Outcome::kOk || line.message == kNothing) continue;
    if (!model.written_to(line.message, line.topic)) {
      if (!shows_what_nobody_wrote(model, line)) return true;
      continue;
    }
    const bool sent_before =
        std::any_of(model.lines.begin(), model.lines.end(), [&](const Operation& write) {
          return write.is_write() && write.message == line.message && write.start < line.end;
        });
    if (!sent_before) return true;
  }
  return false;
}

bool is_contended(const Model& model) {
  return std::any_of(model.answers.begin(), model.answers.end(), [&](const Operation& read) {
    return read.message != kNothing && model.messages[read.message].send.client != read.client;
  });
}

bool met_a_fault(const Model& model) {
  return std::any_of(model.lines.begin(), model.lines.end(), [&](const Operation& line) {
    return !line.is_drain() && touched_by_a_fault(model, line);
  });
}

}  // namespace causalcheck::reference
