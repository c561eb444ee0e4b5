// What every adapter must do when its clients are at work together, under the real scheduler or,
// for those that need them, on threads.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/conformance.h"

namespace causalcheck {
namespace {

using testing::ElementsAreArray;
using testing::SizeIs;
using testing::UnorderedElementsAreArray;

using ConformanceRace = Conformance;

TEST_P(ConformanceRace, RacingCommitsAllGetSlotsOfTheirOwn) {
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    reset("race-" + std::to_string(seed));
    std::vector<std::vector<Committed>> commits(kRacers);
    run_together(kRacers, seed, [&](std::uint32_t client, Runtime& runtime) {
      const auto session = open(client, runtime);
      for (int i = 1; i <= 3; ++i) {
        const std::string payload = client_label(client) + std::to_string(i);
        commits[client].push_back(commit(*session, runtime, payload, "x"));
      }
    });
    std::vector<Committed> all;
    std::set<std::optional<Slot>> slots;
    for (const std::vector<Committed>& of_one : commits) {
      for (const Committed& one : of_one) {
        all.push_back(one);
        slots.insert(one.slot);
      }
      if (!has_slots()) continue;
      for (std::size_t i = 1; i < of_one.size(); ++i) EXPECT_GT(of_one[i].slot, of_one[i - 1].slot);
    }
    if (has_slots()) {
      EXPECT_THAT(slots, SizeIs(all.size()));
      expect_drained(all);
      if (declared_.promises.slots == Slots::kContiguous) {
        EXPECT_EQ(**slots.rbegin() - **slots.begin() + 1, static_cast<Slot>(all.size()));
      }
    }
  }
}

TEST_P(ConformanceRace, ABackendThatSaysSoInterleaves) {
  if (!declared_.interleaves) GTEST_SKIP() << "it does not say so";
  std::uint64_t switches = 0;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    reset("interleaves-" + std::to_string(seed));
    run_together(2, seed, [&](std::uint32_t client, Runtime& runtime) {
      const auto session = open(client, runtime);
      const OperationScope inside(scheduler_);
      commit(*session, runtime, client_label(client), "x");
      if (!is_feed()) {
        static_cast<void>(session->poll("x", soon(runtime)).has_value());
        return;
      }
      // Until it has to wait.
      while (!session->receive(runtime.now() + std::chrono::milliseconds(5)).value().empty()) {
      }
    });
    switches += scheduler_.switches_inside();
  }
  EXPECT_GT(switches, 0U);
}

// While others write: nobody reads behind what it read or wrote before, where the backend claims
// so.
TEST_P(ConformanceRace, ReadersAmongWritersNeverGoBack) {
  const GuaranteeSet& claims = declared_.promises.claims;
  if (is_feed() || !has_slots() || !claims.contains(Guarantee::kReadYourWrites) ||
      !claims.contains(Guarantee::kMonotonicReads)) {
    GTEST_SKIP() << "it does not claim so";
  }
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    reset("readers-" + std::to_string(seed));
    run_together(kRacers, seed, [&](std::uint32_t client, Runtime& runtime) {
      const auto session = open(client, runtime);
      Slot known = -1;
      for (int i = 1; i <= 3; ++i) {
        known = *commit(*session, runtime, client_label(client) + std::to_string(i), "x").slot;
        for (int k = 0; k < 2; ++k) {
          const auto answer = session->poll("x", soon(runtime));
          ASSERT_TRUE(answer.has_value()) << answer.error().text;
          ASSERT_TRUE(answer->has_value());
          EXPECT_GE((*answer)->slot, known);
          known = *(*answer)->slot;
        }
      }
    });
  }
}

TEST_P(ConformanceRace, AFeedHandsEverythingToEverybody) {
  if (!is_feed()) GTEST_SKIP() << "it is none";
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    reset("feed-" + std::to_string(seed), {"x"});
    std::vector<std::vector<std::string>> handed(kRacers);
    run_together(kRacers, seed, [&](std::uint32_t client, Runtime& runtime) {
      const auto session = open(client, runtime);
      if (client < 2) {
        for (int i = 1; i <= 3; ++i) {
          commit(*session, runtime, client_label(client) + std::to_string(i), "x");
        }
        return;
      }
      while (handed[client].size() < 6) {
        const auto answer = session->receive(soon(runtime));
        ASSERT_TRUE(answer.has_value()) << answer.error().text;
        ASSERT_FALSE(answer->empty()) << "nothing came any more";
        for (const Delivered& one : *answer) handed[client].push_back(one.entry.payload);
      }
    });
    std::vector<std::string> durable;
    for (const Entry& entry : drain()) durable.push_back(entry.payload);
    EXPECT_THAT(handed[2], UnorderedElementsAreArray(durable));
    EXPECT_THAT(handed[3], UnorderedElementsAreArray(durable));
    if (!has_slots() || declared_.promises.level != Level::kTotal) continue;
    EXPECT_THAT(handed[2], ElementsAreArray(durable));
    EXPECT_THAT(handed[3], ElementsAreArray(durable));
  }
}

TEST_P(ConformanceRace, PipelinedCommitsTakeEffectInTheOrderOfTheirCalls) {
  if (declared_.concurrency != Concurrency::kPipelined || !has_slots() ||
      declared_.execution != Execution::kDeterministic) {
    GTEST_SKIP() << "it is not pipelined, or the order of calls of threads is not known";
  }
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    reset("pipeline-" + std::to_string(seed));
    std::unique_ptr<Session> session = open(0, scheduler_.runtime_of(0, Time::zero()));
    std::vector<Committed> called(3);
    std::size_t calls = 0;
    run_together(3, seed, [&](std::uint32_t, Runtime& runtime) {
      runtime.yield();
      const std::size_t call = calls++;
      called[call] = commit(*session, runtime, "A" + std::to_string(call), "x");
    });
    session.reset();
    EXPECT_LT(called[0].slot, called[1].slot);
    EXPECT_LT(called[1].slot, called[2].slot);
  }
}

TEST_P(ConformanceRace, OneSeedGivesOneRun) {
  if (declared_.execution != Execution::kDeterministic) GTEST_SKIP() << "it is not deterministic";
  const auto transcript = [&](const std::string& run) {
    reset(run);
    std::string lines;
    run_together(3, 7, [&](std::uint32_t client, Runtime& runtime) {
      const auto session = open(client, runtime);
      for (int i = 0; i < 2; ++i) {
        const Committed done = commit(*session, runtime, "m", client == 2 ? "y" : "x");
        lines += client_label(client) + " w " + std::to_string(done.slot.value_or(-1)) + "\n";
        std::string seen;
        if (is_feed()) {
          for (const Delivered& one : *session->receive(soon(runtime))) {
            seen += " " + one.topic + std::to_string(one.entry.slot.value_or(-1));
          }
        } else if (const auto entry = *session->poll("x", soon(runtime))) {
          seen = " x" + std::to_string(entry->slot.value_or(-1));
        }
        lines += client_label(client) + " r" + seen + "\n";
      }
    });
    return lines + std::to_string(scheduler_.steps());
  };
  const std::string first = transcript("one-seed-1");
  EXPECT_EQ(transcript("one-seed-2"), first);
  backend_.reset();
  inner_ = *make_backend(GetParam());
  backend_ = std::make_unique<CheckedBackend>(*inner_);
  EXPECT_EQ(transcript("another-id"), first);
}

INSTANTIATE_TEST_SUITE_P(Adapter, ConformanceRace, testing::ValuesIn(specs()), test_name);

}  // namespace
}  // namespace causalcheck
