#include <simdjson.h>

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "harness/json_strict.h"
#include "harness/json_text.h"
#include "harness/shiviz.h"
#include "harness/shiviz_expression.h"

namespace causalcheck {
namespace {

/// Blanks and line ends only.
bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n\f\v") == std::string_view::npos;
}

/// A position in the text turned into the number of its line; cheap for positions that grow.
class LineCounter {
 public:
  explicit LineCounter(std::string_view text) : text_(text) {}
  std::uint64_t line_of(std::size_t position) {
    if (position < at_) {
      at_ = 0;
      line_ = 1;
    }
    const std::string_view between = text_.substr(at_, position - at_);
    line_ += static_cast<std::uint64_t>(std::count(between.begin(), between.end(), '\n'));
    at_ = position;
    return line_;
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
  std::uint64_t line_ = 1;
};

Refusal at_line(std::uint64_t line, const std::string& why) {
  return Refusal::because("line " + std::to_string(line) + ": " + why);
}

/// Where the parser's expression has what an event is made of.
struct Groups {
  std::size_t host = 0;
  std::size_t clock = 0;
  std::size_t event = 0;
  std::optional<std::size_t> send{};
  std::optional<std::size_t> receive{};
  std::optional<std::size_t> resource{};
  [[nodiscard]] bool has_marks() const { return send || receive || resource; }
};

Attempt<Groups> groups_of(const ShivizExpression& parser) {
  Groups groups;
  for (const auto& [name, place] : {std::pair<const char*, std::size_t*>{"host", &groups.host},
                                    {"clock", &groups.clock},
                                    {"event", &groups.event}}) {
    const auto found = parser.find(name);
    if (!found) {
      return Refusal::because("the parser's expression has no group (?<" + std::string(name) +
                              ">...); it needs host, clock and event");
    }
    *place = *found;
  }
  groups.send = parser.find("send");
  groups.receive = parser.find("receive");
  groups.resource = parser.find("resource");
  return groups;
}

/// Names and their indices.
class Names {
 public:
  explicit Names(std::vector<std::string>& table) : table_(table) {}
  std::uint32_t id(std::string_view name) {
    const auto [place, fresh] =
        ids_.try_emplace(std::string(name), static_cast<std::uint32_t>(table_.size()));
    if (fresh) table_.emplace_back(name);
    return place->second;
  }

 private:
  std::vector<std::string>& table_;
  std::unordered_map<std::string, std::uint32_t> ids_{};
};

/// Reads one execution: the text between two separators.
class ExecutionReader {
 public:
  ExecutionReader(const ShivizExpression& parser, const Groups& groups,
                  const ShivizOptions& options, ShivizLog& result)
      : parser_(parser), groups_(groups), options_(options), result_(result) {}

  /// `text` is all of it; the execution lies in [begin, end).
  Attempt<StampedLog> read(std::string_view text, std::size_t begin, std::size_t end,
                           LineCounter& lines) {
    const std::string_view part = text.substr(0, end);
    std::size_t done = begin;  // up to here lines are accounted for
    std::size_t from = begin;
    while (true) {
      auto match = parser_.next(part, from);
      if (!match) return at_line(lines.line_of(from), match.error().text);
      if (!*match) break;
      const ShivizExpression::Match& found = **match;
      const auto start = static_cast<std::size_t>(found.whole.data() - part.data());
      const std::size_t first = part.rfind('\n', start == 0 ? 0 : start - 1);
      const std::size_t line_begin = start == 0 || first == part.npos ? 0 : first + 1;
      // An expression may take up in the middle of a line.
      if (line_begin > done) {
        if (auto other = other_lines(part, done, line_begin, lines); !other) return other.error();
      }
      const std::size_t stop = start + found.whole.size();
      // One that matches nothing at this place would match it for ever.
      if (stop == start) return at_line(lines.line_of(start), "the parser matches nothing here");
      if (auto added = add(found, lines.line_of(start)); !added) return added.error();
      from = stop;
      const std::size_t line_end = part.find('\n', stop - 1);
      done = line_end == part.npos ? part.size() : line_end + 1;
    }
    if (done < part.size()) {
      if (auto other = other_lines(part, done, part.size(), lines); !other) return other.error();
    }
    if (log_.events().empty()) {
      return at_line(
          lines.line_of(begin),
          "the parser's expression matches nothing from here to the end of the execution");
    }
    if (auto known = only_known_hosts(); !known) return known.error();
    return std::move(log_);
  }

 private:
  /// What to do with the lines of [begin, end), none of which is touched by a match.
  Attempt<void> other_lines(std::string_view text, std::size_t begin, std::size_t end,
                            LineCounter& lines) {
    while (begin < end) {
      const std::size_t stop = std::min(text.find('\n', begin), end);
      const std::string_view line = text.substr(begin, stop - begin);
      if (!is_blank(line)) {
        const std::uint64_t number = lines.line_of(begin);
        if (options_.other_lines == OtherLines::kRefuse) {
          return at_line(number, "the parser's expression does not match " + shown(line) +
                                     "; --skip-other-lines leaves such lines out");
        }
        if (result_.lines_skipped++ == 0) result_.first_skipped = number;
      }
      begin = stop + 1;
    }
    return {};
  }

  Attempt<void> add(const ShivizExpression::Match& match, std::uint64_t line) {
    const std::string_view host = match.groups[groups_.host];
    const std::string_view clock = match.groups[groups_.clock];
    if (host.empty()) return at_line(line, "the host has no name");
    auto entries = entries_of(clock, line);
    if (!entries) return entries.error();
    StampedEvent event;
    event.process = hosts_.id(host);
    event.line = line;
    if (auto enough = not_too_many(line); !enough) return enough.error();
    const bool in_clock = std::any_of(entries->begin(), entries->end(), [&](const ClockEntry& e) {
      return e.process == event.process;
    });
    if (!in_clock) {
      return at_line(line, "the clock " + shown(clock) + " has no entry above 0 for its own host " +
                               causalcheck::quoted(host));
    }
    if (event.process >= has_events_.size()) has_events_.resize(std::size_t{event.process} + 1);
    has_events_[event.process] = true;
    if (auto marked = mark(event, match, line); !marked) return marked.error();
    log_.add(event, *entries, match.groups[groups_.event]);
    return {};
  }

  Attempt<void> not_too_many(std::uint64_t line) const {
    if (log_.processes.size() <= options_.hosts_max) return {};
    return at_line(line, "more than " + std::to_string(options_.hosts_max) + " hosts");
  }

  Attempt<std::vector<ClockEntry>> entries_of(std::string_view clock, std::uint64_t line) {
    const auto refused = [&](const std::string& why) {
      return at_line(line, "the clock " + shown(clock) + " " + why);
    };
    simdjson::ondemand::document document;
    simdjson::ondemand::object object;
    if (auto error = json_.iterate(padded(clock)).get(document)) {
      return refused(not_json(error, clock));
    }
    if (auto error = document.get_object().get(object)) return refused(not_json(error, clock));
    std::vector<ClockEntry> entries;
    for (auto member : object) {
      std::string_view host;
      if (auto error = member.unescaped_key().get(host)) return refused(not_json(error, clock));
      std::uint64_t tick = 0;
      if (member.value().get_uint64().get(tick) != simdjson::SUCCESS || tick > kTickMax) {
        return refused("must have a whole number from 0 to 2^62 for " + causalcheck::quoted(host));
      }
      const ProcessId process = hosts_.id(host);
      if (auto enough = not_too_many(line); !enough) return enough.error();
      // The first line that names a host is the one to show if it turns out to be misspelt.
      if (process >= first_named_.size()) first_named_.resize(std::size_t{process} + 1, 0);
      if (first_named_[process] == 0 && tick > 0) first_named_[process] = line;
      entries.push_back({process, tick});
    }
    if (!is_at_end(document)) return refused("has something behind its closing brace");
    std::sort(entries.begin(), entries.end(),
              [](const ClockEntry& a, const ClockEntry& b) { return a.process < b.process; });
    const auto twice = std::adjacent_find(
        entries.begin(), entries.end(),
        [](const ClockEntry& a, const ClockEntry& b) { return a.process == b.process; });
    if (twice != entries.end()) {
      return refused("names " + causalcheck::quoted(log_.processes[twice->process]) + " twice");
    }
    std::erase_if(entries, [](const ClockEntry& entry) { return entry.tick == 0; });
    return entries;
  }

  /// Fills in what the event sends, receives and writes: by groups if the expression has any of
  /// those, else by words of the event's text.
  Attempt<void> mark(StampedEvent& event, const ShivizExpression::Match& match,
                     std::uint64_t line) {
    if (groups_.has_marks()) {
      const auto named = [&](const std::optional<std::size_t>& group) {
        if (!group || match.groups[*group].empty()) return kNoName;
        return names_.id(match.groups[*group]);
      };
      event.sends = named(groups_.send);
      event.receives = named(groups_.receive);
      event.writes = named(groups_.resource);
      return {};
    }
    const std::string_view text = match.groups[groups_.event];
    for (std::size_t at = text.find('#'); at != text.npos; at = text.find('#', at + 1)) {
      if (at > 0 && text[at - 1] != ' ' && text[at - 1] != '\t') continue;
      const std::size_t stop = std::min(text.find_first_of(" \t\r\n", at), text.size());
      const std::string_view word = text.substr(at + 1, stop - at - 1);
      const std::size_t equals = word.find('=');
      if (equals == word.npos) continue;
      const std::string_view kind = word.substr(0, equals);
      const std::string_view name = word.substr(equals + 1);
      NameId* place = nullptr;
      if (kind == "send") place = &event.sends;
      if (kind == "receive") place = &event.receives;
      if (kind == "write") place = &event.writes;
      if (place == nullptr) continue;
      if (name.empty()) return at_line(line, "#" + std::string(word) + " names nothing");
      if (*place != kNoName) {
        return at_line(line, "two words #" + std::string(kind) + "=: an event has one at most");
      }
      *place = names_.id(name);
    }
    return {};
  }

  /// A host of which there is no event is misspelt more often than not, and then every event that
  /// knows it would be out of every cut.
  Attempt<void> only_known_hosts() const {
    for (ProcessId p = 0; p < log_.processes.size(); ++p) {
      if (p < has_events_.size() && has_events_[p]) continue;
      if (p >= first_named_.size() || first_named_[p] == 0) continue;  // only ever 0
      std::string known;
      for (ProcessId q = 0; q < log_.processes.size(); ++q) {
        if (q >= has_events_.size() || !has_events_[q]) continue;
        if (!known.empty()) known += ", ";
        if (known.size() > 200) {
          known += "...";
          break;
        }
        known += causalcheck::quoted(log_.processes[q]);
      }
      return at_line(first_named_[p], "the clock names " + causalcheck::quoted(log_.processes[p]) +
                                          ", a host without any event in this execution; it has " +
                                          known);
    }
    return {};
  }

  const ShivizExpression& parser_;
  const Groups& groups_;
  const ShivizOptions& options_;
  ShivizLog& result_;
  simdjson::ondemand::parser json_{};
  StampedLog log_{};
  Names hosts_{log_.processes};
  Names names_{log_.names};
  std::vector<bool> has_events_{};
  std::vector<std::uint64_t> first_named_{};  // per host: the first line whose clock has it above 0
};

/// The expressions to read with, and where the log begins behind those in the file.
struct Format {
  std::string parser{};
  std::string separator{};
  std::size_t begin = 0;
};

Format format_of(std::string_view text, const ShivizOptions& options) {
  Format format{options.parser, options.separator, 0};
  const std::size_t first_end = std::min(text.find('\n'), text.size());
  const std::string_view first = text.substr(0, first_end);
  const auto has = [&](std::string_view group) { return first.find(group) != first.npos; };
  if (has("(?<host>") && has("(?<clock>") && has("(?<event>")) {
    const std::size_t second_begin = std::min(first_end + 1, text.size());
    const std::size_t second_end = std::min(text.find('\n', second_begin), text.size());
    if (format.parser.empty()) format.parser = first;
    if (format.separator.empty()) {
      format.separator = text.substr(second_begin, second_end - second_begin);
      if (is_blank(format.separator)) format.separator.clear();
    }
    format.begin = std::min(second_end + 1, text.size());
  }
  if (format.parser.empty()) format.parser = kShivizParser;
  return format;
}

/// Line ends as the expressions expect them, and no byte order mark.
std::string normalized(std::string text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n') continue;
    text[kept++] = text[i];
  }
  text.resize(kept);
  text.reserve(kept + simdjson::SIMDJSON_PADDING);
  return text;
}

/// Where an execution lies in the text, and what it is called.
struct Part {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string label{};
};

Attempt<std::vector<Part>> parts_of(std::string_view text, const Format& format) {
  std::vector<Part> parts{{format.begin, text.size(), {}}};
  if (format.separator.empty()) return parts;
  auto separator = ShivizExpression::parse(format.separator);
  if (!separator) return separator.error();
  const auto trace = separator->find("trace");
  std::size_t from = format.begin;
  while (true) {
    const auto match = separator->next(text, from);
    if (!match) return match.error();
    if (!*match) return parts;
    const auto start = static_cast<std::size_t>((*match)->whole.data() - text.data());
    from = start + (*match)->whole.size();
    if (from == start)
      return Refusal::because("the separator's expression matches nothing somewhere");
    parts.back().end = start;
    parts.push_back({from, text.size(), trace ? std::string((*match)->groups[*trace]) : ""});
  }
}

}  // namespace

Attempt<ShivizLog> parse_shiviz(std::string given, const ShivizOptions& options) {
  const std::string text = normalized(std::move(given));
  const Format format = format_of(text, options);
  const auto parser = ShivizExpression::parse(format.parser);
  if (!parser) return parser.error();
  const auto groups = groups_of(*parser);
  if (!groups) return groups.error();
  const auto parts = parts_of(text, format);
  if (!parts) return parts.error();
  ShivizLog result;
  LineCounter lines(text);
  for (const Part& part : *parts) {
    if (is_blank(std::string_view(text).substr(part.begin, part.end - part.begin))) continue;
    auto log =
        ExecutionReader(*parser, *groups, options, result).read(text, part.begin, part.end, lines);
    if (!log) return log.error();
    result.executions.push_back({part.label, *std::move(log)});
  }
  if (result.executions.empty()) return Refusal::because("the log is empty");
  return result;
}

}  // namespace causalcheck
