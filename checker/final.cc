// What can only be judged at the end: the durable log, what readers were owed, identity.
#include <algorithm>
#include <map>

#include "checker/checker_impl.h"
#include "checker/fault_overlap.h"

namespace causalcheck {
namespace {

/// What the drain of one topic could not tell.
struct Unreadable {
  bool anywhere = false;      // a line that may hide any message
  std::vector<Slot> slots{};  // slots that may hold any message; sorted

  [[nodiscard]] bool none() const { return !anywhere && slots.empty(); }
  [[nodiscard]] bool may_hide(Slot slot) const {
    return anywhere || std::binary_search(slots.begin(), slots.end(), slot);
  }
};

/// A read or drain line that does not tell its content: it ended info, or its slot could not be
/// read.
bool is_unreadable(const Operation& line, bool slots) {
  return final_outcome(line) != Outcome::kOk ||
         (slots && line.message != kNothing && line.slot == kNoSlot);
}

Unreadable unreadable_of(const History& history, const std::vector<OperationIndex>& lines,
                         bool slots) {
  Unreadable hidden;
  for (const OperationIndex i : lines) {
    const Operation& line = history.operations[i];
    if (!is_unreadable(line, slots)) continue;
    if (line.slot == kNoSlot) {
      hidden.anywhere = true;
    } else {
      hidden.slots.push_back(line.slot);
    }
  }
  std::sort(hidden.slots.begin(), hidden.slots.end());
  return hidden;
}

}  // namespace

/// Marks what is lost, and judges no-lost-writes.
void Checker::Impl::judge_drain() {
  std::vector<bool> at_own_slot(messages_.size(), false);
  std::vector<Unreadable> hidden(topics_);
  for (TopicId t = 0; t < topics_; ++t) {
    hidden[t] = unreadable_of(*history_, drained_[t], slots_);
    for (const OperationIndex i : drained_[t]) {
      const Operation& line = op(i);
      if (line.message == kNothing || is_unreadable(line, slots_)) continue;
      if (!usable(line.message, t)) continue;
      if (op(messages_[line.message].send).slot == line.slot) at_own_slot[line.message] = true;
    }
  }

  // Without slots and with latest reads: what survived of a topic, as largest step per author.
  struct Survivors {
    std::vector<std::uint32_t> steps{};
    std::vector<MessageId> unacknowledged{};
    bool unplaced = false;  // something is there that has no place in happened-before
  };
  std::vector<Survivors> survivors(slots_ || feed_ ? 0 : topics_);
  for (auto& s : survivors) s.steps.assign(width_, 0);
  for (TopicId t = 0; t < survivors.size(); ++t) {
    for (const OperationIndex i : drained_[t]) {
      const Operation& line = op(i);
      if (line.message != kNothing && !is_unreadable(line, slots_) && !usable(line.message, t)) {
        survivors[t].unplaced = true;
      }
    }
  }
  for (MessageId id = 0; id < messages_.size() && !survivors.empty(); ++id) {
    const MessageState& m = messages_[id];
    if (!m.durable) continue;
    Survivors& s = survivors[m.topic];
    if (m.ok) s.steps[m.sender] = std::max(s.steps[m.sender], m.step);
    if (!m.ok) s.unacknowledged.push_back(id);
  }

  for (MessageId id = 0; id < messages_.size(); ++id) {
    MessageState& m = messages_[id];
    if (!m.sent || !m.ok || m.conflicted || drained_[m.topic].empty()) continue;
    judged(Guarantee::kNoLostWrites);
    const Slot slot = op(m.send).slot;
    const Unreadable& dark = hidden[m.topic];
    bool lost = false;
    if (slots_ && slot != kNoSlot) {
      lost = !at_own_slot[id] && !dark.may_hide(slot);
    } else if (slots_ || feed_) {
      lost = !m.durable && dark.none();
    } else if (!m.durable && dark.none()) {
      const Survivors& s = survivors[m.topic];
      const auto before = [](std::uint32_t survived, std::uint32_t known) {
        return survived == 0 || survived <= known;
      };
      lost = !s.unplaced && std::equal(s.steps.begin(), s.steps.end(), deps(id), before) &&
             std::all_of(s.unacknowledged.begin(), s.unacknowledged.end(),
                         [&](MessageId k) { return in_past(k, deps(id)); });
    }
    if (!lost) continue;
    m.lost = !m.durable;
    found(Guarantee::kNoLostWrites,
          {.reason = Reason::kMissingAtDrain, .operation = m.send, .effect = id, .topic = m.topic});
  }
}

/// The log itself, in order of first slots, read like a feed: what lies in front of its cause?
void Checker::Impl::judge_first_slots() {
  if (!slots_) return;
  std::vector<std::vector<MessageId>> logs(topics_);
  for (MessageId id = 0; id < messages_.size(); ++id) {
    const MessageState& m = messages_[id];
    if (m.sent && !m.conflicted && !m.failed && m.first_slot != kNoSlot) {
      logs[m.topic].push_back(id);
    }
  }
  std::vector<std::uint32_t> implied(width_);
  std::vector<std::uint32_t> counted(width_);
  for (TopicId t = 0; t < topics_; ++t) {
    std::vector<MessageId>& log = logs[t];
    const auto earlier = [&](MessageId a, MessageId b) {
      return messages_[a].first_slot < messages_[b].first_slot;
    };
    if (!std::is_sorted(log.begin(), log.end(), earlier)) {
      std::stable_sort(log.begin(), log.end(), earlier);
    }
    const bool all_listed =
        !drained_[t].empty() && unreadable_of(*history_, drained_[t], slots_).none();
    std::fill(implied.begin(), implied.end(), 0U);
    std::fill(counted.begin(), counted.end(), 0U);
    std::size_t joined = 0;  // messages of `log` that lie in front of the current slot
    for (std::size_t i = 0; i < log.size(); ++i) {
      for (; messages_[log[joined]].first_slot < messages_[log[i]].first_slot; ++joined) {
        merge(implied.data(), deps(log[joined]), width_);
        std::uint32_t& step = counted[messages_[log[joined]].sender];
        step = std::max(step, messages_[log[joined]].step);
      }
      const MessageState& k = messages_[log[i]];
      const bool known = all_listed || (k.ok && history_->declared.retries == Retries::kNone);
      if (!known || joined == 0) continue;
      const Finding finding{.reason = Reason::kFirstSlotsAgainstOrder,
                            .operation = k.send,
                            .cause = log[i],
                            .topic = t};
      judged(Guarantee::kCausal);
      if (in_past(log[i], implied.data())) found(Guarantee::kCausal, finding);
      if (counted[k.sender] != 0) {
        judged(Guarantee::kMonotonicWrites);
        if (fifo_behind(log[i], counted.data())) found(Guarantee::kMonotonicWrites, finding);
      }
      judged(Guarantee::kWritesFollowReads);
      if (reads_behind(log[i], counted.data())) found(Guarantee::kWritesFollowReads, finding);
    }
  }
}

/// Feed: readers that were given an effect and, to the end, never its cause.
void Checker::Impl::judge_effects_at_readers() {
  if (!feed_) return;
  for (MessageId id = 0; id < messages_.size(); ++id) {
    const MessageState& k = messages_[id];
    if (!k.sent || k.conflicted || k.failed) continue;
    for (ClientId c = 0; c < clients_.size(); ++c) {
      if (c == k.sender || seen(id)[c] != 0 || !reader(c, k.topic).asked) continue;
      const TopicId scope = scope_of(k.topic);
      const std::uint32_t* counted = vec(c, scope, kCounted);
      const Finding finding{.reason = Reason::kEffectWithoutCause,
                            .operation = k.send,
                            .cause = id,
                            .client = c,
                            .topic = k.topic};
      judged(Guarantee::kCausal);
      if (in_past(id, vec(c, scope, kImplied))) found(Guarantee::kCausal, finding);
      judged(Guarantee::kMonotonicWrites);
      if (fifo_behind(id, counted)) found(Guarantee::kMonotonicWrites, finding);
      judged(Guarantee::kWritesFollowReads);
      if (reads_behind(id, counted)) found(Guarantee::kWritesFollowReads, finding);
    }
  }
}

/// The drain: an effect that is durable while its cause is lost, or a cause that survived an
/// acknowledged effect.
void Checker::Impl::judge_effects_at_drain() {
  const auto is_lost = [](const MessageState& m) { return m.lost; };
  if (std::none_of(messages_.begin(), messages_.end(), is_lost)) return;
  const std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
  struct Durable {
    std::vector<std::uint32_t> implied{};
    std::vector<std::uint32_t> counted{};
    bool any = false;
    // For "k survived, w lost": smallest step at which each client observed a survivor, and at
    // which an author observed its own unacknowledged survivor; whether one of its own was ok.
    std::vector<std::uint32_t> seen{};
    std::vector<std::uint32_t> own{};
  };
  const bool all = history_->declared.scope == Scope::kAll;
  std::vector<Durable> there(topics_);
  std::vector<Durable> scope(all ? 1 : topics_);
  for (auto* group : {&there, &scope}) {
    for (Durable& d : *group) {
      d.implied.assign(width_, 0);
      d.counted.assign(width_, 0);
      d.seen.assign(width_, none);
      d.own.assign(width_, none);
    }
  }
  for (MessageId id = 0; id < messages_.size(); ++id) {
    const MessageState& m = messages_[id];
    if (!m.durable) continue;
    Durable& s = scope[all ? 0 : m.topic];
    merge(s.implied.data(), deps(id), width_);
    s.counted[m.sender] = std::max(s.counted[m.sender], m.step);
    Durable& d = there[m.topic];
    d.any = true;
    for (ClientId c = 0; c < width_; ++c) {
      if (seen(id)[c] != 0) d.seen[c] = std::min(d.seen[c], seen(id)[c]);
    }
    const std::uint32_t own = m.ok ? m.step : seen(id)[m.sender];
    if (own != 0) d.own[m.sender] = std::min(d.own[m.sender], own);
  }
  for (MessageId id = 0; id < messages_.size(); ++id) {
    const MessageState& m = messages_[id];
    if (!m.lost) continue;
    const Durable& s = scope[all ? 0 : m.topic];
    const Finding lost_cause{
        .reason = Reason::kEffectWithoutCause, .operation = m.send, .cause = id, .topic = m.topic};
    if (in_past(id, s.implied.data())) found(Guarantee::kCausal, lost_cause);
    if (fifo_behind(id, s.counted.data())) found(Guarantee::kMonotonicWrites, lost_cause);
    if (reads_behind(id, s.counted.data())) found(Guarantee::kWritesFollowReads, lost_cause);
    if (slots_ || feed_) continue;
    // Lost here means that all that survived of the topic happens before it.
    const Durable& d = there[m.topic];
    const Finding lost_effect{
        .reason = Reason::kEffectWithoutCause, .operation = m.send, .effect = id, .topic = m.topic};
    if (d.any) found(Guarantee::kCausal, lost_effect);
    if (d.own[m.sender] < m.step) found(Guarantee::kMonotonicWrites, lost_effect);
    if (d.seen[m.sender] < m.step) found(Guarantee::kWritesFollowReads, lost_effect);
  }
}

bool Checker::Impl::overtaken(MessageId id, ClientId c) {
  const MessageState& m = messages_[id];
  const Level level = history_->declared.level;
  // m ended ok, so that its place among its sender's messages is its step.
  if (level == Level::kFifo) {
    return fifo_behind(id, vec(c, m.topic, one_scope_ ? kCountedHere : kCounted));
  }
  if (in_past(id, vec(c, m.topic, one_scope_ ? kImpliedHere : kImplied))) return true;
  if (level != Level::kTotal) return false;
  const std::vector<std::uint64_t>& agreed = agreed_before_[c / kClientsAtOnce];
  return !agreed.empty() && (agreed[id] >> (c % kClientsAtOnce) & 1U) != 0;
}

void Checker::Impl::judge_delivery() {
  if (!feed_) return;
  Position last_commit = 0;
  for (const Operation& o : history_->operations) {
    if (o.is_write() && !o.is_drain() && o.end != kNever) {
      last_commit = std::max(last_commit, o.end);
    }
  }
  // The largest incarnation of every base label.
  std::map<std::string_view, std::uint32_t> newest;
  for (const std::string& label : history_->clients) {
    const Incarnation incarnation = incarnation_of(label);
    std::uint32_t& number = newest[incarnation.base];
    number = std::max(number, incarnation.number);
  }
  std::vector<bool> live(clients_.size());
  for (ClientId c = 0; c < clients_.size(); ++c) {
    const Incarnation incarnation = incarnation_of(history_->clients[c]);
    live[c] = !clients_[c].left && newest[incarnation.base] == incarnation.number;
  }
  for (MessageId id = 0; id < messages_.size(); ++id) {
    const MessageState& m = messages_[id];
    if (!m.sent || !m.ok || m.conflicted) continue;
    for (ClientId c = 0; c < clients_.size(); ++c) {
      const ReaderState& r = reader(c, m.topic);
      if (c == m.sender || !r.asked) continue;
      judged(Guarantee::kDelivery);
      if (seen(id)[c] != 0) continue;
      const Slot slot = op(m.send).slot;
      const Operation& last = op(last_ok_read_[reader_index(c, m.topic)]);
      const bool passed = slots_ && slot != kNoSlot && r.read_slot > slot;
      const bool ended = live[c] && last.message == kNothing && last.start > last_commit;
      if (!passed && !ended && !overtaken(id, c)) continue;
      found(Guarantee::kDelivery, {.reason = Reason::kNeverDelivered,
                                   .operation = m.send,
                                   .other = last_ok_read_[reader_index(c, m.topic)],
                                   .client = c,
                                   .topic = m.topic});
    }
  }
}

void Checker::Impl::judge_identity_of_log() {
  const Declaration& declared = history_->declared;
  for (MessageId id = 0; id < messages_.size(); ++id) {
    const MessageState& m = messages_[id];
    if (m.sent || m.conflicted) judged(Guarantee::kIdentity);
    if (m.conflicted) {
      found(Guarantee::kIdentity, {.reason = Reason::kIdStoodForTwoMessages, .cause = id});
    } else if (m.sent && m.ok && m.two_slots && declared.retries == Retries::kNone) {
      found(Guarantee::kIdentity,
            {.reason = Reason::kMessageInTwoSlots, .operation = m.send, .cause = id});
    }
  }
  if (declared.slots != Slots::kContiguous) return;
  for (TopicId t = 0; t < topics_; ++t) {
    std::vector<std::pair<Slot, OperationIndex>> taken;
    bool unsure = false;
    for (const OperationIndex i : drained_[t]) {
      if (op(i).slot != kNoSlot) {
        taken.emplace_back(op(i).slot, i);
      } else if (is_unreadable(op(i), slots_)) {
        unsure = true;
      }
    }
    if (unsure || taken.empty()) continue;
    judged(Guarantee::kIdentity);
    std::sort(taken.begin(), taken.end());
    for (std::size_t i = 1; i < taken.size(); ++i) {
      if (taken[i].first - taken[i - 1].first <= 1) continue;
      found(Guarantee::kIdentity, {.reason = Reason::kHoleInLog,
                                   .operation = taken[i].second,
                                   .other = taken[i - 1].second,
                                   .topic = t});
    }
  }
}

void Checker::Impl::judge_integrity() {
  if (!history_->payloads_checked) return;
  const FaultOverlap faults(*history_);
  // The digests that the write lines of an id told; any of them will do.
  std::map<MessageId, std::vector<std::uint32_t>> written;
  for (const Operation& o : history_->operations) {
    if (o.is_write() && !o.is_drain() && o.payload != 0) written[o.message].push_back(o.payload);
  }
  for (OperationIndex i = 0; i < history_->operations.size(); ++i) {
    const Operation& o = op(i);
    if (o.undecodable) {
      judged(Guarantee::kIntegrity);
      if (!faults.touches(o)) {
        found(Guarantee::kIntegrity, {.reason = Reason::kUndecodable, .operation = i});
      }
    }
    if (o.is_write() && !o.is_drain()) continue;
    if (o.message == kNothing || is_unreadable(o, slots_)) continue;
    judged(Guarantee::kIntegrity);
    const auto told = o.payload == 0 ? written.end() : written.find(o.message);
    if (told != written.end() &&
        std::find(told->second.begin(), told->second.end(), o.payload) == told->second.end()) {
      found(Guarantee::kIntegrity, {.reason = Reason::kPayloadDiffers, .operation = i});
    }
  }
}

/// Writes of unknown outcome, whose slot others showed.
void Checker::Impl::judge_info_real_time() {
  if (!slots_) return;
  for (const MessageState& m : messages_) {
    if (!m.sent || m.ok || m.failed || m.conflicted || m.first_slot == kNoSlot) continue;
    check_real_time(m.send, m.first_slot, m.floor);
  }
}

}  // namespace causalcheck
