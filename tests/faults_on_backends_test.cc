// Real backends under faults: where each kind strikes inside them, that they keep their promises,
// and that a backend that does not is found and its failure shrunk to the fault it takes.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "adapters/adapters.h"
#include "adapters/broadcast/broadcast_backend.h"
#include "adapters/memory/memory_store.h"
#include "harness/campaign.h"
#include "harness/faults/fault_powers.h"
#include "harness/object_log.h"
#include "harness/run.h"
#include "harness/shrink.h"
#include "tests/toy_backend.h"

namespace causalcheck {
namespace {

/// What a store below an ObjectLog was asked, behind the faults.
class WatchedStore final : public ObjectStore {
 public:
  Result<Created> create_if_absent(std::string_view key, std::string_view content, Runtime& runtime,
                                   Time deadline) override {
    const Result<Created> answer = store_.create_if_absent(key, content, runtime, deadline);
    ++asked[std::string(content)];
    if (asked[std::string(content)] > 1 && *answer == Created::kTaken) ++taken_again;
    return answer;
  }
  Result<std::optional<std::string>> get(std::string_view key, Runtime& runtime,
                                         Time deadline) override {
    return store_.get(key, runtime, deadline);
  }
  Result<std::vector<std::string>> list(std::string_view prefix, Runtime& runtime,
                                        Time deadline) override {
    return store_.list(prefix, runtime, deadline);
  }
  Result<void> forget(std::string_view prefix) override { return store_.forget(prefix); }

  std::map<std::string, int> asked{};  // creates, by content
  int taken_again = 0;

 private:
  MemoryStore store_{Execution::kDeterministic};
};

struct StoreRuns {
  FaultCount count{};
  std::uint64_t undecodable = 0;
  std::uint64_t info = 0;
  std::uint64_t fail = 0;
  int taken_again = 0;
};

StoreRuns run_on_store(FaultKind kind, Reads reads) {
  auto store = std::make_unique<WatchedStore>();
  WatchedStore& watched = *store;
  ObjectLog log(std::move(store), {reads, Execution::kDeterministic});
  PlanOptions options;
  options.faults = {std::string(to_string(kind))};
  Runner runner(log);
  StoreRuns sum;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const RunResult result = runner.run(draw_plan(options, seed));
    EXPECT_FALSE(result.failure.has_value()) << result.failure->text;
    EXPECT_NE(result.report.verdict, Verdict::kBreaks) << to_string(kind) << ", seed " << seed;
    sum.count.fired += result.faults[static_cast<std::size_t>(kind)].fired;
    sum.count.hit += result.faults[static_cast<std::size_t>(kind)].hit;
    for (const Operation& o : runner.history().operations) {
      if (o.undecodable) ++sum.undecodable;
      if (o.outcome == Outcome::kInfo) ++sum.info;
      if (o.outcome == Outcome::kFail) ++sum.fail;
    }
  }
  sum.taken_again = watched.taken_again;
  return sum;
}

TEST(StoreFaults, ACutObjectIsNoAnswerAndNeverAnOlderValue) {
  for (const Reads reads : {Reads::kLatest, Reads::kFeed}) {
    const StoreRuns runs = run_on_store(FaultKind::kTruncate, reads);
    EXPECT_GT(runs.count.hit, 50U);
    EXPECT_GT(runs.undecodable, 20U);
  }
}

TEST(StoreFaults, ARepeatedCreateFindsItsOwnObject) {
  const StoreRuns runs = run_on_store(FaultKind::kDuplicate, Reads::kLatest);
  EXPECT_GT(runs.count.hit, 20U);
  EXPECT_GT(runs.taken_again, 20);
  EXPECT_EQ(runs.info + runs.fail, 0U) << "the client hears of the first only";
}

TEST(StoreFaults, EachKindOfANetworkHitsSingleRequests) {
  for (const FaultKind kind :
       {FaultKind::kDelay, FaultKind::kDropRequest, FaultKind::kDropAnswer, FaultKind::kLateRequest,
        FaultKind::kRefuse, FaultKind::kReset, FaultKind::kPartition, FaultKind::kFlip}) {
    const StoreRuns runs = run_on_store(kind, Reads::kLatest);
    EXPECT_GT(runs.count.hit, 20U) << to_string(kind);
    EXPECT_GT(runs.info + runs.fail, 0U) << to_string(kind);
  }
}

TEST(LinkFaults, PacketsAreLostRepeatedAndSentAgain) {
  BroadcastSettings calm;
  calm.links.loss_permille = calm.links.duplicate_permille = calm.links.partition_permille = 0;
  BroadcastBackend backend(calm);
  Runner runner(backend);
  PlanOptions options;
  struct Sum {
    std::uint64_t duplicates = 0;
    std::uint64_t retransmitted = 0;
    std::uint64_t hit = 0;
  };
  const auto run = [&](std::vector<std::string> faults) {
    options.faults = std::move(faults);
    Sum sum;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
      Plan plan = draw_plan(options, seed);
      plan.workload = {};
      const RunResult result = runner.run(plan);
      EXPECT_FALSE(result.failure.has_value()) << result.failure->text;
      EXPECT_NE(result.report.verdict, Verdict::kBreaks) << "seed " << seed;
      for (ProcessId process = 0; process < 3; ++process) {
        sum.duplicates += backend.group().metrics(process).duplicates;
        sum.retransmitted += backend.group().metrics(process).retransmitted;
      }
      for (const FaultCount& count : result.faults) sum.hit += count.hit;
    }
    return sum;
  };
  const Sum none = run({});
  EXPECT_EQ(none.duplicates + none.retransmitted + none.hit, 0U);
  const Sum lost = run({"drop-request"});
  EXPECT_GT(lost.retransmitted, 20U);
  EXPECT_EQ(lost.duplicates, 0U);
  const Sum answers = run({"drop-answer"});
  EXPECT_GT(answers.retransmitted, 20U);
  EXPECT_GT(answers.duplicates, 20U) << "what had arrived is sent again";
  const Sum twice = run({"duplicate"});
  EXPECT_GT(twice.duplicates, 20U);
  EXPECT_EQ(twice.retransmitted, 0U);
  EXPECT_GT(run({"partition"}).retransmitted, 20U);
  EXPECT_GT(run({"flip"}).retransmitted, 20U);
  const Sum after = run({});
  EXPECT_EQ(after.duplicates + after.retransmitted, 0U) << "the links are let go again";
}

class UnderHeavyFaults : public testing::TestWithParam<const char*> {};

TEST_P(UnderHeavyFaults, KeepsItsPromisesAndIsHitByEveryKind) {
  const std::string spec = GetParam();
  const bool on_disk = spec.rfind("fs", 0) == 0 || spec.rfind("sqlite", 0) == 0;
  for (const LeftOut& left_out : left_out_adapters()) {
    if (spec.substr(0, spec.find('?')) == left_out.name) GTEST_SKIP() << "not in this build";
  }
  for (const std::uint32_t topics : {1U, 3U}) {
    const auto probe = make_backend(spec);
    ASSERT_TRUE(probe.has_value()) << probe.error().text;
    CampaignOptions options;
    options.plan.backend = spec;
    options.plan.topics = topics;
    options.plan.pipeline = topics;
    options.plan.events = on_disk ? 40 : 100;
    options.plan.faults = *choose_faults("heavy", **probe);
    options.make_backend = [&spec] { return make_backend(spec); };
    options.runs = on_disk ? 5 : 300;
    options.on_violation = OnViolation::kKeepGoing;
    const CampaignResult result = run_campaign(options);
    ASSERT_FALSE(result.failure.has_value()) << result.failure->text;
    for (const FoundViolation& found : result.found) ADD_FAILURE() << found.seed << found.sentence;
    EXPECT_EQ(result.summary.contaminated, 0U);
    std::uint64_t hits = 0;
    for (const FaultTally& tally : result.summary.faults) hits += tally.hit;
    EXPECT_GT(hits, 0U);
    if (on_disk) continue;
    EXPECT_GE(hits, result.summary.runs) << "on average one fault hits a run at least";
    EXPECT_EQ(result.verdict.verdict, Verdict::kHolds) << result.verdict.why;
    for (std::size_t i = 0; i < kFaultKindCount; ++i) {
      const FaultTally& tally = result.summary.faults[i];
      if (!tally.asked) continue;
      EXPECT_GE(tally.runs_hit * 100, result.summary.runs)
          << to_string(static_cast<FaultKind>(i)) << " hit in less than 1 % of the runs";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Backends, UnderHeavyFaults,
    testing::Values("memory", "memory?reads=feed", "broadcast", "broadcast?order=total",
                    "replicated", "replicated?read=any&token=yes", "replicated?reads=feed&read=any",
                    "replicated?ack=leader&promote=no", "fs", "fs?reads=feed", "sqlite",
                    "sqlite?reads=feed"),
    [](const auto& spec) {
      std::string name = spec.param;
      std::replace_if(
          name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
      return name;
    });

/// Acknowledges before anything is durable: a crash takes the last entry of each log.
struct ForgetfulToy : ToyBackend, Crashable {
  Result<void> crash_and_restart(std::string_view, Runtime&) override {
    for (std::vector<Entry>& log : logs) {
      if (!log.empty()) log.pop_back();
    }
    return {};
  }
};

TEST(FaultsAndShrinking, OnlyTheFaultThatItTakesIsLeft) {
  ForgetfulToy toy;
  Runner runner(toy);
  PlanOptions options;
  options.faults = *choose_faults("heavy", toy);
  std::uint64_t shrunk = 0;
  for (std::uint64_t seed = 1; seed <= 200 && shrunk < 3; ++seed) {
    const RunResult result = runner.run(draw_plan(options, seed));
    ASSERT_FALSE(result.failure.has_value()) << result.failure->text;
    if (result.report.verdict != Verdict::kBreaks) continue;
    const Plan failing = runner.explicit_plan(draw_plan(options, seed));
    ShrinkOptions budget;
    budget.time = std::chrono::seconds(20);
    const ShrinkResult small = shrink(runner, failing, {}, budget);
    EXPECT_EQ(small.plan.faults, std::vector<std::string>{"crash"}) << "seed " << seed;
    EXPECT_LE(small.events, 4U) << "seed " << seed;
    EXPECT_EQ(small.fails, small.tries);
    ASSERT_FALSE(small.history.history.faults.empty());
    ++shrunk;
  }
  EXPECT_EQ(shrunk, 3U);
  // The legal near miss: without the crash it keeps what it acknowledged.
  options.faults.erase(std::find(options.faults.begin(), options.faults.end(), "crash"));
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    EXPECT_NE(runner.run(draw_plan(options, seed)).report.verdict, Verdict::kBreaks);
  }
}

}  // namespace
}  // namespace causalcheck
