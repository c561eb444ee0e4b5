#include "harness/artifacts.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "harness/plan_file.h"
#include "harness/run.h"
#include "harness/temporary_folder.h"
#include "tests/toy_backend.h"

namespace causalcheck {
namespace {

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(ShellWord, QuotesWhatAShellWouldChange) {
  EXPECT_EQ(shell_word("memory"), "memory");
  EXPECT_EQ(shell_word("fs:/tmp/a-b_c.d"), "fs:/tmp/a-b_c.d");
  EXPECT_EQ(shell_word(""), "''");
  EXPECT_EQ(shell_word("sqlite:x?reads=feed"), "'sqlite:x?reads=feed'");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_word("=ls"), "'=ls'");
  EXPECT_EQ(shell_word("a\nb"), "'a\nb'");
}

TEST(FuzzCommand, NamesEveryFlagThatARunDependsOn) {
  PlanOptions plan{"sqlite:x?reads=feed", 4, 2, 77, 3, {"delay", "skew"}, {}};
  SettingsOverride settings;
  settings.level = Level::kTotal;
  EXPECT_EQ(
      fuzz_command(plan, settings, Grounding::kInstrumentation, {8157, 1}),
      "causalcheck fuzz 'sqlite:x?reads=feed' --seed 8157 --runs 1 --clients 4 --events 77 "
      "--topics 2 --pipeline 3 --faults delay,skew --level total --grounding instrumentation");
}

TEST(FuzzCommand, NamesClaimsAsTheyAreReadBack) {
  for (const char* list : {"offered", "read-your-writes", "offered,read-your-writes,real-time",
                           "monotonic-reads,causal", "all"}) {
    const auto settings = with_claims({}, list);
    ASSERT_TRUE(settings.has_value());
    const std::string command = fuzz_command({}, *settings, Grounding::kHappenedBefore, {});
    const std::size_t at = command.find("--claim ");
    ASSERT_NE(at, std::string::npos) << list;
    const auto again = with_claims({}, command.substr(at + 8));
    ASSERT_TRUE(again.has_value()) << command;
    EXPECT_EQ(*again, *settings) << command;
  }
  EXPECT_EQ(fuzz_command({}, {}, Grounding::kHappenedBefore, {}).find("--claim"),
            std::string::npos);
}

TEST(ArtifactName, IsAFileNameWhateverTheBackend) {
  EXPECT_EQ(artifact_name("memory", 8157), "memory-8157");
  EXPECT_EQ(artifact_name("sqlite:../x?reads=feed", 1), "sqlite_.._x_reads_feed-1");
  EXPECT_EQ(artifact_name("", 1), "_-1");
  EXPECT_EQ(artifact_name("..", 1), "_..-1");
  EXPECT_EQ(artifact_name("-rf", 1), "_-rf-1");
  EXPECT_EQ(artifact_name(std::string("a\0b", 3), 1), "a_b-1");
  EXPECT_LT(artifact_name(std::string(5000, 'x'), 1).size(), 200U);
}

class ArtifactTest : public testing::Test {
 protected:
  ArtifactTest() {
    backend.spoil = [this](std::uint64_t number, Entry& entry) {
      if (number % 10 == 0 && !backend.logs[0].empty()) entry = backend.logs[0].back();
    };
    PlanOptions options;
    options.backend = "toy";
    plan = draw_plan(options, 3);
    result = runner.run(plan);
    artifact = make_artifact(runner.explicit_plan(plan), runner.history_file(plan), result.report,
                             Grounding::kHappenedBefore, "causalcheck replay x\n");
  }

  ToyBackend backend{};
  Runner runner{backend};
  Plan plan{};
  RunResult result{};
  Artifact artifact{};
};

TEST_F(ArtifactTest, HoldsTheRunAndBeginsAndEndsWithItsCommand) {
  ASSERT_EQ(result.report.verdict, Verdict::kBreaks);
  EXPECT_EQ(artifact.report.rfind("causalcheck replay x\n", 0), 0U);
  EXPECT_EQ(artifact.report.find("causalcheck replay x\n", 1),
            artifact.report.size() - std::string("causalcheck replay x\n").size());
  EXPECT_NE(artifact.report.find("no-lost-writes"), std::string::npos);
  const auto loaded = parse_plan(artifact.plan);
  ASSERT_TRUE(loaded.has_value());
  EXPECT_TRUE(loaded->as_saved());
  ASSERT_TRUE(loaded->plan.choices.has_value());
  EXPECT_NE(artifact.report.find(loaded->hash), std::string::npos);
  const auto history = parse_history(artifact.history);
  ASSERT_TRUE(history.has_value());
  EXPECT_EQ(history->header.plan_hash, loaded->hash);
  EXPECT_EQ(check(history->history).verdict, Verdict::kBreaks);
  EXPECT_NE(artifact.page.find("<pre><code>causalcheck replay x</code></pre>"), std::string::npos);
  EXPECT_NE(artifact.page.find("Violated</h1>"), std::string::npos);
}

TEST_F(ArtifactTest, IsWrittenWholeAndReplacesAnEarlierOne) {
  const auto made = TemporaryFolder::make("artifacts-test");
  ASSERT_TRUE(made.has_value());
  const std::string out = made->path() + "/deep/er";
  for (int i = 0; i < 2; ++i) {
    artifact.report += "more\n";
    const auto folder = write_artifact(out, "toy-3", artifact);
    ASSERT_TRUE(folder.has_value()) << folder.error().text;
    EXPECT_EQ(*folder, out + "/toy-3");
    EXPECT_EQ(content_of(*folder + "/report.txt"), artifact.report);
    EXPECT_EQ(content_of(*folder + "/history.jsonl"), artifact.history);
    EXPECT_EQ(content_of(*folder + "/plan.json"), artifact.plan);
    EXPECT_EQ(content_of(*folder + "/report.html"), artifact.page);
    std::size_t files = 0;
    for ([[maybe_unused]] const auto& file : std::filesystem::directory_iterator(*folder)) ++files;
    EXPECT_EQ(files, 4U) << "no temporary files stay";
  }
}

TEST_F(ArtifactTest, SaysWhereItCouldNotBeWritten) {
  const auto made = TemporaryFolder::make("artifacts-test");
  ASSERT_TRUE(made.has_value());
  const std::string file = made->path() + "/file";
  std::ofstream(file) << "in the way";
  const auto folder = write_artifact(file, "toy-3", artifact);
  ASSERT_FALSE(folder.has_value());
  EXPECT_NE(folder.error().text.find(file), std::string::npos);
}

}  // namespace
}  // namespace causalcheck
