#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "checker/delivery_queue.h"

namespace causalcheck {

/// The hold-back queue: a broadcast that the rule does not let go waits, and every delivery may let
/// others go, until nothing moves.
///
/// Hands out what a scan from the front, begun again after each delivery, would hand out, in that
/// order. It does not scan: what waits is filed under the entry it waits for, so that a delivery
/// looks only at what waits for its sender's count. Cost: O(processes + log held) for each time a
/// message is looked at; it is looked at once when it comes, and once for each entry it waited for.
class HoldBackQueue final : public DeliveryQueue {
 public:
  /// `rule` must outlive this object.
  explicit HoldBackQueue(const DeliveryRule& rule) : rule_(rule) {}

  std::optional<Missing> add(const Arrival& arrival) override;
  [[nodiscard]] std::optional<Delivery> next() override;
  [[nodiscard]] std::optional<Delivery> give_up_oldest() override;
  void count(ProcessId process, std::uint32_t number) override;
  [[nodiscard]] std::span<const std::uint32_t> clock() const override { return clock_; }
  [[nodiscard]] std::vector<HeldBack> held() const override;
  [[nodiscard]] std::size_t held_count() const override { return held_; }

 private:
  using Place = std::uint32_t;

  struct Item {
    Arrival arrival{};
    std::uint64_t order = 0;  // of its arrival; 0: the place is free
    Missing missing{};
    std::uint32_t released_by = kNoBroadcast;
    bool waits = false;
    bool was_held = false;
  };
  struct Waiter {
    std::uint32_t needs = 0;
    std::uint64_t order = 0;
    Place place = 0;
  };
  struct Ready {
    std::uint64_t order = 0;
    Place place = 0;
  };

  void know(std::size_t processes);
  void wait(Place place, const Missing& missing);
  void raise(ProcessId process, std::uint32_t number, std::uint32_t by);
  void make_ready(Place place);
  Delivery deliver(Place place);

  const DeliveryRule& rule_;
  std::vector<std::uint32_t> clock_{};
  std::vector<std::vector<Waiter>> waiters_{};  // by process, a heap with the smallest need on top
  std::vector<Item> items_{};
  std::vector<Place> free_{};
  std::vector<Ready> ready_{};  // a heap with the earliest arrival on top
  std::uint64_t arrivals_ = 0;
  std::size_t held_ = 0;
};

}  // namespace causalcheck
