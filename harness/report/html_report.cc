#include "harness/report/html_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>

#include "checker/explain.h"
#include "checker/holdback.h"
#include "checker/timeline.h"
#include "harness/hold_events.h"
#include "harness/plan_file.h"
#include "harness/report/conflict.h"
#include "harness/report/conflict_svg.h"
#include "harness/report/conflict_text.h"
#include "harness/report/markup.h"
#include "harness/report/page_assets.h"
#include "harness/report/window.h"
#include "harness/words.h"

namespace causalcheck {
namespace {

constexpr std::size_t kNeighbours = 10;  // rows either side of one of the conflict
constexpr std::size_t kRowsWithoutConflict = 40;
constexpr std::size_t kLinesMax = 200;  // of lists at the end

std::string_view heading_of(const Violation& v) {
  if (v.contradiction) return "No order of these events is possible";
  if (v.broken) return "Impossible only in the order this run recorded";
  return "Refuted by what the backend answered";
}

std::string clause_words(const Clause& clause, const History& history) {
  return to_string(clause.before, history) + " < " + to_string(clause.after, history);
}

std::string plural(std::size_t count, std::string_view one) {
  return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

/// Verdict and sentence of one run as HTML.
class Page {
 public:
  explicit Page(const HtmlReport& report)
      : report_(report),
        file_(*report.runs.front().file),
        judged_(*report.runs.front().report),
        shown_(with_short_names(file_.history)),
        timeline_(timeline_of(shown_)),
        groups_(violation_groups(judged_)) {}

  std::string write() {
    out_ = page_head(report_.title);
    add(out_, "<a class=\"skip\" href=\"#run\">Skip to the run</a>\n<main id=\"report\">\n");
    head();
    for (std::size_t i = 0; i < groups_.size(); ++i) conflict(i);
    guarantees();
    out_ += "<section id=\"run\" aria-label=\"The run\"></section>\n";
    events();
    lists();
    again();
    out_ += "</main>\n<script type=\"application/json\" id=\"data\">";
    out_ += json_for_script(data_block(report_.runs, report_.grounding));
    out_ += "</script>\n" + page_script_element() + "</body>\n</html>\n";
    return std::move(out_);
  }

 private:
  void head() {
    const bool breaks = judged_.verdict == Verdict::kBreaks;
    const bool unknown = judged_.verdict == Verdict::kUnknown;
    out_ += verdict_heading(judged_.verdict);
    if (!judged_.why.empty()) add(out_, "<p class=\"why\">{}</p>\n", markup(judged_.why));
    if (breaks) {
      add(out_, "<p class=\"sentence\">{}.</p>\n",
          markup(sentence(*groups_.front().violation, shown_)));
    } else if (!unknown) {
      out_ +=
          "<p class=\"sentence\">This run, in this order, shows nothing that a backend may not "
          "do.</p>\n";
    }
    add(out_, "<p class=\"facts\">{}</p>\n</header>\n", markup(facts()));
  }

  /// "memory backend, topic chat, 3 clients, 5 events (shrunk from 214), seed 7, ..."
  std::string facts() const {
    std::string text;
    const auto also = [&text](std::string_view fact) {
      if (!text.empty()) text += " \u00b7 ";
      text += fact;
    };
    std::optional<Plan> plan;
    if (!file_.header.config.empty()) {
      if (const Attempt<LoadedPlan> loaded = plan_of_config(file_.header.config))
        plan = loaded->plan;
    }
    if (plan && !plan->backend.empty()) also(plan->backend);
    if (shown_.topics.size() == 1) {
      also("topic " + shown_.topics.front());
    } else {
      also(plural(shown_.topics.size(), "topic"));
    }
    also(plural(shown_.clients.size(), "client"));
    std::string events = plural(timeline_.events.size(), "event");
    for (std::size_t i = 1; i < report_.runs.size(); ++i) {
      const History& other = report_.runs[i].file->history;
      events +=
          fmt::format(" ({} from {})", report_.runs.front().name, timeline_of(other).events.size());
    }
    also(events);
    if (timeline_.events.size() > kPageEventsMax) {
      also(
          "too many for a page: it holds the conflict, its past and what is around it; the history "
          "file has all");
    }
    if (judged_.counts.info > 0) also(plural(judged_.counts.info, "unknown outcome"));
    if (!file_.history.faults.empty()) also(plural(file_.history.faults.size(), "fault"));
    const Declaration& d = file_.history.declared;
    also(fmt::format("judged: {}, {} reads, {}", to_string(d.level), to_string(d.reads),
                     d.scope == Scope::kAll ? "order across topics" : "order inside a topic"));
    if (file_.header.seed) also(fmt::format("seed {}", *file_.header.seed));
    if (plan) also(fmt::format("{} scheduling", to_string(plan->strategy.kind)));
    return text;
  }

  void conflict(std::size_t index) {
    const ViolationGroup& group = groups_[index];
    const Violation& v = *group.violation;
    const std::string words = sentence(v, shown_);
    const Conflict picture = conflict_of(v, shown_, timeline_);
    const bool first = index == 0;
    add(out_, "<{} class=\"conflict\" id=\"v{}\">\n", first ? "section" : "details", index + 1);
    if (first) {
      add(out_, "<h2>{}</h2>\n<p class=\"breaks\">Breaks {}.</p>\n", heading_of(v),
          listed(group.guarantees));
    } else {
      add(out_, "<summary><strong>{}</strong>: {}</summary>\n", listed(group.guarantees),
          markup(words));
    }
    if (v.broken || !v.chain.empty()) clauses(picture, index);
    add(out_, "<figure>\n{}</figure>\n",
        conflict_svg(picture, shown_, SvgUse::kInline, fmt::format("c{}", index + 1),
                     fmt::format("{} breaks", listed(group.guarantees)), words + "."));
    out_ += "<details class=\"operations\"><summary>The operations involved</summary>\n<ul>\n";
    for (const ConflictRow& row : picture.rows) {
      add(out_, "<li><code>{}</code></li>\n",
          markup(describe(shown_.operations[row.operation], shown_)));
    }
    add(out_,
        "</ul>\n<p class=\"class\">{}. Fingerprint <code>{}</code>: equal for every failure of "
        "this "
        "kind.</p></details>\n",
        markup(class_of(v)), fingerprint(v));
    add(out_, "</{}>\n", first ? "section" : "details");
  }

  void clauses(const Conflict& picture, std::size_t index) {
    out_ += "<ol class=\"clauses\">\n";
    for (const ConflictEdge& edge : picture.edges) {
      const bool yet = edge.broken && picture.edges.size() > 1;
      add(out_,
          "<li id=\"v{}-{}\" class=\"{}\">{}<code>{}</code> because {} <span "
          "class=\"soft\">({}{})</span>{}</li>\n",
          index + 1, edge.number, edge.broken ? "broken" : "chain", yet ? "yet " : "",
          markup(clause_words(edge.clause, shown_)), markup(because(edge.clause, shown_)),
          to_string(edge.clause.why), event_of(edge, picture),
          edge.broken ? " <strong>FALSE</strong>" : "");
    }
    out_ += "</ol>\n";
  }

  /// ", event 6": where the clause was learned.
  static std::string event_of(const ConflictEdge& edge, const Conflict& picture) {
    if (edge.learned_at == kNoRow) return {};
    return fmt::format(", event {}", picture.rows[edge.learned_at].number);
  }

  void guarantees() {
    out_ +=
        "<details class=\"guarantees\"><summary>What was judged</summary>\n<table>\n<thead><tr><th "
        "scope=\"col\">guarantee</th><th scope=\"col\">verdict</th><th "
        "scope=\"col\">how</th></tr></thead>\n<tbody>\n";
    for (const Guarantee id : all_guarantees()) {
      const Judgement& j = judged_[id];
      std::string how = j.why;
      if (j.answer == Answer::kBreaks) {
        how = fmt::format("{} of {} times judged", j.broken, j.judged);
      } else if (j.answer == Answer::kHolds) {
        how = j.judged == 0 ? std::string("nothing in this run could have broken it")
                            : fmt::format("judged {} times", j.judged);
      }
      add(out_, "<tr class=\"{}\"><th scope=\"row\">{}</th><td>{}</td><td>{}</td></tr>\n",
          j.answer == Answer::kBreaks ? "broken" : "", to_string(id), to_string(j.answer),
          markup(how));
    }
    out_ += "</tbody>\n</table>\n</details>\n";
  }

  /// The events around the conflict, for paper and for readers without scripts.
  void events() {
    const History& history = shown_;
    std::vector<OperationIndex> order(history.operations.size());
    for (OperationIndex i = 0; i < order.size(); ++i) order[i] = i;
    const auto number = [&](OperationIndex i) {
      const Operation& o = history.operations[i];
      return o.is_write() && !o.is_drain() ? o.start : (o.end == kNever ? o.start : o.end);
    };
    std::stable_sort(order.begin(), order.end(),
                     [&](OperationIndex a, OperationIndex b) { return number(a) < number(b); });
    std::set<OperationIndex> involved;
    for (const ViolationGroup& group : groups_) {
      for (const ConflictRow& row : conflict_of(*group.violation, history, timeline_).rows) {
        involved.insert(row.operation);
      }
    }
    std::vector<bool> keep(order.size(), false);
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (involved.empty() && i < kRowsWithoutConflict) keep[i] = true;
      if (!involved.contains(order[i])) continue;
      const std::size_t from = i < kNeighbours ? 0 : i - kNeighbours;
      for (std::size_t k = from; k < std::min(order.size(), i + kNeighbours + 1); ++k) {
        keep[k] = true;
      }
    }
    add(out_,
        "<section class=\"static events\">\n<h2>{}</h2>\n<table>\n<thead><tr><th "
        "scope=\"col\">number</th><th scope=\"col\">event</th><th scope=\"col\">what "
        "happened</th></tr></thead>\n<tbody>\n",
        involved.empty() ? "How the run began" : "The events around the conflict");
    std::size_t left_out = 0;
    const auto gap = [&] {
      if (left_out > 0) {
        add(out_, "<tr class=\"gap\"><td colspan=\"3\">{} left out</td></tr>\n",
            plural(left_out, "operation"));
      }
      left_out = 0;
    };
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (!keep[i]) {
        ++left_out;
        continue;
      }
      gap();
      const std::uint32_t event = timeline_.event_of[order[i]];
      add(out_, "<tr class=\"{}\"><td>{}</td><td>{}</td><td>{}</td></tr>\n",
          involved.contains(order[i]) ? "involved" : "", number(order[i]),
          event == kNoEvent ? std::string()
                            : markup(to_string(timeline_.events[event].at, history)),
          markup(describe(history.operations[order[i]], history)));
    }
    gap();
    out_ += "</tbody>\n</table>\n</section>\n";
  }

  void list(std::string_view title, const std::vector<std::string>& lines) {
    if (lines.empty()) return;
    add(out_, "<section class=\"static\">\n<h2>{}</h2>\n<ul>\n", title);
    for (std::size_t i = 0; i < std::min(lines.size(), kLinesMax); ++i) {
      add(out_, "<li>{}</li>\n", markup(lines[i]));
    }
    if (lines.size() > kLinesMax) add(out_, "<li>and {} more</li>\n", lines.size() - kLinesMax);
    out_ += "</ul>\n</section>\n";
  }

  void lists() {
    std::vector<std::string> waits;
    for (const CausalWait& wait : causal_waits(shown_)) {
      waits.push_back(shown_.clients[wait.reader] + ": " + to_string(wait, shown_));
    }
    list("What a causal receiver would have held back", waits);
    list("What the backend held back", lines_of(explain_holds(file_.other_lines, file_.history)));
    std::vector<std::string> faults;
    for (const FaultWindow& fault : shown_.faults) {
      faults.push_back(fmt::format(
          "{}{}{}, from {} {}", fault.kind, fault.target.empty() ? "" : " of ", fault.target,
          fault.start,
          fault.end == kNever ? std::string("to the end") : fmt::format("to {}", fault.end)));
    }
    list("Faults", faults);
  }

  void again() {
    if (report_.commands.empty()) return;
    out_ += "<section class=\"again\">\n<h2>Again</h2>\n";
    for (const std::string& command : report_.commands) {
      add(out_, "<pre><code>{}</code></pre>\n", markup(command));
    }
    out_ += "</section>\n";
  }

  const HtmlReport& report_;
  const HistoryFile& file_;
  const Report& judged_;
  const History shown_;
  const Timeline timeline_;
  const std::vector<ViolationGroup> groups_;
  std::string out_{};
};

std::string joined(const PageAsset& asset) {
  std::string whole;
  for (const std::string_view piece : asset.pieces) whole += piece;
  return whole;
}

/// What both pictures of a report show.
struct MainConflict {
  History shown{};
  ViolationGroup group{};
  Conflict conflict{};
};
std::optional<MainConflict> main_conflict(const Report& report, const History& history) {
  const std::vector<ViolationGroup> groups = violation_groups(report);
  if (groups.empty()) return std::nullopt;
  MainConflict main{with_short_names(history), groups.front(), {}};
  main.conflict = conflict_of(*main.group.violation, main.shown, timeline_of(main.shown));
  return main;
}

}  // namespace

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (end > 0) lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(text.size(), end + 1));
  }
  return lines;
}

std::string page_head(std::string_view title, std::string_view policy) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src '{}'; "
      "style-src '{}'; base-uri 'none'; form-action 'none'{}\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n"
      "<title>{} - CausalCheck</title>\n<style>{}</style>\n</head>\n<body>\n",
      page_script().hash, page_style().hash, policy, markup(title), joined(page_style()));
}

std::string verdict_heading(Verdict verdict) {
  const bool breaks = verdict == Verdict::kBreaks;
  const bool unknown = verdict == Verdict::kUnknown;
  return fmt::format(
      "<header class=\"verdict {}\">\n<h1><span class=\"mark\" aria-hidden=\"true\">{}</span> "
      "{}</h1>\n",
      to_string(verdict),
      breaks    ? "\u2717"
      : unknown ? "?"
                : "\u2713",
      breaks    ? "Violated"
      : unknown ? "Unknown"
                : "Holds");
}

std::string page_script_element() { return "<script>" + joined(page_script()) + "</script>\n"; }

std::string html_report(const HtmlReport& report) { return Page(report).write(); }

std::string conflict_svg_file(const Report& report, const History& history) {
  const std::optional<MainConflict> main = main_conflict(report, history);
  if (!main) return {};
  return conflict_svg(main->conflict, main->shown, SvgUse::kFile, "conflict",
                      listed(main->group.guarantees) + " breaks",
                      sentence(*main->group.violation, main->shown) + ".");
}

std::string conflict_text_of(const Report& report, const History& history) {
  const std::optional<MainConflict> main = main_conflict(report, history);
  return main ? conflict_text(main->conflict, main->shown) : std::string();
}

}  // namespace causalcheck
