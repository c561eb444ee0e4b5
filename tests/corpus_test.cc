// The regression corpus: plans that failed are kept, run again, and told apart by what became of
// them.
#include "harness/corpus.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "adapters/memory/memory_adapter.h"
#include "fixtures/bugs/stale_follower.h"
#include "harness/files.h"
#include "harness/temporary_folder.h"

namespace causalcheck {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
namespace fs = std::filesystem;

std::string replaced(std::string text, std::string_view what, std::string_view with) {
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return at == std::string::npos ? text : text.replace(at, what.size(), with);
}

class CorpusTest : public testing::Test {
 protected:
  static CampaignOptions options() {
    CampaignOptions options;
    options.plan.backend = "log";
    options.make_backend = []() -> Result<std::unique_ptr<Backend>> {
      return std::unique_ptr<Backend>(std::make_unique<StaleFollower>());
    };
    options.runs = 40;
    options.shrink.emplace();
    return options;
  }
  // The same log, repaired.
  static CampaignOptions repaired() {
    CampaignOptions options = CorpusTest::options();
    options.make_backend = [] { return make_memory_backend(BackendUrl{"memory", "", {}}); };
    return options;
  }
  [[nodiscard]] std::string folder() const { return root_.path() + "/corpus"; }

  // Makes a campaign, saves what it found, and answers where.
  std::string save_one() {
    const CampaignOptions all = options();
    const auto saved = save_to_corpus(folder(), all, run_campaign(all), {});
    EXPECT_TRUE(saved.has_value() && saved->size() == 1);
    return saved->at(0);
  }

  TemporaryFolder root_ = TemporaryFolder::make("corpus-test").value();
};

TEST_F(CorpusTest, AFolderThatIsNotThereHasNoEntries) {
  const auto result = replay_corpus(folder(), options());
  ASSERT_TRUE(result.has_value());
  EXPECT_THAT(result->replays, IsEmpty());
  EXPECT_EQ(result->verdict(), Verdict::kHolds);
  EXPECT_FALSE(fs::exists(folder()));
}

TEST_F(CorpusTest, AFileInItsPlaceIsRefused) {
  std::ofstream(folder()) << "no folder";
  const auto result = replay_corpus(folder(), options());
  ASSERT_FALSE(result.has_value());
  EXPECT_THAT(result.error().text, HasSubstr(folder()));
}

TEST_F(CorpusTest, WhatWasFoundIsSavedShrunkAndFailsStill) {
  const std::string path = save_one();
  const auto entry = parse_corpus_entry(*read_file(path));
  ASSERT_TRUE(entry.has_value()) << entry.error().text;
  EXPECT_EQ(corpus_entry_to_json(*entry), *read_file(path));
  EXPECT_LE(entry->plan.events, 8U);
  EXPECT_THAT(path, EndsWith("/" + corpus_entry_name(*entry)));
  const auto result = replay_corpus(folder(), options());
  ASSERT_TRUE(result.has_value());
  ASSERT_THAT(result->replays, SizeIs(1));
  EXPECT_EQ(result->replays[0].outcome, CorpusOutcome::kFailsStill);
  EXPECT_EQ(result->replays[0].text, entry->sentence);
  EXPECT_EQ(result->verdict(), Verdict::kBreaks);
}

TEST_F(CorpusTest, AClassThatFailsStillIsNotSavedAgain) {
  save_one();
  CampaignOptions other = options();
  other.first_seed = 1000;
  const auto before = replay_corpus(folder(), other);
  ASSERT_TRUE(before.has_value());
  const CampaignResult again = run_campaign(other);
  ASSERT_FALSE(again.found.empty());
  EXPECT_THAT(*save_to_corpus(folder(), other, again, *before), IsEmpty());
}

TEST_F(CorpusTest, WhatDoesNotFailAnyMoreIsFixedAndKept) {
  const std::string path = save_one();
  const auto result = replay_corpus(folder(), repaired());
  ASSERT_TRUE(result.has_value());
  ASSERT_THAT(result->replays, SizeIs(1));
  EXPECT_EQ(result->replays[0].outcome, CorpusOutcome::kFixed);
  EXPECT_EQ(result->verdict(), Verdict::kHolds);
  EXPECT_TRUE(fs::exists(path));
}

TEST_F(CorpusTest, AnotherClassThanTheSavedOneFailsOtherwise) {
  const std::string path = save_one();
  const auto entry = parse_corpus_entry(*read_file(path));
  const std::string renamed = replaced(*read_file(path), entry->fingerprint, "00000000");
  std::ofstream(path) << renamed;
  const auto result = replay_corpus(folder(), options());
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->replays[0].outcome, CorpusOutcome::kFailsOtherwise);
  EXPECT_EQ(result->verdict(), Verdict::kBreaks);
}

TEST_F(CorpusTest, IsJudgedAsItWasWhenItFailed) {
  const std::string path = save_one();
  CampaignOptions lenient = options();
  lenient.settings.level = Level::kFifo;
  lenient.settings.claims.emplace();
  const auto result = replay_corpus(folder(), lenient);
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->replays[0].outcome, CorpusOutcome::kFailsStill);
}

TEST_F(CorpusTest, OtherBackendsArePassedOverAndCounted) {
  save_one();
  CampaignOptions other = options();
  other.plan.backend = "another";
  const auto result = replay_corpus(folder(), other);
  ASSERT_TRUE(result.has_value());
  EXPECT_THAT(result->replays, IsEmpty());
  EXPECT_EQ(result->of_other_backends, 1U);
}

TEST_F(CorpusTest, WhatCannotBeReplayedIsSaidWithItsReason) {
  const std::string good = *read_file(save_one());
  const auto reason = [&](const std::string& text) {
    const std::string path = folder() + "/changed.json";
    std::ofstream(path) << text;
    const auto result = replay_corpus(folder(), options());
    EXPECT_TRUE(result.has_value());
    EXPECT_EQ(result->replays[0].path, path);
    EXPECT_EQ(result->replays[0].outcome, CorpusOutcome::kNotReplayed);
    EXPECT_EQ(result->count(CorpusOutcome::kNotReplayed), 1U);
    return result->replays[0].text;
  };
  EXPECT_THAT(reason("not JSON"), HasSubstr("one JSON object"));
  EXPECT_THAT(reason("[]"), HasSubstr("one JSON object"));
  EXPECT_THAT(reason("{}"), HasSubstr("its format is"));
  EXPECT_THAT(reason(replaced(good, "causalcheck-corpus", "other")), HasSubstr("\"other\""));
  EXPECT_THAT(reason(replaced(good, "\"version\": 1", "\"version\": 2")),
              HasSubstr("its version is 2; this program reads version 1"));
  EXPECT_THAT(reason(replaced(good, "\"class\"", "\"klass\"")), HasSubstr("lacks \"class\""));
  EXPECT_THAT(reason(replaced(good, "\"sentence\"", "\"x\": 1,\n\"sentence\"")),
              HasSubstr("unknown member \"x\""));
  EXPECT_THAT(reason(replaced(good, "\"total\"", "\"most\"")), HasSubstr("\"most\""));
  EXPECT_THAT(reason(replaced(good, "\"clients\": ", "\"clients\": 1")), HasSubstr("its plan"));
  EXPECT_THAT(reason(replaced(good, "\"hash\"", "\"hush\"")), HasSubstr("its plan"));
}

TEST_F(CorpusTest, APlanWithoutItsHashIsNotTheOneThatWasSaved) {
  const std::string path = save_one();
  std::string text = *read_file(path);
  const std::size_t at = text.find("\"hash\"");
  const std::size_t end = text.find('\n', at);
  text.erase(at, end - at);
  EXPECT_THAT(parse_corpus_entry(text).error().text, HasSubstr("says \"\""));
}

}  // namespace
}  // namespace causalcheck
