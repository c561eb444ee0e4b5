#include "fixtures/selftest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fixtures/bugs/log_server.h"
#include "fixtures/bugs/stale_follower.h"

namespace causalcheck {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Acts in every commit, and does nothing wrong.
class ActsInVain final : public LogServer {
 public:
  ActsInVain() : LogServer(Form::kBug) {}

 protected:
  Result<Ack> commit(Caller& caller, const Message& message, Time deadline) override {
    defect_.count();
    return LogServer::commit(caller, message, deadline);
  }
};

/// Loses its log at the end, and does not say that it did wrong.
class ActsInSecret final : public LogServer {
 public:
  ActsInSecret() : LogServer(Form::kBug) {}
  Result<std::vector<Entry>> drain(std::string_view, std::string_view, Runtime&) override {
    return std::vector<Entry>();
  }
};

/// Cannot be opened.
class Unreachable final : public LogServer {
 public:
  Unreachable() : LogServer(Form::kBug) {}
  Result<std::unique_ptr<Session>> open(const ClientInfo&, Runtime&, const ResumeToken*) override {
    return Error(ErrorCode::kUnavailable, "nobody is there");
  }
};

template <class T>
std::unique_ptr<Backend> make() {
  return std::make_unique<T>();
}

PlantedBug stale() {
  return {"stale",
          "reads come from a follower that lags",
          {Guarantee::kReadYourWrites},
          make<StaleFollower>,
          make<LogServer>};
}

SelftestOptions few_runs() {
  SelftestOptions options;
  options.starts = 3;
  options.shrinks = 1;
  options.twin_runs = 50;
  return options;
}

SelftestRow row_of(const PlantedBug& bug, const SelftestOptions& options = few_runs()) {
  SelftestResult result = run_selftest({bug}, options);
  EXPECT_EQ(result.passes(), result.rows[0].passes());
  return std::move(result.rows[0]);
}

TEST(Selftest, PassesWhereTheBugIsFoundAndTheTwinIsNot) {
  const SelftestRow row = row_of(stale());
  EXPECT_TRUE(row.passes());
  EXPECT_EQ(row.found.needed.size(), 3U);
  EXPECT_EQ(row.found.reported.at(Guarantee::kReadYourWrites), 3U);
  EXPECT_EQ(row.found.strategies[0] + row.found.strategies[1] + row.found.strategies[2], 3U);
  EXPECT_EQ(row.found.shrinks, 1U);
  EXPECT_GT(row.found.shrunk_events, 0U);
  EXPECT_LE(row.found.shrunk_events, kShrunkEventsMax);
  EXPECT_EQ(row.twin.runs, 50U);
  EXPECT_EQ(row.twin.accused, 0U);
  EXPECT_FALSE(row.rare.has_value());
}

TEST(Selftest, FailsWhenABugIsMissed) {
  PlantedBug undetectable = stale();
  undetectable.make = make<LogServer>;
  const SelftestRow row = row_of(undetectable);
  EXPECT_FALSE(row.passes());
  EXPECT_THAT(row.found.needed, IsEmpty());
  EXPECT_THAT(row.found.problems,
              ElementsAre(HasSubstr("missed: not found from seed 1 on in 1000 runs, and 2 times")));
}

TEST(Selftest, FailsWhenATwinIsAccused) {
  PlantedBug accused = stale();
  accused.make_twin = make<StaleFollower>;
  const SelftestRow row = row_of(accused);
  EXPECT_FALSE(row.passes());
  EXPECT_THAT(row.found.problems, IsEmpty());
  EXPECT_GT(row.twin.accused, 40U);
  EXPECT_THAT(row.twin.problems, ElementsAre(testing::ContainsRegex(
                                     "^accused: read-your-writes breaks: .* [(]causalcheck "
                                     "fuzz planted:stale/twin --seed 1 ")));
}

TEST(Selftest, FailsWhenABugIsReportedAsSomethingElse) {
  PlantedBug misnamed = stale();
  misnamed.must_break = {Guarantee::kDelivery};
  const SelftestRow row = row_of(misnamed);
  EXPECT_FALSE(row.passes());
  EXPECT_THAT(row.found.problems[0], testing::ContainsRegex("was reported as read-your-writes.*, "
                                                            "not as delivery"));
}

TEST(Selftest, FailsWhenOneOfTheGuaranteesIsNeverReported) {
  PlantedBug half = stale();
  half.must_break.push_back(Guarantee::kDelivery);
  EXPECT_THAT(row_of(half).found.problems, ElementsAre("delivery was never reported"));
}

TEST(Selftest, FailsWhenARareFormIsNotRare) {
  PlantedBug frequent = stale();
  frequent.make_rare = make<ActsInVain>;
  SelftestOptions options = few_runs();
  options.starts = 1;
  const SelftestRow row = row_of(frequent, options);
  EXPECT_FALSE(row.passes());
  ASSERT_TRUE(row.rare.has_value());
  EXPECT_GT(row.rare->acted_share(), 0.02);
  EXPECT_THAT(row.rare->problems,
              ElementsAre(HasSubstr("missed"), HasSubstr("of the operations, more than 2 %"),
                          HasSubstr("times in one run, more than 1")));
}

TEST(Selftest, FailsWhenSomethingBreaksWhereTheDefectDidNotAct) {
  PlantedBug secret = stale();
  secret.make = make<ActsInSecret>;
  EXPECT_THAT(row_of(secret).found.problems,
              ElementsAre("seed 1 breaks no-lost-writes, and the defect did not act"));
}

TEST(Selftest, FailsWhenARunHasNoVerdict) {
  PlantedBug unreachable = stale();
  unreachable.make_twin = make<Unreachable>;
  const SelftestRow row = row_of(unreachable);
  EXPECT_FALSE(row.passes());
  EXPECT_EQ(row.twin.runs, 0U);
  EXPECT_THAT(row.twin.problems, ElementsAre(HasSubstr("nobody is there")));
}

TEST(Selftest, FailsWhenAFaultNeverHitsTheTwin) {
  PlantedBug bug = stale();
  bug.faults = {"pause"};
  SelftestOptions options = few_runs();
  EXPECT_TRUE(row_of(bug, options).passes());
  EXPECT_GT(row_of(bug, options).twin.hit, 10U);
  options.twin_runs = 0;
  EXPECT_THAT(row_of(bug, options).twin.problems,
              ElementsAre(HasSubstr("fault pause never hit an operation")));
}

TEST(Selftest, LetsTwinsRunUnderAllTheyCanUndergo) {
  const TwinResult twin = row_of(stale()).twin;
  EXPECT_GT(twin.hit, 15U);
  EXPECT_GE(twin.fault_hits, twin.hit);
}

TEST(Selftest, GivesTheSameResultWhateverTheNumberOfJobs) {
  SelftestOptions options = few_runs();
  const SelftestRow alone = row_of(stale(), options);
  options.jobs = 3;
  const SelftestRow together = row_of(stale(), options);
  EXPECT_EQ(alone.found.needed, together.found.needed);
  EXPECT_EQ(alone.found.shrunk_events, together.found.shrunk_events);
  EXPECT_EQ(alone.found.shrink_runs, together.found.shrink_runs);
  EXPECT_EQ(alone.found.operations, together.found.operations);
}

TEST(Selftest, TellsWhatItHasDone) {
  SelftestOptions options = few_runs();
  std::vector<std::string> finished;
  options.progress = [&](const SelftestProgress& progress) {
    EXPECT_EQ(progress.of, 2U);
    finished.push_back(progress.finished);
    EXPECT_EQ(progress.done, finished.size());
  };
  static_cast<void>(row_of(stale(), options));
  EXPECT_THAT(finished, ElementsAre("stale", "stale/twin"));
}

TEST(Selftest, HoldsNothingAgainstABugWhenItIsInterrupted) {
  SelftestOptions options = few_runs();
  const std::atomic<bool> stop = true;
  options.stop = &stop;
  const SelftestResult result = run_selftest({stale()}, options);
  EXPECT_TRUE(result.interrupted);
  EXPECT_TRUE(result.passes());
  EXPECT_EQ(result.rows[0].found.runs, 0U);
  EXPECT_EQ(result.rows[0].twin.runs, 0U);
}

}  // namespace
}  // namespace causalcheck
