#include "harness/clock_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "checker/clocks/cuts.h"
#include "checker/clocks/delivery.h"
#include "checker/clocks/history_clocks.h"
#include "checker/clocks/log_check.h"
#include "checker/clocks/races.h"
#include "harness/history_file.h"

namespace causalcheck {
namespace {

/// Lines of an answer. What comes out of a log is shown, never sent to the terminal as it is.
class Page {
 public:
  void line(std::string_view text) {
    for (const char c : text) {
      const auto byte = static_cast<unsigned char>(c);
      if (byte < 0x20 || byte == 0x7F) {
        text_ += fmt::format("\\x{:02x}", byte);
      } else {
        text_ += c;
      }
    }
    text_ += '\n';
  }
  [[nodiscard]] std::string text() && { return std::move(text_); }

 private:
  std::string text_{};
};

std::string counted(std::uint64_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

template <class Finding>
void list(Page& page, const std::vector<Finding>& findings, std::uint64_t found,
          const StampedLog& log) {
  constexpr std::size_t kShown = 20;
  for (std::size_t i = 0; i < std::min(findings.size(), kShown); ++i) {
    page.line("  " + to_string(findings[i], log));
  }
  if (found > kShown) page.line(fmt::format("  and {} more", found - kShown));
}

Verdict check(const StampedLog& log, Page& page) {
  const LogCheck clocks = check_log(log);
  page.line(clocks.found == 0
                ? "clocks            holds"
                : "clocks            breaks (" + counted(clocks.found, "finding") + ")");
  list(page, clocks.findings, clocks.found, log);
  if (clocks.gaps > 0) {
    page.line(
        fmt::format("  note: own entries skip values {}, first in {}: events may be missing, "
                    "and ShiViz does not open such a log",
                    clocks.gaps == 1 ? "once" : fmt::format("{} times", clocks.gaps),
                    place_of(clocks.first_gap, log)));
  }
  Verdict verdict = clocks.found == 0 ? Verdict::kHolds : Verdict::kBreaks;
  if (clocks.clocks_impossible) {
    page.line("causal delivery   unknown: the clocks are impossible");
    return verdict;
  }
  const DeliveryCheck delivery = check_delivery(log);
  if (delivery.receives == 0) {
    page.line("causal delivery   n/a: no receive is marked");
    return verdict;
  }
  page.line(fmt::format("causal delivery   {} ({} of {} judged)",
                        delivery.found > 0    ? "breaks"
                        : delivery.judged > 0 ? "holds"
                                              : "unknown",
                        delivery.judged, counted(delivery.receives, "receive")));
  list(page, delivery.findings, delivery.found, log);
  if (delivery.without_send > 0) {
    page.line("  note: of " + counted(delivery.without_send, "receive") +
              " the log has no send, or several");
  }
  if (delivery.repeats > 0) {
    page.line("  note: " + counted(delivery.repeats, "receive") +
              " of a message that was there already");
  }
  if (delivery.found > 0) verdict = Verdict::kBreaks;
  if (delivery.judged == 0 && verdict == Verdict::kHolds) verdict = Verdict::kUnknown;
  return verdict;
}

std::string cut_text(const Cut& cut, const Cuts& cuts, const StampedLog& log) {
  std::string text;
  for (ProcessId p = 0; p < log.processes.size(); ++p) {
    const StampedIndex last = cuts.last_in(cut, p);
    if (!text.empty()) text += ", ";
    text += fmt::format("{} {}", log.processes[p], cut[p]);
    if (last != kNoStamped && log.events()[last].line != 0)
      text += " (" + place_of(last, log) + ")";
  }
  return text;
}

Verdict cut_from_tails(const StampedLog& log, Page& page) {
  const Cuts cuts(log);
  const Cut tails = cuts.tails();
  page.line("tails                  " + cut_text(tails, cuts, log));
  const LatestCut latest = cuts.latest_consistent(tails);
  if (latest.pulled.empty()) {
    page.line("They are a consistent cut.");
    return Verdict::kHolds;
  }
  for (const PullBack& step : latest.pulled) page.line("  " + to_string(step, log));
  page.line("latest consistent cut  " + cut_text(latest.cut, cuts, log));
  return Verdict::kBreaks;
}

/// The event that "A:3" or, without a colon, the symbol "A3" names.
StampedIndex event_at(std::string_view at, const StampedLog& log) {
  const std::size_t colon = at.rfind(':');
  for (StampedIndex i = 0; i < log.events().size(); ++i) {
    const StampedEvent& event = log.events()[i];
    const std::string& process = log.processes[event.process];
    if (event_symbol(process, static_cast<std::uint32_t>(event.own)) == at) return i;
    if (colon == at.npos || at.substr(0, colon) != process) continue;
    if (at.substr(colon + 1) == std::to_string(event.own)) return i;
  }
  return kNoStamped;
}

Attempt<Verdict> cut_at(std::string_view at, const StampedLog& log, Page& page) {
  const StampedIndex event = event_at(at, log);
  if (event == kNoStamped) {
    return Refusal::because(
        fmt::format("--at {}: no such event; expected a host and its own entry, as in {}:{}", at,
                    log.processes[log.events().front().process], log.events().front().own));
  }
  const Cuts cuts(log);
  const Cut past = cuts.past_of(event);
  const Cut recorded = cuts.recorded_at(event);
  page.line(fmt::format("{}: {}", place_of(event, log), log.text(event)));
  page.line("what it knows          " + cut_text(past, cuts, log));
  page.line("recorded until then    " + cut_text(recorded, cuts, log));
  Verdict verdict = Verdict::kHolds;
  for (const Cut& cut : {past, recorded}) {
    const auto problem = cuts.problem(cut);
    if (!problem) continue;
    page.line("  " + to_string(*problem, log));
    verdict = Verdict::kBreaks;
  }
  page.line(verdict == Verdict::kHolds ? "Both are consistent cuts."
                                       : "That is no consistent cut.");
  return verdict;
}

Verdict races(const StampedLog& log, std::uint64_t window_events, Page& page) {
  RaceOptions options;
  options.window_events = window_events;
  const std::optional<Races> found = find_races(log, options);
  if (!found) {
    page.line("unknown: the clocks know each other in a circle");
    return Verdict::kUnknown;
  }
  if (found->writes == 0) {
    page.line("unknown: no write is marked (docs/clocks.md says how)");
    return Verdict::kUnknown;
  }
  for (const ResourceRaces& resource : found->racing) {
    page.line(fmt::format("{}: {}, {}", log.names[resource.resource],
                          counted(resource.writes, "write"),
                          counted(resource.pairs, "concurrent pair")));
    for (const Race& race : resource.examples) {
      page.line(fmt::format("  {} ({}) and {} ({})", place_of(race.first, log),
                            log.processes[log.events()[race.first].process],
                            place_of(race.second, log),
                            log.processes[log.events()[race.second].process]));
    }
    if (resource.pairs > resource.examples.size()) {
      page.line(fmt::format("  and {} more", resource.pairs - resource.examples.size()));
    }
  }
  page.line(fmt::format(
      "{} to {}, {} in {}", counted(found->writes, "write"), counted(found->resources, "resource"),
      counted(found->pairs, "concurrent pair"), counted(found->racing.size(), "resource")));
  return found->pairs == 0 ? Verdict::kHolds : Verdict::kBreaks;
}

Attempt<Verdict> answer(const StampedLog& log, const ClockRequest& request, Page& page) {
  if (request.question == ClockQuestion::kCheck) return check(log, page);
  // Cuts and races compare clocks: of impossible ones every answer would be made up.
  const LogCheck clocks = check_log(log);
  if (clocks.clocks_impossible) {
    page.line("unknown: the clocks are impossible, --check lists all of it");
    page.line("  " + to_string(clocks.findings.front(), log));
    return Verdict::kUnknown;
  }
  if (request.question == ClockQuestion::kRaces) return races(log, request.window_events, page);
  return request.at.empty() ? cut_from_tails(log, page) : cut_at(request.at, log, page);
}

Verdict worse(Verdict a, Verdict b) {
  if (a == Verdict::kBreaks || b == Verdict::kBreaks) return Verdict::kBreaks;
  return a == Verdict::kUnknown ? a : b;
}

Attempt<ShivizLog> read(std::string file, const ShivizOptions& format) {
  const bool is_history = format.parser.empty() && !file.empty() && file.front() == '{';
  if (!is_history) return parse_shiviz(std::move(file), format);
  const Attempt<HistoryFile> history = parse_history(std::move(file));
  if (!history) return history.error();
  ShivizLog log;
  log.executions.push_back({"", stamped_log_of(history->history)});
  if (log.executions.front().log.events().empty()) {
    return Refusal::because("the history has no publish and no observation");
  }
  return log;
}

}  // namespace

Attempt<ClockAnswer> answer_about_clocks(std::string file, const ClockRequest& request) {
  const Attempt<ShivizLog> log = read(std::move(file), request.format);
  if (!log) return log.error();
  Page page;
  ClockAnswer result;
  result.verdict = Verdict::kHolds;
  for (std::size_t i = 0; i < log->executions.size(); ++i) {
    const ShivizExecution& execution = log->executions[i];
    if (log->executions.size() > 1) {
      page.line(fmt::format("execution {}{}{}", i + 1, execution.label.empty() ? "" : ": ",
                            execution.label));
    }
    const auto active = [&] {
      const auto lists = execution.log.by_process();
      return static_cast<std::uint64_t>(
          std::count_if(lists.begin(), lists.end(), [](const auto& l) { return !l.empty(); }));
    };
    page.line(fmt::format("{} of {}", counted(execution.log.events().size(), "event"),
                          active() == 1 ? "1 process" : fmt::format("{} processes", active())));
    const Attempt<Verdict> verdict = answer(execution.log, request, page);
    if (!verdict) return verdict.error();
    result.verdict = worse(result.verdict, *verdict);
  }
  if (log->lines_skipped > 0) {
    page.line(fmt::format("{} left out, first line {}", counted(log->lines_skipped, "line"),
                          log->first_skipped));
  }
  page.line(to_string(result.verdict));
  result.text = std::move(page).text();
  return result;
}

}  // namespace causalcheck
