// CAUSALCHECK_TEST and CAUSALCHECK_PROPERTY from outside: sample_suite.cc is run as ctest would.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <pugixml.hpp>
#include <string>

#include "tests/program.h"
#include "tests/scratch_folder.h"

namespace causalcheck {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class Sample : public testing::Test {
 protected:
  Ran run(const std::string& filter, const std::string& environment = "") {
    return run_in_shell("cd '" + folder_.path() +
                        "' && env -u GTEST_SHARD_INDEX -u GTEST_TOTAL_SHARDS -u GITHUB_ACTIONS " +
                        environment + " '" CAUSALCHECK_SAMPLE "' --gtest_output=xml:result.xml " +
                        "--gtest_filter='" + filter + "' 2>&1");
  }
  /// The text of the first failure in GoogleTest's XML.
  std::string failure() {
    pugi::xml_document document;
    EXPECT_TRUE(document.load_file((folder_ / "result.xml").c_str()));
    return document.select_node("//failure/@message").attribute().value();
  }
  /// What stands behind "Again: " in the first line of `text` that has `word` in it.
  static std::string again_of(const std::string& text, const std::string& word) {
    const std::size_t at = text.find("Again: " + word);
    if (at == std::string::npos) return "";
    return text.substr(at + 7, text.find('\n', at) - at - 7);
  }

  ScratchFolder folder_{};
};

TEST_F(Sample, ARightBackendPassesAndLeavesNothing) {
  const Ran ran = run("Sample.RightHolds:Sample.StoreHolds*:SampleProperty.RightNeverBreaks");
  EXPECT_EQ(ran.exit_code, 0) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr("[  PASSED  ] 4 tests."));
  EXPECT_EQ(folder_.content(), std::set<std::string>{"result.xml"});
}

TEST_F(Sample, TheAssertionSaysEverythingAndItsCommandsWork) {
  const Ran ran = run("Sample.LaggingBreaks");
  EXPECT_EQ(ran.exit_code, 1) << ran.output;
  const std::string text = failure();
  EXPECT_THAT(text,
              AllOf(HasSubstr("sample_suite.cc"), HasSubstr("read-your-writes breaks: "),
                    HasSubstr("refuted by what the backend answered"), HasSubstr("shrunk from "),
                    HasSubstr("Artifact: causalcheck-out/Sample")));
  EXPECT_THAT(ran.output, HasSubstr("causal breaks: "));
  EXPECT_THAT(ran.output, HasSubstr("    P1 "));

  const Ran seed = run_in_shell("cd '" + folder_.path() + "' && " +
                                again_of(text, "CAUSALCHECK_SEED=") + " 2>&1");
  EXPECT_EQ(seed.exit_code, 1) << seed.output;
  EXPECT_THAT(seed.output, HasSubstr("read-your-writes breaks: "));
  const Ran replayed = run_in_shell("cd / && " + again_of(text, "CAUSALCHECK_REPLAY=") + " 2>&1");
  EXPECT_EQ(replayed.exit_code, 1) << replayed.output;
  EXPECT_THAT(replayed.output, AllOf(HasSubstr("replay: identical history, byte for byte"),
                                     HasSubstr("read-your-writes breaks: ")));
}

TEST_F(Sample, TheEnvironmentSetsSeedRunsAndTime) {
  const auto ran_runs = [&](const std::string& environment) {
    const Ran ran = run("Sample.RightHolds", environment);
    pugi::xml_document document;
    EXPECT_TRUE(document.load_file((folder_ / "result.xml").c_str())) << ran.output;
    return std::string(
        document.select_node("//property[@name='causalcheck_runs']/@value").attribute().value());
  };
  EXPECT_EQ(ran_runs(""), "100");
  EXPECT_EQ(ran_runs("CAUSALCHECK_RUNS=7"), "7");
  EXPECT_EQ(ran_runs("CAUSALCHECK_SEED=9"), "1");
  EXPECT_EQ(ran_runs("CAUSALCHECK_SEED=9 CAUSALCHECK_RUNS=3"), "3");
  EXPECT_GT(std::stoul(ran_runs("CAUSALCHECK_TIME=200ms")), 1U);
  EXPECT_THAT(run("Sample.RightHolds", "CAUSALCHECK_SEED=nine").output,
              HasSubstr("CAUSALCHECK_SEED takes a whole number"));
  EXPECT_THAT(run("Sample.RightHolds", "CAUSALCHECK_TIME=soon").output,
              HasSubstr("CAUSALCHECK_TIME: a time is a number with a unit"));
  EXPECT_THAT(run("Sample.RightHolds", "CAUSALCHECK_RUNS=0").output,
              HasSubstr("CAUSALCHECK_RUNS must be 1 or more"));
  EXPECT_THAT(run("Sample.RightHolds", "CAUSALCHECK_FAULTS=rain").output, HasSubstr("rain"));
}

TEST_F(Sample, WhenTheProcessDiesTheCommandIsOnTheDisk) {
  const Ran ran = run("Sample.DeadlyDies");
  EXPECT_EQ(ran.exit_code, 42) << ran.output;
  const std::string line = folder_.read("causalcheck-out/Sample.DeadlyDies.running");
  EXPECT_THAT(line, HasSubstr("CAUSALCHECK_SEED="));
  EXPECT_THAT(line, HasSubstr("--gtest_filter=Sample.DeadlyDies\n"));
  EXPECT_THAT(run("Sample.DeadlyDies").output,
              HasSubstr("The last process of this test died in: " + line));
}

TEST_F(Sample, NoAnswerIsNoPass) {
  EXPECT_EQ(run("Sample.TooShortIsUnknown").exit_code, 1);
  EXPECT_THAT(failure(), HasSubstr("unknown, "));
  EXPECT_EQ(run("Sample.NoneIsNoVerdict").exit_code, 1);
  EXPECT_THAT(failure(), HasSubstr("no verdict: nobody listens there"));
}

TEST_F(Sample, TheConformanceKitIsATest) {
  EXPECT_EQ(run("SampleConformance.StoreConforms").exit_code, 0);
  const Ran ran = run("SampleConformance.ForgetfulFails");
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_THAT(ran.output, HasSubstr("store-creates-once\nexpected: a second create of a key"));
}

TEST_F(Sample, APropertyShrinksAndSaysWhy) {
  const Ran ran = run("SampleProperty.LaggingBreaks", "CAUSALCHECK_SEED=3 CAUSALCHECK_RUNS=50");
  EXPECT_EQ(ran.exit_code, 1) << ran.output;
  const std::string text = failure();
  EXPECT_THAT(text, AllOf(HasSubstr("Falsifiable after"), HasSubstr("1 client, 1 topic"),
                          HasSubstr("read-your-writes breaks: "),
                          HasSubstr("Again: CAUSALCHECK_SEED=3 CAUSALCHECK_RUNS=50 ")));
}

TEST_F(Sample, ShardsRunEachTestOnce) {
  int passed = 0;
  for (const char* shard :
       {"GTEST_TOTAL_SHARDS=2 GTEST_SHARD_INDEX=0 ", "GTEST_TOTAL_SHARDS=2 GTEST_SHARD_INDEX=1 "}) {
    const Ran ran = run("Sample.RightHolds:Sample.StoreHolds", shard);
    EXPECT_EQ(ran.exit_code, 0) << ran.output;
    passed += ran.output.find("[  PASSED  ] 1 test.") != std::string::npos ? 1 : 0;
  }
  EXPECT_EQ(passed, 2);
}

TEST_F(Sample, AnnotatesTheLineOfTheTest) {
  const Ran ran = run("Sample.LaggingBreaks", "GITHUB_ACTIONS=true");
  EXPECT_THAT(ran.output, HasSubstr("::error file="));
  EXPECT_THAT(ran.output, HasSubstr("sample_suite.cc,line="));
  EXPECT_THAT(run("Sample.RightHolds", "GITHUB_ACTIONS=true").output, Not(HasSubstr("::error")));
}

}  // namespace
}  // namespace causalcheck
