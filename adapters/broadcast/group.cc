#include "adapters/broadcast/group.h"

#include <algorithm>
#include <utility>

namespace causalcheck {
namespace {

// In `total`, the node that gives out the order.
constexpr ProcessId kSequencer = 0;
// The transmission that gets through whatever the links do: a loss is not for ever, and a run ends.
constexpr std::uint32_t kAssuredAttempt = 6;

constexpr auto kLaterDue = [](const auto& a, const auto& b) {
  return a.due != b.due ? a.due > b.due : a.order > b.order;
};

}  // namespace

Time longest_way(const BroadcastSettings& settings) {
  const Link link(settings.links);
  const std::int64_t hops = settings.order == DeliveryOrder::kTotal ? 2 : 1;
  const Time cut = settings.links.partition_permille > 0 ? settings.links.partition_length : Time{};
  // The tries in vain, the last one when the link is back, and once more from a full queue.
  return hops * (kAssuredAttempt * link.round_trip() + cut + settings.links.delay_high) +
         link.round_trip();
}

Group::Group(const BroadcastSettings& settings, const Protocol& protocol)
    : settings_(settings), protocol_(protocol), network_(settings.links) {
  if (!sequenced()) return;
  // A process delivers only what is in the agreed order already, so whatever a broadcast depends on
  // is there, but for its own sender's broadcasts that are still on their way. First come, first
  // served among those that are their sender's next is an order that contains causal order.
  sequencer_protocol_ = make_protocol(DeliveryOrder::kFifo);
  add_process(std::string(kSequencerLabel), sequencer_protocol_->make_queue());
}

ProcessId Group::add_process(std::string label, std::unique_ptr<DeliveryQueue> queue) {
  const auto id = static_cast<ProcessId>(processes_.size());
  Process& process = processes_.emplace_back();
  process.label = std::move(label);
  process.queue = std::move(queue);
  process.queue->count(id, 0);
  network_.grow(id + 1);
  return id;
}

bool Group::has_room(std::string_view label) const {
  if (settings_.processes_max == 0) return true;
  const std::string_view base = incarnation_of(label).base;
  std::uint32_t others = 0;
  for (std::size_t id = sequenced() ? 1 : 0; id < processes_.size(); ++id) {
    const Process& process = processes_[id];
    if (process.live && incarnation_of(process.label).base != base) ++others;
  }
  return others < settings_.processes_max;
}

ProcessId Group::join(std::string_view label, Runtime& runtime) {
  const Incarnation joining = incarnation_of(label);
  for (ProcessId id = sequenced() ? 1 : 0; id < processes_.size(); ++id) {
    Process& known = processes_[id];
    if (known.label == label) {
      if (!std::exchange(known.live, true)) send_all(id, runtime);
      return id;
    }
    const Incarnation other = incarnation_of(known.label);
    if (other.base == joining.base && other.number < joining.number) known.live = false;
  }
  const ProcessId id = add_process(std::string(label), protocol_.make_queue());
  send_all(id, runtime);
  return id;
}

// A feed starts at the start: every outbox sends the one that joins all it has.
void Group::send_all(ProcessId to, Runtime& runtime) {
  const auto accepted = static_cast<BroadcastId>(sequenced() ? agreed_.size() : broadcasts_.size());
  const Time now = runtime.now();
  for (BroadcastId i = 0; i < accepted; ++i) {
    const BroadcastId broadcast = sequenced() ? agreed_[i] : i;
    const ProcessId from = sequenced() ? kSequencer : broadcasts_[broadcast].sender;
    if (from != to) transmit(broadcast, from, to, 1, now, runtime);
  }
}

BroadcastId Group::broadcast(ProcessId id, const Message& message, Runtime& runtime) {
  const auto broadcast_id = static_cast<BroadcastId>(broadcasts_.size());
  Broadcast& broadcast = broadcasts_.emplace_back();
  broadcast.sender = id;
  broadcast.topic = message.topic;
  broadcast.payload = message.payload;
  broadcast.is_delete = message.is_delete;
  const Time now = runtime.now();
  if (sequenced()) {
    broadcast.number = ++processes_[id].sent;
    transmit(broadcast_id, id, kSequencer, 1, now, runtime);
    return broadcast_id;
  }
  Process& sender = processes_[id];
  broadcast.number = sender.queue->clock()[id] + 1;
  sender.queue->count(id, broadcast.number);
  const std::span<const std::uint32_t> clock = sender.queue->clock();
  broadcast.clock.assign(clock.begin(), clock.end());
  protocol_.before_send(id, broadcast.clock);
  sender.delivered.push_back(broadcast_id);
  ++sender.metrics.delivered;
  // Whoever joins from here on is sent it with the rest.
  const auto processes = static_cast<ProcessId>(processes_.size());
  for (ProcessId to = 0; to < processes; ++to) {
    if (to != id) transmit(broadcast_id, id, to, 1, now, runtime);
  }
  return broadcast_id;
}

bool Group::acknowledged(BroadcastId broadcast, Time now) const {
  return !sequenced() || broadcasts_[broadcast].agreed_at <= now;
}

// Sends one copy, and a timer after it unless its acknowledgement is on its way. With what is never
// lost none is needed: then nothing is drawn for it.
void Group::transmit(BroadcastId broadcast, ProcessId from, ProcessId to, std::uint32_t attempt,
                     Time now, Runtime& runtime) {
  if (!processes_[to].live) return;
  if (attempt > 1) ++processes_[from].metrics.retransmitted;
  const bool assured = attempt >= kAssuredAttempt;
  PacketFate fate;
  if (faults_ != nullptr && !assured) {
    fate = faults_->fate(processes_[from].label, processes_[to].label, runtime);
  }
  const Transit transit = put_on_link(
      broadcast, from, to, assured ? Passage::kAssured : Passage::kAtRisk, fate, now, runtime);
  if (sequenced() && from == kSequencer && to == broadcasts_[broadcast].sender) {
    Time& agreed_at = broadcasts_[broadcast].agreed_at;
    for (const Time at : transit.arrivals()) agreed_at = std::min(agreed_at, at);
  }
  if (settings_.retransmit == Retransmit::kOff || assured) return;
  const bool is_known = transit.copies > 0 && !fate.answer_lost &&
                        !network_.link(to, from).loses(transit.times[0], runtime);
  if (is_known) return;
  const Time due = now + network_.link(from, to).round_trip();
  timers_.push_back({due, ++timers_made_, broadcast, from, to, attempt + 1});
  std::push_heap(timers_.begin(), timers_.end(), kLaterDue);
}

Transit Group::put_on_link(BroadcastId broadcast, ProcessId from, ProcessId to, Passage passage,
                           const PacketFate& fate, Time now, Runtime& runtime) {
  if (fate.lost) return {};
  const Time sent = now + fate.delay;
  if (fate.twice) static_cast<void>(network_.send(from, to, broadcast, sent, runtime, passage));
  return network_.send(from, to, broadcast, sent, runtime, passage);
}

void Group::advance(Runtime& runtime) {
  while (true) {
    const Time next = next_work();
    if (next > runtime.now()) return;
    if (!timers_.empty() && timers_.front().due == next) {
      retransmit(runtime);
    } else if (const std::optional<Packet> packet = network_.take(kSequencer, next)) {
      sequence(*packet, runtime);
    }
  }
}

void Group::retransmit(Runtime& runtime) {
  const Timer timer = timers_.front();
  std::pop_heap(timers_.begin(), timers_.end(), kLaterDue);
  timers_.pop_back();
  if (!protocol_.sends_again()) return;
  transmit(timer.broadcast, timer.from, timer.to, timer.attempt, timer.due, runtime);
}

// A request has reached the sequencer.
void Group::sequence(const Packet& packet, Runtime& runtime) {
  const auto request = static_cast<BroadcastId>(packet.content);
  if (!first_time(processes_[kSequencer], request)) return;
  DeliveryQueue& queue = *processes_[kSequencer].queue;
  const Broadcast& broadcast = broadcasts_[request];
  if (const auto missing = queue.add({request, {broadcast.sender, broadcast.number, {}}})) {
    note_held(kSequencer, request, *missing, packet.at);
  }
  while (const std::optional<Delivery> next = queue.next()) {
    if (next->was_held) note_released(kSequencer, *next, packet.at);
    agreed_.push_back(next->message);
    broadcasts_[next->message].sequence = static_cast<std::uint32_t>(agreed_.size());
    const auto processes = static_cast<ProcessId>(processes_.size());
    for (ProcessId to = kSequencer + 1; to < processes; ++to) {
      transmit(next->message, kSequencer, to, 1, packet.at, runtime);
    }
  }
}

// When `advance` has something to do.
Time Group::next_work() const {
  const Time due = timers_.empty() ? Time::max() : timers_.front().due;
  return sequenced() ? std::min(due, network_.next_arrival(kSequencer)) : due;
}

Time Group::next_event(ProcessId process) const {
  return std::min(network_.next_arrival(process), next_work());
}

Time Group::next_answer(BroadcastId broadcast) const {
  return std::min(broadcasts_[broadcast].agreed_at, next_work());
}

Delivered Group::entry(BroadcastId id) const {
  const Broadcast& broadcast = broadcasts_[id];
  Delivered delivered;
  delivered.topic = broadcast.topic;
  delivered.entry.payload = broadcast.payload;
  delivered.entry.is_delete = broadcast.is_delete;
  return delivered;
}

std::vector<Entry> Group::log(std::string_view topic) const {
  std::vector<Entry> log;
  const auto append = [&](BroadcastId id) {
    if (broadcasts_[id].topic == topic) log.push_back(entry(id).entry);
  };
  if (sequenced()) {
    std::for_each(agreed_.begin(), agreed_.end(), append);
  } else {
    for (BroadcastId id = 0; id < broadcasts_.size(); ++id) append(id);
  }
  return log;
}

}  // namespace causalcheck
