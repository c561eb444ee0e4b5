#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace causalcheck {

/// A process of a broadcast group: the entry of a clock that counts its broadcasts. Dense from 0.
using ProcessId = std::uint32_t;

/// No broadcast: what nothing was released by.
inline constexpr std::uint32_t kNoBroadcast = std::numeric_limits<std::uint32_t>::max();

/// What travels with a broadcast: who sent it, and what it had delivered by then.
///
/// Entries count broadcasts, not steps (Birman, Schiper and Stephenson 1991): receiving ticks
/// nothing.
struct Stamp {
  ProcessId sender = 0;
  /// The sender's own count of its broadcasts, this one included: from 1. 0 is a broadcast that has
  /// no place in that count.
  std::uint32_t number = 0;
  /// By process, how many of its broadcasts the sender had delivered. An entry past the end is 0.
  /// Refers to memory of whoever made the stamp, and has to live until the broadcast is delivered.
  std::span<const std::uint32_t> clock{};
};

/// A broadcast that came in. `message` is whatever the caller knows it by.
struct Arrival {
  std::uint32_t message = 0;
  Stamp stamp{};
};

/// Why a broadcast cannot be delivered yet: `needs` of `process`' broadcasts have to be delivered
/// before it, and only `has` are.
struct Missing {
  ProcessId process = 0;
  std::uint32_t needs = 0;
  std::uint32_t has = 0;
  bool operator==(const Missing&) const = default;
};

/// A broadcast that is delivered now.
struct Delivery {
  std::uint32_t message = 0;
  ProcessId sender = 0;
  bool was_held = false;
  std::uint32_t released_by = kNoBroadcast;  // the message whose delivery let it go, if it was held
};

/// A broadcast that waits.
struct HeldBack {
  std::uint32_t message = 0;
  Missing missing{};  // as it is now
};

/// The condition under which a process delivers a broadcast. Has no state; one object may serve
/// all.
class DeliveryRule {
 public:
  DeliveryRule() = default;
  DeliveryRule(const DeliveryRule&) = delete;
  DeliveryRule& operator=(const DeliveryRule&) = delete;
  virtual ~DeliveryRule() = default;

  /// What has to be delivered before the broadcast of `stamp`, where `delivered` counts what is, by
  /// process; nothing when it can go. What was missing stays missing until that entry reaches
  /// `needs`. REQUIRES: `delivered` has an entry for the sender and for each of the stamp's clock.
  /// Cost: at most linear in the number of processes.
  [[nodiscard]] virtual std::optional<Missing> first_missing(
      const Stamp& stamp, std::span<const std::uint32_t> delivered) const = 0;
};

/// One process' queue of broadcasts that came in and are not delivered yet, with its clock.
class DeliveryQueue {
 public:
  DeliveryQueue() = default;
  DeliveryQueue(const DeliveryQueue&) = delete;
  DeliveryQueue& operator=(const DeliveryQueue&) = delete;
  virtual ~DeliveryQueue() = default;

  /// Takes a broadcast in. Answers what it waits for, or nothing when `next` will hand it out.
  virtual std::optional<Missing> add(const Arrival& arrival) = 0;
  /// Delivers the earliest arrival that can be, and counts it; nothing when all the rest waits.
  [[nodiscard]] virtual std::optional<Delivery> next() = 0;
  /// Delivers the longest waiting one in spite of what it waits for. Nothing when none waits.
  [[nodiscard]] virtual std::optional<Delivery> give_up_oldest() = 0;
  /// The first `number` broadcasts of `process` count as delivered: the process' own, for one.
  virtual void count(ProcessId process, std::uint32_t number) = 0;

  /// By process, the broadcasts delivered. Grows as processes become known.
  [[nodiscard]] virtual std::span<const std::uint32_t> clock() const = 0;
  /// What waits, in order of arrival. Not what `next` is about to hand out.
  [[nodiscard]] virtual std::vector<HeldBack> held() const = 0;
  [[nodiscard]] virtual std::size_t held_count() const = 0;
};

}  // namespace causalcheck
