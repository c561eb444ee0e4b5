// Clocks on their own: the laws each kind of clock must keep, held against runs whose
// happened-before is worked out without any clock.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "checker/clocks/clock_header.h"
#include "checker/clocks/difference.h"
#include "checker/clocks/identities.h"
#include "checker/clocks/matrix_clock.h"
#include "checker/clocks/scalar_clock.h"
#include "checker/clocks/vector_clock.h"
#include "checker/clocks/version_vector.h"
#include "tests/clock_run.h"

namespace causalcheck {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// A clock of up to five small entries, so that all relations are frequent.
VectorClock any_clock() {
  VectorClock clock;
  const auto entries = *rc::gen::resize(
      5, rc::gen::container<std::vector<std::uint8_t>>(any_below<std::uint8_t>(0, 4)));
  for (ProcessId p = 0; p < entries.size(); ++p) {
    RC_ASSERT(clock.set(p, entries[p]) == ClockStatus::kOk);
  }
  return clock;
}

bool at_most(const VectorClock& a, const VectorClock& b) {
  const ClockOrder order = compare(a, b);
  return order == ClockOrder::kBefore || order == ClockOrder::kEqual;
}

VectorClock merged(VectorClock a, const VectorClock& b) {
  a.merge(b);
  return a;
}

ClockRun any_run(Links links) {
  const auto processes = *any_below<std::size_t>(1, 5);
  return run_of(processes, *any_choices(40), links);
}

TEST(VectorClock, ComparesBothWays) {
  EXPECT_EQ(compare(VectorClock{1, 2}, VectorClock{1, 3}), ClockOrder::kBefore);
  EXPECT_EQ(compare(VectorClock{1, 3}, VectorClock{1, 2}), ClockOrder::kAfter);
  EXPECT_EQ(compare(VectorClock{1, 2}, VectorClock{1, 2}), ClockOrder::kEqual);
  EXPECT_EQ(compare(VectorClock{1, 2}, VectorClock{2, 1}), ClockOrder::kConcurrent);
}

TEST(VectorClock, TakesAMissingEntryForZero) {
  EXPECT_EQ(VectorClock({1, 0, 0}), VectorClock({1}));
  EXPECT_EQ(compare(VectorClock{1}, VectorClock{1, 0, 2}), ClockOrder::kBefore);
  EXPECT_EQ(compare(VectorClock{2}, VectorClock{1, 0, 2}), ClockOrder::kConcurrent);
  EXPECT_EQ(VectorClock({7})[3], 0U);
}

TEST(VectorClock, RefusesToGoBeyondTheLimitInsteadOfWrapping) {
  VectorClock clock{kTickMax - 1};
  EXPECT_EQ(clock.tick(0), ClockStatus::kOk);
  EXPECT_EQ(clock.tick(0), ClockStatus::kNearLimit);
  EXPECT_EQ(clock[0], kTickMax);
  EXPECT_EQ(clock.set(1, kTickMax + 1), ClockStatus::kNearLimit);
  EXPECT_EQ(clock.set(1, ~Tick{0}), ClockStatus::kNearLimit);
  SparseClock sparse(clock);
  EXPECT_EQ(sparse.tick(0), ClockStatus::kNearLimit);
  EXPECT_EQ(sparse[0], kTickMax);
}

TEST(VectorClock, RefusesIdentitiesBeyondTheCap) {
  VectorClock clock;
  EXPECT_EQ(clock.tick(3, 4), ClockStatus::kOk);
  EXPECT_EQ(clock.tick(4, 4), ClockStatus::kTooManyIdentities);
  EXPECT_EQ(clock.tick(kIdentitiesMax), ClockStatus::kTooManyIdentities);
  EXPECT_EQ(SparseClock().set(kIdentitiesMax, 1), ClockStatus::kTooManyIdentities);
  EXPECT_EQ(clock.entries().size(), 4U);
}

RC_GTEST_PROP(VectorClockLaw, CompareIsAPartialOrder, ()) {
  const VectorClock a = any_clock();
  const VectorClock b = any_clock();
  const VectorClock c = any_clock();
  RC_ASSERT(compare(a, a) == ClockOrder::kEqual);
  RC_ASSERT(compare(a, b) == reversed(compare(b, a)));
  if (at_most(a, b) && at_most(b, c)) RC_ASSERT(at_most(a, c));
  bool entrywise = true;
  for (ProcessId p = 0; p < 5; ++p) entrywise = entrywise && a[p] <= b[p];
  RC_ASSERT(at_most(a, b) == entrywise);
}

RC_GTEST_PROP(VectorClockLaw, MergeIsTheLeastUpperBound, ()) {
  const VectorClock a = any_clock();
  const VectorClock b = any_clock();
  const VectorClock c = any_clock();
  const VectorClock both = merged(a, b);
  RC_ASSERT(both == merged(b, a));
  RC_ASSERT(merged(both, c) == merged(a, merged(b, c)));
  RC_ASSERT(merged(a, a) == a);
  RC_ASSERT(at_most(a, both) && at_most(b, both));
  if (at_most(a, c) && at_most(b, c)) RC_ASSERT(at_most(both, c));
}

RC_GTEST_PROP(VectorClockLaw, TheSparseFormAgreesWithTheDenseOne, ()) {
  const VectorClock a = any_clock();
  const VectorClock b = any_clock();
  SparseClock sparse(a);
  RC_ASSERT(sparse.dense() == a);
  RC_ASSERT(compare(sparse, SparseClock(b)) == compare(a, b));
  sparse.merge(SparseClock(b));
  RC_ASSERT(sparse == SparseClock(merged(a, b)));
  for (const ClockEntry& entry : sparse.entries()) RC_ASSERT(entry.tick > 0U);
  const auto p = *any_below<ProcessId>(0, 6);
  const auto value = *any_below<Tick>(0, 3);
  VectorClock dense = sparse.dense();
  RC_ASSERT(sparse.set(p, value) == ClockStatus::kOk);
  RC_ASSERT(dense.set(p, value) == ClockStatus::kOk);
  RC_ASSERT(sparse == SparseClock(dense));
  RC_ASSERT(sparse[p] == value);
}

RC_GTEST_PROP(VectorClockLaw, ComparingClocksTellsWhatHappenedBeforeWhat, ()) {
  const ClockRun run = any_run(Links::kAnyOrder);
  const std::vector<VectorClock> clocks = clocks_of(run);
  bool concurrent = false;
  for (std::size_t a = 0; a < clocks.size(); ++a) {
    for (std::size_t b = 0; b < clocks.size(); ++b) {
      RC_ASSERT(compare(clocks[a], clocks[b]) == run.order(a, b));
      concurrent = concurrent || run.order(a, b) == ClockOrder::kConcurrent;
    }
  }
  RC_CLASSIFY(concurrent, "some steps concurrent");
}

RC_GTEST_PROP(LamportClockLaw, GrowsAlongHappenedBefore, ()) {
  const ClockRun run = any_run(Links::kAnyOrder);
  std::vector<LamportClock> now(run.processes);
  std::vector<Tick> sent;
  std::vector<Tick> stamps;
  for (const ClockStep& step : run.steps) {
    LamportClock& clock = now[step.process];
    const auto stamp =
        step.kind == ClockStep::Kind::kReceive ? clock.receive(sent[step.message]) : clock.tick();
    RC_ASSERT(stamp.has_value());
    if (step.kind == ClockStep::Kind::kSend) sent.push_back(*stamp);
    stamps.push_back(*stamp);
  }
  for (std::size_t a = 0; a < stamps.size(); ++a) {
    for (std::size_t b = 0; b < stamps.size(); ++b) {
      if (a != b && run.before[a][b]) RC_ASSERT(stamps[a] < stamps[b]);
    }
  }
}

TEST(LamportClock, CannotTellConcurrency) {
  LamportClock a;
  LamportClock b;
  ASSERT_EQ(a.tick(), 1U);
  ASSERT_EQ(b.tick(), 1U);
  ASSERT_EQ(b.tick(), 2U);
  // 1 < 2, and yet the two events know nothing of each other.
  EXPECT_LT(a.now(), b.now());
}

TEST(LamportClock, RefusesAStampThatWouldCarryItToTheLimit) {
  LamportClock clock;
  EXPECT_EQ(clock.receive(kTickMax), std::nullopt);
  EXPECT_EQ(clock.receive(~Tick{0}), std::nullopt);
  EXPECT_EQ(clock.now(), 0U);
  EXPECT_EQ(clock.receive(kTickMax - 1), kTickMax);
  EXPECT_EQ(clock.tick(), std::nullopt);
}

RC_GTEST_PROP(HybridClockLaw, GrowsAlongHappenedBeforeWhateverTheWallClocksSay, ()) {
  const ClockRun run = any_run(Links::kAnyOrder);
  std::vector<HybridClock> now(run.processes);
  std::vector<HybridStamp> sent;
  std::vector<HybridStamp> stamps;
  std::uint64_t latest_wall = 0;
  for (const ClockStep& step : run.steps) {
    const auto wall = *any_below<std::uint64_t>(0, 20);  // jumps both ways
    latest_wall = std::max(latest_wall, wall);
    HybridClock& clock = now[step.process];
    const auto stamp = step.kind == ClockStep::Kind::kReceive
                           ? clock.receive(wall, sent[step.message])
                           : clock.tick(wall);
    RC_ASSERT(stamp.has_value());
    RC_ASSERT(stamp->wall >= wall);
    RC_ASSERT(stamp->wall <= latest_wall);
    if (step.kind == ClockStep::Kind::kSend) sent.push_back(*stamp);
    stamps.push_back(*stamp);
  }
  for (std::size_t a = 0; a < stamps.size(); ++a) {
    for (std::size_t b = 0; b < stamps.size(); ++b) {
      if (a != b && run.before[a][b]) RC_ASSERT(stamps[a] < stamps[b]);
    }
  }
}

TEST(HybridClock, FollowsTheWallClockAndCountsWhereItStandsStill) {
  HybridClock clock;
  EXPECT_EQ(clock.tick(10), (HybridStamp{10, 0}));
  EXPECT_EQ(clock.tick(10), (HybridStamp{10, 1}));
  EXPECT_EQ(clock.tick(7), (HybridStamp{10, 2}));
  EXPECT_EQ(clock.receive(8, {10, 5}), (HybridStamp{10, 6}));
  EXPECT_EQ(clock.receive(8, {12, 3}), (HybridStamp{12, 4}));
  EXPECT_EQ(clock.receive(20, {12, 9}), (HybridStamp{20, 0}));
}

TEST(HybridClock, RefusesStampsFromTooFarAheadAndBeyondItsLimits) {
  HybridClock clock(5);
  EXPECT_EQ(clock.receive(10, {16, 0}), std::nullopt);
  EXPECT_EQ(clock.now(), HybridStamp{});
  EXPECT_EQ(clock.receive(10, {15, 0}), (HybridStamp{15, 1}));
  EXPECT_EQ(clock.receive(15, {15, HybridClock::kCountMax}), std::nullopt);
  EXPECT_EQ(clock.tick(kTickMax + 1), std::nullopt);
  EXPECT_EQ(clock.now(), (HybridStamp{15, 1}));
}

RC_GTEST_PROP(DifferenceLaw, DecodingGivesTheWholeClockOnFifoLinks, ()) {
  const ClockRun run = any_run(Links::kFifo);
  struct Sent {
    ClockDifference difference{};
    VectorClock whole{};
  };
  std::vector<DifferenceEncoder> encoders;
  for (ProcessId p = 0; p < run.processes; ++p) encoders.emplace_back(p);
  std::vector<std::vector<DifferenceDecoder>> decoders(
      run.processes, std::vector<DifferenceDecoder>(run.processes));
  std::vector<Sent> sent;
  const std::vector<VectorClock> expected = clocks_of(run);
  bool shorter = false;
  for (std::size_t i = 0; i < run.steps.size(); ++i) {
    const ClockStep& step = run.steps[i];
    DifferenceEncoder& encoder = encoders[step.process];
    if (step.kind == ClockStep::Kind::kReceive) {
      const Sent& message = sent[step.message];
      const auto whole = decoders[step.process][step.peer].receive(message.difference);
      RC_ASSERT(whole.has_value());
      RC_ASSERT(*whole == message.whole);
      encoder.merge(*whole);
    }
    RC_ASSERT(encoder.tick() == ClockStatus::kOk);
    RC_ASSERT(encoder.clock() == expected[i]);
    if (step.kind == ClockStep::Kind::kSend) {
      sent.push_back({encoder.send_to(step.peer), encoder.clock()});
      shorter = shorter || sent.back().difference.entries.size() <
                               SparseClock(encoder.clock()).entries().size();
    }
  }
  RC_CLASSIFY(shorter, "some difference shorter than its clock");
}

TEST(Difference, CarriesOnlyWhatChanged) {
  DifferenceEncoder encoder(0);
  encoder.merge(VectorClock{0, 4, 7});
  ASSERT_EQ(encoder.tick(), ClockStatus::kOk);
  EXPECT_THAT(encoder.send_to(1).entries,
              ElementsAre(ClockEntry{0, 1}, ClockEntry{1, 4}, ClockEntry{2, 7}));
  ASSERT_EQ(encoder.tick(), ClockStatus::kOk);
  EXPECT_THAT(encoder.send_to(1).entries, ElementsAre(ClockEntry{0, 2}));
  EXPECT_THAT(encoder.send_to(1).entries, IsEmpty());
  EXPECT_EQ(encoder.send_to(2).entries.size(), 3U);
}

TEST(Difference, TheDecoderNoticesLossReorderingAndNonsense) {
  DifferenceEncoder encoder(0);
  ASSERT_EQ(encoder.tick(), ClockStatus::kOk);
  const ClockDifference first = encoder.send_to(1);
  ASSERT_EQ(encoder.tick(), ClockStatus::kOk);
  const ClockDifference second = encoder.send_to(1);
  DifferenceDecoder decoder;
  EXPECT_EQ(decoder.receive(second), std::nullopt);
  ASSERT_TRUE(decoder.receive(first).has_value());
  EXPECT_EQ(decoder.receive(first), std::nullopt);
  EXPECT_EQ(decoder.receive({2, {{0, 1}}}), std::nullopt) << "an entry that does not grow";
  EXPECT_EQ(decoder.receive({2, {{0, 0}}}), std::nullopt);
  EXPECT_EQ(decoder.receive({2, {{1, 1}, {0, 2}}}), std::nullopt) << "not in order";
  EXPECT_EQ(decoder.receive({2, {{0, kTickMax + 1}}}), std::nullopt);
  EXPECT_EQ(decoder.receive({2, {{~ProcessId{0}, 1}}}), std::nullopt) << "beyond the cap";
  EXPECT_EQ(decoder.receive(second), (VectorClock{2}));
}

RC_GTEST_PROP(MatrixClockLaw, WhatIsStableEverybodyHasHeardOf, ()) {
  const ClockRun run = any_run(Links::kAnyOrder);
  std::vector<MatrixClock> now;
  for (ProcessId p = 0; p < run.processes; ++p) now.emplace_back(p, run.processes);
  std::vector<MatrixClock> sent;
  const std::vector<VectorClock> expected = clocks_of(run);
  std::vector<UnstableMessages> kept(run.processes);
  bool some_stable = false;
  for (std::size_t i = 0; i < run.steps.size(); ++i) {
    const ClockStep& step = run.steps[i];
    MatrixClock& clock = now[step.process];
    if (step.kind == ClockStep::Kind::kReceive) {
      const MatrixClock& message = sent[step.message];
      clock.merge(message);
      kept[step.process].keep({step.peer, message.clock()[step.peer]});
    }
    RC_ASSERT(clock.tick() == ClockStatus::kOk);
    if (step.kind == ClockStep::Kind::kSend) {
      sent.push_back(clock);
      kept[step.process].keep({step.process, clock.clock()[step.process]});
    }
    RC_ASSERT(clock.clock() == expected[i]);
    for (ProcessId q = 0; q < run.processes; ++q) {
      // Nobody believes another to know more than that one does.
      RC_ASSERT(at_most(clock.known_of(q), now[q].clock()));
    }
    for (const StampedMessage& message : kept[step.process].forget_stable(clock)) {
      some_stable = some_stable || run.processes > 1;
      for (const MatrixClock& other : now) {
        RC_ASSERT(other.clock()[message.sender] >= message.tick);
      }
    }
    for (const StampedMessage& message : kept[step.process].kept()) {
      RC_ASSERT(!clock.is_stable(message));
    }
  }
  RC_CLASSIFY(some_stable, "some message of several processes became stable");
}

TEST(MatrixClock, AMessageIsStableOnceEverybodyIsKnownToHaveIt) {
  MatrixClock a(0, 2);
  MatrixClock b(1, 2);
  UnstableMessages kept;
  ASSERT_EQ(a.tick(), ClockStatus::kOk);  // A sends m
  const StampedMessage m{0, 1};
  kept.keep(m);
  kept.keep(m);
  EXPECT_FALSE(a.is_stable(m));
  b.merge(a);
  ASSERT_EQ(b.tick(), ClockStatus::kOk);  // B has it, but A does not know that
  EXPECT_TRUE(b.is_stable(m));
  EXPECT_THAT(kept.forget_stable(a), IsEmpty());
  ASSERT_EQ(b.tick(), ClockStatus::kOk);  // B answers
  a.merge(b);
  ASSERT_EQ(a.tick(), ClockStatus::kOk);
  EXPECT_THAT(kept.forget_stable(a), ElementsAre(m));
  EXPECT_THAT(kept.kept(), IsEmpty());
}

TEST(Identities, ARestartedProcessGetsAFreshOne) {
  Identities identities;
  const auto first = identities.start("A");
  ASSERT_TRUE(first.has_value());
  identities.ended(*first, 7);
  const auto second = identities.start("A");
  ASSERT_TRUE(second.has_value());
  EXPECT_NE(*first, *second);
  EXPECT_EQ(identities.all()[*second].label, "A~2");
  identities.ended(*second, 1);
  const auto third = identities.start("A");
  ASSERT_TRUE(third.has_value());
  EXPECT_EQ(identities.all()[*third].label, "A~3");
}

TEST(Identities, ADeadOneIsRetiredOnceEveryLiveOneHasSeenItsLastValue) {
  Identities identities;
  const ProcessId a = *identities.start("A");
  const ProcessId b = *identities.start("B");
  const ProcessId c = *identities.start("C");
  identities.ended(a, 5);
  identities.saw(b, {5, 1});
  identities.saw(c, {4, 0, 1});
  EXPECT_THAT(identities.retire(), IsEmpty()) << "C has not seen its last event";
  EXPECT_EQ(identities.epoch(), 0U);
  identities.saw(c, {5, 0, 2});
  EXPECT_THAT(identities.retire(), ElementsAre(a));
  EXPECT_EQ(identities.epoch(), 1U);
  EXPECT_EQ(identities.stamping(), 2U);
  EXPECT_THAT(identities.retire(), IsEmpty()) << "once is enough";
}

TEST(Identities, TheCapCountsDeadOnesUntilTheyAreRetired) {
  Identities identities(2);
  const ProcessId a = *identities.start("A");
  const ProcessId b = *identities.start("B");
  EXPECT_EQ(identities.start("C"), std::nullopt);
  identities.ended(a, 1);
  EXPECT_EQ(identities.start("A"), std::nullopt);
  identities.saw(b, {1, 1});
  EXPECT_THAT(identities.retire(), ElementsAre(a));
  EXPECT_TRUE(identities.start("A").has_value());
}

TEST(Identities, TheEpochTellsNeverHeardOfFromRetired) {
  Identities identities;
  const ProcessId a = *identities.start("A");
  const ProcessId b = *identities.start("B");
  const VectorClock before{0, 1};  // B's first event, which knows nothing of A
  identities.ended(a, 3);
  identities.saw(b, {3, 2});
  const VectorClock after{3, 3};
  ASSERT_THAT(identities.retire(), ElementsAre(a));
  const SparseClock stamped = identities.without_retired(after);
  EXPECT_EQ(stamped.entries().size(), 1U);
  EXPECT_EQ(identities.with_retired(stamped, 1), after);
  EXPECT_EQ(identities.with_retired(SparseClock(before), 0), before);
  // Read without its epoch, the old clock would know three events of A that it never heard of.
  EXPECT_NE(identities.with_retired(SparseClock(before), 1), before);
}

TEST(Identities, RefuseClocksThatCannotBeFromTheirEpoch) {
  Identities identities;
  const ProcessId a = *identities.start("A");
  const ProcessId b = *identities.start("B");
  identities.ended(a, 3);
  identities.saw(b, {3, 1});
  ASSERT_THAT(identities.retire(), ElementsAre(a));
  EXPECT_EQ(identities.with_retired(SparseClock({1, 1}), 1), std::nullopt) << "retired by then";
  EXPECT_EQ(identities.with_retired(SparseClock({4, 1}), 0), std::nullopt) << "beyond its last";
  EXPECT_EQ(identities.with_retired(SparseClock({0, 1}), 2), std::nullopt) << "a future epoch";
  EXPECT_EQ(identities.with_retired(SparseClock({0, 0, 1}), 0), std::nullopt) << "unknown";
  EXPECT_EQ(identities.with_retired(SparseClock({3, 1}), 0), (VectorClock{3, 1}));
}

TEST(VersionedObject, KeepsConcurrentVersionsAndDropsSuperseded) {
  VersionedObject at_a;
  VersionedObject at_b;
  const auto first = at_a.write(0, "x");
  ASSERT_TRUE(first.has_value());
  at_b.receive(*first);
  const auto mine = at_a.write(0, "y");
  const auto theirs = at_b.write(1, "z");
  ASSERT_TRUE(mine.has_value() && theirs.has_value());
  EXPECT_EQ(compare(mine->vector, theirs->vector), ClockOrder::kConcurrent);
  at_a.receive(*theirs);
  EXPECT_EQ(at_a.versions().size(), 2U);
  at_a.receive(*first);
  EXPECT_EQ(at_a.versions().size(), 2U) << "superseded long ago";
  const auto resolved = at_a.write(0, "yz");
  ASSERT_TRUE(resolved.has_value());
  at_b.receive(*resolved);
  ASSERT_EQ(at_b.versions().size(), 1U);
  EXPECT_EQ(at_b.versions()[0].value, "yz");
}

TEST(VersionedObject, CountsUpdatesOfOneObjectNotEvents) {
  VersionedObject x;
  VersionedObject y;
  ASSERT_TRUE(x.write(0, "1").has_value());
  const auto later = y.write(0, "2");
  ASSERT_TRUE(later.has_value());
  // The replica wrote x before y; the vectors of two objects do not say so.
  EXPECT_EQ(compare(x.versions()[0].vector, later->vector), ClockOrder::kEqual);
}

std::string error_of(std::string_view text, const ClockHeaderLimits& limits = {}) {
  const auto decoded = decode_clock(text, limits);
  const auto* error = std::get_if<ClockHeaderError>(&decoded);
  return error == nullptr ? "no error" : std::to_string(error->at) + ": " + error->text;
}

TEST(ClockHeader, IsOneLineOfPlainText) {
  EXPECT_EQ(encode({0, 0, {{"B", 12}, {"A", 3}, {"C", 0}}}), "vc1;0;A=3,B=12");
  EXPECT_EQ(encode({7, 2, {{"A~2", 1}, {"a b=%", 4}}}), "vd1;7;2;A~2=1,a%20b%3D%25=4");
  EXPECT_EQ(encode({}), "vc1;0");
}

TEST(ClockHeader, RefusesEverythingThatItWouldNotWrite) {
  EXPECT_EQ(error_of(""), "0: expected 'vc1;' or 'vd1;'");
  EXPECT_THAT(error_of("vc2;0"), HasSubstr("expected 'vc1;'"));
  EXPECT_THAT(error_of("vc1;"), HasSubstr("4: expected an epoch"));
  EXPECT_THAT(error_of("vc1;00"), HasSubstr("expected an epoch"));
  EXPECT_THAT(error_of("vd1;0;0"), HasSubstr("a sequence number from 1"));
  EXPECT_THAT(error_of("vc1;0;"), HasSubstr("expected a label"));
  EXPECT_THAT(error_of("vc1;0;A"), HasSubstr("expected '='"));
  EXPECT_THAT(error_of("vc1;0;A="), HasSubstr("a whole number from 1 to 2^62"));
  EXPECT_THAT(error_of("vc1;0;A=0"), HasSubstr("a whole number from 1 to 2^62"));
  EXPECT_THAT(error_of("vc1;0;A=01"), HasSubstr("a whole number"));
  EXPECT_THAT(error_of("vc1;0;A=-1"), HasSubstr("a whole number"));
  EXPECT_THAT(error_of("vc1;0;A=4611686018427387905"), HasSubstr("a whole number"));
  EXPECT_EQ(error_of("vc1;0;A=4611686018427387904"), "no error");
  EXPECT_THAT(error_of("vc1;0;A=18446744073709551616"), HasSubstr("a whole number"));
  EXPECT_THAT(error_of("vc1;0;B=1,A=1"), HasSubstr("must ascend"));
  EXPECT_THAT(error_of("vc1;0;A=1,A=1"), HasSubstr("must ascend"));
  EXPECT_THAT(error_of("vc1;0;A=1,"), HasSubstr("expected a label"));
  EXPECT_THAT(error_of("vc1;0;A=1 "), HasSubstr("expected ',' or the end"));
  EXPECT_THAT(error_of("vc1;0;%41=1"), HasSubstr("escaped where it has to be"));
  EXPECT_THAT(error_of("vc1;0;a%2=1"), HasSubstr("expected a label"));
  EXPECT_THAT(error_of("vc1;0;a%2"), HasSubstr("expected a label"));
  EXPECT_THAT(error_of("vc1;0;a%3d=1"), HasSubstr("expected a label"));
  EXPECT_THAT(error_of("vc1;0;A=1,B=1,C=1", {1000, 2}), HasSubstr("more than 2 entries"));
  EXPECT_THAT(error_of(std::string(5000, 'x'), {4096, 2}), HasSubstr("longer than 4096 bytes"));
}

RC_GTEST_PROP(ClockHeaderLaw, ReadsBackWhatItWrote, ()) {
  ClockHeader header;
  header.sequence = *any_below<std::uint64_t>(0, 3);
  header.epoch = *any_below<std::uint64_t>(0, 3);
  for (const auto& [label, tick] : *rc::gen::arbitrary<std::map<std::string, std::uint32_t>>()) {
    if (!label.empty()) header.entries.push_back({label, Tick{tick} + 1});
  }
  const auto decoded = decode_clock(encode(header));
  RC_ASSERT(std::holds_alternative<ClockHeader>(decoded));
  RC_ASSERT(std::get<ClockHeader>(decoded).entries == header.entries);
  RC_ASSERT(std::get<ClockHeader>(decoded).sequence == header.sequence);
  RC_ASSERT(std::get<ClockHeader>(decoded).epoch == header.epoch);
}

RC_GTEST_PROP(ClockHeaderLaw, OneClockHasOneText, ()) {
  // Near misses of a header: some bytes of one replaced, cut off or doubled.
  std::string text = "vd1;12;3;A=5,B~2=17,a%20b=4611686018427387904";
  const auto edits = *any_below(0, 4);
  for (int i = 0; i < edits; ++i) {
    const auto at = *any_below<std::size_t>(0, text.size());
    const auto kind = *any_below(0, 3);
    if (kind == 0) text[at] = *rc::gen::elementOf(std::string("vcd1;0=,%A~\xFF "));
    if (kind == 1) text.erase(at, 1);
    if (kind == 2) text.insert(at, 1, text[at]);
    if (text.empty()) break;
  }
  const auto decoded = decode_clock(text);
  const auto* header = std::get_if<ClockHeader>(&decoded);
  RC_CLASSIFY(header != nullptr, "accepted");
  if (header != nullptr) RC_ASSERT(encode(*header) == text);
}

}  // namespace
}  // namespace causalcheck
