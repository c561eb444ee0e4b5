#include "harness/history_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "harness/json_text.h"
#include "harness/operation_line.h"
#include "harness/settings.h"

namespace causalcheck {
namespace {

using namespace std::string_view_literals;

Refusal must_be(std::string_view key, std::string_view expected, std::string_view found) {
  return Refusal::because(fmt::format("\"{}\" must be {}, found {}", key, expected, shown(found)));
}

/// Reads one member after another and remembers the first that does not fit.
class Members {
 public:
  Members(JsonFieldReader& reader, const std::vector<JsonField>& fields, std::string_view prefix)
      : reader_(reader), fields_(fields), prefix_(prefix) {}

  enum class Need { kOptional, kRequired };

  [[nodiscard]] const std::optional<Refusal>& refusal() const { return refusal_; }

  /// The text of the member, or nothing when it is missing (or one before it was refused).
  std::optional<std::string_view> text(std::string_view key, std::string_view expected,
                                       Need need = Need::kOptional) {
    if (refusal_) return std::nullopt;
    const JsonField* const field = find_field(fields_, key);
    if (field != nullptr) return field->text;
    if (need == Need::kRequired) {
      refusal_ = Refusal::because(
          fmt::format("\"{}{}\" is missing: it must be {}", prefix_, key, expected));
    }
    return std::nullopt;
  }

  std::string name(std::string_view key) {
    constexpr auto kExpected = "a string that is not empty"sv;
    const auto found = text(key, kExpected);
    if (!found) return {};
    const std::optional<std::string> value = reader_.string(*found);
    if (value && !value->empty()) return *value;
    refuse(key, kExpected, *found);
    return {};
  }

  std::optional<std::uint64_t> number(std::string_view key) {
    constexpr auto kExpected = "a whole number from 0 to 2^64-1"sv;
    const auto found = text(key, kExpected);
    if (!found) return std::nullopt;
    const std::optional<std::uint64_t> value = reader_.whole_number(*found);
    if (!value) refuse(key, kExpected, *found);
    return value;
  }

  std::vector<std::string> names(std::string_view key) {
    constexpr auto kExpected = "a list of strings, none of them empty or there twice"sv;
    const auto found = text(key, kExpected);
    if (!found) return {};
    std::optional<std::vector<std::string>> values = reader_.strings(*found);
    if (values && are_distinct(*values)) return *std::move(values);
    refuse(key, kExpected, *found);
    return {};
  }

  template <class T>
  T word(std::string_view key, std::optional<T> (*parse)(std::string_view),
         std::string_view expected, Need need, T otherwise) {
    const auto found = text(key, expected, need);
    if (!found) return otherwise;
    const std::optional<std::string> value = reader_.string(*found);
    if (const std::optional<T> known = value ? parse(*value) : std::nullopt) return *known;
    refuse(key, expected, *found);
    return otherwise;
  }

  GuaranteeSet guarantees(std::string_view key) {
    GuaranteeSet set;
    for (const std::string& id : names(key)) {
      if (const std::optional<Guarantee> known = parse_guarantee(id)) {
        set.insert(*known);
      } else if (!refusal_) {
        refusal_ = Refusal::because(fmt::format("\"{}{}\" names no guarantee with {}, known are {}",
                                                prefix_, key, shown("\"" + id + "\""),
                                                known_guarantees()));
      }
    }
    return set;
  }

  void refuse(std::string_view key, std::string_view expected, std::string_view found) {
    if (!refusal_) refusal_ = must_be(prefix_ + std::string(key), expected, found);
  }

 private:
  static bool are_distinct(std::vector<std::string> values) {
    std::sort(values.begin(), values.end());
    return std::adjacent_find(values.begin(), values.end()) == values.end() &&
           (values.empty() || !values.front().empty());
  }

  JsonFieldReader& reader_;
  const std::vector<JsonField>& fields_;
  std::string prefix_;
  std::optional<Refusal> refusal_{};
};

struct ParsedBackend {
  Declaration declared{};
  std::string extras{};
};

/// Levels are no claims of their own: those among `ids` raise `level`.
Level raised(Level level, GuaranteeSet& ids) {
  for (const Guarantee id : all_guarantees()) {
    const std::optional<Level> named = level_of(id);
    if (!named || !ids.contains(id)) continue;
    ids.erase(id);
    level = std::max(level, *named);
  }
  return level;
}

Attempt<ParsedBackend> parse_backend(JsonFieldReader& reader, std::string_view text) {
  const auto fields = reader.split(text);
  if (!fields) return Refusal::because("\"backend\" " + fields.error().text);
  using Need = Members::Need;
  Members members(reader, *fields, "backend.");
  ParsedBackend backend;
  Declaration& declared = backend.declared;
  declared.slots = members.word("slots", parse_slots, R"("none", "sparse" or "contiguous")",
                                Need::kRequired, Slots::kNone);
  declared.reads =
      members.word("reads", parse_reads, R"("latest" or "feed")", Need::kRequired, Reads::kLatest);
  declared.level = members.word("level", parse_level, R"("fifo", "causal" or "total")",
                                Need::kRequired, Level::kCausal);
  // What is not declared is not asserted: the weakest reading of each.
  declared.scope =
      members.word("scope", parse_scope, R"("topic" or "all")", Need::kOptional, Scope::kTopic);
  declared.retries = members.word("retries", parse_retries, R"("none" or "at-least-once")",
                                  Need::kOptional, Retries::kUndeclared);
  declared.claims = members.guarantees("claims");
  declared.level = raised(declared.level, declared.claims);
  declared.offers = members.guarantees("offers");
  if (members.refusal()) return *members.refusal();
  backend.extras =
      members_besides(*fields, {"slots", "reads", "level", "scope", "claims", "offers", "retries"});
  return backend;
}

std::optional<Refusal> wrong_format(JsonFieldReader& reader, const std::vector<JsonField>& fields) {
  const JsonField* const format = find_field(fields, "format");
  if (reader.string(format->text) != kHistoryFormat) {
    return must_be("format", fmt::format("\"{}\"", kHistoryFormat), format->text);
  }
  const JsonField* const version = find_field(fields, "version");
  if (version == nullptr)
    return Refusal::because("\"version\" is missing: this program reads version 1");
  if (reader.whole_number(version->text) != kHistoryVersion) {
    return must_be("version", fmt::format("{}, the only one this program reads", kHistoryVersion),
                   version->text);
  }
  return std::nullopt;
}

void append_list(std::string& out, const std::vector<std::string>& names) {
  out.push_back('[');
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) out.push_back(',');
    append_json_string(out, names[i]);
  }
  out.push_back(']');
}

void append_guarantees(std::string& out, std::string_view key, const GuaranteeSet& set) {
  std::vector<std::string> names;
  for (const Guarantee id : all_guarantees()) {
    if (set.contains(id)) names.emplace_back(to_string(id));
  }
  out += fmt::format(",\"{}\":", key);
  append_list(out, names);
}

void append_backend(std::string& out, const HistoryFile& file) {
  const Declaration& declared = file.history.declared;
  out += fmt::format(R"(,"backend":{{"slots":"{}","reads":"{}","level":"{}","scope":"{}")",
                     to_string(declared.slots), to_string(declared.reads),
                     to_string(declared.level), to_string(declared.scope));
  append_guarantees(out, "claims", declared.claims);
  if (!declared.offers.empty()) append_guarantees(out, "offers", declared.offers);
  if (declared.retries != Retries::kUndeclared) {
    out += fmt::format(R"(,"retries":"{}")", to_string(declared.retries));
  }
  if (!file.header.backend_extras.empty()) out += "," + file.header.backend_extras;
  out.push_back('}');
}

void append_name(std::string& out, std::string_view key, const std::string& name) {
  if (name.empty()) return;
  out += fmt::format(",\"{}\":", key);
  append_json_string(out, name);
}

}  // namespace

Attempt<ParsedHeader> parse_header(JsonFieldReader& reader, const std::vector<JsonField>& fields) {
  if (const std::optional<Refusal> wrong = wrong_format(reader, fields)) return *wrong;
  Members members(reader, fields, "");
  ParsedHeader parsed;
  HistoryHeader& header = parsed.header;
  parsed.clients = members.names("clients");
  if (std::find(parsed.clients.begin(), parsed.clients.end(), kDrainName) != parsed.clients.end()) {
    return Refusal::because("\"clients\" must not list \"_drain\", which is no client");
  }
  const auto backend_text = members.text("backend",
                                         "what the backend declares, an object with "
                                         "slots, reads and level",
                                         Members::Need::kRequired);
  header.seed = members.number("seed");
  header.plan_hash = members.name("plan_hash");
  if (const auto payloads = members.text("payloads", "\"checked\"")) {
    parsed.payloads_checked = reader.string(*payloads) == "checked";
    if (!parsed.payloads_checked) {
      members.refuse("payloads", "\"checked\", or left out when they are not", *payloads);
    }
  }
  header.faults = members.names("faults");
  header.run = members.name("run");
  header.config = members.text("config", "anything").value_or("");
  if (members.refusal()) return *members.refusal();

  const auto backend = parse_backend(reader, *backend_text);
  if (!backend) return backend.error();
  parsed.declared = backend->declared;
  header.backend_extras = backend->extras;
  header.extras = members_besides(fields, {"format", "version", "clients", "backend", "seed",
                                           "plan_hash", "payloads", "faults", "run", "config"});
  return parsed;
}

std::string header_line(const HistoryFile& file) {
  const HistoryHeader& header = file.header;
  std::string line =
      fmt::format(R"({{"format":"{}","version":{},"clients":)", kHistoryFormat, kHistoryVersion);
  append_list(line, file.history.clients);
  append_backend(line, file);
  if (header.seed) line += fmt::format(",\"seed\":{}", *header.seed);
  append_name(line, "plan_hash", header.plan_hash);
  if (file.history.payloads_checked) line += R"(,"payloads":"checked")";
  if (!header.faults.empty()) {
    line += ",\"faults\":";
    append_list(line, header.faults);
  }
  append_name(line, "run", header.run);
  if (!header.config.empty()) line += ",\"config\":" + header.config;
  if (!header.extras.empty()) line += "," + header.extras;
  line.push_back('}');
  return line;
}

}  // namespace causalcheck
