#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/broadcast/broadcast_settings.h"
#include "adapters/broadcast/network.h"
#include "adapters/broadcast/protocol.h"
#include "checker/delivery_queue.h"
#include "harness/backend.h"
#include "harness/faults/link_faults.h"
#include "harness/hold_events.h"
#include "harness/runtime.h"

namespace causalcheck {

/// The longest that a broadcast of such a group takes to whoever is to get it.
[[nodiscard]] Time longest_way(const BroadcastSettings& settings);

/// One of a group's broadcasts, in the order in which the group accepted them.
using BroadcastId = std::uint32_t;

/// What one process went through.
using ProcessMetrics = HoldMetrics;

/// A broadcast group: its processes, their queues, and the network between them.
///
/// Purely passive: everything happens inside the calls, at the virtual time their Runtime shows, of
/// which it needs no more than `now` and `choose`; neither may let another caller in. What arrives
/// waits in the network until `receive`, because delivery is observation: what a process has
/// delivered is what its client was handed, and what its clock counts.
///
/// A broadcast is accepted by its sender's outbox, which keeps it for good, also when the client is
/// no more: whoever joins later is sent all of it, and what was not acknowledged is sent again. In
/// `total` outboxes send to the sequencer, a node of its own, and the sequencer to everybody.
class Group {
 public:
  /// `protocol` must outlive this object.
  Group(const BroadcastSettings& settings, const Protocol& protocol);
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  /// The process of `label`; a new one, with an empty clock, when there is none yet. Older
  /// incarnations of it are gone from then on.
  ProcessId join(std::string_view label, Runtime& runtime);
  /// Whether one more may join under `label`, or comes back.
  [[nodiscard]] bool has_room(std::string_view label) const;
  /// The process receives nothing any more. Its outbox stays.
  void leave(ProcessId process) { processes_[process].live = false; }
  [[nodiscard]] bool is_live(ProcessId process) const { return processes_[process].live; }

  /// Takes a message from the client of `process`, which delivers it at once (not in `total`).
  BroadcastId broadcast(ProcessId process, const Message& message, Runtime& runtime);
  /// Whether the sender knows by now what is to be acknowledged: with `total` that its broadcast is
  /// in the agreed order, else nothing more.
  [[nodiscard]] bool acknowledged(BroadcastId broadcast, Time now) const;

  /// Lets everything happen that is due and is nobody's to receive: retransmissions, sequencing.
  void advance(Runtime& runtime);
  /// Takes in what has arrived at `process`, and delivers what can be. Never waits.
  void receive(ProcessId process, Time now);
  /// When either of them may have something to do again; Time::max() when nothing is under way.
  [[nodiscard]] Time next_event(ProcessId process) const;
  /// The same for `acknowledged`, which needs no `receive`.
  [[nodiscard]] Time next_answer(BroadcastId broadcast) const;

  /// What `process` has delivered, in order.
  [[nodiscard]] const std::vector<BroadcastId>& delivered(ProcessId process) const {
    return processes_[process].delivered;
  }
  /// Whether a delivery is to be handed over. An own broadcast is not, but in `total`: its sender
  /// has delivered it in the commit.
  [[nodiscard]] bool is_news(ProcessId process, BroadcastId broadcast) const {
    return sequenced() || broadcasts_[broadcast].sender != process;
  }
  [[nodiscard]] Delivered entry(BroadcastId broadcast) const;
  [[nodiscard]] std::vector<Entry> log(std::string_view topic) const;

  [[nodiscard]] const std::string& label(ProcessId process) const {
    return processes_[process].label;
  }
  [[nodiscard]] const ProcessMetrics& metrics(ProcessId process) const {
    return processes_[process].metrics;
  }
  [[nodiscard]] std::vector<HoldEvent> take_hold_events();
  [[nodiscard]] std::vector<HoldEvent> stalled(Time now) const;
  /// With the age that what waits has reached.
  [[nodiscard]] ProcessMetrics metrics_at(ProcessId process, Time now) const;
  /// The same of all processes together, the sequencer among them.
  [[nodiscard]] ProcessMetrics metrics_of_all(Time now) const;
  [[nodiscard]] Network& network() { return network_; }
  /// From here on `faults` decides over each packet that is at risk; null: nobody does.
  void use_link_faults(LinkFaults* faults) { faults_ = faults; }

 private:
  struct Broadcast {
    ProcessId sender = 0;
    std::uint32_t number = 0;            // of its sender's
    std::vector<std::uint32_t> clock{};  // empty in `total`
    std::uint32_t sequence = 0;          // in `total`, its place in the agreed order, from 1
    Time agreed_at = Time::max();        // in `total`, when its sender learns of that
    std::string topic{};
    std::string payload{};
    bool is_delete = false;
  };
  struct Waiting {
    BroadcastId broadcast = 0;
    Time since{};
  };
  struct Process {
    std::string label{};
    bool live = true;
    std::uint32_t sent = 0;
    std::unique_ptr<DeliveryQueue> queue{};
    std::vector<BroadcastId> delivered{};
    std::vector<bool> received{};    // by broadcast
    std::vector<Waiting> waiting{};  // held, in order of arrival
    ProcessMetrics metrics{};
  };
  struct Timer {
    Time due{};
    std::uint64_t order = 0;
    BroadcastId broadcast = 0;
    ProcessId from = 0;
    ProcessId to = 0;
    std::uint32_t attempt = 0;
  };
  // A HoldEvent without the texts.
  struct HoldNote {
    HoldEvent::Kind kind = HoldEvent::Kind::kHeld;
    BroadcastId broadcast = 0;
    ProcessId at = 0;
    Missing missing{};
    BroadcastId by = kNoBroadcast;
    Time since{};
    Time when{};
  };
  enum class Taken : std::uint8_t { kYes, kForgotten, kComesAgain };

  [[nodiscard]] Time next_work() const;
  [[nodiscard]] bool sequenced() const { return settings_.order == DeliveryOrder::kTotal; }
  ProcessId add_process(std::string label, std::unique_ptr<DeliveryQueue> queue);
  void send_all(ProcessId to, Runtime& runtime);
  void transmit(BroadcastId broadcast, ProcessId from, ProcessId to, std::uint32_t attempt,
                Time now, Runtime& runtime);
  Transit put_on_link(BroadcastId broadcast, ProcessId from, ProcessId to, Passage passage,
                      const PacketFate& fate, Time now, Runtime& runtime);
  void retransmit(Runtime& runtime);
  void sequence(const Packet& packet, Runtime& runtime);
  [[nodiscard]] Stamp stamp_for(BroadcastId broadcast) const;
  void take_in(ProcessId process, const Packet& packet, Time now);
  Taken make_room(ProcessId process, const Stamp& stamp, Time now);
  static bool first_time(Process& process, BroadcastId broadcast);
  void note_held(ProcessId at, BroadcastId broadcast, const Missing& missing, Time since);
  void note_released(ProcessId at, const Delivery& delivery, Time now);
  void deliver(ProcessId process, const Delivery& delivery, Time now);
  [[nodiscard]] HoldEvent told(const HoldNote& note) const;

  const BroadcastSettings settings_;
  const Protocol& protocol_;
  std::unique_ptr<Protocol> sequencer_protocol_{};
  Network network_;
  LinkFaults* faults_ = nullptr;
  std::vector<Process> processes_{};
  std::deque<Broadcast> broadcasts_{};  // stamps refer to their clocks, so they stay put
  std::vector<BroadcastId> agreed_{};   // in `total`, the sequencer's log
  std::vector<Timer> timers_{};         // a heap with the next due on top
  std::uint64_t timers_made_ = 0;
  std::vector<HoldNote> hold_notes_{};
};

}  // namespace causalcheck
