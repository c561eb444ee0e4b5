#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "checker/verdict.h"
#include "harness/report/data_block.h"

namespace causalcheck {

/// What a report.html is made of.
struct HtmlReport {
  std::string title{};                  // "memory-8157"
  std::vector<std::string> commands{};  // that make it again
  Grounding grounding = Grounding::kHappenedBefore;
  /// Judged with `grounding`. The first is what the page opens with; it can be compared with the
  /// others. At least one.
  std::vector<ReportedRun> runs{};
};

/// The report as one file that needs nothing beside it and asks nobody for anything: verdict,
/// sentences, the picture of the conflict and the events around it as plain HTML, which show with
/// scripts off and on paper; then the whole run as data, and the script that draws it.
///
/// A function of its arguments alone. Every text of theirs is escaped, and a content security
/// policy lets nothing run but the script that was built in. Ends with a newline.
[[nodiscard]] std::string html_report(const HtmlReport& report);

/// The lines of `text` that are not empty, without their ends.
[[nodiscard]] std::vector<std::string> lines_of(std::string_view text);

/// A document of ours up to and with the opening of its body: title, policy, style sheet. `policy`
/// is added to a policy that allows our script and style and nothing else.
[[nodiscard]] std::string page_head(std::string_view title, std::string_view policy = "");
/// The beginning of a page's header: mark and word of `verdict`. The header stays open.
[[nodiscard]] std::string verdict_heading(Verdict verdict);
/// The element with the script.
[[nodiscard]] std::string page_script_element();

/// The picture of `report`'s main violation as an SVG file; empty when nothing is violated.
[[nodiscard]] std::string conflict_svg_file(const Report& report, const History& history);
/// The same as text for a terminal.
[[nodiscard]] std::string conflict_text_of(const Report& report, const History& history);

}  // namespace causalcheck
