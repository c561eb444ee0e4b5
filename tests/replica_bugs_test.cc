// The planted bugs of stores with copies, each in its three forms.
#include "fixtures/bugs/replica_bugs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "harness/campaign.h"
#include "harness/plan.h"
#include "harness/run.h"

namespace causalcheck {

// GoogleTest prints bytes otherwise.
void PrintTo(const PlantedBug& bug, std::ostream* out);
void PrintTo(const PlantedBug& bug, std::ostream* out) { *out << bug.name; }

namespace {

std::string letters(const testing::TestParamInfo<PlantedBug>& info) {
  std::string name(info.param.name);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

PlanOptions options_for(const PlantedBug& bug, std::uint32_t more_topics = 0) {
  PlanOptions options;
  options.backend = "planted:" + std::string(bug.name);
  options.topics = bug.topics + more_topics;
  return options;
}

std::uint64_t acted(const Backend& backend) {
  const auto* const defective = dynamic_cast<const Defective*>(&backend);
  return defective == nullptr ? 0 : defective->acted();
}

std::uint64_t calls(const History& history) {
  return static_cast<std::uint64_t>(
      std::count_if(history.operations.begin(), history.operations.end(),
                    [](const Operation& operation) { return !operation.is_drain(); }));
}

class ReplicaBug : public testing::TestWithParam<PlantedBug> {};

TEST_P(ReplicaBug, IsReportedAsEachOfItsGuarantees) {
  const auto backend = GetParam().make();
  Runner runner(*backend);
  GuaranteeSet reported;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const RunResult result = runner.run(draw_plan(options_for(GetParam()), seed));
    ASSERT_FALSE(result.failure.has_value()) << result.failure->text;
    EXPECT_TRUE(result.report.verdict != Verdict::kBreaks || acted(*backend) > 0)
        << "breaks where the defect did not act, at seed " << seed;
    for (const Guarantee id : all_guarantees()) {
      if (result.report[id].answer == Answer::kBreaks) reported.insert(id);
    }
  }
  for (const Guarantee id : GetParam().must_break) {
    EXPECT_TRUE(reported.contains(id)) << to_string(id);
  }
}

TEST_P(ReplicaBug, HasATwinThatIsNeverAccused) {
  const auto backend = GetParam().make_twin();
  Runner runner(*backend);
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const auto more_topics = static_cast<std::uint32_t>(seed % 3);
    const RunResult result = runner.run(draw_plan(options_for(GetParam(), more_topics), seed));
    ASSERT_FALSE(result.failure.has_value()) << result.failure->text;
    EXPECT_EQ(result.report.verdict, Verdict::kHolds) << "seed " << seed;
    EXPECT_EQ(acted(*backend), 0U) << "seed " << seed;
  }
}

TEST_P(ReplicaBug, ActsOnceARunInItsRareForm) {
  const auto backend = GetParam().make_rare();
  Runner runner(*backend);
  std::uint64_t acted_in = 0;
  std::uint64_t operations = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const RunResult result = runner.run(draw_plan(options_for(GetParam()), seed));
    ASSERT_FALSE(result.failure.has_value()) << result.failure->text;
    ASSERT_LE(acted(*backend), 1U) << "seed " << seed;
    EXPECT_TRUE(result.report.verdict != Verdict::kBreaks || acted(*backend) > 0)
        << "breaks where the defect did not act, at seed " << seed;
    acted_in += acted(*backend);
    operations += calls(runner.history());
  }
  EXPECT_GT(acted_in, 0U);
  EXPECT_LT(static_cast<double>(acted_in), 0.02 * static_cast<double>(operations));
}

INSTANTIATE_TEST_SUITE_P(All, ReplicaBug, testing::ValuesIn(replica_bugs()), letters);

// Hides everything but the interface that a backend of anybody's has.
class Stranger final : public Backend {
 public:
  explicit Stranger(std::unique_ptr<Backend> inner) : inner_(std::move(inner)) {}
  [[nodiscard]] BackendDeclaration declare() const override { return inner_->declare(); }
  [[nodiscard]] Result<void> reset(const RunInfo& run) override { return inner_->reset(run); }
  [[nodiscard]] Result<std::unique_ptr<Session>> open(const ClientInfo& client, Runtime& runtime,
                                                      const ResumeToken* resume) override {
    return inner_->open(client, runtime, resume);
  }
  [[nodiscard]] std::vector<std::string> nodes() const override { return inner_->nodes(); }
  [[nodiscard]] Result<std::vector<Entry>> drain(std::string_view topic, std::string_view node,
                                                 Runtime& runtime) override {
    return inner_->drain(topic, node, runtime);
  }

 private:
  std::unique_ptr<Backend> inner_;
};

// Three of them, handed to a campaign as somebody else's backend under a name that says nothing.
TEST(ReplicaBugs, AreFoundByCampaignsThatKnowNothingOfThem) {
  std::uint32_t tried = 0;
  for (const PlantedBug& bug : replica_bugs()) {
    if (bug.name != "token-dropped" && bug.name != "feed-gap" && bug.name != "lww-clock") continue;
    ++tried;
    CampaignOptions options;
    options.plan.backend = "somebody's";
    options.make_backend = [&bug]() -> Result<std::unique_ptr<Backend>> {
      return std::unique_ptr<Backend>(std::make_unique<Stranger>(bug.make()));
    };
    options.runs = 100;
    options.shrink.emplace();
    const CampaignResult result = run_campaign(options);
    ASSERT_FALSE(result.failure.has_value()) << result.failure->text;
    EXPECT_EQ(result.verdict.verdict, Verdict::kBreaks) << bug.name;
    ASSERT_FALSE(result.found.empty()) << bug.name;
    EXPECT_LE(result.found.front().shrunk_events, 8U) << bug.name;
  }
  EXPECT_EQ(tried, 3U);
}

}  // namespace
}  // namespace causalcheck
