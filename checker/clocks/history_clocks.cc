#include "checker/clocks/history_clocks.h"

#include <algorithm>
#include <tuple>

namespace causalcheck {

EventClocks::EventClocks(const History& history, const Timeline& timeline)
    : clients_(history.clients.size()) {
  const std::size_t events = timeline.events.size();
  steps_.assign(events * clients_, 0);
  leads_on_.reserve(events);
  lone_end_.reserve(events);
  std::vector<std::uint32_t> chain(clients_,
                                   kNoEvent);  // per client: its latest event on the chain
  for (std::uint32_t e = 0; e < events; ++e) {
    const Event& event = timeline.events[e];
    std::vector<std::uint32_t> lone;
    const auto learn = [&](std::uint32_t from) {
      if (from == kNoEvent) return;
      const auto begin = steps_.begin() + static_cast<std::ptrdiff_t>(from * clients_);
      const auto own = steps_.begin() + static_cast<std::ptrdiff_t>(e * clients_);
      std::transform(begin, begin + static_cast<std::ptrdiff_t>(clients_), own, own,
                     [](std::uint32_t a, std::uint32_t b) { return std::max(a, b); });
      const auto known = lone_publishes(from);
      std::vector<std::uint32_t> both;
      std::set_union(lone.begin(), lone.end(), known.begin(), known.end(),
                     std::back_inserter(both));
      lone = std::move(both);
    };
    learn(chain[event.at.client]);
    if (!event.is_publish) learn(timeline.publish_of(event.message));
    at_.push_back(event.at);
    leads_on_.push_back(timeline.leads_on(e));
    if (leads_on_[e]) {
      steps_[e * clients_ + event.at.client] = event.at.step;
      chain[event.at.client] = e;
    } else {
      lone.push_back(e);  // the largest index so far
    }
    lone_.insert(lone_.end(), lone.begin(), lone.end());
    lone_end_.push_back(lone_.size());
  }
}

std::span<const std::uint32_t> EventClocks::clock(std::uint32_t event) const {
  return std::span(steps_).subspan(event * clients_, clients_);
}

std::span<const std::uint32_t> EventClocks::lone_publishes(std::uint32_t event) const {
  const std::size_t begin = event == 0 ? 0 : lone_end_[event - 1];
  return std::span(lone_).subspan(begin, lone_end_[event] - begin);
}

bool EventClocks::before(std::uint32_t a, std::uint32_t b) const {
  if (a == b) return false;
  if (leads_on_[a]) {
    return steps_[b * clients_ + at_[a].client] >= at_[a].step;
  }
  const auto known = lone_publishes(b);
  return std::binary_search(known.begin(), known.end(), a);
}

ClockOrder EventClocks::order(std::uint32_t a, std::uint32_t b) const {
  if (a == b) return ClockOrder::kEqual;
  if (before(a, b)) return ClockOrder::kBefore;
  return before(b, a) ? ClockOrder::kAfter : ClockOrder::kConcurrent;
}

std::vector<std::uint32_t> EventClocks::past_of(std::uint32_t event) const {
  const auto steps = clock(event);
  return {steps.begin(), steps.end()};
}

std::string log_lane_of(const History& history) {
  std::string name = "log";
  while (std::find(history.clients.begin(), history.clients.end(), name) != history.clients.end()) {
    name.insert(name.begin(), '_');
  }
  return name;
}

namespace {

/// Where a message stands in the log, as far as the lines show it.
struct LogPlace {
  Position at = kNever;
  Slot slot = kNoSlot;
};

std::vector<LogPlace> log_places(const History& history, const Timeline& timeline) {
  std::vector<LogPlace> places(history.messages.size());
  for (const Operation& op : history.operations) {
    if (op.is_drain() || op.message == kNothing) continue;
    const MessageFacts& facts = timeline.messages[op.message];
    if (facts.send == kNoOperation || facts.conflicted) continue;
    const bool acknowledged = op.is_write() && final_outcome(op) == Outcome::kOk;
    if (!acknowledged && !is_observation(history, timeline.messages, op)) continue;
    LogPlace& place = places[op.message];
    if (op.end < place.at) place = {op.end, op.slot};
  }
  return places;
}

/// An event of the stamped log: a client's, or the log's own.
struct Item {
  Position at = 0;
  int rank = 0;             // at one position: publishes, then the log, then observations
  std::uint32_t index = 0;  // of the event, or of the message
};

class Stamper {
 public:
  explicit Stamper(const History& history)
      : history_(history),
        timeline_(timeline_of(history)),
        places_(log_places(history, timeline_)),
        clocks_(history.clients.size() + 1),
        published_(history.messages.size()) {
    log_.processes = history.clients;
    log_.processes.push_back(log_lane_of(history));
    log_.names = history.messages;
    log_.names.insert(log_.names.end(), history.topics.begin(), history.topics.end());
  }

  StampedLog stamped() {
    for (const Item& item : items()) {
      if (item.rank == kLog) {
        hold(item.index);
      } else {
        act(timeline_.events[item.index]);
      }
    }
    return std::move(log_);
  }

 private:
  static constexpr int kPublish = 0;
  static constexpr int kLog = 1;
  static constexpr int kObserve = 2;

  [[nodiscard]] std::vector<Item> items() const {
    std::vector<Item> items;
    for (std::uint32_t e = 0; e < timeline_.events.size(); ++e) {
      const Event& event = timeline_.events[e];
      items.push_back({event.at.number, event.is_publish ? kPublish : kObserve, e});
    }
    for (MessageId m = 0; m < places_.size(); ++m) {
      if (places_[m].at != kNever) items.push_back({places_[m].at, kLog, m});
    }
    std::stable_sort(items.begin(), items.end(), [](const Item& a, const Item& b) {
      return std::tie(a.at, a.rank) < std::tie(b.at, b.rank);
    });
    return items;
  }

  void act(const Event& event) {
    const Operation& op = history_.operations[event.operation];
    StampedEvent stamped;
    stamped.process = event.at.client;
    std::string text = event.is_publish ? "publishes " : "observes ";
    text += history_.messages[event.message] + " on " + history_.topics[op.topic];
    if (event.is_publish) {
      const Outcome outcome = final_outcome(op);
      if (outcome == Outcome::kInfo) text += ", outcome unknown";
      if (outcome == Outcome::kFail) text += ", failed";
      if (outcome != Outcome::kFail) {
        stamped.sends = event.message;
        stamped.writes = static_cast<NameId>(history_.messages.size() + op.topic);
      }
    } else {
      if (op.slot != kNoSlot) text += " at slot " + std::to_string(op.slot);
      stamped.receives = event.message;
      clocks_[stamped.process].merge(published_[event.message]);
    }
    add(stamped, text);
    if (event.is_publish && timeline_.messages[event.message].send == event.operation) {
      published_[event.message] = clocks_[stamped.process];
    }
  }

  void hold(MessageId message) {
    StampedEvent stamped;
    stamped.process = static_cast<ProcessId>(history_.clients.size());
    clocks_[stamped.process].merge(published_[message]);
    const Operation& send = history_.operations[timeline_.messages[message].send];
    std::string text = "holds " + history_.messages[message] + " on " + history_.topics[send.topic];
    if (places_[message].slot != kNoSlot) {
      text += " at slot " + std::to_string(places_[message].slot);
    }
    add(stamped, text);
  }

  void add(const StampedEvent& event, const std::string& text) {
    VectorClock& clock = clocks_[event.process];
    // A history has fewer events than a clock can count.
    static_cast<void>(clock.tick(event.process, log_.processes.size()));
    const SparseClock sparse(clock);
    log_.add(event, {sparse.entries().begin(), sparse.entries().end()}, text);
  }

  const History& history_;
  Timeline timeline_;
  std::vector<LogPlace> places_;
  std::vector<VectorClock> clocks_;     // per process
  std::vector<VectorClock> published_;  // per message: the clock of its publish
  StampedLog log_{};
};

}  // namespace

StampedLog stamped_log_of(const History& history) { return Stamper(history).stamped(); }

}  // namespace causalcheck
