// The scenarios of the manual, played to their end, and what a scenario's file may not say.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "adapters/broadcast/scenario.h"
#include "checker/checker.h"
#include "checker/holdback.h"
#include "harness/history_file.h"

namespace causalcheck {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

Scenario scenario(const std::string& name) {
  return read_scenario(CAUSALCHECK_SOURCE_DIR "/fixtures/scenarios/" + name + ".json").value();
}

Answer judged(const ScenarioRun& run, Guarantee id) { return check(run.file.history)[id].answer; }

TEST(Scenario, TheSlowPathShowsTheQueueAtWork) {
  const ScenarioRun run = run_scenario(scenario("slow-path"));
  EXPECT_EQ(run.timeline,
            "    0.0 ms  P1 broadcasts m1\n"
            "   10.0 ms  P2 delivers m1\n"
            "   10.0 ms  P2 broadcasts m2\n"
            "   20.0 ms  P1 delivers m2\n"
            "   20.0 ms  P3 holds m2: needs P1 1, has P1 0\n"
            "  200.0 ms  P3 delivers m1\n"
            "  200.0 ms  P3 delivers m2  (held for 180.0 ms, released by m1)\n");
  EXPECT_EQ(explain_holds(run.file.other_lines, run.file.history),
            "P3: m2 waits for m1: needs P1 1, has P1 0; released by event 10\n");
  EXPECT_EQ(check(run.file.history).verdict, Verdict::kHolds);
}

TEST(Scenario, TheSlowPathBreaksCausalWhenDeliveredAsItComes) {
  const ScenarioRun run = run_scenario(scenario("slow-path"), DeliveryOrder::kImmediate);
  EXPECT_EQ(judged(run, Guarantee::kCausal), Answer::kBreaks);
  EXPECT_THAT(run.file.other_lines, IsEmpty());
}

TEST(Scenario, TheReplyThatComesFirstBreaksCausalAndNotWithCausalDelivery) {
  const ScenarioRun as_it_comes = run_scenario(scenario("reply-first"));
  EXPECT_EQ(judged(as_it_comes, Guarantee::kCausal), Answer::kBreaks);
  EXPECT_EQ(explain_waits(causal_waits(as_it_comes.file.history), as_it_comes.file.history),
            "Alice: answer waits for question: needs Bob 1, has Bob 0; released by event 12\n");
  const ScenarioRun causal = run_scenario(scenario("reply-first"), DeliveryOrder::kCausal);
  EXPECT_EQ(judged(causal, Guarantee::kCausal), Answer::kHolds);
}

TEST(Scenario, ALostMessageBlocksEverythingBehindIt) {
  const ScenarioRun run = run_scenario(scenario("lost-message"));
  EXPECT_EQ(judged(run, Guarantee::kDelivery), Answer::kBreaks);
  EXPECT_EQ(judged(run, Guarantee::kCausal), Answer::kHolds);
  EXPECT_THAT(run.stalled, SizeIs(3));
  EXPECT_THAT(run.timeline, HasSubstr("at the end  P3 holds m2: needs P1 1, has P1 0"));
  EXPECT_THAT(run.queues, HasSubstr("P3: 3 held, up to 3 at a time, the longest for "));
  EXPECT_THAT(explain_holds(run.file.other_lines, run.file.history),
              HasSubstr("P3: m2 waits for m1: needs P1 1, has P1 0; never released"));
}

TEST(Scenario, SentAgainItIsOnlyLate) {
  Scenario lossy = scenario("lost-message");
  lossy.retransmit = Retransmit::kOn;
  const ScenarioRun run = run_scenario(lossy);
  EXPECT_EQ(check(run.file.history).verdict, Verdict::kHolds);
  EXPECT_THAT(run.stalled, IsEmpty());
}

TEST(Scenario, FifoIsNotEnough) {
  const ScenarioRun run = run_scenario(scenario("fifo-is-not-enough"));
  EXPECT_EQ(judged(run, Guarantee::kFifo), Answer::kHolds);
  EXPECT_EQ(judged(run, Guarantee::kCausal), Answer::kBreaks);
}

TEST(Scenario, ConcurrentMessagesMayDifferInOrderUnlessTotalIsAskedFor) {
  ScenarioRun run = run_scenario(scenario("concurrent"));
  EXPECT_EQ(check(run.file.history).verdict, Verdict::kHolds);
  run.file.history.declared.level = Level::kTotal;
  EXPECT_EQ(judged(run, Guarantee::kTotal), Answer::kBreaks);
  ScenarioRun agreed = run_scenario(scenario("concurrent"), DeliveryOrder::kTotal);
  agreed.file.history.declared.level = Level::kTotal;
  EXPECT_EQ(judged(agreed, Guarantee::kTotal), Answer::kHolds);
}

TEST(Scenario, ItsHistoryIsAFileLikeAnyOther) {
  for (const char* name : {"slow-path", "lost-message"}) {
    const ScenarioRun run = run_scenario(scenario(name));
    const std::string bytes = to_jsonl(run.file);
    const Attempt<HistoryFile> read = parse_history(bytes);
    ASSERT_TRUE(read.has_value()) << read.error().text;
    EXPECT_EQ(to_jsonl(*read), bytes);
    EXPECT_EQ(explain_holds(read->other_lines, read->history),
              explain_holds(run.file.other_lines, run.file.history));
  }
}

std::string refusal(const std::string& text) {
  const Attempt<Scenario> scenario = parse_scenario(text);
  return scenario.has_error() ? scenario.error().text : "";
}

TEST(Scenario, RefusesWhatDoesNotFitAndSaysWhere) {
  const std::string good =
      R"({"processes":["A","B"],"steps":[{"process":"A","broadcast":"m","at_ms":0}]})";
  EXPECT_EQ(refusal(good), "");
  EXPECT_THAT(refusal("{"), HasSubstr("no JSON"));
  EXPECT_THAT(refusal("[]"), HasSubstr("object"));
  EXPECT_THAT(refusal(R"({"steps":[]})"), HasSubstr("\"processes\" is missing"));
  EXPECT_THAT(refusal(R"({"processes":["A","A"],"steps":[]})"), HasSubstr("different names"));
  EXPECT_THAT(refusal(R"({"processes":["A"],"steps":[],"ordr":"fifo"})"), HasSubstr("\"ordr\""));
  EXPECT_THAT(refusal(R"({"processes":["A"],"steps":[],"order":"random"})"), HasSubstr("random"));
  EXPECT_THAT(refusal(R"({"processes":["A"],"steps":[],"level":"some"})"), HasSubstr("level"));
  EXPECT_THAT(refusal(R"({"processes":["A"],"steps":[{"process":"C","broadcast":"m","at_ms":0}]})"),
              HasSubstr("step 1: there is no process \"C\""));
  EXPECT_THAT(refusal(R"({"processes":["A"],"steps":[{"process":"A","broadcast":"m"}]})"),
              HasSubstr("says when"));
  EXPECT_THAT(
      refusal(R"({"processes":["A"],"steps":[{"process":"A","broadcast":"m","after":"x"}]})"),
      HasSubstr("nobody broadcasts \"x\""));
  EXPECT_THAT(
      refusal(R"({"processes":["A"],"steps":[{"process":"A","broadcast":"m","at_ms":-1}]})"),
      HasSubstr("milliseconds"));
  EXPECT_THAT(refusal(R"({"processes":["A"],"steps":[{"process":"A","broadcast":"m","at_ms":0},
                          {"process":"A","broadcast":"m","at_ms":1}]})"),
              HasSubstr("twice"));
  EXPECT_THAT(refusal(R"({"processes":["A","B"],"steps":[],"links":[{"from":"A","to":"B"}]})"),
              HasSubstr("link 1"));
  EXPECT_THAT(refusal(R"({"processes":["A","B"],"steps":[],"lost":[{"message":"m","to":"B"}]})"),
              HasSubstr("loss 1"));
}

}  // namespace
}  // namespace causalcheck
