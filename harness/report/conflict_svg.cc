#include "harness/report/conflict_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "checker/explain.h"
#include "harness/report/markup.h"

namespace causalcheck {
namespace {

constexpr double kGutter = 64;  // for the numbers of events, and curves left of the first lane
constexpr double kLane = 96;
constexpr double kHead = 44;
constexpr double kRow = 42;
constexpr double kFoot = 14;
constexpr double kNode = 8;
constexpr double kCharacter = 7.1;  // of the text at the side, more or less
constexpr double kFalseWidth = 62;  // the cross and the word
constexpr std::size_t kLabelCharactersMax = 13;
constexpr std::size_t kTextCharactersMax = 64;

// What stands in a file of its own; a page brings its own.
constexpr std::string_view kFileStyle = R"(<style>
.cc-bg{fill:#fff}.cc-ink{fill:#1c2128}.cc-soft{fill:#57606a}.cc-line{stroke:#8c959f}
.cc-cycle{stroke:#0a5fb4}.cc-cyclefill{fill:#0a5fb4}.cc-broken{stroke:#b3400a}.cc-brokenfill{fill:#b3400a}
.cc-hole{fill:#fff}.cc-onfill{fill:#fff}
@media (prefers-color-scheme:dark){
.cc-bg,.cc-hole{fill:#0f141a}.cc-ink{fill:#e6edf3}.cc-soft{fill:#9aa6b2}.cc-line{stroke:#6b7682}
.cc-cycle{stroke:#6cb4ff}.cc-cyclefill{fill:#6cb4ff}.cc-broken{stroke:#ff9a5c}.cc-brokenfill{fill:#ff9a5c}
.cc-onfill{fill:#0f141a}}
</style>
)";

// Colours as attributes, which every style sheet may override; a reader without one has these.
constexpr std::string_view kLineClass = R"(class="cc-line" stroke="#8c959f")";
constexpr std::string_view kCycleClass = R"(class="cc-cycle" stroke="#0a5fb4")";
constexpr std::string_view kBrokenClass = R"(class="cc-broken" stroke="#b3400a")";
constexpr std::string_view kHoleFill = R"(class="cc-hole" fill="#fff")";

struct Point {
  double x = 0;
  double y = 0;
};

class Drawing {
 public:
  Drawing(const Conflict& conflict, const History& history)
      : conflict_(conflict), history_(history) {
    text_x_ = kGutter + kLane * static_cast<double>(conflict.lanes.size()) + 18;
    std::size_t longest = 0;
    for (std::size_t i = 0; i < conflict.rows.size(); ++i) {
      longest = std::max(longest, shortened(conflict.rows[i].text, kTextCharactersMax).size());
      std::size_t clauses = 0;
      for (const ConflictEdge& edge : conflict.edges) {
        if (edge.learned_at == i) clauses += clause_text(edge).size() + 6;
      }
      longest = std::max(longest, clauses);
    }
    width_ = text_x_ + kCharacter * static_cast<double>(longest) + 16;
    height_ = kHead + kRow * static_cast<double>(conflict.rows.size()) + kFoot;
  }

  std::string draw(SvgUse use, std::string_view id, std::string_view title,
                   std::string_view description) {
    out_ = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
        "viewBox=\"0 0 {0:.0f} {1:.0f}\" role=\"img\" aria-labelledby=\"{2}-t {2}-d\" "
        "font-family=\"system-ui, 'DejaVu Sans', sans-serif\" font-size=\"13\">\n"
        "<title id=\"{2}-t\">{3}</title>\n<desc id=\"{2}-d\">{4}</desc>\n",
        width_, height_, id, markup(title), markup(description));
    if (use == SvgUse::kFile) {
      out_ += kFileStyle;
      out_ +=
          fmt::format("<rect class=\"cc-bg\" fill=\"#fff\" width=\"{:.0f}\" height=\"{:.0f}\"/>\n",
                      width_, height_);
    }
    lanes();
    for (const ConflictEdge& edge : conflict_.edges) own_order(edge);
    for (const ConflictRow& row : conflict_.rows) passage(row);
    for (const ConflictEdge& edge : conflict_.edges) through_log(edge);
    for (std::size_t i = 0; i < conflict_.rows.size(); ++i) node(i);
    for (const ConflictEdge& edge : conflict_.edges) observed_order(edge);
    for (std::size_t i = 0; i < conflict_.rows.size(); ++i) side(i);
    for (const ConflictEdge& edge : conflict_.edges) badge_of(edge);
    out_ += "</svg>\n";
    return out_;
  }

 private:
  [[nodiscard]] double x(std::size_t lane) const {
    return kGutter + kLane * (static_cast<double>(lane) + 0.5);
  }
  [[nodiscard]] double y(std::size_t row) const {
    return kHead + kRow * (static_cast<double>(row) + 0.5);
  }
  [[nodiscard]] Point at(std::size_t row) const { return {x(conflict_.rows[row].lane), y(row)}; }
  [[nodiscard]] static bool placed(const ConflictEdge& edge) {
    return edge.from != kNoRow && edge.to != kNoRow;
  }
  [[nodiscard]] std::string clause_text(const ConflictEdge& edge) const {
    return shortened(visible(to_string(edge.clause, history_)), kTextCharactersMax) +
           (edge.broken ? "  FALSE" : "");
  }

  void line(Point a, Point b, std::string_view style, double width, std::string_view more = "") {
    out_ += fmt::format(
        "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" {} "
        "stroke-width=\"{}\"{}/>\n",
        a.x, a.y, b.x, b.y, style, width, more);
  }
  void text(Point at, std::string_view anchor, std::string_view kind, std::string_view words,
            std::string_view more = "") {
    const bool soft = kind == "soft";
    out_ += fmt::format(
        "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" class=\"cc-{}\" fill=\"{}\" "
        "direction=\"ltr\"{}>{}</text>\n",
        at.x, at.y, anchor, kind,
        kind == "brokenfill" ? "#b3400a"
                             : (soft ? "#57606a" : (kind == "onfill" ? "#fff" : "#1c2128")),
        more, markup(words));
  }
  /// A line with a head at `b`, which lies beside it on the same height.
  void arrow(Point a, Point b, std::string_view style, double width) {
    const double way = b.x > a.x ? 1 : -1;
    line(a, {b.x - way * 6, b.y}, style, width);
    out_ += fmt::format(
        "<path d=\"M{:.1f} {:.1f} l{:.1f} -5 M{:.1f} {:.1f} l{:.1f} 5\" {} stroke-width=\"{}\" "
        "fill=\"none\"/>\n",
        b.x, b.y, -way * 9, b.x, b.y, -way * 9, style, width);
    line({b.x - way * 6, b.y}, b, style, width);
  }

  void lanes() {
    const double bottom = height_ - kFoot / 2;
    for (std::size_t lane = 0; lane < conflict_.lanes.size(); ++lane) {
      const ConflictLane& info = conflict_.lanes[lane];
      text({x(lane), 24}, "middle", "ink", shortened(info.label, kLabelCharactersMax),
           info.is_log ? R"( font-size="12")" : R"( font-weight="600" font-size="14")");
      line({x(lane), kHead - 10}, {x(lane), bottom}, kLineClass, info.is_log ? 5 : 1.2,
           info.is_log ? R"( stroke-opacity="0.3")" : "");
    }
  }

  /// P1: the lane itself.
  void own_order(const ConflictEdge& edge) {
    if (edge.clause.why != Principle::kClientOrder || !placed(edge)) return;
    line(at(edge.from), at(edge.to), kCycleClass, 3.5);
  }

  [[nodiscard]] bool on_cycle(std::size_t row) const {
    return std::any_of(conflict_.edges.begin(), conflict_.edges.end(), [&](const ConflictEdge& e) {
      return e.clause.why == Principle::kSendBeforeReceive && (e.from == row || e.to == row);
    });
  }

  /// From a publish to the log, or from the log to an observation.
  void passage(const ConflictRow& row) {
    if (!row.in_log || row.kind == ConflictRow::Kind::kDrain) return;
    const auto index = static_cast<std::size_t>(&row - conflict_.rows.data());
    const Point client = at(index);
    const Point log{x(row.log), client.y};
    const bool cycle = on_cycle(index);
    const auto style = cycle ? kCycleClass : kLineClass;
    const double width = cycle ? 2.5 : 1.4;
    if (row.kind == ConflictRow::Kind::kPublish) {
      arrow({client.x + kNode, client.y}, {log.x - kNode - 1, log.y}, style, width);
    } else {
      arrow({log.x - kNode, log.y}, {client.x + kNode + 1, client.y}, style, width);
    }
  }

  /// P2: down the log, between the two passages.
  void through_log(const ConflictEdge& edge) {
    if (edge.clause.why != Principle::kSendBeforeReceive || !placed(edge)) return;
    const double log = x(conflict_.rows[edge.from].log);
    line({log, y(edge.from)}, {log, y(edge.to)}, kCycleClass, 2.5);
  }

  void node(std::size_t index) {
    const ConflictRow& row = conflict_.rows[index];
    const Point p = at(index);
    using Kind = ConflictRow::Kind;
    if (row.in_log) {
      const double log = x(row.log);
      const bool append = row.kind != Kind::kObserve;
      out_ += fmt::format(
          "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{}\" height=\"{}\" {} stroke-width=\"1.6\"/>\n",
          log - (append ? 7 : 3.5), p.y - (append ? 7 : 3.5), append ? 14 : 7, append ? 14 : 7,
          R"(class="cc-hole cc-line" fill="#fff" stroke="#8c959f")");
      if (!row.log_text.empty()) {
        text({log + 12, p.y - 6}, "start", "soft", row.log_text, R"( font-size="11")");
      }
    }
    if (row.kind == Kind::kDrain) return;
    const bool filled = row.kind == Kind::kPublish && !row.open && !row.failed;
    out_ += fmt::format(
        "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\" class=\"{}\" fill=\"{}\" stroke=\"#1c2128\" "
        "stroke-width=\"2\"{}/>\n",
        p.x, p.y, kNode, filled ? "cc-node cc-ink" : "cc-node cc-hole", filled ? "#1c2128" : "#fff",
        row.kind == Kind::kObserve || filled ? "" : R"( stroke-dasharray="3 2")");
    if (!row.symbol.empty()) {
      text({p.x + 12, p.y - 9}, "start", "ink", shortened(row.symbol, kLabelCharactersMax),
           R"( font-weight="600")");
    }
  }

  /// The curve of a P3 clause: its ends, and the point that it bends towards.
  struct Curve {
    Point a{};
    Point bend{};
    Point b{};
    [[nodiscard]] Point at(double t) const {
      const double u = 1 - t;
      return {u * u * a.x + 2 * u * t * bend.x + t * t * b.x,
              u * u * a.y + 2 * u * t * bend.y + t * t * b.y};
    }
  };
  [[nodiscard]] Curve curve_of(const ConflictEdge& edge) const {
    const Point a = at(edge.from);
    const Point b = at(edge.to);
    Curve curve{a, {(a.x + b.x) / 2, (a.y + b.y) / 2}, b};
    if (a.x == b.x) {
      curve.bend.x -= 76;
    } else {
      curve.bend.x += a.y > b.y ? -26 : 26;
    }
    const auto trim = [&](Point end) {
      const double dx = curve.bend.x - end.x;
      const double dy = curve.bend.y - end.y;
      const double length = std::max(1.0, std::sqrt(dx * dx + dy * dy));
      return Point{end.x + dx / length * (kNode + 3), end.y + dy / length * (kNode + 3)};
    };
    curve.a = trim(a);
    curve.b = trim(b);
    return curve;
  }

  /// P3: what somebody observed first was published first.
  void observed_order(const ConflictEdge& edge) {
    if (edge.clause.why != Principle::kObservedOrder || !placed(edge)) return;
    const Curve c = curve_of(edge);
    const std::string path = fmt::format("d=\"M{:.1f} {:.1f} Q{:.1f} {:.1f} {:.1f} {:.1f}\"", c.a.x,
                                         c.a.y, c.bend.x, c.bend.y, c.b.x, c.b.y);
    const auto style = edge.broken ? kBrokenClass : kCycleClass;
    out_ +=
        fmt::format("<path {} {} fill=\"none\" stroke-width=\"{}\" stroke-dasharray=\"9 4\"/>\n",
                    path, style, edge.broken ? 6.5 : 2.5);
    if (edge.broken) {  // doubled: the same again, hollowed out
      out_ += fmt::format(
          "<path {} class=\"cc-hollow\" stroke=\"#fff\" fill=\"none\" stroke-width=\"2.5\"/>\n",
          path);
    }
    const double angle = std::atan2(c.b.y - c.bend.y, c.b.x - c.bend.x);
    const auto wing = [&](double turn) {
      return Point{c.b.x - 11 * std::cos(angle + turn), c.b.y - 11 * std::sin(angle + turn)};
    };
    line(wing(0.5), c.b, style, 2.5);
    line(wing(-0.5), c.b, style, 2.5);
  }

  void badge(Point at, std::size_t number, bool broken) {
    out_ += fmt::format(
        "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"9\" class=\"cc-{}\" fill=\"{}\"/>\n", at.x, at.y,
        broken ? "brokenfill" : "cyclefill", broken ? "#b3400a" : "#0a5fb4");
    text({at.x, at.y + 4}, "middle", "onfill", std::to_string(number),
         R"( font-size="11" font-weight="700")");
  }

  void badge_of(const ConflictEdge& edge) {
    if (!placed(edge)) return;
    switch (edge.clause.why) {
      case Principle::kClientOrder:
        badge({at(edge.from).x, at(edge.from).y + kRow / 2}, edge.number, edge.broken);
        return;
      case Principle::kSendBeforeReceive:
        badge({x(conflict_.rows[edge.to].log) - 30, y(edge.to)}, edge.number, edge.broken);
        return;
      case Principle::kObservedOrder:
        break;
    }
    const Place place = place_on(curve_of(edge), edge.broken ? kFalseWidth : 0);
    badge(place.at, edge.number, edge.broken);
    if (!edge.broken) return;
    const double left = place.at.x + (place.to_the_left ? -12 - kFalseWidth : 12);
    out_ +=
        fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{}\" height=\"18\" rx=\"3\" {}/>\n",
                    left, place.at.y - 9, kFalseWidth, kHoleFill);
    out_ += fmt::format(
        "<path d=\"M{:.1f} {:.1f} l10 10 m0 -10 l-10 10\" {} stroke-width=\"2.8\" "
        "fill=\"none\"/>\n",
        left + 4, place.at.y - 5, kBrokenClass);
    text({left + 19, place.at.y + 4.5}, "start", "brokenfill", "FALSE",
         R"( font-size="12" font-weight="700")");
  }

  /// Where on a curve a badge stands, and on which side of it the word.
  struct Place {
    Point at{};
    bool to_the_left = false;
  };
  /// The place that covers the fewest nodes, labels and lines of rows; near the middle if it can.
  [[nodiscard]] Place place_on(const Curve& curve, double word_width) const {
    Place best;
    double least = -1;
    for (const double t : {0.5, 0.44, 0.56, 0.38, 0.62, 0.32, 0.68, 0.26, 0.74}) {
      for (const bool left : {false, true}) {
        const Point p = curve.at(t);
        const double x0 = left ? p.x - 12 - word_width : p.x - 10;
        const double x1 = left ? p.x + 10 : p.x + 12 + word_width;
        double covered = x0 < 2 ? 5 : 0;
        for (std::size_t i = 0; i < conflict_.rows.size(); ++i) {
          const Point node = at(i);
          if (std::abs(p.y - node.y) < 18 && x1 > node.x - 10 && x0 < node.x + 36) covered += 3;
          const double log = x(conflict_.rows[i].log);
          const bool on_line = x1 > std::min(node.x, log) && x0 < std::max(node.x, log);
          if (std::abs(p.y - node.y) < 10 && on_line && conflict_.rows[i].in_log) covered += 1;
        }
        for (const ConflictEdge& edge : conflict_.edges) {
          if (edge.clause.why != Principle::kClientOrder || !placed(edge)) continue;
          const Point other{at(edge.from).x, at(edge.from).y + kRow / 2};
          if (std::abs(p.y - other.y) < 18 && x1 > other.x - 9 && x0 < other.x + 9) covered += 3;
        }
        if (least < 0 || covered < least) {
          least = covered;
          best = {p, left};
        }
      }
    }
    return best;
  }

  /// The number at the left, and at the right what happened and what it taught.
  void side(std::size_t index) {
    const ConflictRow& row = conflict_.rows[index];
    const double middle = y(index);
    text({kGutter - 10, middle + 4}, "end", "soft", std::to_string(row.number),
         R"( font-size="12")");
    std::vector<const ConflictEdge*> taught;
    for (const ConflictEdge& edge : conflict_.edges) {
      if (edge.learned_at == index) taught.push_back(&edge);
    }
    text({text_x_, middle + (taught.empty() ? 4 : -4)}, "start", "ink",
         shortened(row.text, kTextCharactersMax));
    double from = text_x_;
    for (const ConflictEdge* edge : taught) {
      const std::string words = std::to_string(edge->number) + "  " + clause_text(*edge);
      text({from, middle + 12}, "start", edge->broken ? "brokenfill" : "soft", words,
           edge->broken ? R"( font-size="12" font-weight="700")" : R"( font-size="12")");
      from += kCharacter * static_cast<double>(words.size() + 2);
    }
  }

  const Conflict& conflict_;
  const History& history_;
  double text_x_ = 0;
  double width_ = 0;
  double height_ = 0;
  std::string out_{};
};

}  // namespace

std::string conflict_svg(const Conflict& conflict, const History& history, SvgUse use,
                         std::string_view id, std::string_view title,
                         std::string_view description) {
  return Drawing(conflict, history).draw(use, id, title, description);
}

}  // namespace causalcheck
