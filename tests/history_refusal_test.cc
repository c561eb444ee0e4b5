#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "harness/history_file.h"

namespace causalcheck {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string refusal(const std::string& text) {
  const auto file = parse_history(text);
  return file ? "accepted" : file.error().text;
}

const std::string kGood =
    R"({"client":"A","op":"write","topic":"t","msg":"m","slot":0,"outcome":"ok","start":1,"end":3})";

/// kGood with the text of one member replaced; an empty replacement takes the member away.
std::string with(const std::string& key, const std::string& value) {
  const std::string name = "\"" + key + "\":";
  const std::size_t at = kGood.find(name);
  std::size_t end = kGood.find_first_of(",}", at);
  if (value.empty()) {
    if (kGood[end] == ',') return kGood.substr(0, at) + kGood.substr(end + 1);
    return kGood.substr(0, at - 1) + kGood.substr(end);
  }
  return kGood.substr(0, at) + name + value + kGood.substr(end);
}

/// kGood with one more member.
std::string plus(const std::string& member) {
  return kGood.substr(0, kGood.size() - 1) + "," + member + "}";
}

std::string header(const std::string& members) {
  return R"({"format":"causalcheck-history","version":1)" + members + "}";
}

const std::string kBackend = R"("slots":"sparse","reads":"latest","level":"causal")";

struct Case {
  std::string name;
  std::string text;
  std::string expected;
};
void PrintTo(const Case& one, std::ostream* out) { *out << one.name; }

class Refused : public ::testing::TestWithParam<Case> {};

TEST_P(Refused, WithTheLineAndWhatWasExpected) {
  EXPECT_EQ(refusal(GetParam().text), GetParam().expected);
}

std::string name_of(const ::testing::TestParamInfo<Case>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(
    Operation, Refused,
    ::testing::Values(
        Case{"StartIsAString", std::string(6, '\n') + with("start", R"("x")"),
             R"(line 7: "start" must be a whole number from 1 to 2^62, found "x")"},
        Case{"StartIsZero", with("start", "0"),
             R"(line 1: "start" must be a whole number from 1 to 2^62, found 0)"},
        Case{"StartIsNegative", with("start", "-1"),
             R"(line 1: "start" must be a whole number from 1 to 2^62, found -1)"},
        Case{"StartIsAFraction", with("start", "1.0"),
             R"(line 1: "start" must be a whole number from 1 to 2^62, found 1.0)"},
        Case{"StartIsTooLarge", with("start", "4611686018427387905"),
             R"(line 1: "start" must be a whole number from 1 to 2^62, found 4611686018427387905)"},
        Case{
            "StartIsHuge", with("start", "123456789012345678901234567890"),
            R"(line 1: "start" must be a whole number from 1 to 2^62, found 123456789012345678901234567890)"},
        Case{"EndBeforeStart", with("start", "4"),
             R"(line 1: "end" must be no smaller than "start", 4, found 3)"},
        Case{
            "EndIsAList", with("end", "[9]"),
            R"(line 1: "end" must be a whole number from 1 to 2^62, left out when the operation never returned, found [9])"},
        Case{
            "NoEndYetOk", with("end", ""),
            R"(line 1: "outcome" must be "info": an operation without "end" never returned, found "ok")"},
        Case{"SlotIsNegative", with("slot", "-1"),
             R"(line 1: "slot" must be a whole number from 0 to 2^63-2, or null, found -1)"},
        Case{
            "SlotIsTooLarge", with("slot", "9223372036854775807"),
            R"(line 1: "slot" must be a whole number from 0 to 2^63-2, or null, found 9223372036854775807)"},
        Case{
            "SlotWhereNothingWasRead",
            R"({"client":"A","op":"read","topic":"t","msg":null,"slot":4,"outcome":"ok","start":1,"end":3})",
            R"(line 1: "slot" must be null where an ok read found nothing, found 4)"},
        Case{
            "ClientIsEmpty", with("client", R"("")"),
            R"(line 1: "client" must be the name of a client (a string that is not empty), found "")"},
        Case{
            "ClientIsANumber", with("client", "7"),
            R"(line 1: "client" must be the name of a client (a string that is not empty), found 7)"},
        Case{
            "ClientIsNull", with("client", "null"),
            R"(line 1: "client" must be the name of a client (a string that is not empty), found null)"},
        Case{
            "TopicIsEmpty", with("topic", R"("")"),
            R"(line 1: "topic" must be the name of a topic (a string that is not empty), found "")"},
        Case{
            "MessageIsEmpty", with("msg", R"("")"),
            R"(line 1: "msg" must be the id of a message (a string that is not empty) or null, found "")"},
        Case{
            "MessageIsANumber", with("msg", "5"),
            R"(line 1: "msg" must be the id of a message (a string that is not empty) or null, found 5)"},
        Case{"WriteOfNothing", with("msg", "null"),
             R"(line 1: "msg" must be the id of a message: a write writes something, found null)"},
        Case{"UnknownOp", with("op", R"("append")"),
             R"(line 1: "op" must be "read" or "write", found "append")"},
        Case{"UnknownOutcome", with("outcome", R"("timeout")"),
             R"(line 1: "outcome" must be "ok", "fail" or "info", found "timeout")"},
        Case{"DrainWrites", with("client", R"("_drain")"),
             R"(line 1: "op" must be "read" on a line of the drain, found "write")"},
        Case{
            "Transaction", plus(R"("txn":null)"),
            R"(line 1: "txn" must be left out: transactions are reserved and not read for now, found null)"},
        Case{"SessionIsZero", plus(R"("session":0)"),
             R"(line 1: "session" must be a whole number from 1 to 4294967295, found 0)"},
        Case{"SessionIsTooLarge", plus(R"("session":4294967296)"),
             R"(line 1: "session" must be a whole number from 1 to 4294967295, found 4294967296)"},
        Case{"NodeIsEmpty", plus(R"("node":"")"),
             R"(line 1: "node" must be the name of a node (a string that is not empty), found "")"},
        Case{"DigestIsANumber", plus(R"("payload_sha":12)"),
             R"(line 1: "payload_sha" must be a digest (a string that is not empty), found 12)"},
        Case{"DeleteIsANumber", plus(R"("delete":1)"),
             R"(line 1: "delete" must be true or false, found 1)"},
        Case{"ForeignIsAString", plus(R"("foreign":"true")"),
             R"(line 1: "foreign" must be true or false, found "true")"},
        Case{"UndecodableYetOk", plus(R"("undecodable":true)"),
             R"(line 1: "outcome" must be "info": the answer was undecodable, found "ok")"},
        Case{"KeyStandsTwice", plus(R"("client":"A")"), R"(line 1: "client" stands twice)"},
        Case{"KeyStandsTwiceInDisguise", plus(R"("cl\u0069ent":"A")"),
             R"(line 1: "client" stands twice)"},
        Case{"UnknownKeyStandsTwice", plus(R"("x":1,"y":2,"x":1)"), R"(line 1: "x" stands twice)"},
        Case{"LongValuesAreCut", with("outcome", "\"" + std::string(99, 'z') + "\""),
             R"(line 1: "outcome" must be "ok", "fail" or "info", found ")" + std::string(39, 'z') +
                 "..."}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    MissingField, Refused,
    ::testing::Values(
        Case{
            "Client", with("client", ""),
            R"(line 1: "client" is missing: it must be the name of a client (a string that is not empty))"},
        Case{"Op", with("op", ""), R"(line 1: "op" is missing: it must be "read" or "write")"},
        Case{
            "Topic", with("topic", ""),
            R"(line 1: "topic" is missing: it must be the name of a topic (a string that is not empty))"},
        Case{
            "Message", with("msg", ""),
            R"(line 1: "msg" is missing: it must be the id of a message (a string that is not empty) or null)"},
        Case{"Outcome", with("outcome", ""),
             R"(line 1: "outcome" is missing: it must be "ok", "fail" or "info")"},
        Case{"Start", with("start", ""),
             R"(line 1: "start" is missing: it must be a whole number from 1 to 2^62)"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Header, Refused,
    ::testing::Values(
        Case{"NotFirst", kGood + "\n" + header(R"(,"backend":{)" + kBackend + "}"),
             "line 2: is a header, which must be the first line"},
        Case{"Second",
             header(R"(,"backend":{)" + kBackend + "}") + "\n\n" +
                 header(R"(,"backend":{)" + kBackend + "}"),
             "line 3: is a second header, the first is on line 1"},
        Case{"OtherFormat", R"({"format":"jepsen","version":1})",
             R"(line 1: "format" must be "causalcheck-history", found "jepsen")"},
        Case{"NoVersion", R"({"format":"causalcheck-history"})",
             R"(line 1: "version" is missing: this program reads version 1)"},
        Case{"OtherVersion", R"({"format":"causalcheck-history","version":2})",
             R"(line 1: "version" must be 1, the only one this program reads, found 2)"},
        Case{"VersionIsAString", R"({"format":"causalcheck-history","version":"1"})",
             R"(line 1: "version" must be 1, the only one this program reads, found "1")"},
        Case{
            "NoBackend", header(""),
            R"(line 1: "backend" is missing: it must be what the backend declares, an object with slots, reads and level)"},
        Case{"BackendIsAString", header(R"(,"backend":"memory")"),
             R"(line 1: "backend" must be a JSON object, found "memory")"},
        Case{"NoLevel", header(R"(,"backend":{"slots":"none","reads":"feed"})"),
             R"(line 1: "backend.level" is missing: it must be "fifo", "causal" or "total")"},
        Case{"UnknownSlots", header(R"(,"backend":{"slots":"some","reads":"feed","level":"fifo"})"),
             R"(line 1: "backend.slots" must be "none", "sparse" or "contiguous", found "some")"},
        Case{"UnknownReads", header(R"(,"backend":{"slots":"none","reads":3,"level":"fifo"})"),
             R"(line 1: "backend.reads" must be "latest" or "feed", found 3)"},
        Case{"UnknownScope", header(R"(,"backend":{)" + kBackend + R"(,"scope":"world"})"),
             R"(line 1: "backend.scope" must be "topic" or "all", found "world")"},
        Case{"UnknownRetries", header(R"(,"backend":{)" + kBackend + R"(,"retries":"undeclared"})"),
             R"(line 1: "backend.retries" must be "none" or "at-least-once", found "undeclared")"},
        Case{
            "UnknownClaim", header(R"(,"backend":{)" + kBackend + R"(,"claims":["sg1"]})"),
            "line 1: \"backend.claims\" names no guarantee with \"sg1\", known are no-lost-writes, "
            "read-your-writes, monotonic-reads, monotonic-writes, writes-follow-reads, fifo, "
            "causal, "
            "total, delivery, identity, outcome, integrity, real-time"},
        Case{
            "OffersIsAString", header(R"(,"backend":{)" + kBackend + R"(,"offers":"causal"})"),
            R"(line 1: "backend.offers" must be a list of strings, none of them empty or there twice, found "causal")"},
        Case{"BackendFieldTwice", header(R"(,"backend":{)" + kBackend + R"(,"slots":"none"})"),
             R"(line 1: "backend" "slots" stands twice)"},
        Case{
            "ClientTwice", header(R"(,"clients":["A","A"],"backend":{)" + kBackend + "}"),
            R"(line 1: "clients" must be a list of strings, none of them empty or there twice, found ["A","A"])"},
        Case{"DrainIsNoClient", header(R"(,"clients":["_drain"],"backend":{)" + kBackend + "}"),
             R"(line 1: "clients" must not list "_drain", which is no client)"},
        Case{"SeedIsNegative", header(R"(,"seed":-4,"backend":{)" + kBackend + "}"),
             R"(line 1: "seed" must be a whole number from 0 to 2^64-1, found -4)"},
        Case{"PayloadsUnknown", header(R"(,"payloads":true,"backend":{)" + kBackend + "}"),
             R"(line 1: "payloads" must be "checked", or left out when they are not, found true)"},
        Case{
            "FaultsIsAString", header(R"(,"faults":"light","backend":{)" + kBackend + "}"),
            R"(line 1: "faults" must be a list of strings, none of them empty or there twice, found "light")"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    OtherLine, Refused,
    ::testing::Values(
        Case{
            "UnknownKind", R"({"event":"crash"})",
            R"(line 1: is of no known kind, found {"event":"crash"}; an operation has "op", other lines have "fault", "held", "released", "leaves" or "note", and the header has "format")"},
        Case{
            "EmptyObject", "{}",
            R"(line 1: is of no known kind, found {}; an operation has "op", other lines have "fault", "held", "released", "leaves" or "note", and the header has "format")"},
        Case{"FaultWithoutAKind", R"({"fault":"","start":1})",
             R"(line 1: "fault" must be a kind of fault (a string), found "")"},
        Case{"FaultOnANumber", R"({"fault":"delay","target":3,"start":1})",
             R"(line 1: "target" must be a client, a node, or "" for everything, found 3)"},
        Case{"FaultWithoutStart", R"({"fault":"delay","target":"A"})",
             R"(line 1: "start" is missing: it must be a whole number from 1 to 2^62)"},
        Case{"FaultEndsBeforeItStarts", R"({"fault":"delay","start":9,"end":8})",
             R"(line 1: "end" must be no smaller than "start", 9, found 8)"},
        Case{"FaultEndIsAString", R"({"fault":"delay","start":9,"end":"never"})",
             R"(line 1: "end" must be a whole number from 1 to 2^62, found "never")"},
        Case{"FaultOnACallThatIsNoPosition", R"({"fault":"delay","start":9,"call":0})",
             R"(line 1: "call" must be a whole number from 1 to 2^62, found 0)"},
        Case{
            "DrainLeaves", R"({"leaves":"_drain","start":1})",
            R"(line 1: "leaves" must be the name of a client (a string that is not empty), found "_drain")"},
        Case{"LeavesWithoutStart", R"({"leaves":"A"})",
             R"(line 1: "start" is missing: it must be a whole number from 1 to 2^62)"},
        Case{"NoteTwice", R"({"note":1,"note":2})", R"(line 1: "note" stands twice)"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    NotJson, Refused,
    ::testing::Values(
        Case{"Text", "hello", "line 1: must be a JSON object, found hello"},
        Case{"List", "[1,2]", "line 1: must be a JSON object, found [1,2]"},
        Case{"Number", "17", "line 1: must be a JSON object, found 17"},
        Case{"TwoOnALine", kGood + kGood,
             "line 1: must be one JSON object, more follows behind it"},
        Case{"BracesCross", R"({"note":[1}})", R"(line 1: is not JSON, found {"note":[1}})"},
        Case{"NoComma", R"({"note":1 "x":2})", R"(line 1: is not JSON, found {"note":1 "x":2})"},
        Case{"CommaAtTheEnd", R"({"note":1,})", R"(line 1: is not JSON, found {"note":1,})"},
        Case{"WordThatIsNone", R"({"note":nul})", R"(line 1: is not JSON, found {"note":nul})"},
        Case{"LeadingZero", R"({"note":012})",
             "line 1: is not JSON: a number is malformed or too large"},
        Case{"BadEscape", R"({"note":"\q"})",
             "line 1: is not JSON: a string holds an escape that means nothing"},
        Case{"LoneSurrogate", R"({"note":"\ud800"})",
             "line 1: is not JSON: a string holds an escape that means nothing"},
        Case{"BadEscapeInAKey", R"({"note":{"\q":1}})",
             "line 1: is not JSON: a string holds an escape that means nothing"},
        Case{"TabInAString", "{\"note\":\"a\tb\"}",
             "line 1: is not JSON: a control character inside a string must be escaped"},
        Case{"InvalidUtf8", "\n{\"note\":\"\xC3(\"}", "line 2: is not valid UTF-8"},
        Case{"Utf16", std::string("\xFF\xFE{\0\"\0", 6), "line 1: holds a NUL byte"},
        Case{"NulInAString", std::string("{\"note\":\"a\0b\"}", 14), "line 1: holds a NUL byte"},
        Case{"NulBetween", std::string("{\"note\":1\0}", 11), "line 1: holds a NUL byte"},
        Case{"CutInAString", kGood + "\n" + kGood.substr(0, 20),
             "line 2: is not JSON: a string is not closed (does the line end too early?)"},
        Case{"CutBehindAMember", kGood + "\n" + kGood.substr(0, kGood.size() - 1),
             "line 2: is not JSON: an object or list is not closed (does the line end too early?)"},
        Case{"TooDeep", R"({"note":)" + std::string(100, '[') + std::string(100, ']') + "}",
             "line 1: is nested more than 64 levels deep"},
        Case{"FarTooDeep",
             R"({"note":)" + std::string(1'000'000, '[') + std::string(1'000'000, ']') + "}",
             "line 1: is nested more than 64 levels deep"}),
    name_of);

TEST(RefusedCases, AreBuiltOnALineThatIsAccepted) {
  EXPECT_EQ(refusal(kGood), "accepted");
  EXPECT_EQ(refusal(header(R"(,"backend":{)" + kBackend + "}")), "accepted");
  EXPECT_EQ(refusal(with("slot", "")), "accepted");
  EXPECT_EQ(refusal(R"({"note":)" + std::string(60, '[') + std::string(60, ']') + "}"), "accepted");
}

std::string event(const std::string& op, const std::string& msg, int start, int end) {
  return fmt::format(
      R"({{"client":"A","op":"{}","topic":"t","msg":"{}","outcome":"ok","start":{},"end":{}}})"
      "\n",
      op, msg, start, end);
}

TEST(TwoEventsAtOnePosition, AreRefusedForTwoWrites) {
  EXPECT_THAT(refusal(event("write", "m", 1, 2) + event("write", "n", 1, 3)),
              StartsWith("line 2: client A already has an event at position 1;"));
}

TEST(TwoEventsAtOnePosition, AreRefusedForAReadAndAWriteWhereverTheyStand) {
  EXPECT_THAT(refusal(event("write", "m", 9, 10) + "\n" + event("write", "n", 3, 4) +
                      event("read", "x", 1, 9)),
              StartsWith("line 4: client A already has an event at position 9;"));
}

TEST(TwoEventsAtOnePosition, AreRefusedForTwoReads) {
  EXPECT_THAT(refusal(event("read", "m", 1, 4) + event("read", "n", 2, 4)),
              StartsWith("line 2: client A already has an event at position 4;"));
}

TEST(ReadHistory, NamesTheFileItCouldNotRead) {
  const auto missing = read_history("no/such/file.jsonl");
  ASSERT_FALSE(missing.has_value());
  EXPECT_THAT(missing.error().text, StartsWith("cannot read no/such/file.jsonl: "));
  const auto folder = read_history(".");
  ASSERT_FALSE(folder.has_value());
  EXPECT_THAT(folder.error().text, StartsWith("cannot read .: "));
}

}  // namespace
}  // namespace causalcheck
