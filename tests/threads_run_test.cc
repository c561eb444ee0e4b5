// Whole runs and campaigns of backends on threads.
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <map>
#include <string>
#include <thread>

#include "adapters/adapters.h"
#include "checker/explain.h"
#include "harness/campaign.h"
#include "harness/faults/fault_powers.h"
#include "harness/history_file.h"
#include "harness/run.h"
#include "harness/temporary_folder.h"
#include "tests/threaded_log.h"

namespace causalcheck {
namespace {

using namespace std::chrono_literals;

Plan plan_of(std::uint64_t seed, PlanOptions options = {}) { return draw_plan(options, seed); }

CampaignOptions options_of(std::uint64_t runs, std::function<void(ThreadedLog&)> prepare = {}) {
  CampaignOptions options;
  options.plan.backend = "threaded";
  options.runs = runs;
  options.make_backend = [prepare]() -> Result<std::unique_ptr<Backend>> {
    auto log = std::make_unique<ThreadedLog>();
    if (prepare) prepare(*log);
    return std::unique_ptr<Backend>(std::move(log));
  };
  return options;
}

// Each position is taken once, a client's calls and returns alternate as they should, and nothing
// that was begun under the scheduler's lock is missing.
void expect_exact(const History& history) {
  std::map<Position, int> taken;
  for (const Operation& operation : history.operations) {
    if (operation.is_drain()) continue;
    ++taken[operation.start];
    if (operation.end == kNever) continue;
    ++taken[operation.end];
    EXPECT_LT(operation.start, operation.end);
  }
  for (const auto& [position, times] : taken) EXPECT_EQ(times, 1) << "position " << position;
}

TEST(RunsOnThreads, RecordExactlyAndHold) {
  ThreadedLog log;
  Runner runner(log);
  std::uint64_t overlaps = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const RunResult result = runner.run(plan_of(seed));
    ASSERT_FALSE(result.failure.has_value()) << result.failure->text;
    ASSERT_NE(result.report.verdict, Verdict::kBreaks) << "seed " << seed;
    EXPECT_FALSE(result.report.contaminated);
    EXPECT_EQ(result.report, check(runner.history()));
    expect_exact(runner.history());
    overlaps += result.report.counts.overlaps;
  }
  EXPECT_GT(overlaps, 100U) << "clients really are at work at once";
}

TEST(RunsOnThreads, HoldOnTheMemoryStoreWithAThousandSeeds) {
  for (const char* spec : {"memory?execution=threads", "memory?execution=threads&reads=feed"}) {
    CampaignOptions options;
    options.plan.backend = spec;
    options.plan.topics = 2;
    options.plan.pipeline = 3;
    options.plan.events = 40;
    options.make_backend = [spec] { return make_backend(spec); };
    options.runs = std::string_view(spec).find("feed") == std::string_view::npos ? 1000 : 30;
    const CampaignResult result = run_campaign(options);
    EXPECT_FALSE(result.failure.has_value()) << result.failure->text;
    EXPECT_EQ(result.verdict.verdict, Verdict::kHolds) << spec << ": " << result.verdict.why;
    EXPECT_EQ(result.summary.compared, 0U) << "nobody asks threads for the same bytes twice";
  }
}

TEST(RunsOnThreads, FindAPlantedRaceAndShrinkIt) {
  const TemporaryFolder out = TemporaryFolder::make("threads").value();
  CampaignOptions options = options_of(500, [](ThreadedLog& log) { log.racy = true; });
  options.out = out.path();
  options.shrink.emplace();
  options.shrink->time = 5s;
  const CampaignResult result = run_campaign(options);
  ASSERT_FALSE(result.failure.has_value()) << result.failure->text;
  ASSERT_EQ(result.verdict.verdict, Verdict::kBreaks) << result.verdict.why;
  ASSERT_FALSE(result.found.empty());
  const FoundViolation& found = result.found.front();
  EXPECT_EQ(found.guarantee, Guarantee::kNoLostWrites) << found.sentence;
  ASSERT_FALSE(found.folder.empty());
  EXPECT_TRUE(std::filesystem::exists(found.folder + "/history.jsonl"));
  for (const std::string& problem : result.problems) {
    EXPECT_NE(problem.find("was not shrunk"), std::string::npos) << problem;
  }
  if (found.shrunk_tries > 0) {
    EXPECT_GT(found.shrunk_tries, 1U) << "one try says little on threads";
    EXPECT_LE(found.shrunk_events, found.events);
  }
}

TEST(RunsOnThreads, DrawTheSameForAClientWhateverTheOthersDo) {
  // One client alone is not raced by anybody: the same seed gives it the same publishes.
  PlanOptions options;
  options.clients = 1;
  options.topics = 3;
  options.workload.emplace();
  options.workload->delete_permille = 300;
  std::vector<std::string> first;
  for (int round = 0; round < 2; ++round) {
    ThreadedLog log;
    Runner runner(log);
    ASSERT_FALSE(runner.run(plan_of(5, options)).failure.has_value());
    std::vector<std::string> publishes;
    for (const Operation& operation : runner.history().operations) {
      if (!operation.is_write()) continue;
      publishes.push_back(std::to_string(operation.topic) + (operation.is_delete ? "d" : "w"));
    }
    const std::size_t common = std::min<std::size_t>(10, publishes.size());
    publishes.resize(common);
    if (round == 0) {
      first = publishes;
    } else {
      EXPECT_EQ(publishes, first);
    }
  }
}

TEST(RunsOnThreads, EndUnknownWhenAClientNeverComesBack) {
  const auto released = std::make_shared<std::atomic<bool>>(false);
  CampaignOptions options = options_of(50, [released](ThreadedLog& log) {
    log.before_commit = [released](std::uint64_t number) {
      while (number == 20 && !*released) std::this_thread::sleep_for(1ms);
    };
  });
  options.times.emplace(CascadeTimes::for_threads());
  options.times->call_deadline = 50ms;
  options.stuck_after = 50ms;
  const CampaignResult result = run_campaign(options);
  EXPECT_FALSE(result.failure.has_value());
  EXPECT_TRUE(result.overdue);
  EXPECT_EQ(result.verdict.verdict, Verdict::kUnknown);
  EXPECT_NE(result.verdict.why.find("is stuck in a commit on t0"), std::string::npos)
      << result.verdict.why;
  *released = true;
  std::this_thread::sleep_for(20ms);
}

TEST(RunsOnThreads, TellAnAdapterThatThrows) {
  ThreadedLog log;
  log.before_commit = [](std::uint64_t number) {
    if (number == 7) throw std::runtime_error("out of luck");
  };
  Runner runner(log);
  const RunResult result = runner.run(plan_of(1));
  ASSERT_TRUE(result.failure.has_value());
  EXPECT_EQ(result.failure->kind, RunFailure::Kind::kMisuse);
  EXPECT_NE(result.failure->text.find("out of luck"), std::string::npos);
  log.before_commit = nullptr;
  EXPECT_FALSE(runner.run(plan_of(1)).failure.has_value());
}

TEST(RunsOnThreads, TakeEveryWorkload) {
  PlanOptions options;
  options.clients = 5;
  options.topics = 2;
  options.workload.emplace();
  options.workload->offline_permille = 100;
  options.workload->restart_permille = 100;
  options.workload->leave_permille = 30;
  options.workload->only_read = 1;
  options.workload->only_write = 1;
  options.workload->join_late = 1;
  for (const bool pipelined : {false, true}) {
    options.pipeline = pipelined ? 4 : 1;
    auto backend = make_backend("memory?execution=threads");
    Runner runner(**backend);
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
      const RunResult result = runner.run(plan_of(seed, options));
      ASSERT_FALSE(result.failure.has_value()) << "seed " << seed << ": " << result.failure->text;
      ASSERT_NE(result.report.verdict, Verdict::kBreaks)
          << "seed " << seed << '\n'
          << explain(result.report, runner.history());
      expect_exact(runner.history());
    }
  }
}

// Every fault that the backend can undergo, and nothing may be held against it.
TEST(FaultsOnThreads, StrikeAndAreSeenThrough) {
  PlanOptions options;
  options.events = 60;
  options.topics = 2;
  FaultCounts counts{};
  for (const char* spec : {"memory?execution=threads", "memory?execution=threads&reads=feed"}) {
    auto backend = make_backend(spec);
    options.faults = {"crash",  "delay",        "drop-answer",    "drop-request", "duplicate",
                      "flip",   "late-request", "offline",        "partition",    "pause",
                      "refuse", "reset",        "restart-client", "skew",         "truncate"};
    std::erase_if(options.faults, [&](const std::string& name) {
      return !lacks_for(*parse_fault_kind(name), powers_of(**backend)).empty();
    });
    EXPECT_GT(options.faults.size(), 8U);
    Runner runner(**backend);
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
      const RunResult result = runner.run(plan_of(seed, options));
      ASSERT_FALSE(result.failure.has_value()) << "seed " << seed << ": " << result.failure->text;
      ASSERT_NE(result.report.verdict, Verdict::kBreaks)
          << spec << ", seed " << seed << '\n'
          << explain(result.report, runner.history());
      for (std::size_t i = 0; i < kFaultKindCount; ++i) counts[i].fired += result.faults[i].fired;
    }
  }
  std::uint64_t fired = 0;
  for (const auto& count : counts) fired += count.fired;
  EXPECT_GT(fired, 100U);
}

// The class of the first thing that broke; empty when nothing did.
std::string broken_class(const Report& report) {
  const Violation* broken = first_broken(report);
  return broken == nullptr ? std::string() : fingerprint(*broken);
}

TEST(ReplayOnThreads, MakesTheRecordedCallsInTheRecordedOrder) {
  PlanOptions options;
  options.topics = 2;
  options.events = 40;
  options.workload.emplace();
  options.workload->restart_permille = 50;
  options.workload->delete_permille = 100;
  for (const char* spec : {"memory?execution=threads", "memory?execution=threads&reads=feed"}) {
    auto backend = make_backend(spec);
    Runner runner(**backend);
    int identical = 0;
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      const Plan plan = plan_of(seed, options);
      ASSERT_FALSE(runner.run(plan).failure.has_value());
      const Plan saved = runner.explicit_plan(plan);
      const History recorded = runner.history();
      const RunResult again = runner.replay(saved, recorded);
      ASSERT_FALSE(again.failure.has_value()) << again.failure->text;
      EXPECT_NE(again.report.verdict, Verdict::kBreaks);
      if (runner.history() == recorded) ++identical;
    }
    // A feed's receives wait for whatever comes, so their answers depend on far more than the
    // order.
    if (backend->get()->declare().promises.reads == Reads::kFeed) continue;
    RecordProperty("identical_of_10", identical);
    EXPECT_GT(identical, 0);
  }
}

TEST(ReplayOnThreads, ShowsTheSameViolationAgain) {
  ThreadedLog log;
  log.racy = true;
  Runner runner(log);
  // The race that is left alone is rare; the recorded one comes again far more often.
  std::uint64_t seed = 1;
  RunResult found = runner.run(plan_of(seed));
  while (found.report.verdict != Verdict::kBreaks && seed < 1000) {
    found = runner.run(plan_of(++seed));
    ASSERT_FALSE(found.failure.has_value()) << found.failure->text;
  }
  ASSERT_EQ(found.report.verdict, Verdict::kBreaks);
  const Plan saved = runner.explicit_plan(plan_of(seed));
  const History recorded = runner.history();
  int same = 0;
  for (int i = 0; i < 20; ++i) {
    const RunResult again = runner.replay(saved, recorded);
    ASSERT_FALSE(again.failure.has_value()) << again.failure->text;
    if (broken_class(again.report) == broken_class(found.report)) ++same;
  }
  RecordProperty("same_of_20", same);
  EXPECT_GT(same, 0);
}

TEST(ReplayOnThreads, TakesCallsThatWereNeverAnswered) {
  auto backend = make_backend("memory?execution=threads");
  Runner runner(**backend);
  const Plan plan = plan_of(3);
  ASSERT_FALSE(runner.run(plan).failure.has_value());
  History recorded = runner.history();
  // One call whose answer never came: the client's later calls are another thread's.
  for (Operation& operation : recorded.operations) {
    if (operation.is_drain() || operation.client != 1 || operation.start <= 20) continue;
    operation.end = kNever;
    break;
  }
  const RunResult again = runner.replay(plan, recorded);
  ASSERT_FALSE(again.failure.has_value()) << again.failure->text;
  EXPECT_GT(again.report.counts.publishes, 10U);
}

}  // namespace
}  // namespace causalcheck
