#include <simdjson.h>

#include <set>

#include "harness/json_text.h"
#include "harness/shiviz.h"

namespace causalcheck {
namespace {

bool is_blank_or_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte <= 0x20 || byte == 0x7F;
}

/// Each name without blanks, control characters and broken UTF-8, and none like another.
std::vector<std::string> words_of(const std::vector<std::string>& names) {
  std::set<std::string> taken;
  std::vector<std::string> words;
  words.reserve(names.size());
  for (const std::string& name : names) {
    const bool is_utf8 = simdjson::validate_utf8(name.data(), name.size());
    std::string word = name.empty() ? "_" : name;
    for (char& c : word) {
      const bool broken = !is_utf8 && static_cast<unsigned char>(c) >= 0x80;
      if (is_blank_or_control(c) || broken) c = '_';
    }
    while (!taken.insert(word).second) word += '_';
    words.push_back(std::move(word));
  }
  return words;
}

/// The text on one line, with its marks.
std::string text_of(const StampedLog& log, StampedIndex index,
                    const std::vector<std::string>& words) {
  std::string text(log.text(index));
  for (char& c : text) {
    if (is_blank_or_control(c)) c = ' ';
  }
  const StampedEvent& event = log.events()[index];
  const auto mark = [&](std::string_view kind, NameId name) {
    // A log that was read by its words has them in its text.
    if (name == kNoName || text.find(kind) != std::string::npos) return;
    if (!text.empty()) text += ' ';
    text += kind;
    text += words[name];
  };
  mark("#send=", event.sends);
  mark("#receive=", event.receives);
  mark("#write=", event.writes);
  return text;
}

}  // namespace

std::string to_shiviz(const StampedLog& log) {
  const std::vector<std::string> hosts = words_of(log.processes);
  const std::vector<std::string> words = words_of(log.names);
  std::vector<std::string> keys;
  keys.reserve(hosts.size());
  for (const std::string& host : hosts) append_json_string(keys.emplace_back(), host);
  std::string out(kShivizParser);
  out += "\n\n";
  for (StampedIndex i = 0; i < log.events().size(); ++i) {
    out += hosts[log.events()[i].process];
    out += " {";
    for (std::uint32_t k = 0; k < log.entry_count(i); ++k) {
      const ClockEntry entry = log.entry_at(i, k);
      if (k > 0) out += ", ";
      out += keys[entry.process];
      out += ": ";
      out += std::to_string(entry.tick);
    }
    out += "}\n";
    out += text_of(log, i, words);
    out += '\n';
  }
  return out;
}

}  // namespace causalcheck
