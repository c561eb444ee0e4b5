#include "harness/cascade.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "tests/toy_backend.h"

namespace causalcheck {
namespace {

/// One run of the cascade on a ToyBackend, and what it recorded.
class CascadeTest : public testing::Test {
 protected:
  CascadeTest() {
    plan.backend = "toy";
    plan.seed = 11;
  }

  std::optional<std::string> run() {
    Choices choices = plan.choices ? Choices(*plan.choices) : Choices(plan.seed);
    recorded.id = run_id(plan);
    recorded.clients = label_clients(plan);
    recorded.topics = name_topics(plan);
    recorded.nodes = backend.nodes();
    recorded.declared = backend.declare().promises;
    EXPECT_TRUE(backend.reset({"r", recorded.topics}).has_value());
    recorder.begin(recorded, &checker);
    scheduler.begin(choices, plan.strategy);
    Cascade cascade(backend, scheduler, recorder);
    const auto failed = cascade.run(plan);
    report = checker.finish();
    return failed;
  }

  [[nodiscard]] const History& history() const { return recorder.history(); }
  [[nodiscard]] std::size_t count(auto predicate) const {
    return static_cast<std::size_t>(
        std::count_if(history().operations.begin(), history().operations.end(), predicate));
  }
  [[nodiscard]] std::size_t writes_of(ClientId client) const {
    return count([client](const Operation& o) { return o.is_write() && o.client == client; });
  }
  [[nodiscard]] std::size_t reads_of(ClientId client) const {
    return count([client](const Operation& o) { return !o.is_write() && o.client == client; });
  }

  Plan plan{};
  ToyBackend backend{};
  DeterministicScheduler scheduler{};
  Checker checker{};
  Recorder recorder{};
  RecordedRun recorded{};
  Report report{};
};

TEST_F(CascadeTest, SpendsTheEventsAndDrains) {
  EXPECT_FALSE(run().has_value());
  EXPECT_EQ(report.verdict, Verdict::kHolds) << report.why;
  EXPECT_GE(recorder.events(), plan.events);
  EXPECT_LE(recorder.events(), plan.events + 12) << "what was open, and the last reads";
  EXPECT_GE(report.counts.foreign_observes, 30U);
  for (ClientId client = 0; client < 3; ++client) {
    EXPECT_GE(writes_of(client), 1U);
    EXPECT_GE(reads_of(client), 1U);
  }
  EXPECT_EQ(count([](const Operation& o) { return o.is_drain(); }), backend.logs[0].size());
  EXPECT_EQ(count([](const Operation& o) { return o.end == kNever; }), 0U);
  EXPECT_GT(scheduler.switches_inside(), 0U);
}

TEST_F(CascadeTest, ReadsWhileACommitIsOpen) {
  run();
  const auto& lines = history().operations;
  const bool overlaps = std::any_of(lines.begin(), lines.end(), [&](const Operation& write) {
    return write.is_write() && std::any_of(lines.begin(), lines.end(), [&](const Operation& read) {
             return !read.is_write() && read.client == write.client && read.start > write.start &&
                    read.start < write.end;
           });
  });
  EXPECT_TRUE(overlaps);
}

TEST_F(CascadeTest, MakesOneCallAtATimeWhenThatIsAllASessionTakes) {
  backend.declared.concurrency = Concurrency::kNone;
  plan.clients = 1;
  plan.pipeline = 3;
  run();
  EXPECT_EQ(backend.calls_open_max, 1U);
  EXPECT_GE(recorder.events(), plan.events);
  plan.clients = 4;
  run();
  EXPECT_LE(backend.calls_open_max, 4U);
  EXPECT_GT(backend.calls_open_max, 1U);
  EXPECT_EQ(report.verdict, Verdict::kHolds) << report.why;
}

TEST_F(CascadeTest, KeepsOneCommitInFlightUnlessPipelined) {
  plan.clients = 4;
  plan.pipeline = 3;
  const auto two_of_one_client = [this] {
    std::set<ClientId> open;
    std::vector<std::pair<Position, const Operation*>> order;
    for (const Operation& o : history().operations) {
      if (!o.is_write()) continue;
      order.emplace_back(o.start, &o);
      order.emplace_back(o.end, &o);
    }
    std::sort(order.begin(), order.end());
    for (const auto& [position, operation] : order) {
      if (position == operation->end) {
        open.erase(operation->client);
      } else if (!open.insert(operation->client).second) {
        return true;
      }
    }
    return false;
  };
  run();
  EXPECT_FALSE(two_of_one_client());
  backend.declared.concurrency = Concurrency::kPipelined;
  run();
  EXPECT_TRUE(two_of_one_client());
  EXPECT_EQ(report.verdict, Verdict::kHolds) << report.why;
}

TEST_F(CascadeTest, HandsAFeedToItsEnd) {
  backend.declared.promises.reads = Reads::kFeed;
  backend.declared.promises.scope = Scope::kTopic;
  plan.topics = 3;
  run();
  EXPECT_EQ(report.verdict, Verdict::kHolds) << report.why;
  EXPECT_EQ(report[Guarantee::kDelivery].answer, Answer::kHolds);
  EXPECT_GT(report[Guarantee::kDelivery].judged, 0U);
  // The last thing each reader hears of each topic is that nothing comes, after the last commit.
  Position last_commit = 0;
  for (const Operation& o : history().operations) {
    if (o.is_write()) last_commit = std::max(last_commit, o.end);
  }
  for (ClientId client = 0; client < 3; ++client) {
    for (TopicId topic = 0; topic < 3; ++topic) {
      EXPECT_EQ(count([&](const Operation& o) {
                  return o.client == client && o.topic == topic && !o.is_write() &&
                         o.message == kNothing && o.start > last_commit;
                }),
                1U);
    }
  }
}

TEST_F(CascadeTest, SpreadsOverItsTopicsAndDrainsEachAtEachNode) {
  plan.topics = 3;
  plan.events = 300;
  backend.node_names = {"left", "right"};
  run();
  EXPECT_EQ(report.verdict, Verdict::kHolds) << report.why;
  for (TopicId topic = 0; topic < 3; ++topic) {
    EXPECT_GT(backend.logs[topic].size(), 10U);
    for (const std::uint32_t node : {1U, 2U}) {
      EXPECT_EQ(count([&](const Operation& o) {
                  return o.is_drain() && o.topic == topic && o.node == node;
                }),
                backend.logs[topic].size());
    }
  }
}

TEST_F(CascadeTest, DrainsAnEmptyTopicToo) {
  plan.events = 1;
  plan.topics = 2;
  plan.clients = 1;
  run();
  EXPECT_EQ(count([](const Operation& o) { return o.is_drain(); }), 2U);
  EXPECT_EQ(count([](const Operation& o) { return o.is_drain() && o.message == kNothing; }), 1U);
}

TEST_F(CascadeTest, RecordsADrainThatFailsAsInfo) {
  backend.refuse_drain = [](std::uint64_t) { return Error(ErrorCode::kDeadline, "slow"); };
  run();
  EXPECT_EQ(count([](const Operation& o) { return o.is_drain() && o.outcome == Outcome::kInfo; }),
            1U);
  EXPECT_EQ(report[Guarantee::kNoLostWrites].answer, Answer::kHolds);
}

TEST_F(CascadeTest, LetsSomeOnlyReadAndOthersOnlyWrite) {
  plan.clients = 5;
  plan.workload.only_read = 1;
  plan.workload.only_write = 2;
  run();
  EXPECT_EQ(writes_of(4), 0U);
  EXPECT_GT(reads_of(4), 0U);
  for (const ClientId client : {2U, 3U}) {
    EXPECT_EQ(reads_of(client), 0U);
    EXPECT_GT(writes_of(client), 1U) << "it answers what others publish";
  }
  for (const ClientId client : {0U, 1U}) {
    EXPECT_GT(reads_of(client), 0U);
    EXPECT_GT(writes_of(client), 1U);
  }
}

TEST_F(CascadeTest, EndsWhenNobodyPublishes) {
  plan.workload.only_read = 3;
  run();
  EXPECT_EQ(recorder.events(), 0U);
  EXPECT_TRUE(report.vacuous);
  EXPECT_EQ(count([](const Operation& o) { return o.is_drain(); }), 1U);
}

TEST_F(CascadeTest, EndsWhenNobodyReads) {
  plan.workload.only_write = 3;
  run();
  EXPECT_EQ(recorder.events(), plan.events);
  EXPECT_TRUE(report.vacuous);
}

TEST_F(CascadeTest, PublishesOfItsOwnAccordWhenNobodyAnswers) {
  plan.workload.answer_permille = 0;
  run();
  EXPECT_GE(recorder.events(), plan.events);
  EXPECT_EQ(report.verdict, Verdict::kHolds) << report.why;
  for (ClientId client = 0; client < 3; ++client) EXPECT_GT(writes_of(client), 1U);
}

TEST_F(CascadeTest, LetsLateOnesJoinAfterHalfTheEvents) {
  plan.clients = 4;
  plan.workload.join_late = 2;
  run();
  ASSERT_EQ(backend.opens.size(), 4U);
  for (const ClientId client : {2U, 3U}) {
    std::uint64_t events_before = 0;
    for (const Operation& o : history().operations) {
      if (o.client == client) break;
      if (o.is_write()) ++events_before;
    }
    EXPECT_GE(events_before, plan.events / 5);
    EXPECT_GT(writes_of(client), 0U);
  }
}

TEST_F(CascadeTest, LetsLateOnesJoinWhenTheOthersCannotPublish) {
  plan.clients = 2;
  plan.workload.join_late = 2;
  plan.workload.only_read = 0;
  plan.workload.answer_permille = 0;
  run();
  EXPECT_EQ(backend.opens.size(), 2U);
  EXPECT_GE(recorder.events(), plan.events);
}

TEST_F(CascadeTest, LetsClientsLeaveAndKeepsTwo) {
  plan.clients = 5;
  plan.workload.leave_permille = 300;
  run();
  ASSERT_EQ(history().leaves.size(), 3U);
  for (const Leave& leave : history().leaves) {
    for (const Operation& o : history().operations) {
      if (o.client != leave.client) continue;
      EXPECT_LT(o.end, leave.at) << "nothing happens after it left";
    }
  }
  EXPECT_GE(recorder.events(), plan.events);
  EXPECT_EQ(report.verdict, Verdict::kHolds) << report.why;
}

TEST_F(CascadeTest, BuffersPublishesWhileOffline) {
  plan.workload.offline_permille = 300;
  run();
  EXPECT_EQ(report.verdict, Verdict::kHolds) << report.why;
  // Two publishes of one client that follow each other before the first has returned: its session
  // takes one commit at a time, so they were buffered.
  bool buffered = false;
  for (ClientId client = 0; client < 3; ++client) {
    Position open_until = 0;
    for (const Operation& o : history().operations) {
      if (o.client != client || !o.is_write()) continue;
      buffered = buffered || o.start < open_until;
      open_until = std::max(open_until, o.end);
    }
  }
  EXPECT_TRUE(buffered);
  EXPECT_LE(backend.commits_open_max, 3U);
}

TEST_F(CascadeTest, RestartsClientsWithoutTheirState) {
  plan.workload.restart_permille = 200;
  plan.events = 300;
  run();
  ASSERT_GT(history().clients.size(), 6U);
  EXPECT_EQ(report.verdict, Verdict::kHolds) << report.why;
  EXPECT_GT(count([](const Operation& o) { return o.end == kNever; }), 0U)
      << "a crash may come before the answer";
  for (std::size_t i = 0; i < backend.opens.size(); ++i) {
    EXPECT_FALSE(backend.resumed[i]);
    EXPECT_EQ(backend.opens[i].incarnation, incarnation_of(backend.opens[i].label).number);
  }
  std::set<std::string> labels(history().clients.begin(), history().clients.end());
  EXPECT_EQ(labels.size(), history().clients.size());
  EXPECT_TRUE(labels.contains("A~2"));
  std::set<std::string> messages(history().messages.begin(), history().messages.end());
  EXPECT_EQ(messages.size(), history().messages.size());
}

TEST_F(CascadeTest, OpensANewSessionAfterAnUnknownOutcome) {
  backend.lose_answer = [](std::uint64_t number) -> std::optional<Error> {
    if (number % 10 == 0) return Error(ErrorCode::kDeadline, "lost");
    return std::nullopt;
  };
  run();
  EXPECT_EQ(report.verdict, Verdict::kHolds) << report.why;
  ASSERT_GT(backend.opens.size(), 3U);
  for (std::size_t i = 3; i < backend.opens.size(); ++i) EXPECT_TRUE(backend.resumed[i]);
  for (const Operation& unknown : history().operations) {
    if (unknown.outcome != Outcome::kInfo) continue;
    for (const Operation& later : history().operations) {
      if (later.client == unknown.client && later.start > unknown.end) {
        EXPECT_GT(later.session, unknown.session);
      }
    }
  }
}

TEST_F(CascadeTest, KeepsTheSessionAfterAFailure) {
  backend.refuse_commit = [](std::uint64_t number) -> std::optional<Error> {
    if (number % 4 == 0) return Error(ErrorCode::kRejected, "no");
    return std::nullopt;
  };
  run();
  EXPECT_EQ(report.verdict, Verdict::kHolds) << report.why;
  EXPECT_EQ(backend.opens.size(), 3U);
  EXPECT_GT(report.counts.fail, 0U);
  EXPECT_GT(report[Guarantee::kOutcome].judged, 0U);
}

TEST_F(CascadeTest, EndsWhenEveryCallFails) {
  backend.refuse_commit = [](std::uint64_t) { return Error(ErrorCode::kUnavailable, "down"); };
  backend.refuse_read = [](std::uint64_t) { return Error(ErrorCode::kDeadline, "down"); };
  run();
  EXPECT_EQ(recorder.events(), plan.events);
  EXPECT_TRUE(report.vacuous);
}

TEST_F(CascadeTest, SaysWhenASessionCannotBeOpened) {
  backend.refuse_open = [](std::uint64_t) {
    return Error(ErrorCode::kUnavailable, "refused here");
  };
  const auto failed = run();
  ASSERT_TRUE(failed.has_value());
  EXPECT_NE(failed->find("refused here"), std::string::npos);
  EXPECT_EQ(count([](const Operation& o) { return o.is_drain(); }), 0U);
}

TEST_F(CascadeTest, TriesAgainToOpenASession) {
  backend.refuse_open = [](std::uint64_t number) -> std::optional<Error> {
    if (number % 3 != 0) return Error(ErrorCode::kUnavailable, "busy");
    return std::nullopt;
  };
  EXPECT_FALSE(run().has_value());
  EXPECT_EQ(report.verdict, Verdict::kHolds) << report.why;
}

TEST_F(CascadeTest, GoesOnWithoutAClientThatCannotReconnect) {
  backend.refuse_open = [](std::uint64_t number) -> std::optional<Error> {
    if (number > 3) return Error(ErrorCode::kUnavailable, "gone");
    return std::nullopt;
  };
  backend.lose_answer = [](std::uint64_t number) -> std::optional<Error> {
    if (number == 5) return Error(ErrorCode::kConnectionLost, "lost");
    return std::nullopt;
  };
  EXPECT_FALSE(run().has_value());
  EXPECT_GE(recorder.events(), plan.events);
  EXPECT_EQ(report.verdict, Verdict::kHolds) << report.why;
}

TEST_F(CascadeTest, LooksAgainAtABackendThatLags) {
  // Answers go one message back for a while after each commit; without later looks nobody would
  // ever see the last message of a silent cascade.
  plan.workload.answer_permille = 0;
  backend.lag = [](std::uint64_t read) { return static_cast<std::size_t>(read % 3 != 0); };
  backend.declared.promises.claims = {};
  backend.declared.promises.level = Level::kFifo;
  run();
  EXPECT_GE(report.counts.foreign_observes, 30U);
}

TEST_F(CascadeTest, DoesNotStoreWhatItWouldNotCount) {
  // A plan of one event: one publish, and the last reads see it.
  plan.events = 1;
  run();
  EXPECT_GE(recorder.events(), 1U);
  EXPECT_LE(backend.logs[0].size(), 3U);
  EXPECT_GT(report.counts.foreign_observes, 0U);
}

TEST_F(CascadeTest, GivesTheSameHistoryAgainWhateverRanBefore) {
  plan.clients = 4;
  plan.workload.restart_permille = 30;
  plan.workload.offline_permille = 50;
  plan.workload.leave_permille = 20;
  plan.workload.delete_permille = 100;
  run();
  const History first = history();
  Plan other = plan;
  std::swap(plan, other);
  plan.seed = 99;
  plan.clients = 7;
  plan.topics = 3;
  run();
  EXPECT_FALSE(history() == first);
  std::swap(plan, other);
  run();
  EXPECT_TRUE(history() == first);
}

TEST_F(CascadeTest, RunsToTheEndFromChoicesThatAreAllZero) {
  plan.choices.emplace();
  plan.workload.restart_permille = 500;
  plan.workload.offline_permille = 500;
  run();
  EXPECT_GE(recorder.events(), plan.events);
  EXPECT_EQ(history().clients.size(), 3U) << "0 is no";
  EXPECT_EQ(report.verdict, Verdict::kHolds) << report.why;
}

TEST_F(CascadeTest, EndsUnderEveryKnobAtOnce) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Plan wild = draw_plan({"toy",
                           1 + static_cast<std::uint32_t>(seed % 6),
                           1 + static_cast<std::uint32_t>(seed % 3),
                           60,
                           3,
                           {},
                           {}},
                          seed);
    wild.workload = {500, 200, static_cast<std::uint32_t>(seed % 2), 0, 100, 1, 150, 150, 300, 16};
    if (wild.workload.only_read > wild.clients) wild.workload.only_read = 0;
    plan = wild;
    backend.declared.concurrency = static_cast<Concurrency>(seed % 3);
    backend.declared.promises.reads = seed % 4 == 0 ? Reads::kFeed : Reads::kLatest;
    backend.declared.promises.scope = seed % 4 == 0 ? Scope::kTopic : Scope::kAll;
    backend.lose_answer = [seed](std::uint64_t number) -> std::optional<Error> {
      if ((number + seed) % 7 == 0) return Error(ErrorCode::kConnectionLost, "lost");
      return std::nullopt;
    };
    backend.refuse_read = [seed](std::uint64_t number) -> std::optional<Error> {
      if ((number + seed) % 9 == 0) return Error(ErrorCode::kDeadline, "slow");
      return std::nullopt;
    };
    ASSERT_FALSE(run().has_value());
    EXPECT_NE(report.verdict, Verdict::kBreaks) << "seed " << seed;
    EXPECT_FALSE(report.contaminated) << "seed " << seed;
    EXPECT_FALSE(report.cut_off) << "seed " << seed;
  }
}

}  // namespace
}  // namespace causalcheck
