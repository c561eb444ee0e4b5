#include "harness/hold_events.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "harness/json_text.h"
#include "harness/payload.h"

namespace causalcheck {
namespace {

using Json = nlohmann::json;

std::string name_of(const std::string& payload) {
  const DecodedPayload decoded = decode_payload(payload, RunTag());
  if (decoded.origin == PayloadOrigin::kUndecodable) return payload;
  return event_symbol(decoded.fields.label, decoded.fields.step);
}

void add_member(std::string& line, std::string_view key, std::string_view value) {
  line += line.empty() ? "{\"" : ",\"";
  line += key;
  line += "\":";
  append_json_string(line, value);
}

std::optional<std::string> text_of(const Json& line, const char* key) {
  const auto found = line.find(key);
  if (found == line.end() || !found->is_string()) return std::nullopt;
  return found->get<std::string>();
}

std::optional<std::uint64_t> number_of(const Json& line, const char* key) {
  const auto found = line.find(key);
  if (found == line.end() || !found->is_number_unsigned()) return std::nullopt;
  return found->get<std::uint64_t>();
}

// The broadcasts of each client, in order: what `needs` counts. Failed publishes are none.
std::map<std::string, std::vector<MessageId>> broadcasts_of(const History& history) {
  std::vector<const Operation*> writes;
  for (const Operation& operation : history.operations) {
    if (operation.is_write() && operation.outcome != Outcome::kFail) writes.push_back(&operation);
  }
  std::sort(writes.begin(), writes.end(),
            [](const Operation* a, const Operation* b) { return a->start < b->start; });
  std::map<std::string, std::vector<MessageId>> broadcasts;
  for (const Operation* write : writes) {
    broadcasts[history.clients[write->client]].push_back(write->message);
  }
  return broadcasts;
}

// The number of the event in which the client `reader` was handed `message` first.
std::optional<Position> delivered_at(const History& history, const std::string& reader,
                                     const std::string& message) {
  std::optional<Position> at;
  for (const Operation& operation : history.operations) {
    if (operation.is_write() || operation.is_drain() || operation.message == kNothing) continue;
    if (operation.outcome != Outcome::kOk || history.clients[operation.client] != reader ||
        history.messages[operation.message] != message) {
      continue;
    }
    if (!at || operation.end < *at) at = operation.end;
  }
  return at;
}

// "A: C2 waits for B1: needs B 1, has B 0"
std::optional<std::string> held_text(
    const Json& line, const History& history,
    const std::map<std::string, std::vector<MessageId>>& broadcasts) {
  const auto message = text_of(line, "held");
  const auto at = text_of(line, "at");
  const auto blocked = line.find("blocked_by");
  if (!message || !at || blocked == line.end() || !blocked->is_object()) return std::nullopt;
  const auto process = text_of(*blocked, "process");
  const auto needs = number_of(*blocked, "needs");
  const auto has = number_of(*blocked, "has");
  if (!process || !needs || !has) return std::nullopt;
  std::string text = *at + ": " + *message + " waits";
  const auto sent = broadcasts.find(*process);
  if (sent != broadcasts.end() && *needs >= 1 && *needs <= sent->second.size()) {
    text += " for " + history.messages[sent->second[*needs - 1]];
  }
  return text + ": needs " + *process + " " + std::to_string(*needs) + ", has " + *process + " " +
         std::to_string(*has);
}

}  // namespace

void HoldMetrics::merge(const HoldMetrics& other) {
  delivered += other.delivered;
  held += other.held;
  dropped += other.dropped;
  refused += other.refused;
  given_up += other.given_up;
  duplicates += other.duplicates;
  retransmitted += other.retransmitted;
  depth_max = std::max(depth_max, other.depth_max);
  age_max = std::max(age_max, other.age_max);
}

HoldSummary hold_summary(const HoldReporter& reporter) {
  const std::vector<HoldEvent> stalled = reporter.stalled();
  HoldSummary summary{reporter.hold_metrics(), stalled.size(), {}};
  if (!stalled.empty()) summary.first_stall = stall_text(stalled.front());
  return summary;
}

std::string stall_text(const HoldEvent& held) {
  return fmt::format("{} holds {}: needs {} {}, has {} {}", held.at, name_of(held.payload),
                     held.needs_process, held.needs, held.needs_process, held.has);
}

std::string to_string(const HoldMetrics& m) {
  std::string text = fmt::format("{} held", m.held);
  if (m.held > 0) {
    text += fmt::format(", up to {} at a time, the longest for {:.3f} ms", m.depth_max,
                        static_cast<double>(m.age_max.count()) / 1e6);
  }
  if (m.refused > 0) text += fmt::format(", {} refused at the cap", m.refused);
  if (m.dropped > 0) text += fmt::format(", {} dropped at the cap", m.dropped);
  if (m.given_up > 0) text += fmt::format(", {} given up at the cap", m.given_up);
  if (m.retransmitted > 0) text += fmt::format(", {} sent again", m.retransmitted);
  if (m.duplicates > 0) text += fmt::format(", {} came twice", m.duplicates);
  return text;
}

std::string hold_line(const HoldEvent& event, Position start) {
  std::string line;
  const bool held = event.kind == HoldEvent::Kind::kHeld;
  add_member(line, held ? "held" : "released", name_of(event.payload));
  add_member(line, "at", event.at);
  if (held) {
    add_member(line, "from", event.from);
    std::string blocked;
    add_member(blocked, "process", event.needs_process);
    line += ",\"blocked_by\":" + blocked + ",\"needs\":" + std::to_string(event.needs) +
            ",\"has\":" + std::to_string(event.has) + "}";
  } else if (!event.released_by.empty()) {
    add_member(line, "by", name_of(event.released_by));
  }
  return line + ",\"start\":" + std::to_string(start) + "}";
}

std::string explain_holds(const std::vector<std::string>& lines, const History& history) {
  const auto broadcasts = broadcasts_of(history);
  std::vector<std::string> texts;
  std::map<std::pair<std::string, std::string>, std::size_t> open;  // by message and place
  for (const std::string& text : lines) {
    const Json line = Json::parse(text, nullptr, false);
    if (!line.is_object()) continue;
    if (const auto held = held_text(line, history, broadcasts)) {
      open[{*text_of(line, "held"), *text_of(line, "at")}] = texts.size();
      texts.push_back(*held);
      continue;
    }
    const auto message = text_of(line, "released");
    const auto at = text_of(line, "at");
    const auto start = number_of(line, "start");
    if (!message || !at || !start) continue;
    const auto found = open.find({*message, *at});
    if (found == open.end()) continue;
    if (const auto by = text_of(line, "by")) {
      // The line stands after the whole batch that brought them both.
      const Position event = delivered_at(history, *at, *by).value_or(*start);
      texts[found->second] += "; released by event " + std::to_string(event);
    } else {
      texts[found->second] += "; given up at event " + std::to_string(*start);
    }
    open.erase(found);
  }
  for (const auto& [key, index] : open) texts[index] += "; never released";
  std::string all;
  for (const std::string& text : texts) all += text + "\n";
  return all;
}

}  // namespace causalcheck
