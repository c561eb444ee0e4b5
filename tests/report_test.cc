// Goal: the pictures and the page say what the verdict says, and nothing in a history can be more
// than text in them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "checker/checker.h"
#include "checker/timeline.h"
#include "harness/files.h"
#include "harness/history_file.h"
#include "harness/report/conflict.h"
#include "harness/report/conflict_svg.h"
#include "harness/report/conflict_text.h"
#include "harness/report/data_block.h"
#include "harness/report/html_report.h"
#include "harness/report/markup.h"
#include "tests/history_of.h"

namespace causalcheck {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

Declaration feed() {
  Declaration declared;
  declared.reads = Reads::kFeed;
  declared.claims = {};
  return declared;
}

/// The worked example of the docs.
HistoryFile dinner() {
  HistoryFile file;
  file.history = history_of("B! C<B1 C! A<C2 A<B1", feed());
  return file;
}

std::string page_of(const HistoryFile& file) {
  const Report report = check(file.history);
  return html_report(
      {"title", {"causalcheck replay x"}, Grounding::kHappenedBefore, {{"run", &file, &report}}});
}

TEST(Markup, NothingOfAHistoryIsMarkup) {
  EXPECT_EQ(markup("<a href='x'>\"&"), "&lt;a href=&#39;x&#39;&gt;&quot;&amp;");
}

TEST(Markup, ShowsWhatWouldTurnOrHideText) {
  EXPECT_EQ(visible("a\u202Eb\u200F\u2066"), "a<U+202E>b<U+200F><U+2066>");
  EXPECT_EQ(visible(std::string("\0\x1b[31m\x7f", 7)), "<U+0000><U+001B>[31m<U+007F>");
  EXPECT_EQ(visible("\uFEFF\u2028\U000E0041"), "<U+FEFF><U+2028><U+E0041>");
  EXPECT_EQ(visible("\xff\xc3"), "\uFFFD\uFFFD") << "bytes that are no UTF-8";
  EXPECT_EQ(visible("שלום é 漢字 😀"), "שלום é 漢字 😀")
      << "a script that runs from right to left is none";
}

TEST(Markup, JsonInAScriptEndsNothing) {
  const std::string text = json{{"k", "</script><!--<script>\u2028&"}}.dump();
  const std::string safe = json_for_script(text);
  for (const char c : {'<', '>', '&'}) EXPECT_EQ(safe.find(c), std::string::npos);
  EXPECT_EQ(safe.find("\u2028"), std::string::npos);
  EXPECT_EQ(json::parse(safe), json::parse(text)) << "the same value";
}

TEST(Markup, ShortensByCharacters) {
  EXPECT_EQ(shortened("ééé", 3), "ééé");
  EXPECT_EQ(shortened("éééé", 3), "ééé...");
}

TEST(Conflict, HoldsTheEventsOfTheCycleAndNothingElse) {
  const History history = history_of("D! B! C<B1 D<B1 C! A<C2 A<B1 D!", feed());
  const Report report = check(history);
  const Violation* main = main_violation(report);
  ASSERT_NE(main, nullptr);
  const Conflict conflict = conflict_of(*main, history, timeline_of(history));
  std::vector<std::string> symbols;
  for (const ConflictRow& row : conflict.rows) symbols.push_back(row.symbol);
  EXPECT_THAT(symbols, testing::ElementsAre("B1", "C1", "C2", "A1", "A2"));
  std::vector<std::string> lanes;
  for (const ConflictLane& lane : conflict.lanes) lanes.push_back(lane.label);
  EXPECT_THAT(lanes, testing::UnorderedElementsAre("A", "B", "C", "log t"));
  ASSERT_EQ(conflict.edges.size(), 3U);
  EXPECT_TRUE(conflict.edges[2].broken) << "the broken clause comes last";
  EXPECT_EQ(conflict.edges[2].learned_at, 4U);
}

TEST(Conflict, TextIsTheColumnsOfTheClients) {
  const HistoryFile file = dinner();
  EXPECT_EQ(conflict_text_of(check(file.history), file.history),
            "      B     C     A         log t\n"
            "   1  B1 -----------------> *        B published B1\n"
            "   4  |     C1 <----------- *        C observed B1    1  P2 B1 < C1\n"
            "   5  |     C2 -----------> *        C published C2   2  P1 C1 < C2\n"
            "   8  |     |     A1 <----- *        A observed C2\n"
            "  10  |     |     A2 <----- *        A observed B1    3  P3 C2 < B1  X FALSE\n");
}

TEST(Conflict, ThereIsNoneInARunThatHolds) {
  const History history = history_of("B! C<B1", feed());
  EXPECT_EQ(conflict_text_of(check(history), history), "");
  EXPECT_EQ(conflict_svg_file(check(history), history), "");
}

TEST(ConflictSvg, NumbersEveryClauseAndMarksTheBrokenOneWithoutColour) {
  const HistoryFile file = dinner();
  const std::string svg = conflict_svg_file(check(file.history), file.history);
  for (const char* words :
       {">1  P2 B1 &lt; C1<", ">2  P1 C1 &lt; C2<", ">3  P3 C2 &lt; B1  FALSE<", ">FALSE</text>",
        "stroke-dasharray=\"9 4\"", "<title id=\"conflict-t\">"}) {
    EXPECT_THAT(svg, HasSubstr(words));
  }
  EXPECT_THAT(
      svg,
      HasSubstr("<desc id=\"conflict-d\">A observed C2, which depends on B1, before B1.</desc>"));
  for (const char* never : {"<script", "href", "http://1", "url(", "<image"}) {
    EXPECT_THAT(svg, Not(HasSubstr(never)));
  }
}

TEST(ConflictSvg, OfThePictureInTheReadmeIsWhatTheProgramMakes) {
  const std::string source = CAUSALCHECK_SOURCE_DIR;
  auto file = read_history(source + "/docs/pictures/dinner.jsonl");
  ASSERT_TRUE(file.has_value()) << file.error().text;
  const auto picture = read_file(source + "/docs/pictures/dinner.svg");
  ASSERT_TRUE(picture.has_value());
  EXPECT_EQ(conflict_svg_file(check(file->history), file->history), *picture)
      << "scripts/pictures makes it anew";
}

TEST(HtmlReport, BeginsWithVerdictAndSentencesThatNeedNoScript) {
  const std::string page = page_of(dinner());
  const std::string head = page.substr(0, page.find("<section id=\"run\""));
  EXPECT_THAT(head, HasSubstr("Violated</h1>"));
  EXPECT_THAT(head, HasSubstr("A observed C2, which depends on B1, before B1."));
  EXPECT_THAT(head, HasSubstr("No order of these events is possible"));
  EXPECT_THAT(head, HasSubstr("<code>B1 &lt; C1</code> because C observed B1"));
  EXPECT_THAT(head, HasSubstr("yet <code>C2 &lt; B1</code>"));
  EXPECT_THAT(head, HasSubstr("<svg"));
  EXPECT_THAT(page, HasSubstr("A read t: C2 [7..8]")) << "the events around it, as a plain table";
  EXPECT_THAT(page, HasSubstr("A: C2 waits for B1: needs B 1, has B 0; released by event 10"));
  EXPECT_THAT(page, HasSubstr("<pre><code>causalcheck replay x</code></pre>"));
}

TEST(HtmlReport, SaysOfARunThatHoldsThatItHolds) {
  HistoryFile file;
  file.history = history_of("B! C<B1", feed());
  const std::string page = page_of(file);
  EXPECT_THAT(page, HasSubstr("Holds</h1>"));
  EXPECT_THAT(page, Not(HasSubstr("class=\"conflict\"")));
}

TEST(HtmlReport, OfAnEmptyHistoryIsAPage) {
  EXPECT_THAT(page_of(HistoryFile{}), HasSubstr("</html>"));
}

TEST(HtmlReport, ANameOfTenKilobytesStandsInItOnce) {
  HistoryFile file = dinner();
  const std::string name(10'240, 'x');
  file.history.topics[0] = name;
  const std::string page = page_of(file);
  const std::size_t first = page.find(name);
  ASSERT_NE(first, std::string::npos);
  EXPECT_EQ(page.find(name, first + 1), std::string::npos);
}

TEST(HtmlReport, IsAFunctionOfItsArguments) { EXPECT_EQ(page_of(dinner()), page_of(dinner())); }

TEST(DataBlock, PositionsAndSlotsThatAPageCannotHoldExactlyKeepTheirOrder) {
  HistoryFile file = dinner();
  History& history = file.history;
  history.declared.slots = Slots::kSparse;
  const Position huge = Position{1} << 60U;
  for (Operation& o : history.operations) {
    o.start += huge;
    o.end += huge;
    o.slot = (Slot{1} << 60) + o.message;
  }
  const Report report = check(history);
  const json block = json::parse(data_block({{"run", &file, &report}}, Grounding::kHappenedBefore));
  const json& run = block["runs"][0];
  EXPECT_TRUE(run["renumbered"]);
  EXPECT_EQ(run["columns"]["start"], json({1, 3, 5, 7, 9}));
  EXPECT_EQ(run["columns"]["slot"][0], "1152921504606846976");
}

/// A feed of one topic in which A and B take turns to publish what the other then observes; near
/// the middle C is shown an answer before its question.
History long_run(std::size_t rounds) {
  History history;
  history.declared = feed();
  history.clients = {"A", "B", "C"};
  history.topics = {"t"};
  Position next = 1;
  const auto add = [&](OperationKind kind, ClientId client, MessageId message) {
    Operation o;
    o.kind = kind;
    o.client = client;
    o.message = message;
    o.start = next++;
    o.end = next++;
    history.operations.push_back(o);
  };
  for (std::size_t i = 0; i < rounds; ++i) {
    const auto m = static_cast<MessageId>(i);
    history.messages.push_back("m" + std::to_string(i));
    add(OperationKind::kWrite, i % 2, m);
    add(OperationKind::kRead, 1 - i % 2, m);
    if (i == rounds / 2) {
      add(OperationKind::kRead, 2, m);
      add(OperationKind::kRead, 2, m - 1);
    }
  }
  return history;
}

TEST(DataBlock, OfALargeRunHoldsTheConflictItsPastAndWhatIsAround) {
  HistoryFile file;
  file.history = long_run(60'000);
  const Report report = check(file.history);
  ASSERT_EQ(report.verdict, Verdict::kBreaks);
  const std::string text = data_block({{"run", &file, &report}}, Grounding::kHappenedBefore);
  EXPECT_LT(text.size(), 6'000'000U);
  const json run = json::parse(text)["runs"][0];
  const json& columns = run["columns"];
  const std::size_t kept = columns["client"].size();
  EXPECT_GT(kept, 10'000U);
  EXPECT_EQ(kept + run["left_out"].get<std::size_t>(), file.history.operations.size());
  // Every operation that a violation names is there, under its number here.
  int judged = 0;
  for (const json& violation : run["violations"]) {
    for (const json& i : violation["operations"]) {
      ASSERT_LT(i.get<std::size_t>(), kept);
    }
    const json& broken = violation["broken"];
    if (broken.is_null()) continue;  // C was never handed the rest, which breaks delivery
    ++judged;
    const std::size_t learned = broken[5];
    EXPECT_EQ(columns["client"][learned], 2) << "C, who was shown both";
    EXPECT_EQ(run["messages"][columns["message"][learned].get<std::size_t>()], "m29999");
  }
  EXPECT_GT(judged, 0);
  // Steps and clocks count what is left out.
  const json& last = columns["clock"][kept - 1];
  EXPECT_GT(columns["step"][kept - 1], 20'000);
  EXPECT_GT(last[0].get<int>() + last[1].get<int>(), 40'000);
}

TEST(DataBlock, OfALargeRunThatHoldsHasItsStartAndItsEnd) {
  HistoryFile file;
  file.history = long_run(60'000);
  std::erase_if(file.history.operations, [](const Operation& o) { return o.client == 2; });
  const Report report = check(file.history);
  const json run =
      json::parse(data_block({{"run", &file, &report}}, Grounding::kHappenedBefore))["runs"][0];
  const json& starts = run["columns"]["start"];
  EXPECT_EQ(starts.front(), file.history.operations.front().start);
  EXPECT_EQ(starts.back(), file.history.operations.back().start);
  EXPECT_EQ(starts.size(), 20'000U);
}

}  // namespace
}  // namespace causalcheck
