// What the manual says is true: each command of a page is run, in order and in one empty folder,
// and its exit code and output are compared. Run as `manual_test PAGE...`; `causalcheck` is what
// stands first in the PATH.
//
// A block "```cpp store.cc" is first written to that file, below where the last command was. Of a
// workflow ("```yaml") the lines that call `causalcheck fuzz` are run, for a second each. A block
// without a language, as the README has them, lists commands of a clone; those that call the
// program are run, for a second or 20 runs each, and have to end with a verdict.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <regex>
#include <string>
#include <vector>

#include "tests/manual_page.h"
#include "tests/program.h"
#include "tests/scratch_folder.h"

namespace causalcheck {
namespace {

std::vector<std::string>& pages() {
  static std::vector<std::string> given;
  return given;
}

std::string read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

class Manual : public testing::TestWithParam<std::string> {
 protected:
  /// Where the shell of the page is.
  [[nodiscard]] std::string here() {
    const std::string moved = folder_.read(".here");
    return moved.empty() ? folder_.path() : moved.substr(0, moved.size() - 1);
  }
  Ran run(const std::string& typed) {
    // As in a clone, where the program is one that was built there.
    static const std::regex kProgram("build/release/harness/cli/causalcheck|scripts/fuzz");
    const std::string command = std::regex_replace(
        typed, kProgram,
        typed.find("scripts/fuzz") == std::string::npos ? "causalcheck" : "causalcheck fuzz");
    std::ofstream(folder_ / ".command") << command << '\n';
    return run_in_shell("cd '" + here() + "' && unset GITHUB_ACTIONS && { . '" +
                        (folder_ / ".command") + "' ; } 2>&1 ; code=$? ; pwd > '" +
                        (folder_ / ".here") + "' ; exit $code");
  }
  void expect(const ManualCommand& said) {
    const Ran ran = run(said.command);
    const std::string place = GetParam() + ":" + std::to_string(said.line) + ": ";
    EXPECT_EQ(ran.exit_code, said.exit_code) << place << said.command << "\n" << ran.output;
    if (said.output.empty()) return;
    std::vector<std::string> expected = said.output;
    while (!expected.empty() && expected.back().empty()) expected.pop_back();
    const std::size_t at = first_mismatch(expected, lines_of(ran.output));
    EXPECT_EQ(at, expected.size())
        << place << said.command << "\nis said to print\n  "
        << (at < expected.size() ? expected[at] : "") << "\nand printed\n"
        << ran.output;
  }
  static std::string for_a_second(const std::string& command) {
    static const std::regex kTime("--time [0-9]+[a-z]+");
    static const std::regex kRuns("--runs [0-9]{3,}");
    return std::regex_replace(std::regex_replace(command, kTime, "--time 1s"), kRuns, "--runs 20");
  }
  /// Commands of a clone, one a line; what they print is shown elsewhere, if at all.
  std::size_t expect_verdicts(const ManualBlock& block) {
    std::size_t commands = 0;
    for (const std::string& line : lines_of(block.text)) {
      const bool is_program = line.starts_with("build/release/harness/cli/causalcheck ");
      const bool is_fuzz = line.starts_with("scripts/fuzz ") && line.find("# ") == line.npos;
      if (!is_program && !is_fuzz) continue;
      const Ran ran = run(for_a_second(line));
      EXPECT_TRUE(ran.exit_code >= 0 && ran.exit_code <= 2) << line << "\n" << ran.output;
      ++commands;
    }
    return commands;
  }
  void expect_workflow(const ManualBlock& block) {
    static const std::regex kVariable(R"(\$\{\{ *([a-z._]+) *\}\})");
    for (const std::string& line : lines_of(block.text)) {
      const std::size_t at = line.find("causalcheck fuzz");
      if (at == std::string::npos) continue;
      const std::string command = for_a_second(std::regex_replace(line.substr(at), kVariable, "1"));
      ASSERT_NE(command.find("--time 1s"), command.npos) << "a job without an end: " << line;
      const Ran ran = run(command);
      // A second may be too short for a verdict.
      EXPECT_TRUE(ran.exit_code == 0 || ran.exit_code == 2) << command << "\n" << ran.output;
    }
  }

  ScratchFolder folder_{};
};

TEST_P(Manual, SaysWhatHappens) {
  const std::string page = read(GetParam());
  const std::filesystem::path fixtures =
      std::filesystem::absolute(GetParam()).parent_path() / "fixtures";
  if (std::filesystem::exists(fixtures)) {
    std::filesystem::create_symlink(fixtures, folder_ / "fixtures");
  }
  ASSERT_FALSE(page.empty()) << GetParam() << " is not there";
  std::size_t commands = 0;
  for (const ManualBlock& block : blocks_of(page)) {
    if (!block.file.empty()) {
      const std::filesystem::path path = std::filesystem::path(here()) / block.file;
      std::filesystem::create_directories(path.parent_path());
      std::ofstream(path, std::ios::binary) << block.text;
    } else if (block.language == "console") {
      for (const ManualCommand& command : commands_of(block)) {
        expect(command);
        ++commands;
      }
    } else if (block.language == "yaml") {
      expect_workflow(block);
      ++commands;
    } else if (block.language.empty()) {
      commands += expect_verdicts(block);
    } else {
      // Whatever else is shown must not look like something to type.
      EXPECT_TRUE(block.text.find("causalcheck ") == std::string::npos || block.language == "text")
          << GetParam() << ":" << block.line << ": commands belong into a console block";
    }
  }
  EXPECT_GT(commands, 0U) << GetParam() << " has no command";
}

std::string test_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = std::filesystem::path(info.param).stem().string();
  for (char& c : name) {
    if (c == '-' || c == '.') c = '_';
  }
  return name;
}

INSTANTIATE_TEST_SUITE_P(Page, Manual, testing::ValuesIn(pages()), test_name);

TEST(ManualPage, FindsBlocksFilesAndCommands) {
  const auto blocks = blocks_of(
      "text\n```cpp a/b.cc\nint x;\n```\n```console\n$ one  # exit 1\nout\n"
      "$ two \\\n  more\n```\n");
  ASSERT_EQ(blocks.size(), 2U);
  EXPECT_EQ(blocks[0].file, "a/b.cc");
  EXPECT_EQ(blocks[0].text, "int x;\n");
  const auto commands = commands_of(blocks[1]);
  ASSERT_EQ(commands.size(), 2U);
  EXPECT_EQ(commands[0].command, "one  ");
  EXPECT_EQ(commands[0].exit_code, 1);
  EXPECT_EQ(commands[0].output, std::vector<std::string>{"out"});
  EXPECT_EQ(commands[1].command, "two \\\n  more");
  EXPECT_EQ(commands[1].line, 8U);
}

TEST(ManualPage, TellsOutputThatIsNotAsSaid) {
  using Lines = std::vector<std::string>;
  EXPECT_EQ(first_mismatch({"a", "...", "c"}, {"a", "b", "b", "c"}), 3U);
  EXPECT_EQ(first_mismatch({"a", "...", "c"}, {"a", "b"}), 2U);
  EXPECT_EQ(first_mismatch({"a"}, {"a", "b"}), 0U);
  EXPECT_EQ(first_mismatch({"a", "..."}, {"a", "b"}), 2U);
  EXPECT_EQ(first_mismatch({"b"}, {"a"}), 0U);
  EXPECT_EQ(first_mismatch({"ran ... runs in ... s"}, Lines{"ran 5 runs in 0.1 s"}), 1U);
  EXPECT_EQ(first_mismatch({"ran ... runs"}, Lines{"ran 5 walks"}), 0U);
}

}  // namespace
}  // namespace causalcheck

int main(int argc, char** argv) {
  // The instances are made from the pages, so these are taken first.
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument.rfind("--", 0) != 0) causalcheck::pages().push_back(argument);
  }
  if (causalcheck::pages().empty()) {
    std::cerr << "usage: manual_test PAGE... [--gtest_...]\n";
    return 3;
  }
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
