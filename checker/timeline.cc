#include "checker/timeline.h"

#include <algorithm>
#include <numeric>

namespace causalcheck {

std::vector<MessageFacts> message_facts(const History& history, OpenWrites open) {
  std::vector<MessageFacts> facts(history.messages.size());
  struct Digests {
    std::uint32_t all = 0;
    std::uint32_t read = 0;
    bool all_differ = false;
    bool read_differ = false;
  };
  std::vector<Digests> digests(history.messages.size());
  for (OperationIndex i = 0; i < history.operations.size(); ++i) {
    const Operation& op = history.operations[i];
    if (op.message == kNothing) continue;
    MessageFacts& fact = facts[op.message];
    const bool is_write = op.is_write() && !op.is_drain();
    if (op.payload != 0) {
      Digests& known = digests[op.message];
      if (known.all != 0 && known.all != op.payload) known.all_differ = true;
      known.all = op.payload;
      if (!is_write) {
        if (known.read != 0 && known.read != op.payload) known.read_differ = true;
        known.read = op.payload;
      }
    }
    if (!is_write) continue;
    fact.written = true;
    fact.first_write = std::min(fact.first_write, op.start);
    if (final_outcome(op) == Outcome::kFail) continue;
    if (fact.send != kNoOperation) fact.conflicted = true;
    fact.send = i;
    fact.ok = op.end == kNever ? open == OpenWrites::kTakenAsOk : op.outcome == Outcome::kOk;
  }
  for (std::size_t m = 0; m < facts.size(); ++m) {
    MessageFacts& fact = facts[m];
    fact.failed = fact.written && fact.send == kNoOperation;
    // What failed tells nothing of the payload.
    if (fact.failed ? digests[m].read_differ : digests[m].all_differ) fact.conflicted = true;
  }
  return facts;
}

bool is_observation(const History& history, const std::vector<MessageFacts>& facts,
                    const Operation& op) {
  if (op.is_write() || op.is_drain() || op.message == kNothing) return false;
  if (final_outcome(op) != Outcome::kOk) return false;
  if (history.declared.slots != Slots::kNone && op.slot == kNoSlot) return false;
  const MessageFacts& fact = facts[op.message];
  if (fact.send == kNoOperation || fact.conflicted) return false;
  const Operation& send = history.operations[fact.send];
  return send.topic == op.topic && send.start < op.end;
}

std::vector<OperationIndex> by_start(const History& history) {
  std::vector<OperationIndex> order(history.operations.size());
  std::iota(order.begin(), order.end(), 0U);
  const auto earlier = [&](OperationIndex a, OperationIndex b) {
    return history.operations[a].start < history.operations[b].start;
  };
  if (!std::is_sorted(order.begin(), order.end(), earlier)) {
    std::stable_sort(order.begin(), order.end(), earlier);
  }
  return order;
}

namespace {

/// The latest answer a client got, as long as nothing else of it came after.
struct LastAnswer {
  bool valid = false;
  TopicId topic = 0;
  MessageId message = kNothing;
  Slot slot = kNoSlot;
};

}  // namespace

Timeline timeline_of(const History& history, OpenWrites open) {
  Timeline line;
  line.messages = message_facts(history, open);
  line.event_of.assign(history.operations.size(), kNoEvent);
  for (OperationIndex i = 0; i < history.operations.size(); ++i) {
    const Operation& op = history.operations[i];
    if (op.is_drain()) continue;
    if (op.is_write()) {
      line.events.push_back({{op.client, 0, op.start}, i, op.message, true});
    } else if (is_observation(history, line.messages, op)) {
      line.events.push_back({{op.client, 0, op.end}, i, op.message, false});
    }
  }
  std::stable_sort(line.events.begin(), line.events.end(), [](const Event& a, const Event& b) {
    return a.at.number != b.at.number ? a.at.number < b.at.number : a.is_publish > b.is_publish;
  });

  // Steps; and, for latest reads, an answer equal to the client's event before it is that event.
  const bool latest = history.declared.reads == Reads::kLatest;
  std::vector<std::uint32_t> steps(history.clients.size(), 0);
  std::vector<std::uint32_t> last_event(history.clients.size(), kNoEvent);
  std::vector<LastAnswer> last(history.clients.size());
  std::size_t kept = 0;
  for (Event& event : line.events) {
    const Operation& op = history.operations[event.operation];
    LastAnswer& answer = last[event.at.client];
    if (!event.is_publish && latest && answer.valid && answer.topic == op.topic &&
        answer.message == op.message && answer.slot == op.slot) {
      line.event_of[event.operation] = last_event[event.at.client];
      continue;
    }
    answer = {!event.is_publish, op.topic, op.message, op.slot};
    event.at.step = ++steps[event.at.client];
    line.event_of[event.operation] = static_cast<std::uint32_t>(kept);
    line.previous.push_back(last_event[event.at.client]);
    last_event[event.at.client] = static_cast<std::uint32_t>(kept);
    line.events[kept++] = event;
  }
  line.events.resize(kept);
  return line;
}

std::uint32_t Timeline::publish_of(MessageId message) const {
  const OperationIndex send = messages[message].send;
  return send == kNoOperation ? kNoEvent : event_of[send];
}

bool Timeline::leads_on(std::uint32_t event) const {
  if (!events[event].is_publish) return true;
  const MessageFacts& fact = messages[events[event].message];
  // A failed publish orders nothing: nobody saw it, and its own client runs past it.
  return fact.ok && fact.send == events[event].operation;
}

}  // namespace causalcheck
