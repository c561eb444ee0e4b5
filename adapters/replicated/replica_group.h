#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/replicated/replicated_settings.h"
#include "checker/history.h"
#include "harness/runtime.h"

namespace causalcheck {

/// One replica, counted from 0.
using ReplicaId = std::uint32_t;

/// One message in the log. A log holds all topics; slots count within one.
struct ReplicatedRecord {
  std::uint32_t topic = 0;
  Slot slot = 0;
  bool is_delete = false;
  std::string payload{};
};

/// Where a commit was appended: what its fate depends on.
struct Appended {
  ReplicaId replica = 0;
  std::uint32_t view = 0;
  std::uint32_t life = 0;
  std::size_t position = 0;
  Slot slot = 0;
};

enum class Fate : std::uint8_t {
  kOpen,          // may still be acknowledged
  kAcknowledged,  // as many replicas have it as must
  kUnknown,       // who would acknowledge it died, or was deposed
};

/// The replicas of a simulated store: a leader whose log the others follow.
///
/// There is one log over all topics, and a replica has a prefix of its leader's. What is appended
/// reaches each follower after a lag of its own, in order. A replica that took over opened a new
/// view: as in Viewstamped Replication (Liskov and Cowling 2012, section 4.2) it has the log of the
/// highest view that it had in full, and of those the longest, among the replicas in reach, and
/// these go on from there. With acknowledgement by majority it takes a majority to do so, hence
/// nothing acknowledged is ever missing. A leader that was cut off or stopped does not know that it
/// is deposed until it is back in reach and a lag has passed; with acknowledgement by majority it
/// cannot do harm, as it gets no majority.
///
/// What a replica has is durable: a crash takes its calls, and nothing else.
///
/// Nothing happens by itself: `advance` catches up with the time. Keeps its memory from run to run.
class ReplicaGroup {
 public:
  explicit ReplicaGroup(const ReplicatedSettings& settings);

  /// Forgets everything; replica 0 leads.
  void reset();

  /// Lets everything happen that has happened by `now`.
  void advance(Time now);
  /// Lets everything arrive that can.
  void settle();

  // What a client can find out, after `advance`.
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(nodes_.size()); }
  [[nodiscard]] ReplicaId leader() const { return leader_; }
  /// Whether it answers at all.
  [[nodiscard]] bool answers(ReplicaId id) const { return !nodes_[id].paused; }
  /// Whether it believes that it leads.
  [[nodiscard]] bool leads(ReplicaId id) const { return nodes_[id].leads; }
  /// Whether it leads, and has as many replicas in reach as it takes to acknowledge and to know
  /// that nobody else leads.
  [[nodiscard]] bool may_lead(ReplicaId id) const;
  /// Counts its crashes.
  [[nodiscard]] std::uint32_t life(ReplicaId id) const { return nodes_[id].life; }
  /// The length of the log that its readers see.
  [[nodiscard]] std::size_t visible(ReplicaId id) const;
  /// The time at which the next record is there, as far as is known; else Time::max().
  [[nodiscard]] Time next_arrival(ReplicaId id) const;
  [[nodiscard]] const ReplicatedRecord& record(ReplicaId id, std::size_t position) const {
    return records_[nodes_[id].log[position]];
  }
  /// The last record of `topic` in the first `length` of its log; null when there is none.
  [[nodiscard]] const ReplicatedRecord* last_of(ReplicaId id, std::uint32_t topic,
                                                std::size_t length) const;

  /// Appends to the log of a replica that believes it leads. Draws the lags from `runtime`.
  Appended append(ReplicaId id, std::uint32_t topic, std::string_view payload, bool is_delete,
                  Runtime& runtime);
  [[nodiscard]] Fate fate(const Appended& appended) const;
  /// When a majority has it, as far as is known; else Time::max().
  [[nodiscard]] Time acknowledged_at(const Appended& appended);

  // What is done to it. Each is as of the time of the last `advance`.
  void crash(ReplicaId id);
  void pause(ReplicaId id);
  void resume(ReplicaId id);
  void cut(ReplicaId id);
  void heal(ReplicaId id);

 private:
  struct Node {
    std::vector<std::uint32_t> log{};  // records; those from `received` on are on their way
    std::vector<Time> arrives{};       // when each is there
    std::size_t received = 0;
    std::size_t safe = 0;    // that it knows a majority to have
    std::uint32_t view = 0;  // that it takes part in
    // The last view of which it had all that was there at the beginning. Until it has, it counts
    // neither as one that has a record nor as one that took part when a leader is chosen.
    std::uint32_t kept_view = 0;
    std::uint32_t life = 0;
    bool leads = false;
    bool paused = false;
    bool cut = false;
    Time rejoins_at{};  // when it hears of a new view
    [[nodiscard]] bool in_reach() const { return !paused && !cut; }
  };

  [[nodiscard]] std::uint32_t majority() const { return size() / 2 + 1; }
  [[nodiscard]] std::uint32_t in_reach() const;
  void advance_to(Time now);
  void receive(Node& node, Time now);
  void count_safe();
  void rejoin(Node& node, Time now);
  void back_in_reach(ReplicaId id);
  void resend(Node& node);
  void replace_leader();

  const ReplicatedSettings settings_;
  const bool by_majority_;
  std::vector<Node> nodes_;
  ReplicaId leader_ = 0;
  std::uint32_t view_ = 0;
  std::size_t view_start_ = 0;  // the length of the log when it began
  std::size_t safe_ = 0;        // that a majority has
  Time now_{};
  std::vector<ReplicatedRecord> records_{};  // the first `records_used_` are of this run
  std::uint32_t records_used_ = 0;
  std::vector<Time> times_{};  // scratch
};

}  // namespace causalcheck
