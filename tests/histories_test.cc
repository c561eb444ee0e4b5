// Goal: the recorded histories in fixtures/histories come out as expected.json says, row by row.
// Method: each file is read, judged as a whole and once more step by step, and written and read
// back.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <tuple>
#include <vector>

#include "checker/checker.h"
#include "checker/declaration.h"
#include "harness/files.h"
#include "harness/history_file.h"
#include "harness/settings.h"

namespace causalcheck {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const fs::path kSource = CAUSALCHECK_SOURCE_DIR;
const fs::path kFixtures = kSource / "fixtures" / "histories";

struct Expected {
  std::string file;
  Reads reads = Reads::kLatest;
  std::string verdict;
  std::map<std::string, std::string> answers;  // by id
};
void PrintTo(const Expected& expected, std::ostream* out) { *out << expected.file; }

json read_json(const fs::path& path) {
  const auto text = read_file(path);
  return text ? json::parse(*text, nullptr, false) : json();
}

std::vector<Expected> expected_of_fixtures() {
  std::vector<Expected> all;
  const json whole = read_json(kFixtures / "expected.json");
  for (const auto& [file, entry] : whole.at("files").items()) {
    all.push_back({file, parse_reads(entry.at("reads").get<std::string>()).value(),
                   entry.at("verdict"), entry.at("guarantees")});
  }
  return all;
}

HistoryFile read(const fs::path& path, Reads reads) {
  auto file = read_history(path);
  EXPECT_TRUE(file.has_value()) << file.error().text;
  if (!file) return {};
  if (!file->history.has_header) {
    SettingsOverride settings;
    settings.reads = reads;
    file->history.declared = apply(settings, file->history.declared);
  }
  return *std::move(file);
}

/// Feeds the calls and returns one by one in order of positions, calls before returns.
Report judged_step_by_step(const History& history) {
  std::vector<std::tuple<Position, int, OperationIndex>> steps;
  for (OperationIndex i = 0; i < history.operations.size(); ++i) {
    const Operation& operation = history.operations[i];
    steps.emplace_back(operation.start, 0, i);
    if (operation.end != kNever) steps.emplace_back(operation.end, 1, i);
  }
  std::sort(steps.begin(), steps.end());
  Checker checker;
  checker.begin(history);
  for (const auto& [position, is_return, operation] : steps) {
    if (is_return == 0) {
      checker.invoked(operation);
    } else {
      checker.completed(operation);
    }
    static_cast<void>(checker.first_violation());
  }
  return checker.finish();
}

std::map<std::string, std::string> answers_of(const Report& report) {
  std::map<std::string, std::string> answers;
  for (const Guarantee id : all_guarantees()) {
    answers.emplace(to_string(id), to_string(report[id].answer));
  }
  return answers;
}

class Fixture : public ::testing::TestWithParam<Expected> {};

TEST_P(Fixture, ComesOutAsExpected) {
  const Expected& expected = GetParam();
  const Report report = check(read(kFixtures / expected.file, expected.reads).history);
  EXPECT_EQ(answers_of(report), expected.answers);
  EXPECT_EQ(to_string(report.verdict), expected.verdict) << report.why;
}

TEST_P(Fixture, ComesOutTheSameStepByStep) {
  const HistoryFile file = read(kFixtures / GetParam().file, GetParam().reads);
  const Report whole = check(file.history);
  const Report stepwise = judged_step_by_step(file.history);
  EXPECT_EQ(answers_of(stepwise), answers_of(whole));
  EXPECT_EQ(stepwise.verdict, whole.verdict);
  EXPECT_EQ(stepwise.counts, whole.counts);
}

TEST_P(Fixture, ComesOutTheSameWhenItsLinesAreReversed) {
  const Expected& expected = GetParam();
  HistoryFile file = read(kFixtures / expected.file, expected.reads);
  std::reverse(file.history.operations.begin(), file.history.operations.end());
  EXPECT_EQ(answers_of(check(file.history)), expected.answers);
}

TEST_P(Fixture, SurvivesWritingAndReading) {
  const HistoryFile file = read(kFixtures / GetParam().file, GetParam().reads);
  const std::string bytes = to_jsonl(file);
  auto again = parse_history(bytes);
  ASSERT_TRUE(again.has_value()) << again.error().text;
  EXPECT_EQ(to_jsonl(*again), bytes);
  again->history.declared = file.history.declared;
  EXPECT_EQ(answers_of(check(again->history)), answers_of(check(file.history)));
}

std::string test_name(const ::testing::TestParamInfo<Expected>& info) {
  std::string name = fs::path(info.param.file).stem();
  std::replace_if(
      name.begin(), name.end(), [](char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Histories, Fixture, ::testing::ValuesIn(expected_of_fixtures()),
                         test_name);

TEST(Fixtures, AreAllExpectedAndAllThere) {
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(kFixtures)) {
    if (entry.path().extension() == ".jsonl") files.push_back(entry.path().filename());
  }
  std::vector<std::string> expected;
  for (const Expected& one : expected_of_fixtures()) expected.push_back(one.file);
  EXPECT_THAT(files, ::testing::UnorderedElementsAreArray(expected));
}

TEST(Fixtures, HoldAPositiveAndANegativeOfEachGuarantee) {
  for (const Guarantee id : all_guarantees()) {
    for (const Answer answer : {Answer::kHolds, Answer::kBreaks}) {
      const auto all = expected_of_fixtures();
      EXPECT_TRUE(std::any_of(all.begin(), all.end(),
                              [&](const Expected& one) {
                                return one.answers.at(std::string(to_string(id))) ==
                                       to_string(answer);
                              }))
          << to_string(id) << " never " << to_string(answer);
    }
  }
}

TEST(FormatPage, ShowsAFileInTheFormThatIsWritten) {
  const auto page = read_file(kSource / "docs" / "history-format.md");
  ASSERT_TRUE(page.has_value()) << page.error().text;
  const std::string fence = "```\n";
  const std::size_t begin = page->find(fence) + fence.size();
  const std::string example = page->substr(begin, page->find(fence, begin) - begin);
  const auto file = parse_history(example);
  ASSERT_TRUE(file.has_value()) << file.error().text;
  EXPECT_EQ(file->history.operations.size(), 5U);
  EXPECT_EQ(to_jsonl(*file), example);
}

// The labelled histories that came with the specification, where they are at hand. They were
// labelled before it was decided which rows apply, so "holds" and "n/a" stand for each other there.
TEST(SharedHistories, ComeOutAsLabelled) {
  const char* const named = std::getenv("CAUSALCHECK_SHARED_HISTORIES");
  const fs::path folder =
      named != nullptr ? fs::path(named) : kSource / ".." / "shared" / "histories";
  if (!fs::exists(folder / "expected.json")) GTEST_SKIP() << "no " << folder;
  const std::map<std::string, std::string> short_names{
      {"sg1", "no-lost-writes"},  {"sg2", "read-your-writes"},    {"sg3", "monotonic-reads"},
      {"mw", "monotonic-writes"}, {"wfr", "writes-follow-reads"}, {"ids", "identity"},
      {"causal", "causal"},       {"delivery", "delivery"},       {"outcome", "outcome"}};
  const std::map<std::string, std::string> verdicts{{"violation", "breaks"},
                                                    {"legal", "holds"},
                                                    {"adapter-error", "breaks"},
                                                    {"invalid-run", "unknown"}};
  const json labels = read_json(folder / "expected.json").at("files");
  EXPECT_EQ(labels.size(), 12U);
  for (const auto& [name, entry] : labels.items()) {
    SCOPED_TRACE(name);
    const Reads reads = parse_reads(entry.at("mode").get<std::string>()).value();
    const Report report = check(read(folder / name, reads).history);
    EXPECT_EQ(to_string(report.verdict), verdicts.at(entry.at("verdict"))) << report.why;
    if (report.contaminated) continue;  // only the verdict binds
    const auto answers = answers_of(report);
    for (const auto& [short_name, label] : entry.at("guarantees").items()) {
      const bool found = answers.at(short_names.at(short_name)) == "breaks";
      EXPECT_EQ(found, label == "breaks") << short_name;
    }
  }
}

}  // namespace
}  // namespace causalcheck
