#include "harness/plan_file.h"

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "harness/files.h"
#include "harness/payload.h"

namespace causalcheck {
namespace {

using Json = nlohmann::json;  // its objects are sorted by key

// Every knob by its name in files: the one list both directions use.
struct Knob {
  const char* name;
  std::uint32_t Workload::*value;
};
constexpr Knob kKnobs[] = {
    {"answer_permille", &Workload::answer_permille},
    {"delete_permille", &Workload::delete_permille},
    {"filler_bytes", &Workload::filler_bytes},
    {"join_late", &Workload::join_late},
    {"leave_permille", &Workload::leave_permille},
    {"offline_permille", &Workload::offline_permille},
    {"only_read", &Workload::only_read},
    {"only_write", &Workload::only_write},
    {"reread_permille", &Workload::reread_permille},
    {"restart_permille", &Workload::restart_permille},
};

std::string dumped(const Json& json) {
  return json.dump(-1, ' ', true, Json::error_handler_t::replace);
}

Json shape_to_json(const Plan& plan) {
  Json workload = Json::object();
  for (const Knob& knob : kKnobs) workload[knob.name] = plan.workload.*knob.value;
  const Strategy& s = plan.strategy;
  Json strategy = {{"kind", to_string(s.kind)}, {"change_points", s.change_points},
                   {"order", s.order},          {"stalled_client", s.stalled_client},
                   {"stall_at", s.stall_at},    {"stall_length", s.stall_length}};
  Json json = {{"format", kPlanFormat},
               {"version", kPlanVersion},
               {"seed", plan.seed},
               {"backend", plan.backend},
               {"clients", plan.clients},
               {"topics", plan.topics},
               {"events", plan.events},
               {"pipeline", plan.pipeline},
               {"workload", std::move(workload)},
               {"strategy", std::move(strategy)},
               {"clock_offsets_ms", plan.clock_offsets_ms},
               {"faults", plan.faults}};
  if (plan.choices) json["choices"] = *plan.choices;
  return json;
}

Json plan_and_hash(const Plan& plan) {
  Json json = shape_to_json(plan);
  std::string hash = hex_hash(dumped(json));
  json["hash"] = std::move(hash);
  return json;
}

// Takes the members of one object out of it, one by one, and keeps the first thing that is wrong.
class MemberReader {
 public:
  MemberReader(const Json& object, std::string where, std::optional<std::string>& problem)
      : object_(object), where_(std::move(where)), problem_(problem) {}

  template <class Number>
  void number(const char* name, Number& value) {
    if (const Json* member = find(name)) read_number(*member, where_ + name, value);
  }
  template <class Number>
  void numbers(const char* name, std::vector<Number>& values) {
    const Json* member = find(name);
    if (member == nullptr) return;
    if (!member->is_array()) return refuse(name, "a list of whole numbers");
    values.resize(member->size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      read_number((*member)[i], fmt::format("{}{}[{}]", where_, name, i), values[i]);
    }
  }
  void text(const char* name, std::string& value) {
    const Json* member = find(name);
    if (member == nullptr) return;
    if (!member->is_string()) return refuse(name, "a string");
    value = member->get<std::string>();
  }
  void texts(const char* name, std::vector<std::string>& values) {
    const Json* member = find(name);
    if (member == nullptr) return;
    if (!member->is_array()) return refuse(name, "a list of strings");
    for (const Json& item : *member) {
      if (!item.is_string()) return refuse(name, "a list of strings");
      values.push_back(item.get<std::string>());
    }
  }
  /// The object called `name`, or null.
  const Json* object(const char* name) {
    const Json* member = find(name);
    if (member != nullptr && !member->is_object()) {
      refuse(name, "an object");
      return nullptr;
    }
    return member;
  }
  void refuse(const char* name, std::string_view expected) {
    note(fmt::format("\"{}{}\" must be {}", where_, name, expected));
  }
  void refuse_unknown() {
    for (const auto& [name, value] : object_.items()) {
      if (known_.find(name) == known_.end()) {
        note(fmt::format("\"{}{}\" is not a member of a plan", where_, shortened(name)));
      }
    }
  }
  [[nodiscard]] bool has(const char* name) const { return object_.contains(name); }

 private:
  const Json* find(const char* name) {
    known_.insert(name);
    const auto at = object_.find(name);
    return at == object_.end() ? nullptr : &*at;
  }
  template <class Number>
  void read_number(const Json& json, const std::string& name, Number& value) {
    constexpr Number kLow = std::numeric_limits<Number>::min();
    constexpr Number kHigh = std::numeric_limits<Number>::max();
    if (json.is_number_unsigned() && json.get<std::uint64_t>() <= std::uint64_t{kHigh}) {
      value = static_cast<Number>(json.get<std::uint64_t>());
    } else if (kLow < 0 && json.is_number_integer() && !json.is_number_unsigned() &&
               json.get<std::int64_t>() >= static_cast<std::int64_t>(kLow)) {
      value = static_cast<Number>(json.get<std::int64_t>());
    } else {
      note(fmt::format("\"{}\" must be a whole number from {} to {}", name, kLow, kHigh));
    }
  }
  void note(std::string text) {
    if (!problem_) problem_ = std::move(text);
  }
  static std::string shortened(std::string_view name) {
    std::string text;
    for (const char c : name.substr(0, 40)) {
      text += static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? '?' : c;
    }
    return name.size() > 40 ? text + "..." : text;
  }

  const Json& object_;
  std::string where_;
  std::optional<std::string>& problem_;
  std::set<std::string> known_{};
};

LoadedPlan read_members(const Json& json, std::optional<std::string>& problem) {
  LoadedPlan loaded;
  Plan& plan = loaded.plan;
  MemberReader top(json, "", problem);
  std::string format;
  std::uint64_t version = 0;
  top.text("format", format);
  if (format != kPlanFormat) top.refuse("format", fmt::format("\"{}\"", kPlanFormat));
  top.number("version", version);
  if (version != kPlanVersion) top.refuse("version", fmt::format("{}", kPlanVersion));
  top.text("hash", loaded.stored_hash);
  top.number("seed", plan.seed);
  top.text("backend", plan.backend);
  top.number("clients", plan.clients);
  top.number("topics", plan.topics);
  top.number("events", plan.events);
  top.number("pipeline", plan.pipeline);
  top.numbers("clock_offsets_ms", plan.clock_offsets_ms);
  top.texts("faults", plan.faults);
  if (top.has("choices")) top.numbers("choices", plan.choices.emplace());
  if (const Json* object = top.object("workload")) {
    MemberReader workload(*object, "workload.", problem);
    for (const Knob& knob : kKnobs) workload.number(knob.name, plan.workload.*knob.value);
    workload.refuse_unknown();
  }
  if (const Json* object = top.object("strategy")) {
    MemberReader strategy(*object, "strategy.", problem);
    std::string kind(to_string(plan.strategy.kind));
    strategy.text("kind", kind);
    if (const auto parsed = parse_strategy_kind(kind)) {
      plan.strategy.kind = *parsed;
    } else {
      strategy.refuse("kind", "\"uniform\", \"priorities\" or \"stall\"");
    }
    strategy.numbers("change_points", plan.strategy.change_points);
    strategy.numbers("order", plan.strategy.order);
    strategy.number("stalled_client", plan.strategy.stalled_client);
    strategy.number("stall_at", plan.strategy.stall_at);
    strategy.number("stall_length", plan.strategy.stall_length);
    strategy.refuse_unknown();
  }
  top.refuse_unknown();
  return loaded;
}

Attempt<LoadedPlan> plan_of(const Json& json) {
  if (!json.is_object()) return Refusal::because("a plan must be a JSON object");
  std::optional<std::string> problem;
  LoadedPlan loaded = read_members(json, problem);
  if (problem) return Refusal::because(std::move(*problem));
  if (const auto ok = validate(loaded.plan); !ok) return ok.error();
  loaded.hash = plan_hash(loaded.plan);
  return loaded;
}

// nlohmann keeps the last of two members with one name; a plan must not mean two things.
class RepeatedMembers {
 public:
  bool operator()(int depth, Json::parse_event_t event, const Json& parsed) {
    if (event == Json::parse_event_t::object_start) names_.emplace_back();
    if (event == Json::parse_event_t::object_end) names_.pop_back();
    if (event == Json::parse_event_t::key &&
        !names_.back().insert(parsed.get<std::string>()).second) {
      repeated = true;
    }
    if (depth > kDepthMax) too_deep = true;
    return true;
  }
  bool repeated = false;
  bool too_deep = false;

 private:
  static constexpr int kDepthMax = 16;
  std::vector<std::set<std::string>> names_{};
};

Attempt<Json> parse_strictly(std::string_view text) {
  RepeatedMembers members;
  const auto watch = [&members](int depth, Json::parse_event_t event, Json& parsed) {
    return members(depth, event, parsed);
  };
  Json json = Json::parse(text, watch, false);
  if (json.is_discarded())
    return Refusal::because("a plan must be one JSON object, and this is not JSON");
  if (members.repeated) return Refusal::because("a name stands twice in one object");
  if (members.too_deep) return Refusal::because("nested too deeply for a plan");
  return json;
}

}  // namespace

std::string plan_hash(const Plan& plan) { return hex_hash(dumped(shape_to_json(plan))); }

std::string plan_to_json(const Plan& plan) {
  // One member a line: a person can read and change it, and the long list of choices stays on one.
  const Json json = plan_and_hash(plan);
  std::string text = "{";
  for (const auto& [name, value] : json.items()) {
    text += fmt::format("{}\n  \"{}\": {}", text.size() == 1 ? "" : ",", name, dumped(value));
  }
  return text + "\n}\n";
}

Attempt<LoadedPlan> parse_plan(std::string_view text) {
  const auto json = parse_strictly(text);
  if (!json) return json.error();
  return plan_of(*json);
}

Attempt<LoadedPlan> read_plan(const std::string& path) {
  const auto text = read_file(path);
  if (!text) return text.error();
  const auto loaded = parse_plan(*text);
  if (!loaded) return Refusal::because(fmt::format("{}: {}", path, loaded.error().text));
  return loaded;
}

std::string plan_to_config(const Plan& plan) { return dumped(Json{{"plan", plan_and_hash(plan)}}); }

Attempt<LoadedPlan> plan_of_config(std::string_view config) {
  const auto json = parse_strictly(config);
  if (!json) return json.error();
  if (!json->is_object() || !json->contains("plan")) {
    return Refusal::because("the header of this history holds no plan");
  }
  return plan_of((*json)["plan"]);
}

}  // namespace causalcheck
