#include "adapters/broadcast/scenario.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "adapters/broadcast/group.h"

namespace causalcheck {
namespace {

constexpr std::string_view kTopic = "chat";

// Nothing is left to chance, and time is what the player says.
class ScenarioRuntime final : public Runtime {
 public:
  Time now() override { return now_; }
  Time wall_now() override { return now_; }
  void sleep_until(Time time) override { now_ = std::max(now_, time); }
  void yield() override {}
  std::uint32_t choose(std::uint32_t) override { return 0; }

 private:
  Time now_{};
};

std::string milliseconds(Time time) {
  return fmt::format("{:.1f} ms", static_cast<double>(time.count()) / 1e6);
}

BroadcastSettings settings_of(const Scenario& scenario, DeliveryOrder order) {
  BroadcastSettings settings;
  settings.order = order;
  settings.retransmit = scenario.retransmit;
  settings.links.delay_low = settings.links.delay_high = scenario.delay;
  return settings;
}

class Player {
 public:
  Player(const Scenario& scenario, DeliveryOrder order)
      : scenario_(scenario),
        order_(order),
        protocol_(make_protocol(order)),
        group_(settings_of(scenario, order), *protocol_) {}

  ScenarioRun play() {
    begin();
    while (const std::optional<Time> next = next_time()) {
      runtime_.sleep_until(*next);
      group_.advance(runtime_);
      for (ClientId client = 0; client < processes_.size(); ++client) receive(client);
      for (const ScenarioStep& step : scenario_.steps) {
        if (step.after.empty() && !is_sent(step) && step.at <= runtime_.now()) broadcast(step);
      }
    }
    end();
    return std::move(run_);
  }

 private:
  void begin() {
    History& history = run_.file.history;
    history.clients = scenario_.processes;
    history.topics = {std::string(kTopic)};
    history.declared = promises_of(settings_of(scenario_, order_));
    history.declared.level = scenario_.level;
    if (!scenario_.lost.empty() && scenario_.retransmit == Retransmit::kOff) {
      history.declared.offers.erase(Guarantee::kDelivery);
    }
    history.has_header = true;
    for (const std::string& label : scenario_.processes) {
      processes_.push_back(group_.join(label, runtime_));
    }
    handed_over_.assign(processes_.size(), 0);
    for (const ScenarioLink& link : scenario_.links) {
      const std::optional<ProcessId> from = process(link.from);
      const std::optional<ProcessId> to = process(link.to);
      if (!from || !to) continue;  // of the sequencer, and there is none in this order
      LinkSettings settings = group_.network().link(*from, *to).settings();
      settings.delay_low = settings.delay_high = link.delay;
      group_.network().link(*from, *to) = Link(settings);
    }
  }

  [[nodiscard]] std::optional<ProcessId> process(const std::string& label) const {
    if (label == kSequencerLabel) {
      return order_ == DeliveryOrder::kTotal ? std::optional<ProcessId>(0) : std::nullopt;
    }
    const auto& labels = scenario_.processes;
    const auto at = std::find(labels.begin(), labels.end(), label) - labels.begin();
    return processes_[static_cast<std::size_t>(at)];
  }
  [[nodiscard]] ClientId client(const std::string& label) const {
    const auto& labels = scenario_.processes;
    return static_cast<ClientId>(std::find(labels.begin(), labels.end(), label) - labels.begin());
  }
  [[nodiscard]] bool is_sent(const ScenarioStep& step) const {
    return ids_.count(step.message) > 0;
  }

  [[nodiscard]] std::optional<Time> next_time() const {
    Time next = Time::max();
    for (const ScenarioStep& step : scenario_.steps) {
      if (step.after.empty() && !is_sent(step)) next = std::min(next, step.at);
    }
    for (const ProcessId id : processes_) next = std::min(next, group_.next_event(id));
    return next == Time::max() ? std::nullopt : std::optional<Time>(next);
  }

  void broadcast(const ScenarioStep& step) {
    const ClientId sender = client(step.process);
    const ProcessId from = processes_[sender];
    for (const ScenarioLoss& loss : scenario_.lost) {
      if (loss.message != step.message) continue;
      if (const auto to = process(loss.to)) group_.network().link(from, *to).lose_next(1);
    }
    const auto message = static_cast<MessageId>(run_.file.history.messages.size());
    run_.file.history.messages.push_back(step.message);
    ids_[step.message] = message;
    tell(fmt::format("{} broadcasts {}", step.process, step.message));
    const BroadcastId id = group_.broadcast(from, {kTopic, step.message, false}, runtime_);
    if (id >= messages_.size()) messages_.resize(std::size_t{id} + 1, kNothing);
    messages_[id] = message;
    Operation write;
    write.kind = OperationKind::kWrite;
    write.client = sender;
    write.message = message;
    record(write);
    receive(sender);  // its own, at once
  }

  void receive(ClientId client) {
    group_.receive(processes_[client], runtime_.now());
    for (HoldEvent& event : group_.take_hold_events()) pending_.push_back(std::move(event));
    const std::vector<BroadcastId>& delivered = group_.delivered(processes_[client]);
    tell_holds({});
    while (handed_over_[client] < delivered.size()) {
      const BroadcastId id = delivered[handed_over_[client]++];
      if (group_.is_news(processes_[client], id)) observe(client, messages_[id]);
      // A copy: a reaction adds to the table.
      react(client, std::string(run_.file.history.messages[messages_[id]]));
    }
  }

  void observe(ClientId client, MessageId message) {
    Operation read;
    read.client = client;
    read.message = message;
    const std::string name = run_.file.history.messages[message];
    tell(fmt::format("{} delivers {}", scenario_.processes[client], name));
    record(read);
    tell_holds(name);
  }

  void react(ClientId client, const std::string& name) {
    for (const ScenarioStep& step : scenario_.steps) {
      if (step.after == name && !is_sent(step) && this->client(step.process) == client) {
        broadcast(step);
      }
    }
  }

  // Holds that began, and the release of `delivered`, which has just been delivered.
  void tell_holds(const std::string& delivered) {
    for (auto event = pending_.begin(); event != pending_.end();) {
      const bool held = event->kind == HoldEvent::Kind::kHeld;
      if (!held && event->payload != delivered) {
        ++event;
        continue;
      }
      if (held) {
        tell(stall_text(*event));
      } else {
        append(fmt::format("  (held for {}, released by {})",
                           milliseconds(event->when - event->since), event->released_by));
      }
      run_.file.other_lines.push_back(hold_line(*event, next_ == 1 ? 1 : next_ - 1));
      event = pending_.erase(event);
    }
  }

  void record(Operation operation) {
    operation.start = next_++;
    operation.end = next_++;
    run_.file.history.operations.push_back(operation);
  }

  void tell(const std::string& text) {
    run_.timeline += fmt::format("{:>10}  {}\n", milliseconds(runtime_.now()), text);
  }
  void tell_queue(ProcessId id) {
    run_.queues += fmt::format("  {}: {}\n", group_.label(id),
                               to_string(group_.metrics_at(id, runtime_.now())));
  }
  // To the end of the last line.
  void append(const std::string& text) { run_.timeline.insert(run_.timeline.size() - 1, text); }

  // Everybody asks once more and gets nothing; then the log is listed.
  void end() {
    for (ClientId client = 0; client < processes_.size(); ++client) {
      Operation nothing;
      nothing.client = client;
      nothing.message = kNothing;
      record(nothing);
    }
    const std::vector<Entry> log = group_.log(kTopic);
    for (const Entry& entry : log) {
      Operation line;
      line.message = ids_.at(entry.payload);
      record(line);
    }
    if (log.empty()) {
      Operation line;
      line.message = kNothing;
      record(line);
    }
    run_.stalled = group_.stalled(runtime_.now());
    for (const HoldEvent& event : run_.stalled) {
      run_.timeline += fmt::format("{:>10}  {}\n", "at the end", stall_text(event));
    }
    if (const auto sequencer = process(std::string(kSequencerLabel))) tell_queue(*sequencer);
    for (const ProcessId id : processes_) tell_queue(id);
  }

  const Scenario& scenario_;
  const DeliveryOrder order_;
  const std::unique_ptr<Protocol> protocol_;
  Group group_;
  ScenarioRuntime runtime_{};
  std::vector<ProcessId> processes_{};      // by client
  std::vector<std::size_t> handed_over_{};  // by client
  std::map<std::string, MessageId> ids_{};
  std::vector<MessageId> messages_{};  // by broadcast
  std::vector<HoldEvent> pending_{};   // not told yet
  Position next_ = 1;
  ScenarioRun run_{};
};

}  // namespace

ScenarioRun run_scenario(const Scenario& scenario, std::optional<DeliveryOrder> order) {
  return Player(scenario, order.value_or(scenario.order)).play();
}

}  // namespace causalcheck
