#include "harness/history_file.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "harness/json_text.h"

namespace causalcheck {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

HistoryFile parsed(const std::string& text) {
  auto file = parse_history(text);
  EXPECT_TRUE(file.has_value()) << file.error().text;
  return file ? *std::move(file) : HistoryFile{};
}

std::string json_string(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return out;
}

constexpr const char* kWrite =
    R"({"client":"B","op":"write","topic":"chat","msg":"B1","slot":0,"outcome":"ok","start":1,"end":3})"
    "\n";
constexpr const char* kRead =
    R"({"client":"C","op":"read","topic":"chat","msg":"B1","slot":0,"outcome":"ok","start":4,"end":5})"
    "\n";
constexpr const char* kReadNothing =
    R"({"client":"C","op":"read","topic":"chat","msg":null,"slot":null,"outcome":"ok","start":6,"end":7})"
    "\n";
constexpr const char* kDrain =
    R"({"client":"_drain","op":"read","topic":"chat","msg":"B1","slot":0,"outcome":"ok","start":90,"end":91})"
    "\n";
constexpr const char* kHeader =
    R"({"format":"causalcheck-history","version":1,"clients":["A","B","C"],)"
    R"("backend":{"slots":"contiguous","reads":"feed","level":"total","scope":"topic",)"
    R"("claims":["monotonic-reads","real-time"],"offers":["real-time"],"retries":"none"},)"
    R"("seed":8157,"plan_hash":"77aa","payloads":"checked","faults":["delay","skew"],"run":"r-1",)"
    R"("config":{"clients":3}})"
    "\n";

TEST(ParseHistory, ReadsEveryFieldOfAnOperation) {
  const HistoryFile file = parsed(
      R"({"client":"A","op":"write","topic":"t","msg":"m","slot":9007199254740993,"outcome":"info",)"
      R"("start":4611686018427387903,"end":4611686018427387904,"session":2,"node":"n1",)"
      R"("payload_sha":"ab12","delete":true,"undecodable":true,"foreign":true})");
  ASSERT_EQ(file.history.operations.size(), 1U);
  Operation expected;
  expected.start = (Position{1} << 62U) - 1;
  expected.end = Position{1} << 62U;
  expected.slot = 9007199254740993;
  expected.client = 0;
  expected.message = 0;
  expected.session = 2;
  expected.node = 1;
  expected.payload = 1;
  expected.kind = OperationKind::kWrite;
  expected.outcome = Outcome::kInfo;
  expected.is_delete = expected.undecodable = expected.foreign = true;
  EXPECT_EQ(file.history.operations[0], expected);
  EXPECT_THAT(file.history.clients, ElementsAre("A"));
  EXPECT_THAT(file.history.topics, ElementsAre("t"));
  EXPECT_THAT(file.history.messages, ElementsAre("m"));
  EXPECT_THAT(file.history.nodes, ElementsAre("n1"));
  EXPECT_THAT(file.history.payloads, ElementsAre("ab12"));
}

TEST(ParseHistory, GivesEqualNamesOneIndex) {
  const HistoryFile file = parsed(std::string(kWrite) + kRead + kReadNothing + kDrain);
  EXPECT_THAT(file.history.clients, ElementsAre("B", "C"));
  EXPECT_THAT(file.history.messages, ElementsAre("B1"));
  ASSERT_EQ(file.history.operations.size(), 4U);
  EXPECT_EQ(file.history.operations[1].message, 0U);
  EXPECT_EQ(file.history.operations[1].client, file.history.operations[2].client);
  EXPECT_EQ(file.history.operations[2].message, kNothing);
  EXPECT_EQ(file.history.operations[2].slot, kNoSlot);
  EXPECT_TRUE(file.history.operations[3].is_drain());
}

TEST(ParseHistory, KeepsManyNamesApart) {
  std::string text;
  constexpr std::uint32_t kCount = 5000;
  for (std::uint32_t i = 0; i < kCount; ++i) {
    text += fmt::format(
        R"({{"client":"A","op":"write","topic":"t","msg":"m{}","outcome":"ok","start":{},"end":9999}})"
        "\n",
        i, i + 1);
  }
  const HistoryFile file = parsed(text);
  ASSERT_EQ(file.history.messages.size(), kCount);
  for (std::uint32_t i = 0; i < kCount; ++i) {
    EXPECT_EQ(file.history.operations[i].message, i);
    EXPECT_EQ(file.history.messages[i], fmt::format("m{}", i));
  }
}

TEST(ParseHistory, TakesAnOperationWithoutEndAsOneThatNeverReturned) {
  const HistoryFile file = parsed(
      R"({"client":"A","op":"write","topic":"t","msg":"m","outcome":"info","start":5})"
      "\n"
      R"({"client":"A","op":"write","topic":"t","msg":"n","outcome":"info","start":6,"end":null})");
  ASSERT_EQ(file.history.operations.size(), 2U);
  EXPECT_EQ(file.history.operations[0].end, kNever);
  EXPECT_EQ(file.history.operations[1].end, kNever);
}

TEST(ParseHistory, ReadsTheHeader) {
  const HistoryFile file = parsed(kHeader);
  EXPECT_TRUE(file.history.has_header);
  EXPECT_TRUE(file.history.payloads_checked);
  EXPECT_TRUE(file.history.faults_asked);
  EXPECT_THAT(file.history.clients, ElementsAre("A", "B", "C"));
  const Declaration& declared = file.history.declared;
  EXPECT_EQ(declared.slots, Slots::kContiguous);
  EXPECT_EQ(declared.reads, Reads::kFeed);
  EXPECT_EQ(declared.level, Level::kTotal);
  EXPECT_EQ(declared.scope, Scope::kTopic);
  EXPECT_EQ(declared.retries, Retries::kNone);
  EXPECT_EQ(declared.claims, (GuaranteeSet{Guarantee::kMonotonicReads, Guarantee::kRealTime}));
  EXPECT_EQ(declared.offers, GuaranteeSet{Guarantee::kRealTime});
  EXPECT_EQ(file.header.seed, 8157U);
  EXPECT_EQ(file.header.plan_hash, "77aa");
  EXPECT_EQ(file.header.run, "r-1");
  EXPECT_EQ(file.header.config, R"({"clients":3})");
  EXPECT_THAT(file.header.faults, ElementsAre("delay", "skew"));
}

TEST(ParseHistory, AssertsNothingThatAHeaderLeavesOut) {
  const HistoryFile file = parsed(R"({"format":"causalcheck-history","version":1,)"
                                  R"("backend":{"slots":"none","reads":"latest","level":"fifo"}})");
  Declaration weakest;
  weakest.level = Level::kFifo;
  weakest.scope = Scope::kTopic;
  weakest.claims = {};
  EXPECT_EQ(file.history.declared, weakest);
  EXPECT_FALSE(file.history.payloads_checked);
  EXPECT_FALSE(file.history.faults_asked);
  EXPECT_EQ(file.header.seed, std::nullopt);
}

TEST(ParseHistory, LetsALevelAmongTheClaimsRaiseTheLevel) {
  const auto level = [](const std::string& declared, const std::string& claimed) {
    const HistoryFile file =
        parsed(R"({"format":"causalcheck-history","version":1,"backend":{"slots":"none",)"
               R"("reads":"latest","level":")" +
               declared + R"(","claims":[")" + claimed + R"("]}})");
    EXPECT_TRUE(file.history.declared.claims.empty());
    return file.history.declared.level;
  };
  EXPECT_EQ(level("fifo", "total"), Level::kTotal);
  EXPECT_EQ(level("total", "fifo"), Level::kTotal);
}

TEST(ParseHistory, WithoutAHeaderHasSlotsWhenALineShowsOne) {
  EXPECT_EQ(parsed(kWrite).history.declared.slots, Slots::kSparse);
  EXPECT_EQ(parsed(kReadNothing).history.declared.slots, Slots::kNone);
  EXPECT_EQ(parsed(kReadNothing).history.declared, Declaration{});
  EXPECT_FALSE(parsed(kWrite).history.has_header);
}

TEST(ParseHistory, TakesTheSlotsOfTheHeaderWhateverLinesShow) {
  const HistoryFile file = parsed(R"({"format":"causalcheck-history","version":1,)"
                                  R"("backend":{"slots":"none","reads":"latest","level":"fifo"}})"
                                  "\n" +
                                  std::string(kWrite));
  EXPECT_EQ(file.history.declared.slots, Slots::kNone);
}

TEST(ParseHistory, ReadsFaultsAndLeaves) {
  const HistoryFile file =
      parsed(R"({"fault":"partition","target":"C","start":8,"end":12,"call":4})"
             "\n"
             R"({"fault":"skew","start":9})"
             "\n"
             R"({"leaves":"C","start":13})");
  EXPECT_THAT(file.history.faults, ElementsAre(FaultWindow{"partition", "C", 8, 12, 4},
                                               FaultWindow{"skew", "", 9, kNever}));
  EXPECT_THAT(file.history.leaves, ElementsAre(Leave{0, 13}));
  EXPECT_THAT(file.history.clients, ElementsAre("C"));
}

TEST(ParseHistory, AcceptsAnEmptyFileBlankLinesForeignLineEndsAndAByteOrderMark) {
  EXPECT_EQ(parsed(""), HistoryFile{});
  EXPECT_EQ(parsed("\n \t\r\n\n"), HistoryFile{});
  const HistoryFile plain = parsed(std::string(kWrite) + kRead);
  std::string windows = fmt::format("\xEF\xBB\xBF{}\n{}", kWrite, kRead);
  for (std::size_t at = 0; (at = windows.find('\n', at)) != std::string::npos; at += 2) {
    windows.insert(at, 1, '\r');
  }
  windows.resize(windows.size() - 2);  // and no line end at the end of the file
  EXPECT_EQ(parsed(windows), plain);
}

TEST(ParseHistory, ReadsFieldsInAnyOrderWithSpacesAndEscapes) {
  EXPECT_EQ(
      parsed(R"(  { "end" : 3 , "start":1, "outc\u006fme":"o\u006b", "slot":0, "msg":"\u00421",)"
             R"( "topic":"chat", "op":"write", "client":"B" }  )"),
      parsed(kWrite));
}

TEST(ParseHistory, KeepsUnknownFieldsPerLine) {
  const HistoryFile file = parsed(
      std::string(kWrite) +
      R"({"client":"A","since":[1, {"a":null}],"op":"read","topic":"t","msg":null,"outcome":"ok",)"
      R"("start":8,"end":9,"note":"slow","b\u0061d":1.50e3,)"
      R"("wide":123456789012345678901234567890})"
      "\n"
      R"({"fault":"delay","ms":40,"start":1})"
      "\n"
      R"({"leaves":"A","start":20,"why":"tired"})");
  EXPECT_THAT(
      file.operation_extras,
      ElementsAre(LineExtras{1, R"("since":[1, {"a":null}],"note":"slow","b\u0061d":1.50e3,)"
                                R"("wide":123456789012345678901234567890)"}));
  EXPECT_THAT(file.fault_extras, ElementsAre(LineExtras{0, R"("ms":40)"}));
  EXPECT_THAT(file.leave_extras, ElementsAre(LineExtras{0, R"("why":"tired")"}));
  EXPECT_THAT(file.history.operations.size(), 2U);
}

TEST(ParseHistory, KeepsHeldReleasedAndNoteLinesAsTheyCame) {
  const HistoryFile file = parsed(R"({"held":"B1",  "client":"C","start":5})"
                                  "\n"
                                  R"({"note":"\u00e9"})"
                                  "\r\n"
                                  R"({"released":"B1","client":"C","start":9})");
  EXPECT_THAT(file.other_lines,
              ElementsAre(R"({"held":"B1",  "client":"C","start":5})", R"({"note":"\u00e9"})",
                          R"({"released":"B1","client":"C","start":9})"));
  EXPECT_THAT(file.history.operations, IsEmpty());
}

TEST(ParseHistory, KeepsUnknownFieldsOfTheHeader) {
  const HistoryFile file =
      parsed(R"({"format":"causalcheck-history","version":1,"made_by":{"x":[1,2]},)"
             R"("backend":{"slots":"none","reads":"latest","level":"fifo","nodes":3}})");
  EXPECT_EQ(file.header.extras, R"("made_by":{"x":[1,2]})");
  EXPECT_EQ(file.header.backend_extras, R"("nodes":3)");
}

TEST(ParseHistory, ReadsALineOfTenMegabytes) {
  const std::string note(10'000'000, 'x');
  const HistoryFile file = parsed(R"({"note":")" + note + "\"}\n" + kWrite);
  ASSERT_EQ(file.other_lines.size(), 1U);
  EXPECT_EQ(file.other_lines[0].size(), note.size() + 11);
  EXPECT_EQ(file.history.operations.size(), 1U);
}

TEST(ParseHistory, LetsTwoClientsHaveEventsAtOnePosition) {
  const HistoryFile file = parsed(
      R"({"client":"A","op":"write","topic":"t","msg":"m","outcome":"ok","start":1,"end":2})"
      "\n"
      R"({"client":"B","op":"write","topic":"t","msg":"n","outcome":"ok","start":1,"end":2})");
  EXPECT_EQ(file.history.operations.size(), 2U);
}

TEST(ParseHistory, LetsAClientStartAWriteWhereAReadOfNothingOrAnUnknownOneEnds) {
  const HistoryFile file = parsed(
      R"({"client":"A","op":"read","topic":"t","msg":null,"outcome":"ok","start":1,"end":3})"
      "\n"
      R"({"client":"A","op":"read","topic":"u","msg":"m","outcome":"info","start":2,"end":3})"
      "\n"
      R"({"client":"A","op":"write","topic":"t","msg":"n","outcome":"ok","start":3,"end":4})");
  EXPECT_EQ(file.history.operations.size(), 3U);
}

TEST(ToJsonl, GivesTheBytesOfACanonicalFileBack) {
  const std::string text = std::string(kHeader) + kWrite + kRead +
                           R"({"fault":"partition","target":"C","start":6,"end":12})" + "\n" +
                           kReadNothing + R"({"leaves":"C","start":13})" + "\n" +
                           R"({"note":"all quiet"})" + "\n" + kDrain;
  EXPECT_EQ(to_jsonl(parsed(text)), text);
}

TEST(ToJsonl, WritesOptionalFieldsOnlyWhereTheySaySomething) {
  const std::string text =
      R"({"client":"A~2","op":"write","topic":"t","msg":"m","slot":null,"outcome":"info","start":1,)"
      R"("session":2,"node":"n","payload_sha":"p","delete":true,"undecodable":true,"foreign":true,"x":1})"
      "\n";
  EXPECT_EQ(to_jsonl(parsed(text)), text);
  EXPECT_EQ(
      to_jsonl(parsed(R"({"client":"A","op":"read","topic":"t","msg":null,"outcome":"ok",)"
                      R"("start":1,"end":1,"session":1,"delete":false,"foreign":false})")),
      R"({"client":"A","op":"read","topic":"t","msg":null,"slot":null,"outcome":"ok","start":1,"end":1})"
      "\n");
}

TEST(ToJsonl, OrdersByStartAndPutsTheDrainLastAsItCame) {
  const std::string drain_first =
      R"({"client":"_drain","op":"read","topic":"u","msg":null,"slot":null,"outcome":"ok","start":80,"end":81})"
      "\n";
  const std::string fault = R"({"fault":"delay","target":"","start":6})"
                            "\n";
  const std::string early_leave = R"({"leaves":"B","start":5})"
                                  "\n";
  EXPECT_EQ(
      to_jsonl(parsed(kDrain + drain_first + kReadNothing + fault + early_leave + kRead + kWrite)),
      kWrite + std::string(kRead) + early_leave + fault + kReadNothing + kDrain + drain_first);
}

TEST(ToJsonl, SaysOfWhatIsStillOpenThatItEndedUnknown) {
  HistoryFile file;
  file.history.clients = {"A"};
  file.history.topics = {"t"};
  file.history.messages = {"m"};
  Operation open;
  open.client = 0;
  open.kind = OperationKind::kWrite;
  open.message = 0;
  open.start = 1;
  file.history.operations = {open};
  EXPECT_EQ(
      to_jsonl(file),
      R"({"client":"A","op":"write","topic":"t","msg":"m","slot":null,"outcome":"info","start":1})"
      "\n");
}

TEST(ToJsonl, KeepsLargeNumbersExactly) {
  const std::string text =
      R"({"client":"A","op":"write","topic":"t","msg":"m","slot":9223372036854775806,"outcome":"ok",)"
      R"("start":9007199254740993,"end":4611686018427387904})"
      "\n";
  EXPECT_EQ(to_jsonl(parsed(text)), text);
}

TEST(ToJsonl, EscapesNamesSoThatTheyComeBack) {
  HistoryFile file;
  file.history.clients = {"A\"\\/\n\r\t\b\x01\x7F"};
  file.history.topics = {std::string("nul\0inside", 10)};
  file.history.messages = {"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80"};
  Operation write;
  write.client = 0;
  write.kind = OperationKind::kWrite;
  write.message = 0;
  write.start = 1;
  write.end = 2;
  file.history.operations = {write};
  EXPECT_EQ(parsed(to_jsonl(file)), file);
}

TEST(AppendJsonString, PutsAReplacementWhereABytesBelongsToNoCharacter) {
  const std::string replacement = "\xEF\xBF\xBD";
  EXPECT_EQ(json_string("a\xFFz"), "\"a" + replacement + "z\"");
  EXPECT_EQ(json_string("\xC3"), "\"" + replacement + "\"");
  EXPECT_EQ(json_string("\xC0\xAF"), "\"" + replacement + replacement + "\"");  // overlong
  EXPECT_EQ(json_string("\xED\xA0\x80"),                                        // a surrogate
            "\"" + replacement + replacement + replacement + "\"");
  EXPECT_EQ(json_string("\xF4\x90\x80\x80").size(), 4 * replacement.size() + 2);  // too large
  EXPECT_EQ(json_string("\xF4\x8F\xBF\xBF"), "\"\xF4\x8F\xBF\xBF\"");             // the largest
  EXPECT_EQ(json_string("\xE2\x82x"), "\"" + replacement + replacement + "x\"");
}

TEST(AppendJsonString, SaysWhatAnotherParserReads) {
  std::string every_byte;
  for (int c = 1; c < 0x80; ++c) every_byte.push_back(static_cast<char>(c));
  EXPECT_EQ(nlohmann::json::parse(json_string(every_byte)).get<std::string>(), every_byte);
}

TEST(Shown, IsOneShortLineThatATerminalDoesNotObey) {
  EXPECT_EQ(shown("a\nb\x1B[31m\x7F\xC2\x9B!"), "a b [31m  !");
  EXPECT_EQ(shown("\xC2\xA0\xC3\xA9"), "\xC2\xA0\xC3\xA9");
  EXPECT_EQ(shown(std::string(40, 'x')), std::string(40, 'x'));
  EXPECT_EQ(shown(std::string(39, 'x') + "\xC3\xA9"), std::string(39, 'x') + "...");
}

// The law of the format, on thousands of damaged files: a file is refused with a line number, or it
// is a file whose every line another parser takes for an object, and writing it is a fixed point.
TEST(ParseHistory, RefusesOrUnderstandsWhateverBytesItIsGiven) {
  const std::string whole =
      std::string(kHeader) + kWrite + kRead + kReadNothing +
      R"({"fault":"delay","target":"C","start":6,"end":12,"x":[{"y":-0.5e-3}]})" + "\n" +
      R"({"leaves":"C","start":13})" + "\n" + R"({"held":"B1"})" + "\n" + kDrain;
  const std::string pieces =
      "{}[]\":,0123456789-+.eE\\u\xFF\xC3\n\r \t\0nulltrue" + std::string(1, '\0');
  std::uint64_t state = 1;
  const auto draw = [&state](std::size_t n) {  // Knuth's 64-bit linear congruence, upper half
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<std::size_t>(state >> 33U) % n;
  };
  int accepted = 0;
  for (int round = 0; round < 5'000; ++round) {
    std::string text = whole;
    for (std::size_t hits = 1 + draw(3); hits > 0; --hits) {
      const std::size_t at = draw(text.size());
      switch (draw(4)) {
        case 0:
          text[at] = pieces[draw(pieces.size())];
          break;
        case 1:
          text.erase(at, 1 + draw(9));
          break;
        case 2:
          text.insert(at, 1, pieces[draw(pieces.size())]);
          break;
        default:
          text.insert(at, text.substr(draw(text.size()), draw(40)));
      }
      if (text.empty()) break;
    }
    const auto file = parse_history(text);
    if (!file) {
      EXPECT_THAT(file.error().text, ::testing::MatchesRegex("line [0-9]+: .+")) << text;
      continue;
    }
    ++accepted;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
      EXPECT_TRUE(nlohmann::json::parse(line, nullptr, false).is_object()) << line;
    }
    const std::string bytes = to_jsonl(*file);
    const auto again = parse_history(bytes);
    ASSERT_TRUE(again.has_value()) << again.error().text << "\n" << bytes;
    EXPECT_EQ(to_jsonl(*again), bytes);
  }
  EXPECT_GT(accepted, 50);  // else the damage is too heavy to show anything
}

}  // namespace
}  // namespace causalcheck
