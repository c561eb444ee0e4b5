// The kinds of faults: what they are called, who can undergo them, and what each does to a run.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "harness/campaign.h"
#include "harness/faults/fault_kind.h"
#include "harness/faults/fault_powers.h"
#include "harness/faults/fault_tally.h"
#include "harness/history_file.h"
#include "harness/run.h"
#include "tests/toy_backend.h"

namespace causalcheck {
namespace {

constexpr std::uint64_t kSeeds = 60;

/// A toy that can undergo everything: it keeps all it was given, and notes what befell it.
struct SturdyToy : ToyBackend, Crashable, PowerLosable, Pausable, Partitionable {
  SturdyToy() {
    declared.reads_clock = true;
    node_names = {"n1", "n2"};
  }
  [[nodiscard]] Result<std::unique_ptr<Session>> open(const ClientInfo& client, Runtime& runtime,
                                                      const ResumeToken* resume) override {
    clock = &runtime;
    lag = [this](std::uint64_t) -> std::size_t {
      const Time off = clock->wall_now() - clock->now();
      if (off < -std::chrono::seconds(1) || off > std::chrono::seconds(1)) ++noted["clock too far"];
      return 0;
    };
    return ToyBackend::open(client, runtime, resume);
  }
  Result<void> note(const std::string& what, std::string_view node) {
    ++noted[what];
    if (calls_open > 0) ++noted[what + " in flight"];
    if (node != "n1" && node != "n2") ++noted["unknown node"];
    return {};
  }
  Result<void> crash_and_restart(std::string_view node, Runtime&) override {
    return note("crash", node);
  }
  Result<void> lose_power(std::string_view node, Runtime&) override { return note("power", node); }
  Result<void> pause(std::string_view node) override { return note("pause", node); }
  Result<void> resume(std::string_view node) override { return note("resume", node); }
  Result<void> cut(std::string_view node) override { return note("cut", node); }
  Result<void> heal(std::string_view node) override { return note("heal", node); }

  Runtime* clock = nullptr;
  std::map<std::string, int> noted{};
};

/// What runs of `toy` came to in which `kind` was armed alone.
struct Seen {
  std::uint64_t fired = 0;
  std::uint64_t hit = 0;
  std::uint64_t on_one_call = 0;
  std::uint64_t info = 0;
  std::uint64_t fail = 0;
  std::uint64_t undecodable = 0;
  std::uint64_t commits_applied_unknown = 0;
  std::uint64_t commits_not_applied_unknown = 0;
};

Seen see(ToyBackend& toy, FaultKind kind, Workload workload = {}) {
  PlanOptions options;
  options.faults = {std::string(to_string(kind))};
  options.workload = workload;
  Runner runner(toy);
  Seen seen;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Plan plan = draw_plan(options, seed);
    EXPECT_EQ(plan.faults, options.faults);
    const RunResult result = runner.run(plan);
    EXPECT_FALSE(result.failure.has_value()) << result.failure->text;
    if (result.failure) break;
    EXPECT_NE(result.report.verdict, Verdict::kBreaks) << to_string(kind) << ", seed " << seed;
    EXPECT_FALSE(result.report.contaminated);
    const FaultCount& count = result.faults[static_cast<std::size_t>(kind)];
    EXPECT_TRUE(count.armed);
    seen.fired += count.fired;
    seen.hit += count.hit;
    const History& history = runner.history();
    for (const FaultWindow& window : history.faults) {
      EXPECT_EQ(window.kind, to_string(kind));
      EXPECT_NE(window.end, kNever) << "healed before the end";
      if (window.call == 0) continue;
      const bool named = std::any_of(
          history.operations.begin(), history.operations.end(), [&](const Operation& o) {
            return o.start == window.call && window.start > o.start &&
                   history.clients[o.client] == window.target &&
                   (window.end < o.end || kind == FaultKind::kLateRequest);
          });
      EXPECT_TRUE(named) << "it acted inside the operation it names";
      ++seen.on_one_call;
    }
    std::vector<MessageId> durable;
    for (const Operation& o : history.operations) {
      if (o.is_drain()) durable.push_back(o.message);
    }
    for (const Operation& o : history.operations) {
      if (o.is_drain()) continue;
      if (o.outcome == Outcome::kInfo) ++seen.info;
      if (o.outcome == Outcome::kFail) ++seen.fail;
      if (o.undecodable) ++seen.undecodable;
      if (!o.is_write() || o.outcome != Outcome::kInfo) continue;
      const bool applied = std::count(durable.begin(), durable.end(), o.message) > 0;
      ++(applied ? seen.commits_applied_unknown : seen.commits_not_applied_unknown);
    }
  }
  return seen;
}

TEST(FaultKinds, HaveNamesThatComeBackAndALineOfHelp) {
  const FaultSet all = all_faults();
  ASSERT_EQ(all.size(), kFaultKindCount);
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(parse_fault_kind(to_string(all.nth(i))), all.nth(i));
    EXPECT_FALSE(help_of(all.nth(i)).empty());
  }
  EXPECT_EQ(parse_fault_kind("earthquake"), std::nullopt);
  EXPECT_EQ(faults_of(names_of(all)), all);
  EXPECT_EQ(to_string(FaultSet{FaultKind::kSkew, FaultKind::kDelay}), "delay, skew");
}

TEST(ChooseFaults, LeavesOutOfAProfileWhatTheBackendCannotUndergo) {
  ToyBackend plain;
  SturdyToy sturdy;
  using Names = std::vector<std::string>;
  EXPECT_EQ(*choose_faults("none", plain), Names());
  EXPECT_EQ(*choose_faults("light", plain), (Names{"delay", "drop-answer"}));
  EXPECT_EQ(*choose_faults("light", sturdy), (Names{"delay", "drop-answer", "skew"}));
  EXPECT_EQ(choose_faults("heavy", plain)->size(), 12U);
  EXPECT_EQ(choose_faults("heavy", sturdy)->size(), 15U) << "all but duplicate";
  EXPECT_EQ(*choose_faults("skew,delay", sturdy), (Names{"delay", "skew"}));
}

TEST(ChooseFaults, SaysWhatANamedKindLacks) {
  ToyBackend plain;
  const auto problem = [&](std::string_view words) {
    const auto chosen = choose_faults(words, plain);
    return chosen.has_value() ? std::string() : chosen.error().text;
  };
  EXPECT_NE(problem("delay,crash").find("cannot undergo crash: it has no server"),
            std::string::npos);
  EXPECT_NE(problem("crash").find("it can undergo delay, drop-request"), std::string::npos);
  EXPECT_NE(problem("power-loss").find("synced"), std::string::npos);
  EXPECT_NE(problem("skew").find("wall clock"), std::string::npos);
  EXPECT_NE(problem("duplicate").find("at-least-once"), std::string::npos);
  EXPECT_NE(problem("delay,").find("no fault \"\""), std::string::npos);
  EXPECT_NE(problem("earthquake").find("known are none, light, heavy"), std::string::npos);
}

TEST(ChooseFaults, AllowsDuplicatesOnlyInAFeedThatDeclaresThem) {
  ToyBackend toy;
  toy.declared.promises.retries = Retries::kAtLeastOnce;
  EXPECT_FALSE(choose_faults("duplicate", toy).has_value()) << "a late copy buries its own reply";
  toy.declared.promises.reads = Reads::kFeed;
  EXPECT_TRUE(choose_faults("duplicate", toy).has_value());
}

TEST(Faults, DelayTakesTimeAndChangesNoOutcomeButPastTheLimit) {
  ToyBackend toy;
  const Seen seen = see(toy, FaultKind::kDelay);
  EXPECT_GT(seen.hit, 20U);
  EXPECT_EQ(seen.commits_not_applied_unknown, 0U);
  EXPECT_GT(seen.info, 0U) << "some delays are longer than the client waits";
  EXPECT_LT(seen.info, seen.fired / 2);
}

TEST(Faults, DropRequestLeavesTheClientUnsureAndTheBackendUntouched) {
  ToyBackend toy;
  const Seen seen = see(toy, FaultKind::kDropRequest);
  EXPECT_GT(seen.commits_not_applied_unknown, 0U);
  EXPECT_EQ(seen.commits_applied_unknown, 0U);
}

TEST(Faults, DropAnswerAppliesWhatTheClientIsUnsureOf) {
  ToyBackend toy;
  const Seen seen = see(toy, FaultKind::kDropAnswer);
  EXPECT_GT(seen.commits_applied_unknown, 0U);
  EXPECT_EQ(seen.commits_not_applied_unknown, 0U);
}

TEST(Faults, LateRequestLandsAfterItsClientMovedOn) {
  ToyBackend toy;
  PlanOptions options;
  options.faults = {"late-request"};
  Runner runner(toy);
  std::uint64_t behind_own_later = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const RunResult result = runner.run(draw_plan(options, seed));
    ASSERT_FALSE(result.failure.has_value()) << result.failure->text;
    EXPECT_NE(result.report.verdict, Verdict::kBreaks);
    const History& history = runner.history();
    std::map<MessageId, Slot> slots;
    for (const Operation& o : history.operations) {
      if (o.is_drain()) slots[o.message] = o.slot;
    }
    for (const Operation& late : history.operations) {
      if (!late.is_write() || late.outcome != Outcome::kInfo || late.end == kNever) continue;
      for (const Operation& next : history.operations) {
        if (next.is_write() && next.client == late.client && next.start > late.end &&
            next.outcome == Outcome::kOk && slots.count(late.message) > 0 &&
            slots[late.message] > next.slot) {
          ++behind_own_later;
        }
      }
    }
  }
  EXPECT_GT(behind_own_later, 0U);
}

TEST(Faults, RefuseFailsForSure) {
  ToyBackend toy;
  const Seen seen = see(toy, FaultKind::kRefuse);
  EXPECT_GT(seen.fail, 20U);
  EXPECT_EQ(seen.info, 0U);
  EXPECT_EQ(seen.fail, seen.fired);
  EXPECT_EQ(seen.on_one_call, seen.fired);
}

TEST(Faults, ResetAndTruncateApplyAndLeaveTheClientUnsure) {
  ToyBackend toy;
  const Seen reset = see(toy, FaultKind::kReset);
  EXPECT_GT(reset.commits_applied_unknown, 0U);
  EXPECT_EQ(reset.undecodable, 0U);
  const Seen cut = see(toy, FaultKind::kTruncate);
  EXPECT_GT(cut.commits_applied_unknown, 0U);
  EXPECT_EQ(cut.undecodable, cut.info);
}

TEST(Faults, DuplicatePutsACopyIntoAFeed) {
  ToyBackend toy;
  toy.declared.promises.reads = Reads::kFeed;
  toy.declared.promises.retries = Retries::kAtLeastOnce;
  toy.declared.promises.claims = {};
  const Seen seen = see(toy, FaultKind::kDuplicate);
  EXPECT_GT(seen.hit, 20U);
  EXPECT_GT(toy.logs[0].size(), 0U);
}

TEST(Faults, DuplicateMakesNoLieOfARefusal) {
  ToyBackend toy;
  toy.declared.promises.reads = Reads::kFeed;
  toy.declared.promises.retries = Retries::kAtLeastOnce;
  toy.declared.promises.claims = {};
  toy.refuse_commit = [](std::uint64_t number) {
    return number % 2 == 1 ? std::optional<Error>(Error(ErrorCode::kUnavailable, "busy"))
                           : std::nullopt;
  };
  const Seen seen = see(toy, FaultKind::kDuplicate);
  EXPECT_GT(seen.hit, 20U);
  EXPECT_GT(seen.fail, 20U);
}

TEST(Faults, PartitionAndFlipCutTheWay) {
  ToyBackend toy;
  const Seen cut = see(toy, FaultKind::kPartition);
  EXPECT_GT(cut.commits_applied_unknown, 0U) << "one direction only";
  EXPECT_GT(cut.commits_not_applied_unknown, 0U);
  EXPECT_EQ(cut.fail, 0U);
  const Seen flip = see(toy, FaultKind::kFlip);
  EXPECT_GT(flip.fail, 0U) << "refused while the link is down";
  EXPECT_GT(flip.commits_applied_unknown, 0U) << "it went down before the answer";
}

TEST(Faults, APausedClientGoesOn) {
  ToyBackend toy;
  const Seen seen = see(toy, FaultKind::kPause);
  EXPECT_GT(seen.hit, 20U);
  EXPECT_EQ(seen.info + seen.fail, 0U);
}

TEST(Faults, OfflineAndRestartComeFromArmingAlone) {
  ToyBackend toy;
  const Seen offline = see(toy, FaultKind::kOffline);
  EXPECT_GT(offline.hit, 20U);
  const Seen restart = see(toy, FaultKind::kRestartClient);
  EXPECT_GT(restart.hit, 5U);
  EXPECT_GT(restart.info, 0U) << "its open operation";
}

TEST(Faults, ServersAreStruckWhileOperationsAreInFlight) {
  SturdyToy toy;
  const auto struck = [&toy](FaultKind kind, const std::string& what) {
    toy.noted.clear();
    const Seen seen = see(toy, kind);
    EXPECT_GT(seen.hit, 20U) << what;
    EXPECT_GT(toy.noted[what], 10) << what;
    EXPECT_GT(toy.noted[what + " in flight"], toy.noted[what] / 2) << what;
    EXPECT_EQ(toy.noted["unknown node"], 0);
  };
  struck(FaultKind::kCrash, "crash");
  struck(FaultKind::kPowerLoss, "power");
  struck(FaultKind::kPause, "pause");
  EXPECT_EQ(toy.noted["pause"], toy.noted["resume"]);
  struck(FaultKind::kPartition, "cut");
  EXPECT_EQ(toy.noted["cut"], toy.noted["heal"]);
}

TEST(Faults, SkewMovesTheClockByASecondAtMost) {
  SturdyToy toy;
  const Seen seen = see(toy, FaultKind::kSkew);
  EXPECT_GT(seen.hit, 20U);
  EXPECT_EQ(seen.info + seen.fail, 0U);
  EXPECT_EQ(toy.noted["clock too far"], 0);
}

TEST(Faults, WithoutArmingNothingChanges) {
  // The same seed has the same shape, and a run without faults takes no choice for them.
  PlanOptions options;
  const Plan plain = draw_plan(options, 5);
  options.faults = {"delay", "reset"};
  Plan armed = draw_plan(options, 5);
  EXPECT_FALSE(armed.faults.empty());
  armed.faults.clear();
  EXPECT_EQ(armed, plain);
  ToyBackend toy;
  Runner runner(toy);
  const RunResult result = runner.run(plain);
  EXPECT_TRUE(runner.history().faults.empty());
  EXPECT_FALSE(runner.history().faults_asked);
  EXPECT_FALSE(result.faults[0].armed);
}

TEST(Faults, SamePlanSameBytesUnderEverything) {
  SturdyToy toy;
  PlanOptions options;
  options.faults = *choose_faults("heavy", toy);
  options.pipeline = 3;
  Runner runner(toy);
  Runner other(toy);
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Plan plan = draw_plan(options, seed);
    ASSERT_FALSE(runner.run(plan).failure.has_value());
    const std::string first = to_jsonl(runner.history_file(plan));
    const Plan made = runner.explicit_plan(plan);
    ASSERT_FALSE(other.run(made).failure.has_value());
    EXPECT_EQ(to_jsonl(other.history_file(made)), first) << "seed " << seed;
  }
}

TEST(Faults, APlanWithAKindThatTheBackendLacksIsRefused) {
  ToyBackend toy;
  Runner runner(toy);
  Plan plan = draw_plan({}, 1);
  plan.faults = {"crash"};
  const RunResult result = runner.run(plan);
  ASSERT_TRUE(result.failure.has_value());
  EXPECT_EQ(result.failure->kind, RunFailure::Kind::kBackend);
  EXPECT_NE(result.failure->text.find("cannot undergo crash"), std::string::npos);
  plan.faults = {"earthquake"};
  EXPECT_FALSE(validate(plan).has_value());
  plan.faults = {"delay", "delay"};
  EXPECT_FALSE(validate(plan).has_value());
}

TEST(Faults, AServerThatDoesNotComeBackEndsTheCampaign) {
  struct Dead : ToyBackend, Crashable {
    Result<void> crash_and_restart(std::string_view, Runtime&) override {
      return Error(ErrorCode::kUnavailable, "disk full");
    }
  } toy;
  Runner runner(toy);
  PlanOptions options;
  options.faults = {"crash"};
  std::string text;
  for (std::uint64_t seed = 1; seed <= kSeeds && text.empty(); ++seed) {
    if (const RunResult result = runner.run(draw_plan(options, seed)); result.failure) {
      text = result.failure->text;
    }
  }
  EXPECT_NE(text.find("disk full"), std::string::npos);
}

TEST(FaultTally, AKindThatNeverHitsMakesTheCampaignUnknown) {
  CampaignOptions options;
  options.plan.backend = "toy";
  options.plan.faults = {"skew"};
  options.make_backend = []() -> Result<std::unique_ptr<Backend>> {
    // It says that it reads the clock, and never does.
    auto toy = std::make_unique<ToyBackend>();
    toy->declared.reads_clock = true;
    return std::unique_ptr<Backend>(std::move(toy));
  };
  options.runs = 20;
  const CampaignResult idle = run_campaign(options);
  EXPECT_EQ(idle.verdict.verdict, Verdict::kUnknown);
  EXPECT_GT(idle.summary[FaultKind::kSkew].runs_armed, 0U);
  EXPECT_EQ(idle.summary[FaultKind::kSkew].hit, 0U);

  options.plan.faults = {"delay", "skew"};
  const CampaignResult partly = run_campaign(options);
  EXPECT_EQ(partly.verdict.verdict, Verdict::kUnknown);
  EXPECT_NE(partly.verdict.why.find("never hit an operation in any run: skew"), std::string::npos)
      << partly.verdict.why;

  options.plan.faults = {"delay"};
  const CampaignResult busy = run_campaign(options);
  EXPECT_EQ(busy.verdict.verdict, Verdict::kHolds) << busy.verdict.why;
  EXPECT_GT(busy.summary[FaultKind::kDelay].hit, 0U);
  EXPECT_GT(busy.summary[FaultKind::kDelay].runs_hit, 0U);
}

}  // namespace
}  // namespace causalcheck
