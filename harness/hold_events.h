#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "checker/history.h"
#include "harness/runtime.h"

namespace causalcheck {

/// Something about a message that was received and had to wait before it could be delivered.
///
/// Payloads are as they were published; labels are those of ClientInfo, or a backend's own word for
/// a part of it. Counts are of broadcasts, from 1.
struct HoldEvent {
  enum class Kind : std::uint8_t {
    kHeld,      // it begins to wait
    kReleased,  // it goes, or is given up
  };
  Kind kind = Kind::kHeld;
  std::string payload{};
  std::string at{};    // who holds it
  std::string from{};  // who published it
  /// kHeld: whose broadcasts are missing, how many are needed, and how many are there.
  std::string needs_process{};
  std::uint32_t needs = 0;
  std::uint32_t has = 0;
  /// kReleased: the payload of the message whose delivery let it go; empty when it was given up.
  std::string released_by{};
  Time since{};  // when it came in
  Time when{};   // of this event
};

/// What one queue of messages went through, or all queues of a run together.
struct HoldMetrics {
  std::uint64_t delivered = 0;      // own messages included
  std::uint64_t held = 0;           // messages that had to wait
  std::uint64_t dropped = 0;        // at the cap
  std::uint64_t refused = 0;        // at the cap, to come again
  std::uint64_t given_up = 0;       // at the cap, against the order
  std::uint64_t duplicates = 0;     // copies of what had come already
  std::uint64_t retransmitted = 0;  // by the process whose queue it is
  std::size_t depth_max = 0;        // messages in one queue at a time
  Time age_max{};                   // the longest that one waited
  void merge(const HoldMetrics& other);
  bool operator==(const HoldMetrics&) const = default;
};

/// Optional power: a backend that holds messages back and says so.
class HoldReporter {
 public:
  virtual ~HoldReporter() = default;
  /// What happened since the last call, in order. Empty after a reset.
  [[nodiscard]] virtual std::vector<HoldEvent> take_hold_events() = 0;
  /// What waits, at processes that live: each as a kHeld with what it waits for. Once the run was
  /// drained, what waited then: its sessions are gone afterwards.
  [[nodiscard]] virtual std::vector<HoldEvent> stalled() const = 0;
  /// All queues since the reset; what waits still has the age that it has reached.
  [[nodiscard]] virtual HoldMetrics hold_metrics() const = 0;
};

/// Where the queues of one run stood when it ended.
struct HoldSummary {
  HoldMetrics metrics{};
  std::uint64_t stalled = 0;  // messages that waited still
  std::string first_stall{};  // the first of them, as stall_text has it
};
[[nodiscard]] HoldSummary hold_summary(const HoldReporter& reporter);

/// "A holds C2: needs B 1, has B 0".
[[nodiscard]] std::string stall_text(const HoldEvent& held);
/// "3 held, up to 2 at a time, the longest for 0.180 ms"; what happened at the cap and what was
/// sent again follow where there is any.
[[nodiscard]] std::string to_string(const HoldMetrics& metrics);

/// The line of a history file for `event` at position `start` (docs/history-format.md), without its
/// line end:
///
///     {"held":"C2","at":"A","from":"C","blocked_by":{"process":"B","needs":1,"has":0},"start":7}
///     {"released":"C2","at":"A","by":"B1","start":9}
///
/// A message is named as the recorder names it, after its publish event; a payload that is not ours
/// is its own name.
[[nodiscard]] std::string hold_line(const HoldEvent& event, Position start);

/// What the lines of a history file say of holds, one a line after the process, for people: "A: C2
/// waits for B1: needs B 1, has B 0; released by event 9". `lines` are HistoryFile::other_lines and
/// `history` belongs to them. Lines of other kinds, and lines that lack a member, are passed over.
[[nodiscard]] std::string explain_holds(const std::vector<std::string>& lines,
                                        const History& history);

}  // namespace causalcheck
