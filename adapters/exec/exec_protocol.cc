#include "adapters/exec/exec_protocol.h"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "harness/json_text.h"

namespace causalcheck {
namespace {

using nlohmann::json;

constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string to_base64(std::string_view bytes) {
  std::string text;
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    std::uint32_t group = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      const std::size_t from = at + i;
      group = group << 8U | (from < bytes.size() ? static_cast<unsigned char>(bytes[from]) : 0U);
    }
    for (std::size_t i = 0; i < 4; ++i) {
      const bool padded = at + i > bytes.size();
      text += padded ? '=' : kDigits[group >> (18 - 6 * i) & 63U];
    }
  }
  return text;
}

std::optional<std::string> from_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  while (!text.empty() && text.back() == '=') text.remove_suffix(1);
  std::string bytes;
  std::uint32_t group = 0;
  std::uint32_t bits = 0;
  for (const char c : text) {
    const std::size_t digit = kDigits.find(c);
    if (digit == std::string_view::npos) return std::nullopt;
    group = group << 6U | static_cast<std::uint32_t>(digit);
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes += static_cast<char>(group >> bits & 255U);
  }
  return bytes;
}

void add_string(std::string& line, std::string_view key, std::string_view value) {
  fmt::format_to(std::back_inserter(line), ",\"{}\":", key);
  append_json_string(line, value);
}

// Bytes that are no text go as an object.
void add_payload(std::string& line, std::string_view payload) {
  if (is_utf8(payload)) return add_string(line, "payload", payload);
  line += ",\"payload\":{\"base64\":\"" + to_base64(payload) + "\"}";
}

std::string begin_line(const ExecCall& call, std::string_view op) {
  return fmt::format(R"({{"id":{},"session":{},"deadline_ms":{},"op":"{}")", call.id, call.session,
                     call.deadline_ms, op);
}

/// What is wrong with a line; thrown inside this file only.
struct Unfit {
  std::string text{};
};

[[noreturn]] void unfit(std::string_view expected, const json& got) {
  std::string shown_value = got.dump(-1, ' ', true, json::error_handler_t::replace);
  throw Unfit{fmt::format("expected {}, got {}", expected, shown(shown_value))};
}

const json& member(const json& object, const char* key) {
  static const json kNull;
  const auto found = object.find(key);
  return found == object.end() ? kNull : *found;
}

std::uint64_t number_of(const json& object, const char* key) {
  const json& value = member(object, key);
  if (!value.is_number_unsigned()) unfit(fmt::format("a whole number as \"{}\"", key), value);
  return value.get<std::uint64_t>();
}

std::string string_of(const json& object, const char* key, std::string_view absent) {
  const json& value = member(object, key);
  if (value.is_null()) return std::string(absent);
  if (!value.is_string()) unfit(fmt::format("a string as \"{}\"", key), value);
  return value.get<std::string>();
}

bool bool_of(const json& object, const char* key) {
  const json& value = member(object, key);
  if (value.is_null()) return false;
  if (!value.is_boolean()) unfit(fmt::format("true or false as \"{}\"", key), value);
  return value.get<bool>();
}

std::optional<Slot> slot_of(const json& object) {
  const json& value = member(object, "slot");
  if (value.is_null()) return std::nullopt;
  if (!value.is_number_integer() ||
      (value.is_number_unsigned() &&
       value.get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<Slot>::max()))) {
    unfit("a whole number or null as \"slot\"", value);
  }
  return value.get<Slot>();
}

Entry entry_of(const json& value) {
  if (!value.is_object()) unfit("an object with a \"payload\" as an entry", value);
  Entry entry;
  const json& payload = member(value, "payload");
  entry.unreadable = bool_of(value, "unreadable");
  if (payload.is_string()) {
    entry.payload = payload.get<std::string>();
  } else if (payload.is_object() && member(payload, "base64").is_string()) {
    auto bytes = from_base64(payload["base64"].get<std::string>());
    if (!bytes) unfit("base64 digits as \"base64\"", payload);
    entry.payload = *std::move(bytes);
  } else if (!entry.unreadable) {
    unfit("a string, or an object with \"base64\", as \"payload\"", payload);
  }
  entry.slot = slot_of(value);
  entry.is_delete = bool_of(value, "delete");
  return entry;
}

std::vector<Delivered> entries_of(const json& object) {
  const json& list = member(object, "entries");
  std::vector<Delivered> entries;
  if (list.is_null()) return entries;
  if (!list.is_array()) unfit("a list as \"entries\"", list);
  for (const json& item : list) {
    Entry entry = entry_of(item);
    entries.push_back({string_of(item, "topic", ""), std::move(entry)});
  }
  return entries;
}

Outcome outcome_of_answer(const json& object) {
  const json& value = member(object, "outcome");
  if (value == "ok") return Outcome::kOk;
  if (value == "fail") return Outcome::kFail;
  if (value == "info") return Outcome::kInfo;
  unfit(R"("ok", "fail" or "info" as "outcome")", value);
}

// The value of `key` by `parse`; untouched when it is absent.
template <class T>
void take(const json& hello, const char* key, std::string_view words,
          std::optional<T> (*parse)(std::string_view), T& into) {
  const std::string text = string_of(hello, key, to_string(into));
  const std::optional<T> value = parse(text);
  if (!value) unfit(fmt::format("{} as \"{}\"", words, key), member(hello, key));
  into = *value;
}

void take_guarantees(const json& hello, const char* key, GuaranteeSet& into) {
  const json& list = member(hello, key);
  if (list.is_null()) return;
  if (!list.is_array()) unfit(fmt::format("a list of guarantees as \"{}\"", key), list);
  into = {};
  for (const json& item : list) {
    const auto id = item.is_string() ? parse_guarantee(item.get<std::string>()) : std::nullopt;
    if (!id) unfit(fmt::format("the ids of guarantees in \"{}\"", key), item);
    into.insert(*id);
  }
}

Concurrency concurrency_of(const json& hello) {
  const std::string text = string_of(hello, "concurrency", "none");
  if (text == "none") return Concurrency::kNone;
  if (text == "read-during-commit") return Concurrency::kReadDuringCommit;
  if (text == "pipelined") return Concurrency::kPipelined;
  unfit(R"("none", "read-during-commit" or "pipelined" as "concurrency")",
        member(hello, "concurrency"));
}

std::vector<std::string> nodes_of(const json& hello) {
  const json& list = member(hello, "nodes");
  if (list.is_null()) return {std::string()};
  std::vector<std::string> nodes;
  if (!list.is_array() || list.empty()) unfit("a list of names as \"nodes\"", list);
  for (const json& item : list) {
    if (!item.is_string()) unfit("names in \"nodes\"", item);
    nodes.push_back(item.get<std::string>());
  }
  return nodes;
}

ExecHello hello_of(const json& line) {
  if (number_of(line, "protocol") != kExecProtocol) {
    unfit(fmt::format("{} as \"protocol\"", kExecProtocol), member(line, "protocol"));
  }
  ExecHello hello;
  Declaration& promises = hello.declared.promises;
  take(line, "slots", R"("none", "sparse" or "contiguous")", &parse_slots, promises.slots);
  take(line, "reads", R"("latest" or "feed")", &parse_reads, promises.reads);
  take(line, "level", R"("fifo", "causal" or "total")", &parse_level, promises.level);
  take(line, "scope", R"("topic" or "all")", &parse_scope, promises.scope);
  if (!member(line, "retries").is_null()) {
    take(line, "retries", R"("none" or "at-least-once")", &parse_retries, promises.retries);
  }
  take_guarantees(line, "claims", promises.claims);
  promises.offers = all_judged(promises);
  take_guarantees(line, "offers", promises.offers);
  hello.declared.execution = Execution::kThreads;
  hello.declared.concurrency = concurrency_of(line);
  if (!member(line, "lag_ms").is_null()) {
    hello.declared.lag_max =
        std::chrono::milliseconds(std::min<std::uint64_t>(number_of(line, "lag_ms"), 60'000));
  }
  hello.nodes = nodes_of(line);
  hello.pushes = bool_of(line, "push");
  hello.in_turn = bool_of(line, "in_turn");
  const json& powers = member(line, "powers");
  if (!powers.is_null() && !powers.is_array()) unfit("a list as \"powers\"", powers);
  for (const json& power : powers) {
    if (power == "crash") {
      hello.crashes = true;
    } else if (power == "pause") {
      hello.pauses = true;
    } else {
      unfit(R"("crash" or "pause" in "powers")", power);
    }
  }
  return hello;
}

ExecFrame frame_of(const json& line) {
  ExecFrame frame;
  if (!member(line, "deliver").is_null()) {
    frame.session = number_of(line, "deliver");
    frame.delivered = entries_of(line);
    return frame;
  }
  frame.id = number_of(line, "id");
  frame.outcome = outcome_of_answer(line);
  frame.text = string_of(line, "text", "");
  frame.undecodable = bool_of(line, "undecodable");
  frame.slot = slot_of(line);
  if (!member(line, "entry").is_null()) frame.entry = entry_of(line["entry"]);
  frame.delivered = entries_of(line);
  frame.resume = string_of(line, "resume", "");
  if (!member(line, "protocol").is_null()) frame.hello = hello_of(line);
  return frame;
}

}  // namespace

std::string hello_line(const ExecCall& call) {
  return begin_line(call, "hello") + fmt::format(",\"protocol\":{}}}\n", kExecProtocol);
}

std::string reset_line(const ExecCall& call, const RunInfo& run) {
  std::string line = begin_line(call, "reset");
  add_string(line, "run", run.id);
  line += ",\"topics\":[";
  for (const std::string& topic : run.topics) {
    if (line.back() != '[') line += ',';
    append_json_string(line, topic);
  }
  return line + "]}\n";
}

std::string open_line(const ExecCall& call, const ClientInfo& client, const ResumeToken* resume) {
  std::string line = begin_line(call, "open");
  add_string(line, "client", client.label);
  fmt::format_to(std::back_inserter(line), ",\"incarnation\":{}", client.incarnation);
  if (resume != nullptr) {
    add_string(line, "resume", resume->bytes);
  } else {
    line += ",\"resume\":null";
  }
  return line + "}\n";
}

std::string commit_line(const ExecCall& call, const Message& message) {
  std::string line = begin_line(call, "commit");
  add_string(line, "topic", message.topic);
  add_payload(line, message.payload);
  return line + (message.is_delete ? ",\"delete\":true}\n" : ",\"delete\":false}\n");
}

std::string poll_line(const ExecCall& call, std::string_view topic) {
  std::string line = begin_line(call, "poll");
  add_string(line, "topic", topic);
  return line + "}\n";
}

std::string drain_line(const ExecCall& call, std::string_view topic, std::string_view node) {
  std::string line = begin_line(call, "drain");
  add_string(line, "topic", topic);
  add_string(line, "node", node);
  return line + "}\n";
}

std::string plain_line(const ExecCall& call, std::string_view op) {
  return begin_line(call, op) + "}\n";
}

std::string node_line(const ExecCall& call, std::string_view op, std::string_view node) {
  std::string line = begin_line(call, op);
  add_string(line, "node", node);
  return line + "}\n";
}

Attempt<ExecFrame> parse_frame(std::string_view line) {
  try {
    const json parsed = json::parse(line, nullptr, false);
    if (!parsed.is_object()) {
      return Refusal::because("expected one JSON object on a line of its own");
    }
    return frame_of(parsed);
  } catch (const Unfit& problem) {
    return Refusal::because(problem.text);
  }
}

}  // namespace causalcheck
