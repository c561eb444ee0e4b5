// Consistent cuts: the two worked examples, the law that there is one latest cut, and snapshots
// over links, whose results are cuts.

#include "checker/clocks/cuts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <deque>
#include <string>
#include <vector>

#include "checker/clocks/snapshot.h"
#include "checker/clocks/stamped_log.h"
#include "tests/clock_run.h"
#include "tests/snapshot_group.h"

namespace causalcheck {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// A log of two processes whose events have these clocks, in this order.
StampedLog two_processes(const std::vector<std::pair<ProcessId, VectorClock>>& events) {
  StampedLog log;
  log.processes = {"A", "B"};
  std::uint64_t line = 0;
  for (const auto& [process, clock] : events) {
    StampedEvent event;
    event.process = process;
    event.line = ++line;
    const SparseClock sparse(clock);
    log.add(event, {sparse.entries().begin(), sparse.entries().end()}, "");
  }
  return log;
}

/// A asks, B answers, and A has the answer.
StampedLog question_and_answer() {
  return two_processes(
      {{0, {1, 0}}, {1, {0, 1}}, {0, {2, 0}}, {1, {2, 2}}, {1, {2, 3}}, {0, {3, 3}}});
}

TEST(Cuts, WholeLogsEndInAConsistentCut) {
  const StampedLog log = question_and_answer();
  const Cuts cuts(log);
  EXPECT_EQ(cuts.tails(), (Cut{3, 3}));
  EXPECT_TRUE(cuts.is_consistent(cuts.tails()));
  const LatestCut latest = cuts.latest_consistent(cuts.tails());
  EXPECT_EQ(latest.cut, cuts.tails());
  EXPECT_THAT(latest.pulled, IsEmpty());
}

TEST(Cuts, ATruncatedLogPullsTheOtherProcessBack) {
  // The log of B lost its last two events; A's last one knows them.
  const StampedLog log = two_processes({{0, {1, 0}}, {1, {0, 1}}, {0, {2, 0}}, {0, {3, 3}}});
  const Cuts cuts(log);
  EXPECT_EQ(cuts.tails(), (Cut{3, 1}));
  const auto problem = cuts.problem(cuts.tails());
  ASSERT_TRUE(problem.has_value());
  EXPECT_EQ(to_string(*problem, log), "line 4: A knows 3 events of B; 1 is in the cut");
  const LatestCut latest = cuts.latest_consistent(cuts.tails());
  EXPECT_EQ(latest.cut, (Cut{2, 1}));
  ASSERT_THAT(latest.pulled, SizeIs(1));
  EXPECT_EQ(to_string(latest.pulled[0], log),
            "A goes back before line 4, which knows 3 events of B; 1 is in the cut");
}

TEST(Cuts, PullingOneBackPullsBackWhoKnowsIt) {
  // C learned of A's third event, and that one has to go.
  StampedLog log = two_processes({{0, {1, 0}}, {1, {0, 1}}, {0, {2, 3}}});
  log.processes.push_back("C");
  StampedEvent event;
  event.process = 2;
  log.add(event, {{0, 2}, {1, 3}, {2, 1}}, "");
  const Cuts cuts(log);
  const LatestCut latest = cuts.latest_consistent(cuts.tails());
  EXPECT_EQ(latest.cut, (Cut{1, 1, 0}));
  EXPECT_THAT(latest.pulled, SizeIs(2));
}

TEST(Cuts, AnEffectWithoutItsCauseIsInconsistentAndTheCauseAloneIsNot) {
  const StampedLog log = question_and_answer();
  const Cuts cuts(log);
  EXPECT_FALSE(cuts.is_consistent({1, 2})) << "asked, but the question was not put";
  EXPECT_TRUE(cuts.is_consistent({2, 1})) << "the question is under way";
  EXPECT_TRUE(cuts.is_consistent({0, 0}));
  EXPECT_TRUE(cuts.is_consistent({0, 1}));
}

TEST(Cuts, AnEventHasItsPastAndWhatWasRecordedUntilThen) {
  const StampedLog log = question_and_answer();
  const Cuts cuts(log);
  EXPECT_EQ(cuts.past_of(4), (Cut{2, 3}));
  EXPECT_EQ(cuts.recorded_at(1), (Cut{1, 1}));
  EXPECT_TRUE(cuts.is_consistent(cuts.past_of(4)));
  EXPECT_TRUE(cuts.is_consistent(cuts.recorded_at(1)));
}

/// Whether the cut contains, with every step, all that happened before it.
bool is_closed(const ClockRun& run, const LoggedRun& logged, const Cut& cut) {
  const auto inside = [&](std::size_t i) {
    return logged.log.events()[logged.index[i]].own <= cut[run.steps[i].process];
  };
  for (std::size_t b = 0; b < run.steps.size(); ++b) {
    for (std::size_t a = 0; a < b; ++a) {
      if (run.before[a][b] && inside(b) && !inside(a)) return false;
    }
  }
  return true;
}

RC_GTEST_PROP(CutsLaw, TheLatestConsistentCutIsTheLargestClosedSetWithin, ()) {
  const auto processes = *any_below<std::size_t>(1, 4);
  const ClockRun run = run_of(processes, *any_choices(24), Links::kAnyOrder);
  const LoggedRun logged =
      log_of(run, *rc::gen::element(LogOrder::kAsItHappened, LogOrder::kProcessByProcess));
  const Cuts cuts(logged.log);
  const Cut tails = cuts.tails();
  RC_ASSERT(cuts.is_consistent(tails));
  Cut start;
  for (ProcessId p = 0; p < processes; ++p) {
    RC_ASSERT(start.set(p, *any_below<Tick>(0, tails[p] + 1)) == ClockStatus::kOk);
  }
  const LatestCut latest = cuts.latest_consistent(start);
  RC_CLASSIFY(!latest.pulled.empty(), "some process pulled back");
  RC_ASSERT(cuts.is_consistent(start) == is_closed(run, logged, start));
  RC_ASSERT(latest.pulled.empty() == is_closed(run, logged, start));
  RC_ASSERT(is_closed(run, logged, latest.cut));
  // Every closed cut within `start` lies within the one found.
  std::vector<Cut> all{Cut{}};
  for (ProcessId p = 0; p < processes; ++p) {
    std::vector<Cut> more;
    for (const Cut& cut : all) {
      for (Tick t = 0; t <= start[p]; ++t) {
        Cut next = cut;
        RC_ASSERT(next.set(p, t) == ClockStatus::kOk);
        more.push_back(next);
      }
    }
    all = std::move(more);
  }
  for (const Cut& cut : all) {
    if (!is_closed(run, logged, cut)) continue;
    Cut both = cut;
    both.merge(latest.cut);
    RC_ASSERT(both == latest.cut);
  }
}

RC_GTEST_PROP(CutsLaw, PastAndRecordedUntilThenAreConsistent, ()) {
  const auto processes = *any_below<std::size_t>(1, 5);
  const ClockRun run = run_of(processes, *any_choices(40), Links::kAnyOrder);
  const LoggedRun logged = log_of(run, LogOrder::kAsItHappened);
  const Cuts cuts(logged.log);
  for (StampedIndex i = 0; i < logged.log.events().size(); ++i) {
    RC_ASSERT(cuts.is_consistent(cuts.past_of(i)));
    RC_ASSERT(cuts.is_consistent(cuts.recorded_at(i)));
  }
}

/// A group whose links are FIFO and hand over when they are told to.
class FifoGroup {
 public:
  explicit FifoGroup(std::size_t processes)
      : group_(processes, [this](std::size_t from, std::size_t to,
                                 const Carried& carried) { links_[from][to].push_back(carried); }),
        links_(processes, std::vector<std::deque<Carried>>(processes)) {}

  SnapshotGroup& group() { return group_; }

  /// The next thing on the link arrives; false when there is none.
  bool deliver(std::size_t from, std::size_t to) {
    auto& link = links_[from][to];
    if (link.empty()) return false;
    const Carried carried = link.front();
    link.pop_front();
    group_.arrive(from, to, carried);
    return true;
  }

  void deliver_everything() {
    bool more = true;
    while (more) {
      more = false;
      for (std::size_t from = 0; from < links_.size(); ++from) {
        for (std::size_t to = 0; to < links_.size(); ++to) more = deliver(from, to) || more;
      }
    }
  }

 private:
  SnapshotGroup group_;
  std::vector<std::vector<std::deque<Carried>>> links_;  // from, to
};

RC_GTEST_PROP(SnapshotLaw, IsAConsistentCutWithWhatWasUnderWay, ()) {
  const auto processes = *any_below<std::size_t>(1, 5);
  FifoGroup links(processes);
  SnapshotGroup& group = links.group();
  const auto choices =
      *rc::gen::container<std::vector<std::uint16_t>>(any_below<std::uint16_t>(0, 400));
  const std::size_t start_at = *any_below<std::size_t>(0, choices.size() + 1);
  const auto initiator = *any_below<std::size_t>(0, processes);
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (i == start_at) group.start(initiator);
    const std::size_t p = choices[i] % processes;
    const std::size_t q = choices[i] / processes % processes;
    const std::size_t what = choices[i] / processes / processes % 4;
    if (what == 0) group.local(p);
    if (what == 1 && p != q) group.send(p, q);
    if (what >= 2) static_cast<void>(links.deliver(p, q));
  }
  if (start_at == choices.size()) group.start(initiator);
  links.deliver_everything();
  RC_ASSERT(group.complete() == processes);
  RC_ASSERT(group.stale_markers() == 0U);
  const Cuts cuts(group.log());
  RC_ASSERT(cuts.is_consistent(group.cut()));
  bool some = false;
  for (std::size_t from = 0; from < processes; ++from) {
    for (std::size_t to = 0; to < processes; ++to) {
      RC_ASSERT(group.recorded(from, to) == group.under_way(from, to));
      some = some || !group.recorded(from, to).empty();
    }
  }
  RC_CLASSIFY(some, "something under way");
}

TEST(Snapshot, RecordsWhatComesBetweenItsOwnStateAndTheMarker) {
  SnapshotProcess process(2);
  process.message(0, 10);  // before: part of the state
  const SnapshotStep begun = process.marker(0, 1);
  EXPECT_TRUE(begun.record_state && begun.send_markers);
  EXPECT_FALSE(begun.complete);
  process.message(0, 11);  // sent after its sender's state
  process.message(1, 12);  // under way
  process.message(1, 13);
  EXPECT_TRUE(process.is_recording());
  const SnapshotStep done = process.marker(1, 1);
  EXPECT_TRUE(done.complete);
  EXPECT_FALSE(done.record_state || done.send_markers);
  process.message(1, 14);
  EXPECT_THAT(process.recorded(0), IsEmpty());
  EXPECT_THAT(process.recorded(1), ElementsAre(12, 13));
}

TEST(Snapshot, IgnoresMarkersThatCameAlready) {
  SnapshotProcess process(2);
  static_cast<void>(process.start(2));
  EXPECT_FALSE(process.marker(0, 2).stale);
  EXPECT_TRUE(process.marker(0, 2).stale) << "a second copy";
  EXPECT_TRUE(process.marker(1, 1).stale) << "of an older snapshot";
  EXPECT_TRUE(process.is_recording());
  EXPECT_TRUE(process.marker(1, 2).complete);
  EXPECT_TRUE(process.marker(0, 3).record_state) << "the next one begins";
}

TEST(Snapshot, AProcessWithoutChannelsIsDoneAtOnce) {
  SnapshotProcess process(0);
  EXPECT_TRUE(process.start(1).complete);
}

}  // namespace
}  // namespace causalcheck
