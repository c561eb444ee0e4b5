// A seed that fails on purpose. A harness whose failure path is broken reports success for ever;
// this one has to fail, in the right way, each time the tests run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/program_test.h"

namespace causalcheck {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::StartsWith;

class Canary : public ProgramTest {
 protected:
  Ran run(const std::string& arguments) { return ProgramTest::run(arguments, "2>/dev/null"); }
};

TEST_F(Canary, FailsInTheRightWay) {
  // Two clients win one slot. The fingerprint is that of the guarantee and its reason.
  const std::string lost = "no-lost-writes breaks: the acknowledged [A-C][0-9]+ at slot [0-9]+ ";
  const std::string fingerprint = "fingerprint 2dadf57a";

  const Ran fuzzed = run("fuzz planted:two-winners --seed 9");
  EXPECT_EQ(fuzzed.exit_code, 1);
  EXPECT_THAT(fuzzed.output, HasSubstr("planted:two-winners: breaks"));
  EXPECT_THAT(fuzzed.output, ContainsRegex(lost));
  EXPECT_THAT(fuzzed.output, HasSubstr(fingerprint));
  EXPECT_THAT(fuzzed.output, ContainsRegex("shrunk from 1[0-9][0-9] events to 2\n"));

  // What it leaves behind, and where it says that it did.
  const std::string folder = "causalcheck-out/planted_two-winners-9";
  ASSERT_THAT(fuzzed.output, HasSubstr("Again: causalcheck replay " + folder + "/shrunk\n"));
  for (const std::string& place : {folder, folder + "/shrunk"}) {
    SCOPED_TRACE(place);
    const std::string report = read(place + "/report.txt");
    EXPECT_THAT(report, StartsWith("causalcheck replay " + place + "\n"));
    EXPECT_THAT(report, ContainsRegex(lost));
    EXPECT_THAT(report, HasSubstr(fingerprint));
    EXPECT_THAT(read(place + "/history.jsonl"),
                StartsWith(R"({"format":"causalcheck-history","version":1,)"));
    EXPECT_THAT(read(place + "/plan.json"), HasSubstr(R"("format": "causalcheck-plan")"));

    const Ran replayed = run("replay " + place);
    EXPECT_EQ(replayed.exit_code, 1);
    EXPECT_THAT(replayed.output,
                StartsWith("replay: identical history, byte for byte (1 of 1)\nbreaks\n"));
    EXPECT_THAT(replayed.output, ContainsRegex(lost));
    EXPECT_THAT(replayed.output, HasSubstr(fingerprint));

    const Ran checked = run("check " + place + "/history.jsonl");
    EXPECT_EQ(checked.exit_code, 1);
    EXPECT_THAT(checked.output, HasSubstr(fingerprint));
  }
}

TEST_F(Canary, SingsOnlyBecauseOfTheBug) {
  EXPECT_EQ(run("fuzz planted:two-winners/twin --seed 7 --runs 20").exit_code, 0);
}

}  // namespace
}  // namespace causalcheck
