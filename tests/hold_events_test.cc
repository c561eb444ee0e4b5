// The lines of a history file about messages that had to wait, and what they say to people.
#include "harness/hold_events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "adapters/adapters.h"
#include "checker/holdback.h"
#include "harness/payload.h"
#include "harness/run.h"

namespace causalcheck {
namespace {

using testing::HasSubstr;

std::string payload(std::string_view label, std::uint32_t step) {
  std::string text;
  append_payload(text, RunTag(7), {0, label, step, false}, 0);
  return text;
}

HoldEvent held() {
  HoldEvent event;
  event.payload = payload("C", 2);
  event.at = "A";
  event.from = "C";
  event.needs_process = "B";
  event.needs = 1;
  return event;
}

TEST(HoldLine, NamesTheMessageAndWhatIsMissing) {
  EXPECT_EQ(
      hold_line(held(), 7),
      R"({"held":"C2","at":"A","from":"C","blocked_by":{"process":"B","needs":1,"has":0},"start":7})");
}

TEST(HoldLine, NamesWhatReleasedItUnlessItWasGivenUp) {
  HoldEvent event = held();
  event.kind = HoldEvent::Kind::kReleased;
  EXPECT_EQ(hold_line(event, 9), R"({"released":"C2","at":"A","start":9})");
  event.released_by = payload("B~2", 1);
  EXPECT_EQ(hold_line(event, 9), R"({"released":"C2","at":"A","by":"B~2.1","start":9})");
}

TEST(HoldLine, APayloadThatIsNotOursIsItsOwnName) {
  HoldEvent event = held();
  event.payload = "m\"1";
  EXPECT_THAT(hold_line(event, 1), HasSubstr(R"({"held":"m\"1",)"));
}

TEST(ExplainHolds, PassesOverOtherLines) {
  EXPECT_EQ(explain_holds({R"({"note":"x"})", R"({"held":"C2"})", "no json",
                           R"({"released":"C2","at":"A","by":"B1","start":9})"},
                          History{}),
            "");
}

TEST(ExplainHolds, AMessageHeldInTwoPlacesWaitsInEach) {
  const std::string at_a = hold_line(held(), 7);
  HoldEvent other = held();
  other.at = "D";
  EXPECT_EQ(explain_holds({at_a, hold_line(other, 8), R"({"released":"C2","at":"D","start":9})"},
                          History{}),
            "A: C2 waits: needs B 1, has B 0; never released\n"
            "D: C2 waits: needs B 1, has B 0; given up at event 9\n");
}

// A run of a causal group: what was held is in its file, survives it, and names what it waited for.
TEST(HoldsOfARun, AreInItsHistoryFile) {
  const auto backend = make_backend("broadcast?order=causal").value();
  Runner runner(*backend);
  PlanOptions options;
  options.backend = "broadcast?order=causal";
  const Plan plan = draw_plan(options, 1);
  ASSERT_FALSE(runner.run(plan).failure.has_value());
  const HistoryFile file = runner.history_file(plan);
  ASSERT_FALSE(file.other_lines.empty());
  const Attempt<HistoryFile> read = parse_history(to_jsonl(file));
  ASSERT_TRUE(read.has_value()) << read.error().text;
  EXPECT_EQ(read->other_lines, file.other_lines);
  const std::string text = explain_holds(read->other_lines, read->history);
  EXPECT_THAT(text, HasSubstr(" waits for "));
  EXPECT_THAT(text, HasSubstr("; released by event "));
  // Nothing was handed over too early, so a second causal receiver behind the first one never
  // waits.
  EXPECT_TRUE(causal_waits(read->history).empty());
}

TEST(HoldsOfARun, AreNotThoseOfTheRunBefore) {
  const auto backend = make_backend("broadcast?order=causal").value();
  Runner runner(*backend);
  PlanOptions options;
  options.backend = "broadcast?order=causal";
  const Plan plan = draw_plan(options, 1);
  ASSERT_FALSE(runner.run(plan).failure.has_value());
  const std::string once = to_jsonl(runner.history_file(plan));
  ASSERT_FALSE(runner.run(draw_plan(options, 2)).failure.has_value());
  ASSERT_FALSE(runner.run(plan).failure.has_value());
  EXPECT_EQ(to_jsonl(runner.history_file(plan)), once);
}

}  // namespace
}  // namespace causalcheck
