// What a process does with what arrives, and what a group tells of what is held.
#include <algorithm>
#include <utility>

#include "adapters/broadcast/group.h"

namespace causalcheck {

Stamp Group::stamp_for(BroadcastId id) const {
  const Broadcast& broadcast = broadcasts_[id];
  // What the sequencer relays counts as its own: one sender, whose order is the agreed one.
  if (sequenced()) return {0, broadcast.sequence, {}};
  return {broadcast.sender, broadcast.number, broadcast.clock};
}

bool Group::first_time(Process& process, BroadcastId broadcast) {
  if (process.received.size() <= broadcast)
    process.received.resize(2 * std::size_t{broadcast} + 16);
  if (process.received[broadcast]) {
    ++process.metrics.duplicates;
    return false;
  }
  process.received[broadcast] = true;
  return true;
}

void Group::receive(ProcessId process, Time now) {
  while (const std::optional<Packet> packet = network_.take(process, now)) {
    take_in(process, *packet, now);
  }
}

void Group::take_in(ProcessId id, const Packet& packet, Time now) {
  const auto broadcast = static_cast<BroadcastId>(packet.content);
  Process& process = processes_[id];
  if (!process.live || !first_time(process, broadcast)) return;
  const Stamp stamp = stamp_for(broadcast);
  switch (make_room(id, stamp, now)) {
    case Taken::kComesAgain:
      process.received[broadcast] = false;
      network_.put_back(id, packet, now + network_.link(packet.from, id).round_trip());
      return;
    case Taken::kForgotten:
      return;
    case Taken::kYes:
      break;
  }
  if (const auto missing = process.queue->add({broadcast, stamp})) {
    note_held(id, broadcast, *missing, packet.at);
  }
  while (const auto delivery = process.queue->next()) deliver(id, *delivery, now);
}

// Whether a broadcast with `stamp` may come in. One that need not wait always may: the next one in
// order is among those, so that a full queue gets on.
Group::Taken Group::make_room(ProcessId id, const Stamp& stamp, Time now) {
  Process& process = processes_[id];
  DeliveryQueue& queue = *process.queue;
  if (settings_.queue_max == 0 || queue.held_count() < settings_.queue_max) return Taken::kYes;
  queue.count(
      static_cast<ProcessId>(std::max<std::size_t>(stamp.clock.size(), stamp.sender + 1)) - 1, 0);
  if (!protocol_.rule().first_missing(stamp, queue.clock())) return Taken::kYes;
  switch (settings_.at_cap) {
    case AtCap::kBlock:
      ++process.metrics.refused;
      return Taken::kComesAgain;
    case AtCap::kDrop:
      ++process.metrics.dropped;
      return Taken::kForgotten;
    case AtCap::kDeliver:
      break;
  }
  if (const auto oldest = queue.give_up_oldest()) {
    ++process.metrics.given_up;
    deliver(id, *oldest, now);
    while (const auto delivery = queue.next()) deliver(id, *delivery, now);
  }
  return Taken::kYes;
}

void Group::deliver(ProcessId id, const Delivery& delivery, Time now) {
  Process& process = processes_[id];
  process.delivered.push_back(delivery.message);
  ++process.metrics.delivered;
  if (delivery.was_held) note_released(id, delivery, now);
  protocol_.after_delivery(id, *process.queue);
}

void Group::note_held(ProcessId at, BroadcastId broadcast, const Missing& missing, Time since) {
  Process& process = processes_[at];
  ++process.metrics.held;
  process.metrics.depth_max = std::max(process.metrics.depth_max, process.queue->held_count());
  process.waiting.push_back({broadcast, since});
  hold_notes_.push_back(
      {HoldEvent::Kind::kHeld, broadcast, at, missing, kNoBroadcast, since, since});
}

void Group::note_released(ProcessId at, const Delivery& delivery, Time now) {
  Process& process = processes_[at];
  const auto held = std::find_if(process.waiting.begin(), process.waiting.end(),
                                 [&](const Waiting& w) { return w.broadcast == delivery.message; });
  const Time since = held->since;
  process.waiting.erase(held);
  process.metrics.age_max = std::max(process.metrics.age_max, now - since);
  hold_notes_.push_back(
      {HoldEvent::Kind::kReleased, delivery.message, at, {}, delivery.released_by, since, now});
}

HoldEvent Group::told(const HoldNote& note) const {
  HoldEvent event;
  event.kind = note.kind;
  const Broadcast& broadcast = broadcasts_[note.broadcast];
  event.payload = broadcast.payload;
  event.at = processes_[note.at].label;
  event.from = processes_[broadcast.sender].label;
  if (note.kind == HoldEvent::Kind::kHeld) {
    event.needs_process = processes_[note.missing.process].label;
    event.needs = note.missing.needs;
    event.has = note.missing.has;
  } else if (note.by != kNoBroadcast) {
    event.released_by = broadcasts_[note.by].payload;
  }
  event.since = note.since;
  event.when = note.when;
  return event;
}

std::vector<HoldEvent> Group::take_hold_events() {
  std::vector<HoldEvent> events;
  events.reserve(hold_notes_.size());
  for (const HoldNote& note : hold_notes_) events.push_back(told(note));
  hold_notes_.clear();
  return events;
}

std::vector<HoldEvent> Group::stalled(Time now) const {
  std::vector<HoldEvent> events;
  for (ProcessId id = 0; id < processes_.size(); ++id) {
    const Process& process = processes_[id];
    if (!process.live) continue;
    for (const HeldBack& held : process.queue->held()) {
      const auto waiting =
          std::find_if(process.waiting.begin(), process.waiting.end(),
                       [&](const Waiting& w) { return w.broadcast == held.message; });
      const Time since = waiting == process.waiting.end() ? now : waiting->since;
      events.push_back(
          told({HoldEvent::Kind::kHeld, held.message, id, held.missing, kNoBroadcast, since, now}));
    }
  }
  return events;
}

ProcessMetrics Group::metrics_at(ProcessId id, Time now) const {
  ProcessMetrics metrics = processes_[id].metrics;
  for (const Waiting& waiting : processes_[id].waiting) {
    metrics.age_max = std::max(metrics.age_max, now - waiting.since);
  }
  return metrics;
}

ProcessMetrics Group::metrics_of_all(Time now) const {
  ProcessMetrics all;
  for (ProcessId id = 0; id < processes_.size(); ++id) all.merge(metrics_at(id, now));
  return all;
}

}  // namespace causalcheck
