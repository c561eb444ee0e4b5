#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "checker/clocks/stamped_log.h"
#include "checker/clocks/vector_clock.h"
#include "checker/history.h"
#include "checker/timeline.h"
#include "checker/verdict.h"

namespace causalcheck {

/// The vector clocks of a recorded history's events, by the checker's own happened-before: P1 and
/// P2.
///
/// Entry c of an event's clock is the largest step of client c that happens before it or is it. It
/// counts only events from which P1 leads on: a publish that did not end ok hangs off its client's
/// chain (docs/semantics.md, "Outcomes"), so that a later step of its client says nothing about it.
/// Such publishes are kept beside the clock, one by one.
///
/// For explanations, pictures and exports. Memory: 4 bytes per event and client.
class EventClocks {
 public:
  /// `timeline` is that of `history`. Neither is needed afterwards.
  EventClocks(const History& history, const Timeline& timeline);

  [[nodiscard]] std::size_t events() const { return lone_end_.size(); }
  /// Of events by their index in Timeline::events.
  [[nodiscard]] ClockOrder order(std::uint32_t a, std::uint32_t b) const;
  /// The steps that the event knows, by client.
  [[nodiscard]] std::span<const std::uint32_t> clock(std::uint32_t event) const;
  /// The publishes off the chains that it knows, itself included; ascending indices of events.
  [[nodiscard]] std::span<const std::uint32_t> lone_publishes(std::uint32_t event) const;

  /// The smallest consistent cut with the event in it: of each client the steps up to its entry,
  /// and the publishes off the chains among `lone_publishes`.
  [[nodiscard]] std::vector<std::uint32_t> past_of(std::uint32_t event) const;

 private:
  [[nodiscard]] bool before(std::uint32_t a, std::uint32_t b) const;

  std::size_t clients_;
  std::vector<Symbol> at_{};
  std::vector<bool> leads_on_{};
  std::vector<std::uint32_t> steps_{};  // events x clients
  std::vector<std::uint32_t> lone_{};
  std::vector<std::size_t> lone_end_{};  // per event
};

/// The history as a log whose events are stamped: a process for each client, and one for the log
/// that all topics make up, in which a message stands where it was first acknowledged or observed.
///
/// Clients learn from each other directly; the log's process learns from publishes, and nobody from
/// it: the clocks of clients stay what the checker's order says. Every client counts all its
/// events, from 1 by steps of 1, also one whose publish ended info: there the log knows P1 edges
/// that the checker drops. Messages that failed are publishes without a name.
///
/// Sends, receives and writes are marked, a topic being the resource. Without lines.
[[nodiscard]] StampedLog stamped_log_of(const History& history);

/// What `stamped_log_of` calls the log's process: "log", with underscores in front if a client is
/// called that.
std::string log_lane_of(const History& history);

}  // namespace causalcheck
