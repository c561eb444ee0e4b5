#include "harness/backend_url.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

namespace causalcheck {
namespace {

Error rejected(std::string text) { return Error(ErrorCode::kRejected, std::move(text)); }

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_word(char c) {
  return is_lower(c) || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

// A setting's name: letters, digits, _ and -, a letter first.
bool is_key(std::string_view text) {
  return !text.empty() && (is_lower(text[0]) || (text[0] >= 'A' && text[0] <= 'Z')) &&
         std::all_of(text.begin(), text.end(), is_word);
}

bool is_name(std::string_view text) {
  return !text.empty() && is_lower(text[0]) && std::all_of(text.begin(), text.end(), [](char c) {
    return is_word(c) && (c < 'A' || c > 'Z');
  });
}

// Whether `text`, which followed a '?', begins with "key=".
bool begins_settings(std::string_view text) {
  const std::size_t equals = text.find('=');
  return equals != std::string_view::npos && is_key(text.substr(0, equals));
}

// The place of the '?' that begins the settings of `rest`, from the right; npos when there is none.
std::size_t settings_mark(std::string_view rest) {
  std::size_t at = rest.rfind('?');
  while (at != std::string_view::npos && !begins_settings(rest.substr(at + 1))) {
    at = at == 0 ? std::string_view::npos : rest.rfind('?', at - 1);
  }
  return at;
}

// Adds "a=b&c=d" to `url`. Answers the problem, if there is one.
std::optional<Error> add_settings(std::string_view text, std::string_view whole, BackendUrl& url) {
  while (true) {
    const std::size_t end = text.find('&');
    const std::string_view pair = text.substr(0, end);
    const std::size_t equals = pair.find('=');
    if (equals == std::string_view::npos || !is_key(pair.substr(0, equals))) {
      return rejected(
          fmt::format("'{}': '{}' is no setting; write settings as ?a=b&c=d", whole, pair));
    }
    const std::string_view key = pair.substr(0, equals);
    if (!url.settings.emplace(key, pair.substr(equals + 1)).second) {
      return rejected(
          fmt::format("'{}': the setting '{}' is there twice; give it once", whole, key));
    }
    if (end == std::string_view::npos) return std::nullopt;
    text.remove_prefix(end + 1);
  }
}

}  // namespace

Result<BackendUrl> parse_backend_url(std::string_view text) {
  BackendUrl url;
  const std::size_t name_end = std::min(text.find_first_of(":?"), text.size());
  const std::string_view name = text.substr(0, name_end);
  if (!is_name(name)) {
    return rejected(
        fmt::format("'{}' does not begin with the name of a backend; write a name such as memory, "
                    "or a name and an "
                    "address such as fs:DIR",
                    text));
  }
  url.name = name;
  const bool has_address = name_end < text.size() && text[name_end] == ':';
  std::string_view rest = text.substr(name_end + (has_address ? 1U : 0U));
  if (url.name == "exec" && has_address) {
    url.address = rest;
    return url;
  }
  const std::size_t mark = settings_mark(rest);
  if (mark != std::string_view::npos) {
    if (auto problem = add_settings(rest.substr(mark + 1), text, url)) return *std::move(problem);
    rest = rest.substr(0, mark);
  } else if (const std::size_t last = rest.rfind('?'); last != std::string_view::npos) {
    // "?feed" is far more often a setting without its value than the end of a file's name.
    const std::string_view tail = rest.substr(last + 1);
    if (!has_address || (tail.find('/') == std::string_view::npos && !tail.empty())) {
      return rejected(fmt::format(
          "'{0}': '{1}' after the ? is no setting; write settings as ?a=b&c=d{2}", text, tail,
          has_address ? " (where '?" + std::string(tail) +
                            "' belongs to the address, add a setting after it)"
                      : std::string()));
    }
  }
  if (rest.substr(0, 2) == "//") rest.remove_prefix(2);
  url.address = rest;
  return url;
}

std::string to_string(const BackendUrl& url) {
  std::string text = url.name;
  if (!url.address.empty()) {
    // Parsing takes one leading // away, but not from a command.
    text += url.name != "exec" && url.address.substr(0, 2) == "//" ? "://" : ":";
    text += url.address;
  }
  char mark = '?';
  for (const auto& [key, value] : url.settings) {
    text += mark + key + "=" + value;
    mark = '&';
  }
  return text;
}

const std::string* SettingsReader::find(std::string_view key) {
  known_.emplace_back(key);
  const auto found = url_.settings.find(std::string(key));
  return found == url_.settings.end() ? nullptr : &found->second;
}

std::size_t SettingsReader::choice(std::string_view key,
                                   const std::vector<std::string_view>& allowed) {
  const std::string* value = find(key);
  if (value == nullptr) return 0;
  const auto found = std::find(allowed.begin(), allowed.end(), *value);
  if (found != allowed.end()) return static_cast<std::size_t>(found - allowed.begin());
  problems_.push_back(fmt::format("{}={} is not possible; {} is one of {}", key, *value, key,
                                  fmt::join(allowed, ", ")));
  return 0;
}

Reads SettingsReader::reads() {
  return choice("reads", {to_string(Reads::kLatest), to_string(Reads::kFeed)}) == 0 ? Reads::kLatest
                                                                                    : Reads::kFeed;
}

Execution SettingsReader::execution() {
  return choice("execution", {"deterministic", "threads"}) == 0 ? Execution::kDeterministic
                                                                : Execution::kThreads;
}

std::int64_t SettingsReader::number(std::string_view key, std::int64_t absent, std::int64_t low,
                                    std::int64_t high) {
  const std::string* value = find(key);
  if (value == nullptr) return absent;
  std::int64_t number = 0;
  const char* end = value->data() + value->size();
  const auto [stop, error] = std::from_chars(value->data(), end, number);
  if (error == std::errc() && stop == end && number >= low && number <= high) return number;
  problems_.push_back(fmt::format("{}={} is not possible; {} is a number from {} to {}", key,
                                  *value, key, low, high));
  return absent;
}

NumberRange SettingsReader::range(std::string_view key, NumberRange absent, NumberRange allowed) {
  const std::string* value = find(key);
  if (value == nullptr) return absent;
  NumberRange range;
  const char* const end = value->data() + value->size();
  auto [stop, error] = std::from_chars(value->data(), end, range.low);
  range.high = range.low;
  if (error == std::errc() && end - stop > 2 && stop[0] == '.' && stop[1] == '.') {
    const auto [high_stop, high_error] = std::from_chars(stop + 2, end, range.high);
    stop = high_stop;
    error = high_error;
  }
  if (error == std::errc() && stop == end && allowed.low <= range.low && range.low <= range.high &&
      range.high <= allowed.high) {
    return range;
  }
  problems_.push_back(
      fmt::format("{}={} is not possible; {} is LOW..HIGH, or one number, from {} to {}", key,
                  *value, key, allowed.low, allowed.high));
  return absent;
}

void SettingsReader::refuse_address() {
  if (url_.address.empty()) return;
  problems_.push_back(
      fmt::format("it takes no address, and '{}' is one; leave it out", url_.address));
}

Result<void> SettingsReader::finish() const {
  std::vector<std::string> problems = problems_;
  for (const auto& [key, value] : url_.settings) {
    if (std::find(known_.begin(), known_.end(), key) != known_.end()) continue;
    problems.push_back(known_.empty() ? fmt::format("there is no setting '{}'; it has none", key)
                                      : fmt::format("there is no setting '{}'; known: {}", key,
                                                    fmt::join(known_, ", ")));
  }
  if (problems.empty()) return {};
  return rejected(fmt::format("{}: {}", url_.name, fmt::join(problems, "; ")));
}

}  // namespace causalcheck
