// `causalcheck clocks` and `causalcheck export` from outside: the examples of docs/clocks.md, word
// for word, and the exit codes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/program.h"

namespace causalcheck {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// Runs the program in the source folder; standard error is taken, too.
Ran run(const std::string& arguments) {
  return run_in_shell("cd '" CAUSALCHECK_SOURCE_DIR "' && '" CAUSALCHECK_PROGRAM "' " + arguments +
                      " 2>&1");
}

/// The commands that the page shows, each with the output it shows.
std::vector<std::pair<std::string, std::string>> examples() {
  std::vector<std::pair<std::string, std::string>> found;
  std::ifstream page(CAUSALCHECK_SOURCE_DIR "/docs/clocks.md");
  const std::string prompt = "$ causalcheck ";
  bool inside = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with(prompt)) {
      found.emplace_back(line.substr(prompt.size()), "");
      inside = true;
    } else if (line == "```") {
      inside = false;
    } else if (inside) {
      found.back().second += line + "\n";
    }
  }
  return found;
}

TEST(ClocksPage, ItsExamplesAreWhatTheProgramPrints) {
  const auto all = examples();
  EXPECT_GE(all.size(), 3U);
  for (const auto& [command, output] : all) {
    const Ran ran = run(command);
    EXPECT_EQ(ran.output, output) << command;
    EXPECT_EQ(ran.exit_code, 1) << command;
  }
}

TEST(ClocksProgram, ExitsByItsAnswer) {
  EXPECT_EQ(run("clocks fixtures/logs/hop-keeps-clock.log --races").exit_code, 0);
  EXPECT_EQ(run("clocks fixtures/logs/answer-before-question.log").exit_code, 1);
  EXPECT_EQ(run("clocks fixtures/logs/restarted-under-its-old-name.log --cut").exit_code, 2);
  EXPECT_EQ(run("clocks fixtures/logs/truncated.log --cut --races").exit_code, 3);
  EXPECT_EQ(run("clocks fixtures/logs/truncated.log --parser '('").exit_code, 3);
  EXPECT_EQ(run("clocks fixtures/logs/none.log").exit_code, 3);
  const Ran misspelt = run("clocks fixtures/logs/misspelt-host.log");
  EXPECT_EQ(misspelt.exit_code, 3);
  EXPECT_THAT(misspelt.output,
              StartsWith("causalcheck: fixtures/logs/misspelt-host.log: line 9: "));
}

TEST(ClocksProgram, TakesTheExpressionsFromTheCommandLine) {
  const Ran ran =
      run("clocks fixtures/logs/one-line-events.log --races --parser "
          R"('(?<host>\w+) (?<clock>{[^}]*}) (?<event>.*) \| key=(?<resource>\w+)')");
  EXPECT_EQ(ran.exit_code, 1) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr("a: 3 writes, 2 concurrent pairs"));
}

TEST(ExportProgram, WritesWhatClocksReads) {
  const std::string history = "fixtures/histories/c01-answer-before-question.jsonl";
  const Ran exported = run("export --format shiviz " + history);
  EXPECT_EQ(exported.exit_code, 0) << exported.output;
  EXPECT_THAT(exported.output, StartsWith(R"((?<host>\S*) (?<clock>{.*})\n(?<event>.*))"));
  const Ran judged = run("export " + history + " | '" CAUSALCHECK_PROGRAM "' clocks -");
  EXPECT_EQ(judged.exit_code, 1) << judged.output;
  EXPECT_THAT(judged.output,
              AllOf(HasSubstr("clocks            holds"), HasSubstr("causal delivery   breaks")));
  EXPECT_EQ(run("export --format chrome " + history).exit_code, 3);
  EXPECT_EQ(run("export none.jsonl").exit_code, 3);
}

}  // namespace
}  // namespace causalcheck
