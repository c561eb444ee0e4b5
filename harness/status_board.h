#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "harness/runtime.h"

namespace causalcheck {

/// What the scheduler shows of a run to another thread, the watchdog's. A part of the scheduler.
///
/// One thread writes; `text` may be called from any. Everything is an atomic of its own, so what is
/// read while the run goes on may mix two moments; a run that is stuck stands still. Names are cut
/// off after 24 bytes, and of more than 64 live fibers the later ones are not shown.
class StatusBoard {
 public:
  StatusBoard();

  /// Shows a new fiber. The place it got is what the other calls want.
  std::uint8_t add(std::uint32_t fiber, std::uint32_t client, std::string_view name);
  /// The fiber at `place` has come to its end.
  void remove(std::uint8_t place);
  /// The fiber at `place` waits for `what`, a string that lives as long as the program, or for
  /// nothing: nullptr.
  void waits(std::uint8_t place, const char* what) {
    if (place < kPlaces) places_[place].waits_for.store(what, std::memory_order_relaxed);
  }
  /// The fiber at `place` runs from now on; kNone for nobody.
  void runs(std::uint8_t place) { running_.store(place, std::memory_order_relaxed); }
  void steps(std::uint64_t count, Time now) {
    steps_.store(count, std::memory_order_relaxed);
    now_.store(now.count(), std::memory_order_relaxed);
  }

  /// The run so far and each fiber in one line. From any thread.
  [[nodiscard]] std::string text() const;

  static constexpr std::uint8_t kPlaces = 64;
  static constexpr std::uint8_t kNone = kPlaces;

 private:
  static constexpr std::size_t kNameWords = 3;
  struct Place {
    std::atomic<bool> used = false;
    std::atomic<std::uint32_t> fiber = 0;
    std::atomic<std::uint32_t> client = 0;
    std::atomic<const char*> waits_for = nullptr;
    std::array<std::atomic<std::uint64_t>, kNameWords> name{};  // padded with zero bytes
  };

  std::array<Place, kPlaces> places_{};
  std::array<std::uint8_t, kPlaces> free_{};  // a stack; the writer's own
  std::uint8_t free_count_ = kPlaces;
  std::atomic<std::uint8_t> running_ = kNone;
  std::atomic<std::uint64_t> steps_ = 0;
  std::atomic<std::int64_t> now_ = 0;
};

/// A virtual time for people: "0.001234 s".
std::string virtual_time(Time time);

}  // namespace causalcheck
