#include "harness/cli/campaign_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <iterator>
#include <optional>
#include <system_error>

#include "harness/cli/campaign_text.h"
#include "harness/report/html_report.h"
#include "harness/report/markup.h"
#include "harness/words.h"

namespace causalcheck::cli {
namespace {

/// A reference to a file as an address relative to the page: every byte that is not plain is
/// escaped.
std::string address_of(const std::string& file, const std::string& folder) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path way = fs::relative(file, folder, error);
  const std::string text = error || way.empty() ? file : way.generic_string();
  std::string address;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '/' || c == '.' || c == '_' || c == '-';
    if (plain) {
      address += c;
    } else {
      add(address, "%{:02X}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    }
  }
  // A name with a colon in front must not look like a scheme; it is escaped, and so cannot.
  return address;
}

/// A line over the time of the campaign, from nothing at its start.
class Plot {
 public:
  Plot(std::string_view title, std::function<double(const CampaignProgress&)> value)
      : title_(title), value_(std::move(value)) {}

  void draw(std::string& out, const std::vector<CampaignProgress>& progress,
            std::chrono::nanoseconds elapsed) const {
    const double time = std::max(seconds_of(elapsed), 1e-9);
    double largest = 0;
    for (const CampaignProgress& p : progress) largest = std::max(largest, value_(p));
    const double top = std::max(1.0, largest);
    std::string points = fmt::format("{:.1f},{:.1f}", kLeft, kTop + kHeight);
    for (const CampaignProgress& p : progress) {
      add(points, " {:.1f},{:.1f}", kLeft + kWidth * std::min(1.0, seconds_of(p.elapsed) / time),
          kTop + kHeight * (1 - value_(p) / top));
    }
    add(out,
        "<figure>\n<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"380\" height=\"150\" "
        "viewBox=\"0 0 380 150\" role=\"img\" aria-label=\"{0}: {1} in {2}\" font-size=\"11\">\n"
        "<text class=\"cc-ink\" fill=\"#1c2128\" x=\"{3}\" y=\"14\" font-size=\"12\">{0}</text>\n"
        "<path class=\"cc-line\" fill=\"none\" stroke=\"#8c959f\" d=\"M{3} {4} v{5} h{6}\"/>\n"
        "<polyline class=\"cc-cycle\" fill=\"none\" stroke=\"#0a5fb4\" stroke-width=\"2\" "
        "points=\"{7}\"/>\n",
        title_, grouped(static_cast<std::uint64_t>(largest)), duration_text(elapsed), kLeft, kTop,
        kHeight, kWidth, points);
    label(out, kLeft - 5, kTop + 8, "end", grouped(static_cast<std::uint64_t>(top)));
    label(out, kLeft - 5, kTop + kHeight, "end", "0");
    label(out, kLeft, kTop + kHeight + 14, "start", "0 s");
    label(out, kLeft + kWidth, kTop + kHeight + 14, "end", duration_text(elapsed));
    out += "</svg>\n</figure>\n";
  }

 private:
  static constexpr double kLeft = 70;
  static constexpr double kTop = 24;
  static constexpr double kWidth = 295;
  static constexpr double kHeight = 100;

  static void label(std::string& out, double x, double y, std::string_view anchor,
                    std::string_view text) {
    add(out,
        "<text class=\"cc-soft\" fill=\"#57606a\" x=\"{}\" y=\"{}\" text-anchor=\"{}\">{}</text>\n",
        x, y, anchor, text);
  }

  std::string title_;
  std::function<double(const CampaignProgress&)> value_;
};

class Page {
 public:
  Page(const CampaignOptions& options, const CampaignResult& result, const std::string& folder)
      : options_(options), result_(result), summary_(result.summary), folder_(folder) {}

  std::string write(std::string_view command, const std::vector<CampaignProgress>& progress) {
    out_ = page_head(options_.plan.backend + " campaign");
    out_ += "<main>\n";
    head();
    violations();
    guarantees();
    faults();
    if (!progress.empty()) plots(progress);
    add(out_, "<section class=\"again\">\n<h2>Again</h2>\n<pre><code>{}</code></pre>\n</section>\n",
        markup(command));
    out_ += "</main>\n</body>\n</html>\n";
    return std::move(out_);
  }

 private:
  void head() {
    out_ += verdict_heading(result_.verdict.verdict);
    if (!result_.verdict.why.empty()) add(out_, "<p>{}</p>\n", markup(result_.verdict.why));
    if (result_.failure) {
      add(out_, "<p>The campaign ended at seed {}: {}</p>\n", result_.failed_seed,
          markup(result_.failure->text));
    }
    add(out_, "<p class=\"facts\">{} \u00b7 {} runs \u00b7 {} events \u00b7 {}{}</p>\n</header>\n",
        markup(options_.plan.backend), grouped(summary_.runs), grouped(summary_.events),
        duration_text(result_.elapsed), result_.interrupted ? " \u00b7 interrupted" : "");
  }

  void violations() {
    if (result_.found.empty()) return;
    add(out_, "<h2>What was found</h2>\n");
    std::optional<std::chrono::nanoseconds> first;
    for (const FoundViolation& found : result_.found) {
      if (!first || found.after < *first) first = found.after;
    }
    add(out_, "<p>First failure after {}. {} of {} runs broke something.</p>\n",
        duration_text(*first), grouped(summary_.broke), grouped(summary_.runs));
    out_ +=
        "<table>\n<thead><tr><th scope=\"col\">guarantee</th><th scope=\"col\">what "
        "happened</th><th scope=\"col\">runs</th><th scope=\"col\">lowest seed</th><th "
        "scope=\"col\">events</th><th scope=\"col\">kind</th></tr></thead>\n<tbody>\n";
    for (const FoundViolation& found : result_.found) {
      std::string seed = grouped_seed(found);
      add(out_,
          "<tr class=\"broken\"><th scope=\"row\">{}</th><td>{}</td><td>{}</td><td>{}</td>"
          "<td>{}</td><td><code>{}</code></td></tr>\n",
          to_string(found.guarantee), markup(shortened(found.sentence, kSentenceMax)),
          grouped(found.runs), seed, events_of(found), markup(found.fingerprint));
    }
    out_ += "</tbody>\n</table>\n";
  }

  [[nodiscard]] std::string grouped_seed(const FoundViolation& found) const {
    std::string text = fmt::format("{}", found.seed);
    if (!found.folder.empty()) {
      text += fmt::format(" <a href=\"{}\">report</a>",
                          address_of(found.folder + "/report.html", folder_));
    }
    return text;
  }

  static std::string events_of(const FoundViolation& found) {
    if (found.shrunk_explanation.empty()) return "not shrunk";
    return fmt::format("{}, shrunk from {}", found.shrunk_events, found.events);
  }

  void guarantees() {
    out_ +=
        "<h2>What was judged</h2>\n<table>\n<thead><tr><th scope=\"col\">guarantee</th><th "
        "scope=\"col\">came out</th><th scope=\"col\">runs judged</th><th scope=\"col\">could have "
        "failed in</th><th scope=\"col\">runs broken</th><th scope=\"col\">times "
        "judged</th></tr></thead>\n<tbody>\n";
    for (const Guarantee id : all_guarantees()) {
      const GuaranteeTally& tally = summary_[id];
      const bool applies = tally.claimed && tally.runs_judged > 0;
      const bool broken = applies && tally.runs_broken > 0;
      if (!applies) {
        add(out_,
            "<tr><th scope=\"row\">{}</th><td>n/a</td><td colspan=\"4\" "
            "class=\"soft\">{}</td></tr>\n",
            to_string(id),
            markup(tally.why_not.empty() ? "not claimed by the backend" : tally.why_not));
        continue;
      }
      add(out_,
          "<tr class=\"{}\"><th scope=\"row\">{}</th><td>{}</td><td>{}</td><td>{}</td><td>{}</td>"
          "<td>{}</td></tr>\n",
          broken ? "broken" : "", to_string(id), broken ? "breaks" : "holds",
          grouped(tally.runs_judged), grouped(tally.runs_could_fail), grouped(tally.runs_broken),
          grouped(tally.judged));
    }
    out_ += "</tbody>\n</table>\n";
  }

  void faults() {
    std::string rows;
    for (std::size_t i = 0; i < kFaultKindCount; ++i) {
      const FaultTally& tally = summary_.faults[i];
      if (!tally.asked) continue;
      add(rows, "<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
          to_string(static_cast<FaultKind>(i)), grouped(tally.runs_armed), grouped(tally.fired),
          grouped(tally.hit), grouped(tally.runs_hit));
    }
    if (rows.empty()) return;
    add(out_,
        "<h2>Faults</h2>\n<table>\n<thead><tr><th scope=\"col\">fault</th><th scope=\"col\">runs "
        "armed</th><th scope=\"col\">fired</th><th scope=\"col\">hit an operation</th><th "
        "scope=\"col\">runs hit</th></tr></thead>\n<tbody>\n{}</tbody>\n</table>\n",
        rows);
  }

  void plots(const std::vector<CampaignProgress>& progress) {
    out_ += "<h2>Over time</h2>\n<div class=\"plots\">\n";
    const auto number = [](std::uint64_t CampaignProgress::*member) {
      return [member](const CampaignProgress& p) { return static_cast<double>(p.*member); };
    };
    Plot("operations", number(&CampaignProgress::events)).draw(out_, progress, result_.elapsed);
    Plot("runs", number(&CampaignProgress::runs)).draw(out_, progress, result_.elapsed);
    Plot("runs that broke something", number(&CampaignProgress::broke))
        .draw(out_, progress, result_.elapsed);
    out_ += "</div>\n";
  }

  static constexpr std::size_t kSentenceMax = 300;

  const CampaignOptions& options_;
  const CampaignResult& result_;
  const CampaignSummary& summary_;
  const std::string& folder_;
  std::string out_{};
};

}  // namespace

std::string campaign_page(const CampaignOptions& options, const CampaignResult& result,
                          std::string_view command, const std::vector<CampaignProgress>& progress,
                          const std::string& folder) {
  return Page(options, result, folder).write(command, progress);
}

}  // namespace causalcheck::cli
