// What is judged while the history grows: one call and one return per operation.
#include <algorithm>

#include "checker/checker_impl.h"

namespace causalcheck {

bool Checker::Impl::usable(MessageId id, TopicId topic) const {
  const MessageState& m = messages_[id];
  return m.sent && !m.failed && !m.conflicted && m.topic == topic;
}

/// Whether `id` happens before, or is, something that `past` covers. An open publish counts as ok.
bool Checker::Impl::in_past(MessageId id, const std::uint32_t* past) const {
  const MessageState& m = messages_[id];
  if (m.ok || !m.done) return past[m.sender] >= m.step;
  const std::uint32_t* by = seen(id);
  for (std::uint32_t r = 0; r < width_; ++r) {
    if (by[r] != 0 && past[r] >= by[r]) return true;
  }
  return false;
}

/// Whether a later message of the same sender is among `counted` (largest publish step per client).
bool Checker::Impl::fifo_behind(MessageId id, const std::uint32_t* counted) const {
  const MessageState& m = messages_[id];
  if (m.ok || !m.done) return counted[m.sender] > m.step;
  const std::uint32_t by = seen(id)[m.sender];
  return by != 0 && counted[m.sender] > by;
}

/// The same by the order of calls alone, whatever they came to, where that is asked for.
bool Checker::Impl::refuted_by_sender(MessageId id, const std::uint32_t* counted) const {
  const MessageState& m = messages_[id];
  return grounding_ == Grounding::kInstrumentation && counted[m.sender] > m.step;
}

/// Whether a message published by somebody who had observed `id` is among `counted`.
bool Checker::Impl::reads_behind(MessageId id, const std::uint32_t* counted) const {
  const std::uint32_t* by = seen(id);
  for (std::uint32_t r = 0; r < width_; ++r) {
    if (by[r] != 0 && counted[r] > by[r]) return true;
  }
  return false;
}

/// Two lines of one id with different digests: the id stood for two messages.
void Checker::Impl::note_payload(OperationIndex operation) {
  const Operation& o = op(operation);
  if (o.payload == 0 || o.message == kNothing) return;
  MessageState& m = messages_[o.message];
  if (m.payload != 0 && m.payload != o.payload && !m.conflicted &&
      knowledge_ == Knowledge::kNothingYet) {
    m.conflicted = true;
    dirty_ = true;  // unless its write fails, which the next judgement will know
  }
  m.payload = o.payload;
}

void Checker::Impl::call_write(OperationIndex operation) {
  const Operation& o = op(operation);
  ClientState& client = clients_[o.client];
  MessageState& m = messages_[o.message];
  const bool known = outcome_known(operation);
  ++counts_.publishes;
  ++counts_.clauses_p1;
  const std::uint32_t step = ++client.step;
  client.answered = false;
  std::uint32_t* own = past(o.client);
  if (!m.written) {
    m.written = true;
    m.topic = o.topic;
    m.first_write = o.start;
  }
  note_payload(operation);
  const bool fails = known && final_outcome(o) == Outcome::kFail;
  if (m.failed && !known) {  // an id that failed before is tried again
    m.failed = false;
    if (m.observed) dirty_ = true;
  }
  if (m.conflicted || m.failed || fails) {
    own[o.client] = step;
    return;
  }
  if (m.sent) {  // a second line that did not fail so far
    own[o.client] = step;
    m.conflicted = true;
    dirty_ = true;
    return;
  }
  m.sent = true;
  m.send = operation;
  m.sender = o.client;
  m.step = step;
  m.topic = o.topic;
  m.floor = floors_[o.topic];
  if (known) {
    m.done = true;
    m.ok = final_outcome(o) == Outcome::kOk;
  }
  std::copy_n(own, width_, deps(o.message));  // own[o.client] is step - 1: all that came before
  own[o.client] = step;

  if (!cross_mode_) return;
  std::uint32_t* mine = cross_of(o.client);
  std::uint32_t* row = cross(o.message);
  std::copy_n(mine, cross_width(), row);
  std::uint32_t* here = row + std::size_t{o.topic} * (width_ + 3);
  std::copy_n(deps(o.message), width_, here);
  if (m.done && !m.ok) return;  // no P1 edge leads on
  mine += std::size_t{o.topic} * (width_ + 3);
  std::copy_n(deps(o.message), width_, mine);
  mine[width_] = step;
  mine[width_ + 1] = 1;
}

void Checker::Impl::call_read(OperationIndex operation) {
  const Operation& o = op(operation);
  std::uint32_t ticket = 0;
  if (free_tickets_.empty()) {
    ticket = static_cast<std::uint32_t>(open_.size());
    open_.emplace_back();
    if (!feed_) open_vectors_.resize(open_.size() * kVectors * width_);
  } else {
    ticket = free_tickets_.back();
    free_tickets_.pop_back();
  }
  ticket_[operation] = ticket;
  if (feed_) return;
  open_[ticket].reader = reader(o.client, o.topic);
  open_[ticket].floor = floors_[o.topic];
  // With slots the last two vectors are not used.
  const std::size_t used = slots_ ? kByAcks : kVectors;
  std::copy_n(vec(o.client, o.topic, kImplied), used * width_,
              &open_vectors_[std::size_t{ticket} * kVectors * width_]);
}

void Checker::Impl::return_write(OperationIndex operation) {
  const Operation& o = op(operation);
  MessageState& m = messages_[o.message];
  const bool surprise = !outcome_known(operation);
  const bool current = m.send == operation && m.sent;
  if (o.outcome == Outcome::kFail) {
    if (!surprise) return;
    if (m.conflicted || m.observed || (cross_mode_ && current)) dirty_ = true;
    if (current) {
      m.sent = false;
      m.done = true;
      m.failed = true;
    }
    return;
  }
  if (o.outcome == Outcome::kOk) show_slot(operation);
  if (!current || m.conflicted) return;
  m.done = true;
  m.ok = o.outcome == Outcome::kOk;
  if (!m.ok) {
    if (surprise && (m.observed || cross_mode_)) dirty_ = true;
    return;
  }
  if (slots_ && o.slot != kNoSlot) {
    check_real_time(operation, o.slot, m.floor);
    floors_[o.topic] = std::max(floors_[o.topic], o.slot);
  }
  if (!feed_) count(o.client, o.topic, o.message, o.slot, operation, false);
}

/// Lets `message` count as w for `client` from now on.
void Checker::Impl::count(ClientId client, TopicId topic, MessageId message, Slot slot,
                          OperationIndex operation, bool observed) {
  const MessageState& m = messages_[message];
  ReaderState& here = reader(client, topic);
  if (slot > here.counted_slot) {
    here.counted_slot = slot;
    here.counted_op = operation;
  }
  const TopicId scope = scope_of(topic);
  ReaderState& r = reader(client, scope);
  r.counted = true;
  r.previous = message;
  r.counted_send = std::max(r.counted_send, op(m.send).start);
  merge(vec(client, scope, kImplied), deps(message), width_);
  std::uint32_t& counted = vec(client, scope, kCounted)[m.sender];
  counted = std::max(counted, m.step);
  if (feed_) {
    if (!one_scope_) return;
    merge(vec(client, topic, kImpliedHere), deps(message), width_);
    std::uint32_t& handed = vec(client, topic, kCountedHere)[m.sender];
    handed = std::max(handed, m.step);
    return;
  }
  if (observed) {
    here.read = true;
    if (slot >= here.read_slot) {
      here.read_slot = slot;
      here.read_op = operation;
    }
  } else {
    here.acked = true;
    if (slot >= here.acked_slot) {
      here.acked_slot = slot;
      here.acked_op = operation;
    }
  }
  if (!slots_) merge(vec(client, topic, observed ? kByReads : kByAcks), deps(message), width_);
  if (!cross_mode_) return;
  for (TopicId t = 0; t < topics_; ++t) {
    if (t == topic) continue;
    const std::uint32_t* row = cross(message) + std::size_t{t} * (width_ + 3);
    ReaderState& there = reader(client, t);
    merge(vec(client, t, kImplied), row, width_);
    std::uint32_t& step = vec(client, t, kCounted)[m.sender];
    step = std::max(step, row[width_]);
    if (row[width_ + 1] != 0) there.counted = true;
    if (observed && row[width_] != 0) there.behind_writes = true;
    if (observed && row[width_ + 2] != 0) there.behind_reads = true;
  }
}

void Checker::Impl::show_slot(OperationIndex operation) {
  const Operation& o = op(operation);
  if (!slots_ || o.slot == kNoSlot) return;
  judged(Guarantee::kIdentity);
  MessageState& m = messages_[o.message];
  if (m.written && m.topic == o.topic) {
    if (m.first_slot != kNoSlot && m.first_slot != o.slot) m.two_slots = true;
    m.first_slot = m.first_slot == kNoSlot ? o.slot : std::min(m.first_slot, o.slot);
  }
  std::vector<MessageId>& table = slot_table_[o.topic];
  const auto place = static_cast<std::size_t>(o.slot);
  MessageId* held = nullptr;
  if (place >= table.size() && place < table.size() * 2 + 64) {
    const std::size_t before = table.size();
    table.resize(std::max(place + 1, before * 2), kNothing);
    std::erase_if(slot_map_[o.topic], [&](const auto& entry) {
      if (static_cast<std::size_t>(entry.first) >= table.size()) return false;
      table[static_cast<std::size_t>(entry.first)] = entry.second;
      return true;
    });
  }
  if (place < table.size()) {
    held = &table[place];
    if (*held == kNothing) *held = o.message;
  } else {
    held = &slot_map_[o.topic].try_emplace(o.slot, o.message).first->second;
  }
  if (*held != o.message) {
    found(Guarantee::kIdentity, {.reason = Reason::kSlotHeldTwoMessages,
                                 .operation = operation,
                                 .cause = *held,
                                 .topic = o.topic});
  }
}

/// `floor` is the largest slot of an operation that had ended when this one was called.
void Checker::Impl::check_real_time(OperationIndex operation, Slot slot, Slot floor) {
  if (!slots_ || floor == kNoSlot) return;
  judged(Guarantee::kRealTime);
  if (slot < floor) {
    found(Guarantee::kRealTime, {.reason = Reason::kAgainstRealTime, .operation = operation});
  }
}

void Checker::Impl::return_read(OperationIndex operation) {
  const Operation& o = op(operation);
  if (o.outcome != Outcome::kOk) return;
  if (o.message == kNothing) {
    if (!feed_) return read_nothing(operation);
    ++counts_.reads_nothing;
    reader(o.client, o.topic).asked = true;
    last_ok_read_[reader_index(o.client, o.topic)] = operation;
    return;
  }
  if (slots_ && o.slot == kNoSlot) return;  // a slot that cannot be read: info
  if (feed_) {
    reader(o.client, o.topic).asked = true;
    last_ok_read_[reader_index(o.client, o.topic)] = operation;
  }
  show_slot(operation);
  MessageState& m = messages_[o.message];
  m.observed = true;
  if (m.failed && m.topic == o.topic && m.first_write < o.end) {
    found(Guarantee::kOutcome, {.reason = Reason::kFailedIsVisible, .operation = operation});
    return;
  }
  if (!m.written || m.topic != o.topic || m.first_write >= o.end || (!m.sent && !m.conflicted)) {
    orphans_.push_back(operation);
    return;
  }
  if (m.conflicted) return;
  if (feed_) {
    observe_feed(operation);
  } else {
    observe_latest(operation);
  }
  if (slots_) floors_[o.topic] = std::max(floors_[o.topic], o.slot);
}

/// Takes the observation into the client's past. False when it repeats the client's latest event.
bool Checker::Impl::step_observe(OperationIndex operation) {
  const Operation& o = op(operation);
  const MessageState& m = messages_[o.message];
  ClientState& client = clients_[o.client];
  if (!feed_ && client.answered && client.topic == o.topic && client.message == o.message &&
      client.slot == o.slot) {
    ++counts_.repeats;
    return false;
  }
  client.answered = true;
  client.topic = o.topic;
  client.message = o.message;
  client.slot = o.slot;
  const std::uint32_t step = ++client.step;
  std::uint32_t* own = past(o.client);
  merge(own, deps(o.message), width_);
  own[m.sender] = std::max(own[m.sender], m.step);
  own[o.client] = step;
  std::uint32_t& by = seen(o.message)[o.client];
  if (by == 0) by = step;
  ++counts_.observes;
  ++counts_.clauses_p1;
  ++counts_.clauses_p2;
  if (m.sender != o.client) ++counts_.foreign_observes;
  if (cross_mode_) {
    std::uint32_t* mine = cross_of(o.client);
    const std::uint32_t* row = cross(o.message);
    for (TopicId t = 0; t < topics_; ++t) {
      const std::size_t at = std::size_t{t} * (width_ + 3);
      merge(mine + at, row + at, width_);
      if (row[at + width_ + 1] != 0) mine[at + width_ + 1] = 1;
    }
    mine += std::size_t{o.topic} * (width_ + 3);
    mine[width_ + 1] = 1;
    mine[width_ + 2] = 1;
    if (m.sender == o.client) mine[width_] = std::max(mine[width_], m.step);
  }
  return true;
}

void Checker::Impl::observe_latest(OperationIndex operation) {
  const Operation& o = op(operation);
  const MessageState& m = messages_[o.message];
  const std::uint32_t ticket = ticket_[operation];
  const OpenOperation& open = open_[ticket];
  const ReaderState& r = open.reader;
  const std::uint32_t* vectors = &open_vectors_[std::size_t{ticket} * kVectors * width_];
  const std::uint32_t* implied = vectors + kImplied * width_;
  const std::uint32_t* counted = vectors + kCounted * width_;

  if (r.acked) {
    judged(Guarantee::kReadYourWrites);
    if (slots_ ? o.slot < r.acked_slot : in_past(o.message, vectors + kByAcks * width_)) {
      found(Guarantee::kReadYourWrites,
            {.reason = slots_ ? Reason::kReadSmallerSlot : Reason::kReadOlder,
             .operation = operation,
             .other = slots_ ? r.acked_op : kNoOperation});
    }
  }
  if (r.read) {
    judged(Guarantee::kMonotonicReads);
    if (slots_ ? o.slot < r.read_slot : in_past(o.message, vectors + kByReads * width_)) {
      found(Guarantee::kMonotonicReads,
            {.reason = slots_ ? Reason::kReadSmallerSlot : Reason::kReadOlder,
             .operation = operation,
             .other = slots_ ? r.read_op : kNoOperation});
    }
  }
  if (r.counted) {
    judged(Guarantee::kCausal);
    if (in_past(o.message, implied)) {
      found(Guarantee::kCausal, {.operation = operation, .cause = o.message});
    }
    if (counted[m.sender] != 0) {
      judged(Guarantee::kFifo);
      if (fifo_behind(o.message, counted)) {
        found(Guarantee::kFifo, {.operation = operation, .cause = o.message});
      } else if (refuted_by_sender(o.message, counted)) {
        found(Guarantee::kFifo, {.reason = Reason::kRefutedByRecordedOrder,
                                 .operation = operation,
                                 .cause = o.message});
      }
    }
    judged(Guarantee::kTotal);
    if (grounding_ == Grounding::kInstrumentation) {
      if (r.counted_send > op(m.send).start) {
        found(Guarantee::kTotal, {.reason = Reason::kRefutedByRecordedOrder,
                                  .operation = operation,
                                  .cause = o.message});
      }
    } else if (slots_ && o.slot < r.counted_slot) {
      found(Guarantee::kTotal,
            {.reason = Reason::kReadSmallerSlot, .operation = operation, .other = r.counted_op});
    }
    if (r.previous != kNothing && r.previous != o.message && in_past(r.previous, deps(o.message))) {
      ++counts_.clauses_p3;
    }
  }
  check_real_time(operation, o.slot, open.floor);
  if (history_->declared.slots == Slots::kContiguous && r.read && o.slot > r.read_slot) {
    counts_.skipped += static_cast<std::uint64_t>(o.slot - r.read_slot - 1);
  }
  if (step_observe(operation)) {
    count(o.client, o.topic, o.message, o.slot, operation, true);
  }
}

void Checker::Impl::read_nothing(OperationIndex operation) {
  const Operation& o = op(operation);
  const OpenOperation& open = open_[ticket_[operation]];
  const ReaderState& r = open.reader;
  ++counts_.reads_nothing;
  const auto breaks = [&](Guarantee guarantee, OperationIndex other) {
    judged(guarantee);
    found(
        guarantee,
        {.reason = Reason::kReadNothing, .operation = operation, .other = other, .topic = o.topic});
  };
  check_real_time(operation, kNoSlot, open.floor);
  if (r.acked) breaks(Guarantee::kReadYourWrites, r.acked_op);
  if (r.read) breaks(Guarantee::kMonotonicReads, r.read_op);
  if (r.counted) breaks(Guarantee::kCausal, kNoOperation);
  if (r.behind_writes) breaks(Guarantee::kMonotonicWrites, kNoOperation);
  if (r.behind_reads) breaks(Guarantee::kWritesFollowReads, kNoOperation);
}

void Checker::Impl::observe_feed(OperationIndex operation) {
  const Operation& o = op(operation);
  const MessageState& m = messages_[o.message];
  ReaderState& here = reader(o.client, o.topic);
  const TopicId scope = scope_of(o.topic);
  const ReaderState& r = reader(o.client, scope);

  if (slots_) {
    const std::uint64_t row = std::uint64_t{reader_index(o.client, o.topic)} << 32U;
    if (here.session != o.session) {
      if (here.session != 0) old_sessions_[row | here.session] = here.session_slot;
      const auto old = old_sessions_.find(row | o.session);
      here.session = o.session;
      here.session_slot = old == old_sessions_.end() ? kNoSlot : old->second;
    }
    if (here.session_slot != kNoSlot) {
      judged(Guarantee::kMonotonicReads);
      if (o.slot < here.session_slot) {
        found(Guarantee::kMonotonicReads,
              {.reason = Reason::kReadSmallerSlot, .operation = operation, .other = here.read_op});
      }
    }
    if (o.slot >= here.session_slot) {
      here.session_slot = o.slot;
      here.read_op = operation;
    }
    here.read_slot = std::max(here.read_slot, o.slot);
  }

  if (seen(o.message)[o.client] != 0) {
    ++counts_.duplicates;
    step_observe(operation);
    return;
  }
  const std::uint32_t* counted = vec(o.client, scope, kCounted);
  if (r.counted) {
    judged(Guarantee::kCausal);
    if (in_past(o.message, vec(o.client, scope, kImplied))) {
      found(Guarantee::kCausal, {.operation = operation, .cause = o.message});
    }
    if (counted[m.sender] != 0) {
      judged(Guarantee::kFifo);
      judged(Guarantee::kMonotonicWrites);
      if (fifo_behind(o.message, counted)) {
        found(Guarantee::kFifo, {.operation = operation, .cause = o.message});
        found(Guarantee::kMonotonicWrites, {.operation = operation, .cause = o.message});
      } else if (refuted_by_sender(o.message, counted)) {
        found(Guarantee::kFifo, {.reason = Reason::kRefutedByRecordedOrder,
                                 .operation = operation,
                                 .cause = o.message});
      }
    }
    judged(Guarantee::kWritesFollowReads);
    if (reads_behind(o.message, counted)) {
      found(Guarantee::kWritesFollowReads, {.operation = operation, .cause = o.message});
    }
    judged(Guarantee::kTotal);
    if (grounding_ == Grounding::kInstrumentation) {
      if (r.counted_send > op(m.send).start) {
        found(Guarantee::kTotal, {.reason = Reason::kRefutedByRecordedOrder,
                                  .operation = operation,
                                  .cause = o.message});
      }
    } else if (slots_ && o.slot < here.counted_slot) {
      found(Guarantee::kTotal,
            {.reason = Reason::kReadSmallerSlot, .operation = operation, .other = here.counted_op});
    }
    if (r.previous != kNothing && in_past(r.previous, deps(o.message))) ++counts_.clauses_p3;
  }
  step_observe(operation);
  count(o.client, o.topic, o.message, o.slot, operation, true);
}

void Checker::Impl::return_drain(OperationIndex operation) {
  const Operation& o = op(operation);
  if (o.topic >= topics_) return rebuild();
  drained_[o.topic].push_back(operation);
  if (o.outcome != Outcome::kOk || o.message == kNothing || (slots_ && o.slot == kNoSlot)) return;
  show_slot(operation);
  MessageState& m = messages_[o.message];
  m.observed = true;
  if (m.failed && m.topic == o.topic && m.first_write < o.end) {
    found(Guarantee::kOutcome, {.reason = Reason::kFailedIsVisible, .operation = operation});
  } else if (!m.written || m.topic != o.topic || m.first_write >= o.end ||
             (!m.sent && !m.conflicted)) {
    orphans_.push_back(operation);
  } else if (!m.conflicted) {
    m.durable = true;
  }
}

}  // namespace causalcheck
