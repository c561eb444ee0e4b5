#include "tests/reference/reference_model.h"

#include <algorithm>

namespace causalcheck::reference {

Matrix closure_of(Matrix edges) {
  for (std::size_t via = 0; via < edges.size(); ++via) {
    for (std::size_t from = 0; from < edges.size(); ++from) {
      for (std::size_t to = 0; to < edges.size(); ++to) {
        if (edges[from][via] && edges[via][to]) edges[from][to] = true;
      }
    }
  }
  return edges;
}

Model::Model(const History& of) : history(of), lines(of.operations), messages(of.messages.size()) {
  const Declaration& declared = history.declared;
  slots = declared.slots != Slots::kNone;
  feed = declared.reads == Reads::kFeed;
  scope_all = declared.scope == Scope::kAll;
  for (Operation& line : lines) {
    if (!slots) line.slot = kNoSlot;
    if (line.end == kNever || line.undecodable) line.outcome = Outcome::kInfo;
    const bool shows_without_slot = slots && line.outcome == Outcome::kOk && !line.is_write() &&
                                    line.message != kNothing && line.slot == kNoSlot;
    if (shows_without_slot) line.outcome = Outcome::kInfo;
  }
  sort_out_messages();
  sort_out_lines();
  build_events();
}

void Model::sort_out_messages() {
  for (MessageId m = 0; m < messages.size(); ++m) {
    MessageFacts& facts = messages[m];
    std::size_t not_failed = 0;
    for (const Operation& line : lines) {
      if (!line.is_write() || line.message != m) continue;
      facts.written = true;
      if (line.outcome == Outcome::kFail) continue;
      ++not_failed;
      facts.send = line;
    }
    facts.failed = facts.written && not_failed == 0;
    std::vector<std::uint32_t> digests;
    for (const Operation& line : lines) {
      if (line.message != m || line.payload == 0) continue;
      if (!(facts.failed && line.is_write())) digests.push_back(line.payload);
    }
    facts.conflicted = not_failed > 1 || std::any_of(digests.begin(), digests.end(),
                                                     [&](auto d) { return d != digests.front(); });
  }
}

void Model::sort_out_lines() {
  for (const Operation& line : lines) {
    if (line.outcome != Outcome::kOk) continue;
    const bool usable = line.message != kNothing && messages[line.message].usable() &&
                        line.topic == topic_of(line.message);
    if (line.is_write()) {
      if (usable) acks.push_back(line);
    } else if (line.is_drain()) {
      if (usable) durable.push_back(line);
    } else {
      reads.push_back(line);
      // What it showed was then an id that had failed, and was tried again later.
      const bool failed_so_far = usable && messages[line.message].send.start > line.end;
      if ((usable && !failed_so_far) || line.message == kNothing) answers.push_back(line);
    }
  }
}

void Model::build_events() {
  for (const Operation& line : lines) {
    if (line.is_write() && line.message != kNothing && !messages[line.message].conflicted) {
      events.push_back({line.client, line.start, line.message, true, line.outcome == Outcome::kOk});
    }
  }
  for (const Operation& read : answers) {
    if (read.message != kNothing) {
      events.push_back({read.client, read.end, read.message, false, true});
    }
  }
  edges.assign(events.size(), std::vector<bool>(events.size(), false));
  for (std::size_t i = 0; i < events.size(); ++i) {
    for (std::size_t j = 0; j < events.size(); ++j) {
      const Event& a = events[i];
      const Event& b = events[j];
      const bool p1 = a.client == b.client && a.number < b.number && a.binds_later;
      const bool p2 = a.publish && !b.publish && a.message == b.message &&
                      messages[a.message].usable() && a.number == messages[a.message].send.start &&
                      a.client == messages[a.message].send.client;
      edges[i][j] = p1 || p2;
    }
  }
  closure = closure_of(edges);
}

std::vector<MessageId> Model::usable() const {
  std::vector<MessageId> found;
  for (MessageId m = 0; m < messages.size(); ++m) {
    if (messages[m].usable()) found.push_back(m);
  }
  return found;
}

bool Model::written_to(MessageId message, TopicId topic) const {
  return std::any_of(lines.begin(), lines.end(), [&](const Operation& line) {
    return line.is_write() && line.message == message && line.topic == topic;
  });
}

std::size_t Model::send_event(MessageId message) const {
  const Operation& send = messages[message].send;
  std::size_t i = 0;
  while (!events[i].publish || events[i].message != message || events[i].number != send.start ||
         events[i].client != send.client) {
    ++i;
  }
  return i;
}

bool Model::before(MessageId k, MessageId m) const {
  return k != m && closure[send_event(k)][send_event(m)];
}

bool Model::fifo_before(MessageId k, MessageId m) const {
  const Operation& first = messages[k].send;
  const Operation& second = messages[m].send;
  if (k == m || first.client != second.client || first.start >= second.start) return false;
  return first.outcome == Outcome::kOk || observed_before(first.client, k, second.start);
}

bool Model::observed_before(ClientId client, MessageId message, Position at) const {
  return std::any_of(answers.begin(), answers.end(), [&](const Operation& read) {
    return read.client == client && read.message == message && read.end < at;
  });
}

bool Model::handed(ClientId client, MessageId message) const {
  return observed_before(client, message, kNever);
}

std::vector<Operation> Model::observations() const {
  std::vector<Operation> found;
  for (const Operation& read : answers) {
    if (read.message == kNothing) continue;
    if (feed && observed_before(read.client, read.message, read.end)) continue;
    found.push_back(read);
  }
  return found;
}

std::vector<Counted> Model::counted_at(const Operation& read) const {
  std::vector<Counted> found;
  if (feed) {
    for (const Operation& other : observations()) {
      if (other.client == read.client && other.end < read.end) {
        found.push_back({other.message, other.slot, true});
      }
    }
    return found;
  }
  for (const Operation& other : answers) {
    if (other.client == read.client && other.message != kNothing && other.end < read.start) {
      found.push_back({other.message, other.slot, true});
    }
  }
  for (const Operation& ack : acks) {
    if (ack.client == read.client && ack.end < read.start) {
      found.push_back({ack.message, ack.slot, false});
    }
  }
  return found;
}

std::vector<MessageId> Model::claimed_before(const Operation& read,
                                             const MessageOrder& order) const {
  std::vector<MessageId> found;
  for (const Counted& w : counted_at(read)) {
    for (const MessageId k : usable()) {
      const bool stands_for_w = k == w.message || (!feed && scope_all && order(k, w.message));
      const bool in_scope = topic_of(k) == read.topic || (feed && scope_all);
      if (stands_for_w && in_scope) found.push_back(k);
    }
  }
  return found;
}

bool Model::is_drained(TopicId topic) const {
  return std::any_of(lines.begin(), lines.end(), [&](const Operation& line) {
    return line.is_drain() && line.topic == topic && line.outcome != Outcome::kFail;
  });
}

bool Model::is_durable(MessageId message) const {
  return std::any_of(durable.begin(), durable.end(),
                     [&](const Operation& line) { return line.message == message; });
}

bool Model::lost(const Operation& ack) const {
  if (!is_drained(ack.topic)) return false;
  bool all_survivors_before = true;
  for (const Operation& line : durable) {
    if (line.topic != ack.topic) continue;
    const bool slot_fits = !slots || ack.slot == kNoSlot || line.slot == ack.slot;
    if (line.message == ack.message && slot_fits) return false;
    if (!before(line.message, ack.message)) all_survivors_before = false;
  }
  for (const Operation& line : lines) {
    if (!line.is_drain() || line.topic != ack.topic || line.outcome != Outcome::kInfo) continue;
    const bool may_hold_it =
        !slots || line.slot == kNoSlot || ack.slot == kNoSlot || line.slot == ack.slot;
    if (may_hold_it) return false;
  }
  // Whatever else survived of a register, a failed message say, may have replaced this one.
  for (const Operation& line : lines) {
    const bool shows = line.is_drain() && line.outcome == Outcome::kOk && line.message != kNothing;
    if (!shows || line.topic != ack.topic) continue;
    if (!messages[line.message].usable() || topic_of(line.message) != line.topic) {
      all_survivors_before = false;
    }
  }
  return slots || feed || all_survivors_before;
}

bool Model::lost_altogether(MessageId message) const {
  const Operation& send = messages[message].send;
  return send.outcome == Outcome::kOk && lost(send) && !is_durable(message);
}

std::optional<Slot> Model::smallest_slot_shown(MessageId message) const {
  std::optional<Slot> smallest;
  for (const Operation& line : lines) {
    if (line.message != message || line.topic != topic_of(message)) continue;
    if (line.outcome != Outcome::kOk || line.slot == kNoSlot) continue;
    if (!smallest || line.slot < *smallest) smallest = line.slot;
  }
  return smallest;
}

}  // namespace causalcheck::reference
