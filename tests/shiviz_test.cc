// Logs in ShiViz's format: what is read, what is refused and where, and that what is written
// satisfies the rules by which ShiViz takes a log.

#include "harness/shiviz.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "checker/clocks/history_clocks.h"
#include "checker/clocks/races.h"
#include "harness/clock_report.h"
#include "harness/history_file.h"
#include "harness/shiviz_expression.h"
#include "tests/clock_run.h"
#include "tests/history_of.h"
#include "tests/reference/random_history.h"

namespace causalcheck {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

std::string fixture(const std::string& name) {
  std::ifstream file(std::string(CAUSALCHECK_SOURCE_DIR) + "/fixtures/logs/" + name);
  EXPECT_TRUE(file.is_open()) << name;
  std::ostringstream content;
  content << file.rdbuf();
  return content.str();
}

ShivizLog parsed(const std::string& text, const ShivizOptions& options = {}) {
  auto log = parse_shiviz(text, options);
  if (!log) {
    ADD_FAILURE() << log.error().text;
    return {};
  }
  return *std::move(log);
}

std::string refusal(const std::string& text, const ShivizOptions& options = {}) {
  const auto log = parse_shiviz(text, options);
  return log ? "no refusal" : log.error().text;
}

ClockAnswer answer(const std::string& text, ClockQuestion question,
                   const ShivizOptions& format = {}) {
  ClockRequest request;
  request.question = question;
  request.format = format;
  auto answered = answer_about_clocks(text, request);
  if (!answered) {
    ADD_FAILURE() << answered.error().text;
    return {};
  }
  return *std::move(answered);
}

TEST(ShivizReader, ReadsTheDefaultFormatWithoutBeingTold) {
  const ShivizLog log = parsed("A {\"A\": 1}\nstarts\nB {\"A\":1,\"B\":1}\nhears of A\n");
  ASSERT_THAT(log.executions, SizeIs(1));
  const StampedLog& events = log.executions[0].log;
  EXPECT_THAT(events.processes, ElementsAre("A", "B"));
  ASSERT_THAT(events.events(), SizeIs(2));
  EXPECT_EQ(events.text(0), "starts");
  EXPECT_EQ(events.text(1), "hears of A");
  EXPECT_EQ(events.clock(1), (VectorClock{1, 1}));
  EXPECT_EQ(events.events()[1].line, 3U);
}

TEST(ShivizReader, TakesTheExpressionsFromTheFileAndPrefersThoseItIsGiven) {
  const std::string header = "(?<event>.*)\\|(?<host>\\w+) (?<clock>{.*})\n\n";
  const ShivizLog log = parsed(header + "starts|A {\"A\":1}\n");
  EXPECT_EQ(log.executions.at(0).log.text(0), "starts");
  EXPECT_EQ(log.executions.at(0).log.events()[0].line, 3U);
  ShivizOptions options;
  options.parser = R"((?<host>\S*) (?<clock>{.*})\n(?<event>.*))";
  EXPECT_EQ(parsed(header + "A {\"A\":1}\nstarts\n", options).executions.at(0).log.text(0),
            "starts");
}

TEST(ShivizReader, ReadsEventsInTheMiddleOfALineAndOtherGroups) {
  ShivizOptions options;
  options.parser =
      R"(^(?<date>(\d{4})-\S+ \S+) \w+ +(?<host>\w+) (?<clock>{[^}]*}) (?<event>.*) \| key=(?<resource>\w+)$)";
  const ShivizLog log = parsed(fixture("one-line-events.log"), options);
  const StampedLog& events = log.executions.at(0).log;
  EXPECT_THAT(events.names, ElementsAre("a", "b"));
  EXPECT_EQ(events.text(3), "set b");
  const auto races = find_races(events);
  ASSERT_TRUE(races.has_value());
  EXPECT_EQ(races->pairs, 2U);

  options.parser = R"((?<host>\w+) (?<clock>{[^}]*}) (?<event>set \w+))";
  EXPECT_THAT(parsed(fixture("one-line-events.log"), options).executions.at(0).log.events(),
              SizeIs(4));
}

TEST(ShivizReader, WindowsLineEndsAndByteOrderMarksAreNoMatter) {
  const ShivizLog log = parsed(
      "\xEF\xBB\xBF"
      "A {\"A\":1}\r\nstarts\r\n\r\nA {\"A\":2}\r\nends");
  ASSERT_THAT(log.executions.at(0).log.events(), SizeIs(2));
  EXPECT_EQ(log.executions[0].log.text(0), "starts");
  EXPECT_EQ(log.executions[0].log.events()[1].line, 4U);
}

TEST(ShivizReader, TheSeparatorSeparatesExecutionsAndNamesThem) {
  const ShivizLog log = parsed(fixture("two-executions.log"));
  ASSERT_THAT(log.executions, SizeIs(2));
  EXPECT_EQ(log.executions[0].label, "first");
  EXPECT_EQ(log.executions[1].label, "second");
  EXPECT_EQ(log.executions[1].log.events()[0].line, 9U);
  const ClockAnswer races = answer(fixture("two-executions.log"), ClockQuestion::kRaces);
  EXPECT_EQ(races.verdict, Verdict::kBreaks);
  EXPECT_THAT(races.text, HasSubstr("execution 2: second\n2 events of 2 processes\nx: 2 writes, 1 "
                                    "concurrent pair\n  line 9 (A) and line 11 (B)\n"));
}

TEST(ShivizReader, ReadsMarksInTheTextOrInGroupsButNotBoth) {
  const StampedLog words =
      parsed("A {\"A\":1}\n#send=m1 asks #write=x #other=1 a#send=no\n").executions.at(0).log;
  EXPECT_EQ(words.names[words.events()[0].sends], "m1");
  EXPECT_EQ(words.names[words.events()[0].writes], "x");
  EXPECT_EQ(words.events()[0].receives, kNoName);
  ShivizOptions options;
  options.parser = R"((?<host>\S*) (?<clock>{.*}) (?<receive>\w*);(?<event>.*))";
  const StampedLog groups =
      parsed("A {\"A\":1} m1;#send=m2\nA {\"A\":2} ;x\n", options).executions.at(0).log;
  EXPECT_EQ(groups.names[groups.events()[0].receives], "m1");
  EXPECT_EQ(groups.events()[0].sends, kNoName);
  EXPECT_EQ(groups.events()[1].receives, kNoName);
}

TEST(ShivizReader, ZeroEntriesAreNoKnowledge) {
  const StampedLog log = parsed(fixture("zero-entries.log")).executions.at(0).log;
  EXPECT_EQ(log.order(0, 1), ClockOrder::kConcurrent);
  EXPECT_EQ(log.entry_count(0), 1U);
  EXPECT_EQ(answer(fixture("zero-entries.log"), ClockQuestion::kRaces).verdict, Verdict::kBreaks);
}

TEST(ShivizReader, AnEmptyResultIsARefusal) {
  EXPECT_EQ(refusal(""), "the log is empty");
  EXPECT_EQ(refusal("\n \n"), "the log is empty");
  EXPECT_EQ(refusal(std::string(kShivizParser) + "\n\n"), "the log is empty");
  EXPECT_THAT(refusal("nothing like an event\n"),
              AllOf(StartsWith("line 1: "), HasSubstr("does not match")));
  ShivizOptions options;
  options.other_lines = OtherLines::kSkip;
  EXPECT_THAT(refusal("nothing\nlike an event\n", options),
              AllOf(StartsWith("line 1: "), HasSubstr("matches nothing from here")));
  options.separator = "^==$";
  EXPECT_THAT(refusal("A {\"A\":1}\nstarts\n==\nnothing\n", options), StartsWith("line 3: "));
}

TEST(ShivizReader, ALineThatIsNoEventIsRefusedOrCounted) {
  const std::string text = "A {\"A\":1}\nstarts\nA {\"A\":2\nends\nA {\"A\":3}\nreally\n";
  EXPECT_THAT(refusal(text), AllOf(StartsWith("line 3: "), HasSubstr("--skip-other-lines")));
  ShivizOptions options;
  options.other_lines = OtherLines::kSkip;
  const ShivizLog log = parsed(text, options);
  EXPECT_EQ(log.lines_skipped, 2U);
  EXPECT_EQ(log.first_skipped, 3U);
  EXPECT_THAT(answer(text, ClockQuestion::kCheck, options).text,
              HasSubstr("2 lines left out, first line 3"));
}

TEST(ShivizReader, RefusesClocksThatAreNone) {
  const auto with_clock = [](const std::string& clock) {
    return refusal("A {\"A\":1}\nstarts\nA " + clock + "\nends\n");
  };
  for (const std::string clock : {"{\"A\":}",
                                  "{A:1}",
                                  "{\"A\":2} x}",
                                  "{\"A\":2,}",
                                  "{\"A\":\"2\"}",
                                  "{\"A\":2.5}",
                                  "{\"A\":-1}",
                                  "{\"A\":null}",
                                  "{\"A\":4611686018427387905}",
                                  "{\"A\":18446744073709551616}",
                                  "{\"A\":1e3}",
                                  "{\"A\":{\"A\":2}}",
                                  "{}",
                                  "{\"A\":0}",
                                  "{\"A\":2,\"A\":3}",
                                  "{\"A\":2}{}",
                                  "{\"A\":2,\"B\":}",
                                  "{\"A\":2 \"B\":1}",
                                  "{\"\\ud800\":1,\"A\":2}",
                                  "{{}"}) {
    EXPECT_THAT(with_clock(clock), StartsWith("line 3: ")) << clock;
  }
  EXPECT_EQ(with_clock("{\"A\":2}"), "no refusal");
  EXPECT_EQ(with_clock("{ \"\\u0041\" : 4611686018427387904 }"), "no refusal");
}

TEST(ShivizReader, RefusesAnEventWhoseOwnHostIsNotInItsClock) {
  EXPECT_THAT(refusal(fixture("own-host-missing.log")),
              AllOf(StartsWith("line 5: "), HasSubstr("no entry above 0 for its own host")));
}

TEST(ShivizReader, RefusesAMisspeltHostWithTheLineThatFirstNamesIt) {
  EXPECT_THAT(
      refusal(fixture("misspelt-host.log")),
      AllOf(StartsWith("line 9: "), HasSubstr("nodel"), HasSubstr("node1"), HasSubstr("node2")));
}

TEST(ShivizReader, RefusesMoreHostsThanAllowed) {
  ShivizOptions options;
  options.hosts_max = 2;
  EXPECT_THAT(refusal("A {\"A\":1}\nx\nB {\"B\":1}\nx\nC {\"C\":1}\nx\n", options),
              StartsWith("line 5: more than 2 hosts"));
}

TEST(ShivizReader, RefusesMarksThatNameNothingOrTwoThings) {
  EXPECT_THAT(refusal("A {\"A\":1}\n#send=\n"), StartsWith("line 1: #send= names nothing"));
  EXPECT_THAT(refusal("A {\"A\":1}\n#send=a #send=b\n"), StartsWith("line 1: two words #send="));
}

TEST(ShivizReader, RefusesExpressionsThatCannotWork) {
  const auto with_parser = [](const std::string& parser) {
    ShivizOptions options;
    options.parser = parser;
    return refusal("A {\"A\":1}\nstarts\n", options);
  };
  EXPECT_THAT(with_parser("(?<host>.*) (?<clock>{.*})"), HasSubstr("no group (?<event>"));
  EXPECT_THAT(with_parser("(?<host>.*) (?<event>.*)"), HasSubstr("no group (?<clock>"));
  EXPECT_THAT(with_parser("(?<host>.*"), HasSubstr("is not one"));
  EXPECT_THAT(with_parser("(?<host>a)(?<host>b)"), HasSubstr("twice"));
  EXPECT_THAT(with_parser("(?<host>a*)(?<clock>b*)(?<event>c*)"),
              HasSubstr("matches nothing at all"));
  ShivizOptions options;
  options.separator = "[";
  EXPECT_THAT(refusal("A {\"A\":1}\nstarts\n", options), HasSubstr("is not one"));
}

TEST(ShivizReader, GivesUpOnAnExpressionThatBacktracksForEver) {
  ShivizOptions options;
  options.parser = R"((?<host>(a+)+)(?<clock>b)(?<event>c))";
  EXPECT_THAT(refusal(std::string(60, 'a') + "\n", options),
              AllOf(StartsWith("line 1: "), HasSubstr("given up")));
}

TEST(ShivizExpression, ReadsBracesAsJavaScriptDoes) {
  const auto expression = ShivizExpression::parse(R"((?<a>{x{2}}) (?<b>[}{\]]+) (?<c>\{y{1,}))");
  ASSERT_TRUE(expression) << expression.error().text;
  const auto match = expression->next("_{xx} }{] {yy", 0);
  ASSERT_TRUE(match && *match);
  EXPECT_THAT((*match)->groups, ElementsAre("{xx}", "}{]", "{yy"));
}

TEST(ShivizExpression, GroupsWithoutANameCaptureNothingAndShiftNoNumber) {
  const auto expression = ShivizExpression::parse(R"((a|b)(?<x>(c)+)(?:d)(?<=d)(?<y>e)\2?)");
  ASSERT_TRUE(expression) << expression.error().text;
  EXPECT_THAT(expression->names(), ElementsAre("x", "y"));
  const auto match = expression->next("bccdee", 0);
  ASSERT_TRUE(match && *match);
  EXPECT_EQ((*match)->whole, "bccdee");
  EXPECT_THAT((*match)->groups, ElementsAre("cc", "e"));
}

TEST(ShivizExpression, LinesBeginAndEndAnywhereAndADotStaysInItsLine) {
  const auto expression = ShivizExpression::parse("^(?<x>b.*)$");
  ASSERT_TRUE(expression);
  const auto match = expression->next("ab\nbc\nd", 0);
  ASSERT_TRUE(match && *match);
  EXPECT_THAT((*match)->groups, ElementsAre("bc"));
}

TEST(ClockReport, TheTwoWorkedExamplesOfCuts) {
  const ClockAnswer whole = answer(fixture("tails-consistent.log"), ClockQuestion::kCut);
  EXPECT_EQ(whole.verdict, Verdict::kHolds);
  EXPECT_EQ(whole.text,
            "6 events of 2 processes\n"
            "tails                  A 3 (line 13), B 3 (line 11)\n"
            "They are a consistent cut.\n"
            "holds\n");
  const ClockAnswer cut_short = answer(fixture("truncated.log"), ClockQuestion::kCut);
  EXPECT_EQ(cut_short.verdict, Verdict::kBreaks);
  EXPECT_EQ(cut_short.text,
            "6 events of 2 processes\n"
            "tails                  A 4 (line 13), B 2 (line 9)\n"
            "  A goes back before line 11, which knows 3 events of B; 2 are in the cut\n"
            "latest consistent cut  A 2 (line 7), B 2 (line 9)\n"
            "breaks\n");
}

TEST(ClockReport, ChecksClocksAndDelivery) {
  EXPECT_EQ(answer(fixture("question-before-answer.log"), ClockQuestion::kCheck).text,
            "5 events of 3 processes\n"
            "clocks            holds\n"
            "causal delivery   holds (3 of 3 receives judged)\n"
            "holds\n");
  const ClockAnswer broken = answer(fixture("answer-before-question.log"), ClockQuestion::kCheck);
  EXPECT_EQ(broken.verdict, Verdict::kBreaks);
  EXPECT_THAT(broken.text, HasSubstr("line 11: A receives B1 (sent in line 3) after C2"));
  const ClockAnswer gap = answer(fixture("gap.log"), ClockQuestion::kCheck);
  EXPECT_EQ(gap.verdict, Verdict::kHolds);
  EXPECT_THAT(gap.text, HasSubstr("own entries skip values once, first in line 5"));
}

TEST(ClockReport, ImpossibleClocksAnswerNoOtherQuestion) {
  const std::string log = fixture("restarted-under-its-old-name.log");
  EXPECT_EQ(answer(log, ClockQuestion::kCheck).verdict, Verdict::kBreaks);
  EXPECT_THAT(answer(log, ClockQuestion::kCheck).text,
              HasSubstr("a restarted process needs a fresh"));
  EXPECT_EQ(answer(log, ClockQuestion::kCut).verdict, Verdict::kUnknown);
  EXPECT_EQ(answer(log, ClockQuestion::kRaces).verdict, Verdict::kUnknown);
}

TEST(ClockReport, AHopThatDropsTheClockMakesUpARace) {
  EXPECT_EQ(answer(fixture("hop-keeps-clock.log"), ClockQuestion::kRaces).verdict, Verdict::kHolds);
  EXPECT_EQ(answer(fixture("hop-keeps-clock.log"), ClockQuestion::kCheck).verdict, Verdict::kHolds);
  const ClockAnswer races = answer(fixture("hop-drops-clock.log"), ClockQuestion::kRaces);
  EXPECT_EQ(races.verdict, Verdict::kBreaks);
  EXPECT_THAT(races.text, HasSubstr("line 3 (writer) and line 13 (worker)"));
  // Where the hop's messages are marked, the check says what happened.
  EXPECT_THAT(answer(fixture("hop-drops-clock.log"), ClockQuestion::kCheck).text,
              HasSubstr("the clock was lost on the way"));
}

TEST(ClockReport, WithoutMarkedWritesNothingIsSaidAboutRaces) {
  EXPECT_EQ(answer(fixture("tails-consistent.log"), ClockQuestion::kRaces).verdict,
            Verdict::kUnknown);
}

TEST(ClockReport, AnswersAboutAHistoryAtAnyEvent) {
  HistoryFile file;
  file.history = history_of("B! C<B1 C! A<C2 A<B1");
  ClockRequest request;
  request.question = ClockQuestion::kCut;
  request.at = "C1";
  const auto cut = answer_about_clocks(to_jsonl(file), request);
  ASSERT_TRUE(cut) << cut.error().text;
  EXPECT_EQ(cut->text,
            "7 events of 4 processes\n"
            "C1: observes B1 on t\n"
            "what it knows          B 1, C 1, A 0, log 0\n"
            "recorded until then    B 1, C 1, A 0, log 1\n"
            "Both are consistent cuts.\n"
            "holds\n");
  request.at = "C:1";
  EXPECT_EQ(answer_about_clocks(to_jsonl(file), request)->text, cut->text);
  request.at = "Z9";
  const auto none = answer_about_clocks(to_jsonl(file), request);
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().text, HasSubstr("--at Z9: no such event"));
  request = {};
  EXPECT_EQ(answer_about_clocks(to_jsonl(file), request)->verdict, Verdict::kBreaks);
}

TEST(ClockReport, NamesFromALogDoNotReachTheTerminalAsTheyAre) {
  ShivizOptions options;
  options.parser = R"((?<host>\S*) (?<clock>{.*}) (?<event>.*))";
  EXPECT_THAT(answer("a\x1B[2J {\"a\\u001b[2J\":1} x\nb {\"a\\u001b[2J\":2,\"b\":1} x\n",
                     ClockQuestion::kCheck, options)
                  .text,
              AllOf(HasSubstr("2 events of a\\x1b[2J"), ::testing::Not(HasSubstr("\x1B"))));
}

/// ShiViz's own rules for a log, and its way to read one, written down anew: a parser with named
/// groups and no other parentheses; every host in its own clock; own entries 1, 2, 3; no entry that
/// is 0; every host known, with at least as many events as anybody says.
std::string against_shiviz(const std::string& file) {
  const std::size_t first = file.find('\n');
  const std::string parser = file.substr(0, first);
  if (parser != R"((?<host>\S*) (?<clock>{.*})\n(?<event>.*))") return "an unknown expression";
  if (file.substr(first, 2) != "\n\n") return "a separator";
  const std::regex expression(R"((\S*) (\{.*\})\n(.*))");
  struct Entry {
    std::string host{};
    nlohmann::json clock{};
  };
  std::vector<Entry> entries;
  std::size_t consumed = first + 2;
  for (std::sregex_iterator
           i(file.begin() + static_cast<std::ptrdiff_t>(first) + 2, file.end(), expression),
       end;
       i != end; ++i) {
    entries.push_back({(*i)[1], nlohmann::json::parse((*i)[2].str(), nullptr, false)});
    consumed += static_cast<std::size_t>(i->length()) + 1;
  }
  if (consumed != file.size()) return "text of no event";
  std::map<std::string, std::uint64_t> events;
  for (const Entry& entry : entries) {
    if (!entry.clock.is_object()) return "a clock that is none";
    if (!entry.clock.contains(entry.host)) return "own host missing: " + entry.host;
    if (entry.clock[entry.host] != ++events[entry.host]) return "own entry of " + entry.host;
  }
  for (const Entry& entry : entries) {
    for (const auto& [host, tick] : entry.clock.items()) {
      if (tick == 0) return "a zero for " + host;
      if (events.count(host) == 0) return "an unknown host " + host;
      if (tick > events[host]) return "too many events of " + host;
    }
  }
  return entries.empty() ? "no event" : "";
}

TEST(ShivizRules, TellGoodLogsFromBad) {
  EXPECT_EQ(against_shiviz(fixture("tails-consistent.log")), "");
  EXPECT_EQ(against_shiviz(fixture("own-host-missing.log")), "own host missing: B");
  EXPECT_EQ(against_shiviz(fixture("gap.log")), "own entry of A");
  EXPECT_EQ(against_shiviz(fixture("zero-entries.log")), "a zero for B");
  EXPECT_EQ(against_shiviz(fixture("misspelt-host.log")), "an unknown host nodel");
  EXPECT_EQ(against_shiviz(fixture("truncated.log")), "too many events of B");
}

TEST(ShivizWriter, WritesTheWorkedExample) {
  EXPECT_EQ(to_shiviz(stamped_log_of(history_of("B! C<B1"))),
            "(?<host>\\S*) (?<clock>{.*})\\n(?<event>.*)\n"
            "\n"
            "B {\"B\": 1}\n"
            "publishes B1 on t #send=B1 #write=t\n"
            "log {\"B\": 1, \"log\": 1}\n"
            "holds B1 on t\n"
            "C {\"B\": 1, \"C\": 1}\n"
            "observes B1 on t #receive=B1\n");
}

TEST(ShivizWriter, NamesThatDoNotFitTheFormatAreMadeToAndStayApart) {
  History history = history_of("A! B<A1 C<A1");
  history.clients = {"a b", "a\tb", "\"\\{\xFF"};
  history.messages[0] = "m 1\n";
  history.topics[0] = "";
  const std::string text = to_shiviz(stamped_log_of(history));
  EXPECT_EQ(against_shiviz(text), "");
  const StampedLog log = parsed(text).executions.at(0).log;
  EXPECT_THAT(log.processes, ElementsAre("a_b", "log", "a_b_", "\"\\{_"));
  EXPECT_EQ(log.names[log.events()[0].sends], "m_1_");
}

RC_GTEST_PROP(ShivizWriterLaw, ReadingGivesBackTheLog, ()) {
  const auto processes = *any_below<std::size_t>(1, 5);
  const auto choices = *any_choices(40);
  RC_PRE(!choices.empty());
  const auto writes =
      *rc::gen::container<std::vector<NameId>>(choices.size(), any_below<NameId>(0, 6));
  const StampedLog log =
      log_of(run_of(processes, choices, Links::kAnyOrder), LogOrder::kAsItHappened, writes).log;
  const std::string text = to_shiviz(log);
  RC_ASSERT(against_shiviz(text) == "");
  const auto back = parse_shiviz(text);
  RC_ASSERT(back.has_value());
  const StampedLog& again = back->executions.at(0).log;
  RC_ASSERT(again.events().size() == log.events().size());
  for (StampedIndex a = 0; a < log.events().size(); ++a) {
    const auto name = [](const StampedLog& l, NameId id) {
      return id == kNoName ? std::string() : l.names[id];
    };
    RC_ASSERT(name(again, again.events()[a].sends) == name(log, log.events()[a].sends));
    RC_ASSERT(name(again, again.events()[a].receives) == name(log, log.events()[a].receives));
    RC_ASSERT(name(again, again.events()[a].writes) == name(log, log.events()[a].writes));
    for (StampedIndex b = 0; b < log.events().size(); ++b) {
      RC_ASSERT(again.order(a, b) == log.order(a, b));
    }
  }
  RC_ASSERT(to_shiviz(again) == text || processes > 1U);
}

TEST(ShivizExportLaw, EveryHistoryIsExportedAsShivizWantsIt) {
  const bool ok = rc::check("exports satisfy ShiViz's rules", [] {
    const StampedLog log = stamped_log_of(*reference::random_history());
    RC_PRE(!log.events().empty());
    const std::string text = to_shiviz(log);
    RC_ASSERT(against_shiviz(text) == "");
    const auto back = parse_shiviz(text);
    RC_ASSERT(back.has_value());
    RC_ASSERT(back->executions.at(0).log.events().size() == log.events().size());
  });
  EXPECT_TRUE(ok);
}

RC_GTEST_PROP(ShivizReaderLaw, NothingInALogCrashesIt, ()) {
  // Bytes of a log replaced, doubled and cut out.
  std::string text = fixture("two-executions.log") + fixture("answer-before-question.log");
  const auto edits = *any_below(1, 8);
  for (int i = 0; i < edits; ++i) {
    const auto at = *any_below<std::size_t>(0, text.size());
    const auto kind = *any_below(0, 3);
    if (kind == 0) text[at] = *rc::gen::arbitrary<char>();
    if (kind == 1) text.erase(at, *any_below<std::size_t>(1, 30));
    if (kind == 2) text.insert(at, text.substr(at, *any_below<std::size_t>(1, 30)));
    if (text.empty()) break;
  }
  ShivizOptions options;
  options.other_lines = *rc::gen::element(OtherLines::kRefuse, OtherLines::kSkip);
  const auto log = parse_shiviz(text, options);
  RC_CLASSIFY(log.has_value(), "accepted");
  if (!log) {
    RC_ASSERT(!log.error().text.empty());
    return;
  }
  RC_ASSERT(!log->executions.empty());
  for (const auto question : {ClockQuestion::kCheck, ClockQuestion::kCut, ClockQuestion::kRaces}) {
    ClockRequest request;
    request.question = question;
    request.format = options;
    RC_ASSERT(answer_about_clocks(text, request).has_value());
  }
}

}  // namespace
}  // namespace causalcheck
