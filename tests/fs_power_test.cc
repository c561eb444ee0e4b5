// Files on a machine that loses power: what the simulated layer forgets, and what the store on top
// of it keeps all the same.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "adapters/adapters.h"
#include "adapters/fs/fs_store.h"
#include "adapters/fs/simulated_files.h"
#include "checker/explain.h"
#include "harness/backend.h"
#include "harness/faults/fault_kind.h"
#include "harness/faults/fault_powers.h"
#include "harness/plan.h"
#include "harness/run.h"

namespace causalcheck {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr Time kFar = std::chrono::seconds(10);
constexpr std::uint32_t kCut = 1;
constexpr std::uint32_t kZeros = 2;

/// Answers what it was told, one after another, and then always the same.
class ToldRuntime final : public Runtime {
 public:
  explicit ToldRuntime(std::deque<std::uint32_t> answers = {}, std::uint32_t then = 0)
      : answers_(std::move(answers)), then_(then) {}
  Time now() override { return {}; }
  Time wall_now() override { return {}; }
  void sleep_until(Time) override {}
  void yield() override {
    ++yields;
    if (on_yield && yields == strike_at) on_yield();
  }
  std::uint32_t choose(std::uint32_t n) override {
    const std::uint32_t answer = answers_.empty() ? std::min(then_, n - 1) : answers_.front();
    if (!answers_.empty()) answers_.pop_front();
    EXPECT_LT(answer, n);
    return answer;
  }

  int yields = 0;
  int strike_at = 0;
  std::function<void()> on_yield{};

 private:
  std::deque<std::uint32_t> answers_;
  const std::uint32_t then_;
};

/// Takes from a machine everything that it can.
ToldRuntime worst() { return ToldRuntime({}, 1); }

std::vector<std::string> names(SimulatedFiles& files, const std::string& folder) {
  std::vector<FileName> found;
  EXPECT_EQ(files.names_in(folder, found), 0);
  std::vector<std::string> text;
  for (const FileName& name : found) text.push_back(name.name + (name.is_folder ? "/" : ""));
  return text;
}

std::string content(SimulatedFiles& files, const std::string& path) {
  std::string text;
  EXPECT_EQ(files.read(path, text), 0) << path;
  return text;
}

TEST(SimulatedFiles, WhatWasSyncedSurvives) {
  SimulatedFiles files;
  ASSERT_EQ(files.make_folder("a"), 0);
  ASSERT_EQ(files.sync_folder(""), 0);
  ASSERT_EQ(files.write_new("a/x", "content", Synced::kYes), 0);
  ASSERT_EQ(files.sync_folder("a"), 0);
  ToldRuntime runtime = worst();
  files.lose_power(runtime);
  EXPECT_THAT(names(files, ""), ElementsAre("a/"));
  EXPECT_EQ(content(files, "a/x"), "content");
}

TEST(SimulatedFiles, ANameNeedsItsFolderSynced) {
  SimulatedFiles files;
  ASSERT_EQ(files.write_new("x", "content", Synced::kYes), 0);
  ASSERT_EQ(files.write_new("y", "content", Synced::kYes), 0);
  ToldRuntime runtime({1, 0});  // of x and of y
  files.lose_power(runtime);
  EXPECT_THAT(names(files, ""), ElementsAre("y"));
  ToldRuntime again = worst();
  files.lose_power(again);
  EXPECT_THAT(names(files, ""), ElementsAre("y")) << "what is on the disk stays there";
}

TEST(SimulatedFiles, ASecondNameNeedsItToo) {
  SimulatedFiles files;
  ASSERT_EQ(files.write_new("x", "content", Synced::kYes), 0);
  ASSERT_EQ(files.sync_folder(""), 0);
  ASSERT_EQ(files.link("x", "y"), 0);
  ASSERT_EQ(files.remove_file("x"), 0);
  ToldRuntime runtime = worst();
  files.lose_power(runtime);
  EXPECT_THAT(names(files, ""), ElementsAre("x")) << "neither the new name nor the removal";
}

TEST(SimulatedFiles, AFolderThatIsGoneTakesItsFilesWithIt) {
  SimulatedFiles files;
  ASSERT_EQ(files.make_folder("a"), 0);
  ASSERT_EQ(files.write_new("a/x", "content", Synced::kYes), 0);
  ASSERT_EQ(files.sync_folder("a"), 0);
  ToldRuntime runtime = worst();
  files.lose_power(runtime);
  EXPECT_THAT(names(files, ""), IsEmpty());
}

TEST(SimulatedFiles, AContentThatWasNotSyncedMayBeTorn) {
  const auto after = [](std::deque<std::uint32_t> told) {
    SimulatedFiles files;
    EXPECT_EQ(files.write_new("x", "content", Synced::kNo), 0);
    EXPECT_EQ(files.sync_folder(""), 0);
    ToldRuntime runtime(std::move(told));
    files.lose_power(runtime);
    return content(files, "x");
  };
  EXPECT_EQ(after({}), "content");
  EXPECT_EQ(after({kCut, 0}), "");
  EXPECT_EQ(after({kCut, 3}), "con");
  EXPECT_EQ(after({kZeros, 3}), std::string("con\0\0\0\0", 7));
}

TEST(SimulatedFiles, TornOnceIsTornForGoodUnderEveryName) {
  SimulatedFiles files;
  ASSERT_EQ(files.write_new("x", "content", Synced::kNo), 0);
  ASSERT_EQ(files.link("x", "y"), 0);
  ASSERT_EQ(files.sync_folder(""), 0);
  ToldRuntime runtime({kCut, 3});
  files.lose_power(runtime);
  ToldRuntime again = worst();
  files.lose_power(again);
  EXPECT_EQ(content(files, "x"), "con");
  EXPECT_EQ(content(files, "y"), "con");
}

TEST(SimulatedFiles, ACrashKeepsWhatWasWritten) {
  SimulatedFiles files;
  ASSERT_EQ(files.write_new("x", "content", Synced::kNo), 0);
  files.crash();
  EXPECT_EQ(content(files, "x"), "content");
}

TEST(SimulatedFiles, AnOperationEndsWithItsMachine) {
  SimulatedFiles files;
  ToldRuntime runtime;
  EXPECT_TRUE(files.between_steps(runtime));
  runtime.strike_at = 2;
  runtime.on_yield = [&] { files.crash(); };
  EXPECT_FALSE(files.between_steps(runtime));
  EXPECT_TRUE(files.between_steps(runtime));
}

TEST(SimulatedFiles, AnswersAsTheSystemDoes) {
  SimulatedFiles files;
  ASSERT_EQ(files.make_folder("a"), 0);
  ASSERT_EQ(files.write_new("a/x", "", Synced::kNo), 0);
  std::string text;
  std::vector<FileName> found;
  EXPECT_EQ(files.make_folder("a"), EEXIST);
  EXPECT_EQ(files.make_folder("b/c"), ENOENT);
  EXPECT_EQ(files.write_new("a/x", "", Synced::kNo), EEXIST);
  EXPECT_EQ(files.write_new("a/x/y", "", Synced::kNo), ENOTDIR);
  EXPECT_EQ(files.write_new(std::string(256, 'x'), "", Synced::kNo), ENAMETOOLONG);
  EXPECT_EQ(files.link("a/x", "a"), EEXIST);
  EXPECT_EQ(files.link("a", "b"), EPERM);
  EXPECT_EQ(files.link("nothing", "b"), ENOENT);
  EXPECT_EQ(files.remove_file("a"), EISDIR);
  EXPECT_EQ(files.remove_folder("a"), ENOTEMPTY);
  EXPECT_EQ(files.remove_folder("a/x"), ENOTDIR);
  EXPECT_EQ(files.read("a", text), EISDIR);
  EXPECT_EQ(files.read("a/y", text), ENOENT);
  EXPECT_EQ(files.names_in("a/x", found), ENOTDIR);
  EXPECT_EQ(files.sync_folder("b"), ENOENT);
}

/// A store on simulated files whose power goes at a step of a create.
class PowerTest : public testing::Test {
 protected:
  void use(FsSyncs syncs) {
    auto made = std::make_unique<SimulatedFiles>();
    files_ = made.get();
    store_ = std::make_unique<FsStore>(std::move(made), syncs);
  }
  void SetUp() override { use({}); }

  void lose_power() {
    ToldRuntime runtime = worst();
    files_->lose_power(runtime);
    store_->restarted();
  }
  Result<Created> create(std::string_view key, std::string_view text) {
    return store_->create_if_absent(key, text, calm_, kFar);
  }
  /// A create during whose `step`-th step `what` happens.
  Result<Created> create_and(int step, std::string_view key, std::function<void()> what) {
    ToldRuntime runtime;
    runtime.strike_at = step;
    runtime.on_yield = std::move(what);
    return store_->create_if_absent(key, "content", runtime, kFar);
  }
  std::optional<std::string> get(std::string_view key) {
    return store_->get(key, calm_, kFar).value();
  }

  SimulatedFiles* files_ = nullptr;
  std::unique_ptr<FsStore> store_{};
  ToldRuntime calm_{};
};

TEST_F(PowerTest, WhatWasAcknowledgedSurvives) {
  ASSERT_EQ(create("run/x/0", "content").value(), Created::kCreated);
  lose_power();
  EXPECT_EQ(get("run/x/0"), "content");
  EXPECT_EQ(create("run/x/0", "other").value(), Created::kTaken);
  EXPECT_EQ(create("run/x/1", "next").value(), Created::kCreated);
}

TEST_F(PowerTest, BeforeTheLinkNobodyIsLeftToSayThatItDidNotHappen) {
  const auto answer = create_and(1, "run/x/0", [&] { lose_power(); });
  ASSERT_TRUE(answer.has_error());
  EXPECT_EQ(answer.error().code, ErrorCode::kConnectionLost);
  EXPECT_EQ(get("run/x/0"), std::nullopt);
}

TEST_F(PowerTest, AfterTheLinkNobodyKnows) {
  const auto answer = create_and(2, "run/x/0", [&] { lose_power(); });
  ASSERT_TRUE(answer.has_error());
  EXPECT_EQ(answer.error().code, ErrorCode::kConnectionLost);
  EXPECT_THAT(answer.error().text, HasSubstr("went down"));
  EXPECT_EQ(get("run/x/0"), std::nullopt);
}

TEST_F(PowerTest, WhatWasReadBeforeItWasSyncedIsSyncedByItsReader) {
  const auto answer = create_and(2, "run/x/0", [&] {
    EXPECT_EQ(get("run/x/0"), "content");
    lose_power();
  });
  EXPECT_TRUE(answer.has_error());
  EXPECT_EQ(get("run/x/0"), "content");
}

TEST_F(PowerTest, WhatAProcessLeftUnsyncedWhenItDiedIsSyncedByTheNextThatReadsIt) {
  const auto answer = create_and(2, "run/x/0", [&] {
    files_->crash();
    store_->restarted();
  });
  EXPECT_TRUE(answer.has_error());
  EXPECT_EQ(get("run/x/0"), "content");
  lose_power();
  EXPECT_EQ(get("run/x/0"), "content");
}

TEST_F(PowerTest, WhatIsTakenIsSyncedBeforeItIsSaidToBe) {
  const auto answer = create_and(2, "run/x/0", [&] {
    EXPECT_EQ(create("run/x/0", "other").value(), Created::kTaken);
    lose_power();
  });
  EXPECT_TRUE(answer.has_error());
  EXPECT_EQ(get("run/x/0"), "content");
}

TEST_F(PowerTest, NothingIsLeftOverForTheNextRun) {
  static_cast<void>(create_and(1, "run/x/0", [&] { lose_power(); }));
  static_cast<void>(create_and(2, "run/x/1", [&] { files_->crash(); }));
  ASSERT_TRUE(store_->forget("run/").has_value());
  EXPECT_THAT(names(*files_, ""), IsEmpty());
}

TEST_F(PowerTest, WithoutASyncOfTheFolderAnAcknowledgedObjectIsGone) {
  use({true, false});
  ASSERT_EQ(create("run/x/0", "content").value(), Created::kCreated);
  lose_power();
  EXPECT_EQ(get("run/x/0"), std::nullopt);
  EXPECT_EQ(create("run/x/0", "other").value(), Created::kCreated) << "in a folder made anew";
}

TEST_F(PowerTest, WithoutASyncOfTheFileAnAcknowledgedObjectIsTorn) {
  use({false, true});
  ASSERT_EQ(create("run/x/0", "content").value(), Created::kCreated);
  lose_power();
  EXPECT_EQ(get("run/x/0"), "c");
}

GuaranteeSet offers(const std::string& spec) {
  return make_backend(spec).value()->declare().promises.offers;
}

TEST(FsSettings, OfferLessWithFewerSyncsAndClaimTheSame) {
  for (const std::string files : {"fs?", "fs?files=simulated&"}) {
    EXPECT_TRUE(offers(files + "sync=both").contains(Guarantee::kNoLostWrites));
    for (const char* less : {"sync=file", "sync=folder", "sync=none"}) {
      EXPECT_EQ(offers(files + less), GuaranteeSet{Guarantee::kOutcome}) << files << less;
      EXPECT_TRUE(make_backend(files + less)
                      .value()
                      ->declare()
                      .promises.claims.contains(Guarantee::kReadYourWrites));
    }
  }
}

TEST(FsSettings, SimulatedFilesHaveNoAddress) {
  const auto answer = make_backend("fs:/tmp?files=simulated");
  ASSERT_TRUE(answer.has_error());
  EXPECT_THAT(answer.error().text, HasSubstr("/tmp"));
}

TEST(FsSettings, OnlySimulatedFilesCanLosePower) {
  const auto real = make_backend("fs").value();
  EXPECT_EQ(dynamic_cast<PowerLosable*>(real.get()), nullptr);
  const auto simulated = make_backend("fs?files=simulated").value();
  auto* const power = dynamic_cast<PowerLosable*>(simulated.get());
  ASSERT_NE(power, nullptr);
  ToldRuntime runtime;
  EXPECT_TRUE(power->lose_power("", runtime).has_value());
  EXPECT_THAT(power->lose_power("n2", runtime).error().text, HasSubstr("n2"));
  auto* const crash = dynamic_cast<Crashable*>(simulated.get());
  ASSERT_NE(crash, nullptr);
  EXPECT_TRUE(crash->crash_and_restart("", runtime).has_value());
}

/// Runs with a machine whose power goes now and then.
class PowerRuns : public testing::Test {
 protected:
  /// The run of `seed`, by what is claimed of `spec`.
  RunResult run(const std::string& spec, std::uint64_t seed, std::vector<std::string> faults) {
    if (spec != spec_) {
      runner_.reset();
      backend_ = make_backend(spec).value();
      runner_ = std::make_unique<Runner>(*backend_);
      spec_ = spec;
    }
    PlanOptions options;
    options.backend = spec;
    options.faults = std::move(faults);
    RunResult result = runner_->run(draw_plan(options, seed));
    EXPECT_FALSE(result.failure.has_value()) << result.failure->text;
    hit_ += result.faults[static_cast<std::size_t>(FaultKind::kPowerLoss)].hit;
    return result;
  }

  void expect_survives(const std::string& spec, const std::vector<std::string>& faults) {
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
      const RunResult result = run(spec, seed, faults);
      ASSERT_NE(result.report.verdict, Verdict::kBreaks)
          << "seed " << seed << "\n"
          << explain(result.report, runner_->history());
    }
    EXPECT_GT(hit_, 400U) << "once a run";
  }

  /// How many of 100 runs break `id`.
  std::uint64_t broken(const std::string& spec, Guarantee id) {
    std::uint64_t runs = 0;
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
      const RunResult result = run(spec, seed, {"power-loss"});
      runs += result.report[id].answer == Answer::kBreaks ? 1U : 0U;
    }
    return runs;
  }

  std::string spec_{};
  std::unique_ptr<Backend> backend_{};
  std::unique_ptr<Runner> runner_{};
  std::uint64_t hit_ = 0;
};

TEST_F(PowerRuns, TheStoreSurvives) { expect_survives("fs?files=simulated", {"power-loss"}); }

TEST_F(PowerRuns, TheStoreSurvivesAsAFeed) {
  expect_survives("fs?files=simulated&reads=feed", {"power-loss"});
}

TEST_F(PowerRuns, TheStoreSurvivesWithEverythingElseGoingWrong) {
  expect_survives("fs?files=simulated",
                  names_of(can_undergo(powers_of(*make_backend("fs?files=simulated").value()))));
}

TEST_F(PowerRuns, WithoutASyncOfTheFolderItIsCaughtLosing) {
  EXPECT_GT(broken("fs?files=simulated&sync=file", Guarantee::kNoLostWrites), 50U);
  EXPECT_GT(broken("fs?files=simulated&sync=none", Guarantee::kNoLostWrites), 50U);
}

TEST_F(PowerRuns, WithoutASyncOfTheFileItIsCaughtServingTornObjects) {
  EXPECT_GT(broken("fs?files=simulated&sync=folder", Guarantee::kIntegrity), 50U);
}

TEST_F(PowerRuns, WithoutAPowerLossNothingIsMissing) {
  for (const char* spec : {"fs?files=simulated&sync=none", "fs?files=simulated&sync=folder"}) {
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
      EXPECT_EQ(run(spec, seed, {}).report.verdict, Verdict::kHolds) << spec << ", seed " << seed;
      EXPECT_NE(run(spec, seed, {"crash"}).report.verdict, Verdict::kBreaks)
          << spec << ", seed " << seed;
    }
  }
}

}  // namespace
}  // namespace causalcheck
