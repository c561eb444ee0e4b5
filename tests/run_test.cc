#include "harness/run.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "harness/plan_file.h"
#include "tests/toy_backend.h"

namespace causalcheck {
namespace {

Plan plan_of(std::uint64_t seed) {
  PlanOptions options;
  options.backend = "toy";
  return draw_plan(options, seed);
}

TEST(Runner, JudgesARunAndCountsWhatItExercised) {
  ToyBackend backend;
  Runner runner(backend);
  const RunResult result = runner.run(plan_of(1));
  ASSERT_FALSE(result.failure.has_value()) << result.failure->text;
  EXPECT_EQ(result.report.verdict, Verdict::kHolds) << result.report.why;
  EXPECT_GE(result.events, 100U);
  EXPECT_GT(result.switches_inside, 0U);
  EXPECT_GT(result.steps, 100U);
  EXPECT_GE(result.virtual_time, std::chrono::microseconds(100));
  EXPECT_EQ(result.report, check(runner.history()));
}

TEST(Runner, FindsAPlantedBugAndItsTwinDoesNot) {
  // Every tenth commit is acknowledged and not stored.
  ToyBackend lossy;
  lossy.spoil = [&lossy](std::uint64_t number, Entry& entry) {
    if (number % 10 == 0 && !lossy.logs[0].empty()) entry = lossy.logs[0].back();
  };
  ToyBackend right;
  Runner lossy_runner(lossy);
  Runner right_runner(right);
  for (std::uint64_t seed = 1; seed < 20; ++seed) {
    const RunResult broken = lossy_runner.run(plan_of(seed));
    ASSERT_FALSE(broken.failure.has_value()) << broken.failure->text;
    EXPECT_EQ(broken.report.verdict, Verdict::kBreaks);
    EXPECT_EQ(broken.report[Guarantee::kNoLostWrites].answer, Answer::kBreaks);
    EXPECT_NE(right_runner.run(plan_of(seed)).report.verdict, Verdict::kBreaks);
  }
}

TEST(Runner, JudgesTheWholeAgainWhenAPayloadWasForged) {
  ToyBackend backend;
  Runner runner(backend);
  const Plan plan = plan_of(1);
  bool forged = false;
  backend.spoil_read = [&](std::uint64_t, std::optional<Entry>& answer) {
    if (!answer || forged || answer->slot < 5) return;
    const auto number = claimed_number(answer->payload);
    const std::string payload = std::string(answer->payload);
    const DecodedPayload decoded = decode_payload(payload, RunTag(run_id(plan)));
    answer->payload.clear();
    append_payload(answer->payload, RunTag(run_id(plan)), decoded.fields, 7);
    forged = number.has_value();
  };
  const RunResult result = runner.run(plan);
  ASSERT_TRUE(forged);
  EXPECT_EQ(result.report[Guarantee::kIdentity].answer, Answer::kBreaks);
  EXPECT_EQ(result.report, check(runner.history()));
}

TEST(Runner, GivesEachRunANamespaceOfItsOwn) {
  ToyBackend backend;
  RunnerOptions options;
  options.instance = "here";
  Runner runner(backend, options);
  EXPECT_FALSE(runner.run(plan_of(1)).failure.has_value());
  const std::string first = to_jsonl(runner.history_file(plan_of(1)));
  EXPECT_FALSE(runner.run(plan_of(1)).failure.has_value());
  ASSERT_EQ(backend.resets.size(), 2U);
  EXPECT_NE(backend.resets[0].id, backend.resets[1].id);
  EXPECT_EQ(backend.resets[0].id.rfind("here-", 0), 0U);
  EXPECT_EQ(to_jsonl(runner.history_file(plan_of(1))), first) << "and none of it is in the history";
}

TEST(Runner, ReplaysFromItsExplicitPlanByteForByte) {
  ToyBackend backend;
  Runner runner(backend);
  for (std::uint64_t seed = 1; seed < 30; ++seed) {
    const Plan plan = plan_of(seed);
    ASSERT_FALSE(runner.run(plan).failure.has_value());
    const std::string bytes = to_jsonl(runner.history_file(plan));
    const Plan saved = runner.explicit_plan(plan);
    const auto loaded = parse_plan(plan_to_json(saved));
    ASSERT_TRUE(loaded.has_value()) << loaded.error().text;
    // Another plan in between, and another runner, change nothing.
    ASSERT_FALSE(runner.run(plan_of(seed + 1000)).failure.has_value());
    ToyBackend other_backend;
    Runner other(other_backend);
    ASSERT_FALSE(other.run(loaded->plan).failure.has_value());
    EXPECT_EQ(to_jsonl(other.history_file(loaded->plan)), bytes) << "seed " << seed;
  }
}

TEST(Runner, WritesAHeaderThatIsComplete) {
  ToyBackend backend;
  Runner runner(backend);
  Plan plan = plan_of(5);
  plan.faults = {"delay"};
  ASSERT_FALSE(runner.run(plan).failure.has_value());
  const auto parsed = parse_history(to_jsonl(runner.history_file(plan)));
  ASSERT_TRUE(parsed.has_value()) << parsed.error().text;
  EXPECT_TRUE(parsed->history.has_header);
  EXPECT_TRUE(parsed->history.payloads_checked);
  EXPECT_TRUE(parsed->history.faults_asked);
  EXPECT_EQ(parsed->history.declared, backend.declared.promises);
  EXPECT_EQ(parsed->history.clients.at(0), "A");
  EXPECT_EQ(parsed->header.seed, 5U);
  EXPECT_EQ(parsed->header.plan_hash, plan_hash(runner.explicit_plan(plan)));
  const auto plan_again = plan_of_config(parsed->header.config);
  ASSERT_TRUE(plan_again.has_value()) << plan_again.error().text;
  EXPECT_EQ(plan_again->plan, runner.explicit_plan(plan));
  EXPECT_EQ(check(parsed->history).verdict, check(runner.history()).verdict);
}

TEST(Runner, JudgesByTheSettingsItIsGiven) {
  ToyBackend backend;
  backend.declared.promises.level = Level::kFifo;
  RunnerOptions options;
  options.settings.level = Level::kTotal;
  options.settings.claims = GuaranteeSet{Guarantee::kRealTime};
  Runner runner(backend, options);
  ASSERT_FALSE(runner.run(plan_of(1)).failure.has_value());
  EXPECT_EQ(runner.history().declared.level, Level::kTotal);
  EXPECT_EQ(runner.history().declared.claims, GuaranteeSet{Guarantee::kRealTime});
}

TEST(Runner, TellsAnAdapterThatMisusesTheInterface) {
  ToyBackend backend;
  backend.spoil_read = [](std::uint64_t, std::optional<Entry>& answer) {
    if (answer) answer->slot.reset();
  };
  Runner runner(backend);
  const RunResult result = runner.run(plan_of(1));
  ASSERT_TRUE(result.failure.has_value());
  EXPECT_EQ(result.failure->kind, RunFailure::Kind::kMisuse);
  // The next run is judged for itself.
  backend.spoil_read = nullptr;
  EXPECT_FALSE(runner.run(plan_of(2)).failure.has_value());
}

TEST(Runner, SurvivesAnAdapterThatThrows) {
  ToyBackend backend;
  backend.lose_answer = [](std::uint64_t number) -> std::optional<Error> {
    if (number == 7) throw std::runtime_error("out of luck");
    return std::nullopt;
  };
  Runner runner(backend);
  const RunResult result = runner.run(plan_of(1));
  ASSERT_TRUE(result.failure.has_value());
  EXPECT_EQ(result.failure->kind, RunFailure::Kind::kMisuse);
  EXPECT_NE(result.failure->text.find("out of luck"), std::string::npos);
  backend.lose_answer = nullptr;
  EXPECT_FALSE(runner.run(plan_of(1)).failure.has_value());
}

TEST(Runner, SaysWhyABackendCannotBeOpened) {
  ToyBackend backend;
  backend.refuse_open = [](std::uint64_t) {
    return Error(ErrorCode::kUnavailable, "no such host");
  };
  Runner runner(backend);
  const RunResult result = runner.run(plan_of(1));
  ASSERT_TRUE(result.failure.has_value());
  EXPECT_EQ(result.failure->kind, RunFailure::Kind::kBackend);
  EXPECT_NE(result.failure->text.find("no such host"), std::string::npos);
}

}  // namespace
}  // namespace causalcheck
