#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "adapters/broadcast/scenario.h"
#include "harness/files.h"

namespace causalcheck {
namespace {

using Json = nlohmann::json;

constexpr double kMillisecondsMax = 3'600'000;
constexpr std::size_t kProcessesMax = 64;

// Takes an object's members out one by one; keeps the first thing that is wrong anywhere.
class Members {
 public:
  Members(const Json& object, std::string where, std::string& problem)
      : object_(object), where_(std::move(where)), problem_(problem) {
    if (!object.is_object()) complain("must be an object");
  }

  std::string text(const char* key, bool required) {
    const Json* value = find(key, required);
    if (value == nullptr) return {};
    if (!value->is_string() || value->get_ref<const std::string&>().empty()) {
      complain(fmt::format("\"{}\" must be a text that is not empty", key));
      return {};
    }
    return value->get<std::string>();
  }
  std::optional<Time> milliseconds(const char* key) {
    const Json* value = find(key, false);
    if (value == nullptr) return std::nullopt;
    if (!value->is_number() || value->get<double>() < 0 ||
        value->get<double>() > kMillisecondsMax) {
      complain(fmt::format("\"{}\" must be a number of milliseconds from 0 to an hour", key));
      return std::nullopt;
    }
    return Time(static_cast<Time::rep>(value->get<double>() * 1e6));
  }
  std::vector<Json> list(const char* key, bool required) {
    const Json* value = find(key, required);
    if (value == nullptr) return {};
    if (!value->is_array()) {
      complain(fmt::format("\"{}\" must be a list", key));
      return {};
    }
    return {value->begin(), value->end()};
  }
  // The index of the member's value in `allowed`, which begins with the default.
  std::size_t choice(const char* key, const std::vector<std::string_view>& allowed) {
    const std::string value = text(key, false);
    if (value.empty()) return 0;
    const auto found = std::find(allowed.begin(), allowed.end(), value);
    if (found != allowed.end()) return static_cast<std::size_t>(found - allowed.begin());
    complain(fmt::format("\"{}\" is \"{}\", and must be one of {}", key, value,
                         fmt::join(allowed, ", ")));
    return 0;
  }
  void finish() {
    if (!object_.is_object()) return;
    for (const auto& member : object_.items()) {
      if (known_.count(member.key()) > 0) continue;
      complain(fmt::format("there is no \"{}\"; known: {}", member.key(), fmt::join(known_, ", ")));
    }
  }
  void complain(std::string_view text) {
    if (problem_.empty()) problem_ = fmt::format("{}: {}", where_, text);
  }

 private:
  const Json* find(const char* key, bool required) {
    known_.insert(key);
    const auto found = object_.is_object() ? object_.find(key) : object_.end();
    if (found != object_.end()) return &*found;
    if (required) complain(fmt::format("\"{}\" is missing", key));
    return nullptr;
  }

  const Json& object_;
  const std::string where_;
  std::string& problem_;
  std::set<std::string> known_{};
};

constexpr DeliveryOrder kOrders[] = {DeliveryOrder::kCausal, DeliveryOrder::kImmediate,
                                     DeliveryOrder::kFifo, DeliveryOrder::kTotal};
const std::vector<std::string_view>& order_names() {
  static const std::vector<std::string_view> kNames = {"causal", "immediate", "fifo", "total"};
  return kNames;
}

Level level_of(DeliveryOrder order) {
  BroadcastSettings settings;
  settings.order = order;
  return promises_of(settings).level;
}

class ScenarioReader {
 public:
  Attempt<Scenario> read(const Json& json) {
    Members members(json, "the scenario", problem_);
    scenario_.about = members.text("about", false);
    scenario_.order = kOrders[members.choice("order", order_names())];
    scenario_.level = level_of(scenario_.order);
    const std::string level = members.text("level", false);
    if (!level.empty()) {
      const std::optional<Level> parsed = parse_level(level);
      if (!parsed) members.complain("\"level\" must be one of fifo, causal, total");
      scenario_.level = parsed.value_or(scenario_.level);
    }
    scenario_.retransmit =
        members.choice("retransmit", {"on", "off"}) == 0 ? Retransmit::kOn : Retransmit::kOff;
    scenario_.delay = members.milliseconds("delay_ms").value_or(scenario_.delay);
    for (const Json& name : members.list("processes", true)) add_process(name, members);
    if (scenario_.processes.size() > kProcessesMax) members.complain("too many processes");
    for (const Json& step : members.list("steps", true)) add_step(step);
    for (const Json& link : members.list("links", false)) add_link(link);
    for (const Json& loss : members.list("lost", false)) add_loss(loss);
    members.finish();
    for (const ScenarioStep& step : scenario_.steps) {
      if (!step.after.empty() && messages_.count(step.after) == 0) {
        members.complain(
            fmt::format("nobody broadcasts \"{}\", which {} waits for", step.after, step.process));
      }
    }
    if (!problem_.empty()) return Refusal::because(problem_);
    return std::move(scenario_);
  }

 private:
  void add_process(const Json& name, Members& members) {
    if (!name.is_string() || name.get_ref<const std::string&>().empty() ||
        name == kSequencerLabel || is_process(name.get<std::string>())) {
      return members.complain(
          "\"processes\" must list different names, none of them empty or \"sequencer\"");
    }
    scenario_.processes.push_back(name.get<std::string>());
  }

  void add_step(const Json& json) {
    Members members(json, fmt::format("step {}", scenario_.steps.size() + 1), problem_);
    ScenarioStep step;
    step.process = process(members, "process");
    step.message = members.text("broadcast", true);
    step.after = members.text("after", false);
    const std::optional<Time> at = members.milliseconds("at_ms");
    step.at = at.value_or(Time::zero());
    members.finish();
    if (at.has_value() == !step.after.empty()) {
      members.complain("either \"at_ms\" or \"after\" says when");
    }
    if (!messages_.emplace(step.message, step.process).second) {
      members.complain(fmt::format("\"{}\" is broadcast twice", step.message));
    }
    scenario_.steps.push_back(std::move(step));
  }

  void add_link(const Json& json) {
    Members members(json, fmt::format("link {}", scenario_.links.size() + 1), problem_);
    ScenarioLink link;
    link.from = process(members, "from");
    link.to = process(members, "to");
    const std::optional<Time> delay = members.milliseconds("delay_ms");
    if (!delay) members.complain("\"delay_ms\" is missing");
    link.delay = delay.value_or(Time::zero());
    members.finish();
    scenario_.links.push_back(std::move(link));
  }

  void add_loss(const Json& json) {
    Members members(json, fmt::format("loss {}", scenario_.lost.size() + 1), problem_);
    ScenarioLoss loss;
    loss.message = members.text("message", true);
    loss.to = process(members, "to");
    members.finish();
    const auto found = messages_.find(loss.message);
    if (found == messages_.end()) {
      members.complain(fmt::format("nobody broadcasts \"{}\"", loss.message));
    } else if (found->second == loss.to) {
      members.complain("a process cannot lose what it broadcasts itself");
    }
    scenario_.lost.push_back(std::move(loss));
  }

  std::string process(Members& members, const char* key) {
    std::string name = members.text(key, true);
    const bool known =
        is_process(name) || (name == kSequencerLabel && std::string_view(key) != "process");
    if (!known) members.complain(fmt::format("there is no process \"{}\"", name));
    return name;
  }
  [[nodiscard]] bool is_process(const std::string& name) const {
    const auto& known = scenario_.processes;
    return std::find(known.begin(), known.end(), name) != known.end();
  }

  Scenario scenario_{};
  std::map<std::string, std::string> messages_{};  // to their senders
  std::string problem_{};
};

}  // namespace

std::optional<DeliveryOrder> parse_delivery_order(std::string_view text) {
  const auto found = std::find(order_names().begin(), order_names().end(), text);
  if (found == order_names().end()) return std::nullopt;
  return kOrders[found - order_names().begin()];
}

Attempt<Scenario> parse_scenario(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded())
    return Refusal::because("a scenario is one JSON object, and this is no JSON");
  return ScenarioReader().read(json);
}

Attempt<Scenario> read_scenario(const std::string& path) {
  const Attempt<std::string> text = read_file(path);
  if (text.has_error()) return text.error();
  Attempt<Scenario> scenario = parse_scenario(*text);
  if (scenario.has_error()) return Refusal::because(path + ": " + scenario.error().text);
  return scenario;
}

}  // namespace causalcheck
