// docs/flake.md, command by command: what it says holds, holds; what it says breaks, breaks, in the
// way it says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "harness/files.h"
#include "tests/program_test.h"

namespace causalcheck {
namespace {

using nlohmann::json;
using testing::HasSubstr;

struct Command {
  std::string arguments{};
  int exit_code = 0;
};

/// The commands of the page, with what it says of each.
std::vector<Command> commands_of_page() {
  const auto page = read_file(CAUSALCHECK_SOURCE_DIR "/docs/flake.md");
  EXPECT_TRUE(page.has_value());
  constexpr std::string_view kBegin = "    causalcheck ";
  std::vector<Command> commands;
  for (std::size_t at = page->find(kBegin); at != std::string::npos;) {
    const std::size_t begin = at + kBegin.size();
    const std::size_t end = page->find('\n', begin);
    const std::string line = page->substr(begin, end - begin);
    const std::size_t mark = line.rfind(" # ");
    EXPECT_NE(mark, std::string::npos) << line;
    const std::string says = line.substr(mark + 3);
    EXPECT_TRUE(says == "holds" || says == "breaks") << line;
    commands.push_back({line.substr(0, mark), says == "breaks" ? 1 : 0});
    at = page->find(kBegin, end);
  }
  return commands;
}

class Flake : public ProgramTest {
 protected:
  json found(const std::string& arguments) {
    const Ran ran = run(arguments + " --json", "2>/dev/null");
    EXPECT_EQ(ran.exit_code, 1) << ran.output;
    return json::parse(ran.output);
  }
};

TEST_F(Flake, EveryCommandOfThePageComesOutAsItSays) {
  const std::vector<Command> commands = commands_of_page();
  EXPECT_GE(commands.size(), 15U);
  for (const Command& command : commands) {
    const Ran ran = run(command.arguments);
    EXPECT_EQ(ran.exit_code, command.exit_code) << command.arguments << "\n" << ran.output;
  }
}

TEST_F(Flake, TryingAgainBreaksCausalOrderAndNothingElse) {
  const json result = found("fuzz flake:retry --faults flip,reset,truncate --seed 1 --runs 300");
  const json& guarantees = result.at("guarantees");
  for (const auto& [id, judged] : guarantees.items()) {
    const bool of_order = id == "causal" || id == "total";
    EXPECT_EQ(judged.at("verdict") == "breaks", of_order) << id;
  }
  EXPECT_LE(result.at("violations").at(0).at("shrunk").at("events"), 8);
}

TEST_F(Flake, ALateRequestBreaksNothingButALiteralReading) {
  const json result = found(
      "fuzz flake:append --faults late-request --level fifo --claim identity --grounding "
      "instrumentation --seed 1 --runs 500");
  const json& violation = result.at("violations").at(0);
  EXPECT_EQ(violation.at("guarantee"), "fifo");
  EXPECT_THAT(violation.at("sentence").get<std::string>(),
              HasSubstr("published earlier in the recorded order"));
  EXPECT_LE(violation.at("shrunk").at("events"), 8);
}

TEST_F(Flake, ACutObjectTakenForAnOlderOneGoesBackBySlots) {
  const json result =
      found("fuzz flake:cut-as-older --faults truncate --seed 1 --runs 300 --keep-going");
  EXPECT_EQ(result.at("guarantees").at("monotonic-reads").at("verdict"), "breaks");
  EXPECT_EQ(result.at("guarantees").at("causal").at("verdict"), "breaks");
  EXPECT_EQ(result.at("guarantees").at("no-lost-writes").at("verdict"), "holds");
  EXPECT_EQ(result.at("guarantees").at("identity").at("verdict"), "holds");
  EXPECT_LE(result.at("violations").at(0).at("shrunk").at("events"), 8);
}

TEST_F(Flake, AFlakeThatThereIsNoneOfIsRefusedWithThoseThereAre) {
  const Ran ran = run("fuzz flake:nothing");
  EXPECT_EQ(ran.exit_code, 3);
  EXPECT_THAT(ran.output, HasSubstr("append, cut-as-older, none, retry"));
}

}  // namespace
}  // namespace causalcheck
