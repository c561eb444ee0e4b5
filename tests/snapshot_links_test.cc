// Snapshots after Chandy and Lamport over the simulated links of the broadcast group. On channels
// that keep their order the recorded states are a consistent cut and the recorded channels are what
// crosses it; on others the cut tool finds one that is not.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "adapters/broadcast/link.h"
#include "adapters/broadcast/network.h"
#include "checker/clocks/cuts.h"
#include "harness/choices.h"
#include "tests/snapshot_group.h"

namespace causalcheck {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t kSeeds = 300;
constexpr std::uint32_t kAssuredAttempt = 6;

/// Chance from a plan's choices, and a clock that the test moves.
class ChosenRuntime final : public Runtime {
 public:
  explicit ChosenRuntime(std::uint64_t seed) : choices_(seed) {}
  Time now() override { return now_; }
  Time wall_now() override { return now_; }
  void sleep_until(Time time) override { now_ = std::max(now_, time); }
  void yield() override {}
  std::uint32_t choose(std::uint32_t n) override { return choices_.next(n); }

 private:
  Choices choices_;
  Time now_{};
};

/// Whether the receiving end of a channel puts what came in the order sent.
enum class Resequencing : std::uint8_t { kOff, kOn };

/// A channel between any two processes: what is lost on the link is sent again, and a second copy
/// is not handed over. In the order sent only with resequencing, or where the link is FIFO and
/// loses nothing.
class Channels {
 public:
  Channels(std::size_t processes, const LinkSettings& links, Resequencing resequencing,
           ChosenRuntime& runtime)
      : network_(links), resequencing_(resequencing), runtime_(runtime) {
    network_.grow(static_cast<std::uint32_t>(processes));
  }

  void put(std::size_t from, std::size_t to, const Carried& carried) {
    const std::uint32_t number = sent_[{from, to}]++;
    things_.push_back({from, to, number, carried});
    transmit(things_.size() - 1, 1, runtime_.now());
  }

  /// Sends again what is due by now, and hands over what has come: by `arrive(from, to, carried)`.
  template <class Arrive>
  void advance(Arrive arrive) {
    const Time now = runtime_.now();
    for (auto due = timers_.begin(); due != timers_.end() && due->first <= now;
         due = timers_.begin()) {
      const auto [thing, attempt] = due->second;
      const Time at = due->first;
      timers_.erase(due);
      transmit(thing, attempt, at);
    }
    for (NodeId node = 0; node < network_.nodes(); ++node) {
      while (const std::optional<Packet> packet = network_.take(node, now)) {
        take_in(packet->content, arrive);
      }
    }
  }

  /// When something is due or comes; nullopt when nothing is under way.
  [[nodiscard]] std::optional<Time> next() const {
    Time next = timers_.empty() ? Time::max() : timers_.begin()->first;
    for (NodeId node = 0; node < network_.nodes(); ++node) {
      next = std::min(next, network_.next_arrival(node));
    }
    return next == Time::max() ? std::nullopt : std::optional<Time>(next);
  }

  [[nodiscard]] std::uint64_t sent_again() const { return sent_again_; }

 private:
  struct Thing {
    std::size_t from = 0;
    std::size_t to = 0;
    std::uint32_t number = 0;  // among those of its channel
    Carried carried{};
    bool has_come = false;
  };
  using Channel = std::pair<std::size_t, std::size_t>;

  void transmit(std::size_t index, std::uint32_t attempt, Time now) {
    if (attempt > 1) ++sent_again_;
    const Thing& thing = things_[index];
    const auto from = static_cast<NodeId>(thing.from);
    const auto to = static_cast<NodeId>(thing.to);
    const bool assured = attempt >= kAssuredAttempt;
    const Transit transit = network_.send(from, to, index, now, runtime_,
                                          assured ? Passage::kAssured : Passage::kAtRisk);
    if (assured) return;
    const bool is_known =
        transit.copies > 0 && !network_.link(to, from).loses(transit.times[0], runtime_);
    if (is_known) return;
    timers_.emplace(now + network_.link(from, to).round_trip(), std::pair(index, attempt + 1));
  }

  template <class Arrive>
  void take_in(std::size_t index, Arrive arrive) {
    if (std::exchange(things_[index].has_come, true)) return;
    if (resequencing_ == Resequencing::kOff) return hand_over(index, arrive);
    const Channel channel{things_[index].from, things_[index].to};
    auto& waiting = waiting_[channel];
    waiting[things_[index].number] = index;
    for (auto next = waiting.begin(); next != waiting.end() && next->first == handed_over_[channel];
         next = waiting.begin()) {
      const std::size_t at = next->second;
      waiting.erase(next);
      ++handed_over_[channel];
      hand_over(at, arrive);
    }
  }

  template <class Arrive>
  void hand_over(std::size_t index, Arrive arrive) {
    const Thing thing = things_[index];  // a copy: what arrives may send
    arrive(thing.from, thing.to, thing.carried);
  }

  Network network_;
  const Resequencing resequencing_;
  ChosenRuntime& runtime_;
  std::vector<Thing> things_{};
  std::map<Channel, std::uint32_t> sent_{};
  std::map<Channel, std::uint32_t> handed_over_{};
  std::map<Channel, std::map<std::uint32_t, std::size_t>> waiting_{};
  std::multimap<Time, std::pair<std::size_t, std::uint32_t>> timers_{};
  std::uint64_t sent_again_ = 0;
};

struct SnapshotRun {
  bool everybody_recorded = false;
  bool consistent = false;
  bool channels_fit = false;     // recorded is what was sent inside and received outside
  std::size_t under_way = 0;     // messages that cross the cut
  std::uint64_t sent_again = 0;  // packets
  std::size_t stale_markers = 0;
};

/// One run of two to five processes that send, and one snapshot that one of them begins: all by the
/// choices of `seed`.
SnapshotRun run_of_seed(std::uint64_t seed, const LinkSettings& links, Resequencing resequencing) {
  ChosenRuntime runtime(seed);
  const std::uint32_t processes = 2 + runtime.choose(4);
  Channels channels(processes, links, resequencing, runtime);
  SnapshotGroup group(processes, [&](std::size_t from, std::size_t to, const Carried& carried) {
    channels.put(from, to, carried);
  });
  const auto arrive = [&](std::size_t from, std::size_t to, const Carried& carried) {
    group.arrive(from, to, carried);
  };
  constexpr std::uint32_t kSteps = 60;
  const std::uint32_t start_at = runtime.choose(kSteps);
  for (std::uint32_t step = 0; step < kSteps; ++step) {
    runtime.sleep_until(runtime.now() + 7us);
    channels.advance(arrive);
    const std::uint32_t p = runtime.choose(processes);
    if (step == start_at) group.start(p);
    const std::uint32_t away = runtime.choose(processes);
    if (away == 0) {
      group.local(p);
    } else {
      group.send(p, (p + away) % processes);
    }
  }
  while (const std::optional<Time> next = channels.next()) {
    runtime.sleep_until(*next);
    channels.advance(arrive);
  }
  SnapshotRun result;
  result.everybody_recorded = group.complete() == processes;
  result.consistent = Cuts(group.log()).is_consistent(group.cut());
  result.channels_fit = true;
  for (std::size_t from = 0; from < processes; ++from) {
    for (std::size_t to = 0; to < processes; ++to) {
      const auto crosses = group.under_way(from, to);
      result.under_way += crosses.size();
      if (group.recorded(from, to) != crosses) result.channels_fit = false;
    }
  }
  result.sent_again = channels.sent_again();
  result.stale_markers = group.stale_markers();
  return result;
}

LinkSettings links_of(LinkOrder order) {
  LinkSettings links;
  links.delay_low = 5us;
  links.delay_high = 150us;
  links.order = order;
  return links;
}

LinkSettings lossy(LinkSettings links) {
  links.loss_permille = 100;
  links.duplicate_permille = 50;
  links.partition_permille = 5;
  return links;
}

void expect_consistent(const LinkSettings& links, Resequencing resequencing) {
  std::size_t under_way = 0;
  std::uint64_t sent_again = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const SnapshotRun run = run_of_seed(seed, links, resequencing);
    ASSERT_TRUE(run.everybody_recorded) << "seed " << seed;
    ASSERT_TRUE(run.consistent) << "seed " << seed;
    ASSERT_TRUE(run.channels_fit) << "seed " << seed;
    ASSERT_EQ(run.stale_markers, 0U) << "seed " << seed;
    under_way += run.under_way;
    sent_again += run.sent_again;
  }
  EXPECT_GT(under_way, kSeeds) << "channels that are always empty prove nothing";
  EXPECT_EQ(sent_again > 0, links.loss_permille > 0);
}

TEST(SnapshotOverLinks, IsAConsistentCutOnFifoLinks) {
  expect_consistent(links_of(LinkOrder::kFifo), Resequencing::kOff);
}

TEST(SnapshotOverLinks, IsAConsistentCutWhereWhatWasLostIsSentAgainAndPutInOrder) {
  expect_consistent(lossy(links_of(LinkOrder::kFifo)), Resequencing::kOn);
  expect_consistent(lossy(links_of(LinkOrder::kReorders)), Resequencing::kOn);
}

/// The first seed at which the cut is not consistent, and at which a channel does not fit; 0: none.
std::pair<std::uint64_t, std::uint64_t> first_failures(const LinkSettings& links) {
  std::pair<std::uint64_t, std::uint64_t> first{0, 0};
  for (std::uint64_t seed = 1; seed <= kSeeds && (first.first == 0 || first.second == 0); ++seed) {
    const SnapshotRun run = run_of_seed(seed, links, Resequencing::kOff);
    if (first.first == 0 && !run.consistent) first.first = seed;
    if (first.second == 0 && !run.channels_fit) first.second = seed;
  }
  return first;
}

TEST(SnapshotOverLinks, OnLinksThatReorderTheCutToolFindsAnInconsistentCut) {
  const auto [cut, channel] = first_failures(links_of(LinkOrder::kReorders));
  EXPECT_GE(cut, 1U);
  EXPECT_LE(cut, 20U);
  EXPECT_GE(channel, 1U);
  EXPECT_LE(channel, 20U);
}

TEST(SnapshotOverLinks, SendingAgainAloneMakesNoChannelOfAFifoLink) {
  // What is sent again comes after what was sent later.
  const auto [cut, channel] = first_failures(lossy(links_of(LinkOrder::kFifo)));
  EXPECT_GE(cut, 1U);
  EXPECT_LE(cut, 100U);
  EXPECT_GE(channel, 1U);
}

}  // namespace
}  // namespace causalcheck
