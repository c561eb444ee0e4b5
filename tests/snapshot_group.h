#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "checker/clocks/cuts.h"
#include "checker/clocks/snapshot.h"
#include "checker/clocks/stamped_log.h"

namespace causalcheck {

/// What a link of a SnapshotGroup carries: a marker or a message.
struct Carried {
  bool is_marker = false;
  ChannelMessage message = 0;
};

/// Processes that send each other numbered messages, count their events with vector clocks, and
/// take one snapshot when told to. The links are the test's: what is sent goes to `put`, and
/// `arrive` brings it.
class SnapshotGroup {
 public:
  using Put = std::function<void(std::size_t from, std::size_t to, const Carried&)>;

  SnapshotGroup(std::size_t processes, Put put)
      : put_(std::move(put)), clocks_(processes), states_(processes), received_(processes) {
    for (std::size_t p = 0; p < processes; ++p) {
      // A process has a channel from itself, on which nothing but markers is ever sent.
      snapshots_.emplace_back(processes);
      log_.processes.push_back("p" + std::to_string(p));
    }
  }

  [[nodiscard]] std::size_t size() const { return clocks_.size(); }
  void local(std::size_t p) { event(p); }

  void send(std::size_t from, std::size_t to) {
    event(from);
    const ChannelMessage id = sent_.size();
    sent_.push_back({from, clocks_[from]});
    put_(from, to, {false, id});
  }

  void start(std::size_t p) {
    const SnapshotStep step = snapshots_[p].start(1);
    ASSERT_TRUE(step.record_state);
    obey(p, step);
  }

  void arrive(std::size_t from, std::size_t to, const Carried& carried) {
    const auto channel = static_cast<ChannelId>(from);
    if (carried.is_marker) return obey(to, snapshots_[to].marker(channel, 1));
    snapshots_[to].message(channel, carried.message);
    clocks_[to].merge(sent_[carried.message].clock);
    event(to);
    received_[to][carried.message] = clocks_[to][static_cast<ProcessId>(to)];
  }

  [[nodiscard]] std::size_t complete() const { return complete_; }
  [[nodiscard]] std::size_t stale_markers() const { return stale_; }
  [[nodiscard]] const StampedLog& log() const { return log_; }

  /// The cut that the recorded states form.
  [[nodiscard]] Cut cut() const {
    Cut cut;
    for (std::size_t p = 0; p < states_.size(); ++p) {
      EXPECT_EQ(cut.set(static_cast<ProcessId>(p), states_[p]), ClockStatus::kOk);
    }
    return cut;
  }

  /// What the snapshot says was under way, and what was: sent inside the cut, received outside.
  [[nodiscard]] std::vector<ChannelMessage> recorded(std::size_t from, std::size_t to) const {
    return snapshots_[to].recorded(static_cast<ChannelId>(from));
  }
  [[nodiscard]] std::vector<ChannelMessage> under_way(std::size_t from, std::size_t to) const {
    std::vector<ChannelMessage> found;
    for (const auto& [message, at] : received_[to]) {
      const Sent& sent = sent_[message];
      if (sent.from != from) continue;
      if (sent.clock[static_cast<ProcessId>(from)] <= states_[from] && at > states_[to]) {
        found.push_back(message);
      }
    }
    return found;
  }

 private:
  struct Sent {
    std::size_t from = 0;
    VectorClock clock{};
  };

  void event(std::size_t p) {
    const auto process = static_cast<ProcessId>(p);
    ASSERT_EQ(clocks_[p].tick(process), ClockStatus::kOk);
    StampedEvent stamped;
    stamped.process = process;
    const SparseClock clock(clocks_[p]);
    log_.add(stamped, {clock.entries().begin(), clock.entries().end()}, "");
  }

  void obey(std::size_t p, const SnapshotStep& step) {
    if (step.stale) ++stale_;
    if (step.record_state) states_[p] = clocks_[p][static_cast<ProcessId>(p)];
    if (step.send_markers) {
      for (std::size_t to = 0; to < size(); ++to) put_(p, to, {true, 0});
    }
    if (step.complete) ++complete_;
  }

  Put put_;
  StampedLog log_{};
  std::vector<VectorClock> clocks_;
  std::vector<Tick> states_;  // own entries, when recorded
  std::vector<std::map<ChannelMessage, Tick>> received_;
  std::vector<SnapshotProcess> snapshots_{};
  std::vector<Sent> sent_{};
  std::size_t complete_ = 0;
  std::size_t stale_ = 0;
};

}  // namespace causalcheck
