#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <span>

#include "harness/runtime.h"

namespace causalcheck {

/// Whether packets can overtake each other on a link.
enum class LinkOrder : std::uint8_t { kReorders, kFifo };

/// How one direction between two nodes behaves. The three chances together stay below 1000.
struct LinkSettings {
  Time delay_low = std::chrono::microseconds(10);
  Time delay_high = std::chrono::microseconds(150);
  std::uint32_t loss_permille = 0;
  std::uint32_t duplicate_permille = 0;
  /// Chance per packet that the link goes down with it, for `partition_length`.
  std::uint32_t partition_permille = 0;
  Time partition_length = std::chrono::milliseconds(1);
  LinkOrder order = LinkOrder::kReorders;
  bool operator==(const LinkSettings&) const = default;
};

/// When the copies of one packet arrive: none when it is lost, two when it is duplicated.
struct Transit {
  std::array<Time, 2> times{};
  std::uint32_t copies = 0;
  [[nodiscard]] std::span<const Time> arrivals() const { return std::span(times).first(copies); }
};

/// Whether a packet can be lost, or gets through whatever the chances say.
enum class Passage : std::uint8_t { kAtRisk, kAssured };

/// A simulated link: one direction, in virtual time.
///
/// All chance comes from Runtime::choose, where 0 means no trouble: the shortest delay and nothing
/// lost. One draw a packet, one more for each copy of one that is duplicated, none where the
/// settings leave no choice. Knows nothing of what it carries; Network keeps that.
class Link {
 public:
  explicit Link(const LinkSettings& settings) : settings_(settings) {}

  /// Sends one packet at `now`. An assured one waits for a link that is down to come back.
  [[nodiscard]] Transit transmit(Time now, Runtime& runtime, Passage passage = Passage::kAtRisk);

  /// Whether a packet sent at `now` for which nobody waits, such as an acknowledgement, gets lost.
  [[nodiscard]] bool loses(Time now, Runtime& runtime);

  /// Takes the link down until `until`: what is sent meanwhile is lost.
  void cut(Time until) { down_until_ = until; }
  /// Loses the next `packets`, whatever the chances say.
  void lose_next(std::uint32_t packets) { to_lose_ = packets; }

  [[nodiscard]] const LinkSettings& settings() const { return settings_; }
  /// The time in which a packet and its acknowledgement have certainly travelled.
  [[nodiscard]] Time round_trip() const;

 private:
  [[nodiscard]] std::uint32_t trouble() const;
  [[nodiscard]] Time delay(std::uint32_t drawn, std::uint32_t of) const;
  Time arrive(Time at);

  LinkSettings settings_;
  Time down_until_{};
  Time last_arrival_{};
  std::uint32_t to_lose_ = 0;
};

}  // namespace causalcheck
