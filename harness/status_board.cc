#include "harness/status_board.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>

namespace causalcheck {

StatusBoard::StatusBoard() {
  // A stack with place 0 on top.
  for (std::uint8_t i = 0; i < kPlaces; ++i) free_[i] = static_cast<std::uint8_t>(kPlaces - 1 - i);
}

std::uint8_t StatusBoard::add(std::uint32_t fiber, std::uint32_t client, std::string_view name) {
  if (free_count_ == 0) return kNone;
  const std::uint8_t index = free_[--free_count_];
  Place& place = places_[index];
  std::array<std::uint64_t, kNameWords> words{};
  std::memcpy(words.data(), name.data(), std::min(name.size(), sizeof(words)));
  for (std::size_t i = 0; i < kNameWords; ++i) {
    place.name[i].store(words[i], std::memory_order_relaxed);
  }
  place.fiber.store(fiber, std::memory_order_relaxed);
  place.client.store(client, std::memory_order_relaxed);
  place.waits_for.store(nullptr, std::memory_order_relaxed);
  place.used.store(true, std::memory_order_relaxed);
  return index;
}

void StatusBoard::remove(std::uint8_t place) {
  if (place >= kPlaces) return;
  places_[place].used.store(false, std::memory_order_relaxed);
  free_[free_count_++] = place;
}

std::string StatusBoard::text() const {
  std::string out =
      fmt::format("{} scheduling steps, virtual time {}", steps_.load(std::memory_order_relaxed),
                  virtual_time(Time(now_.load(std::memory_order_relaxed))));
  const std::uint8_t running = running_.load(std::memory_order_relaxed);
  for (std::uint8_t i = 0; i < kPlaces; ++i) {
    const Place& place = places_[i];
    if (!place.used.load(std::memory_order_relaxed)) continue;
    std::array<char, kNameWords * sizeof(std::uint64_t) + 1> name{};
    for (std::size_t word = 0; word < kNameWords; ++word) {
      const std::uint64_t bytes = place.name[word].load(std::memory_order_relaxed);
      std::memcpy(name.data() + word * sizeof(bytes), &bytes, sizeof(bytes));
    }
    fmt::format_to(std::back_inserter(out), "\n  fiber {} \"{}\" of client {}: ",
                   place.fiber.load(std::memory_order_relaxed), name.data(),
                   place.client.load(std::memory_order_relaxed));
    const char* what = place.waits_for.load(std::memory_order_relaxed);
    if (i == running) {
      out += "runs";
    } else if (what != nullptr) {
      fmt::format_to(std::back_inserter(out), "waits for {}", what);
    } else {
      out += "could go on";
    }
  }
  return out;
}

std::string virtual_time(Time time) {
  const auto us = std::chrono::duration_cast<std::chrono::microseconds>(time).count();
  return fmt::format("{}.{:06} s", us / 1'000'000, us % 1'000'000);
}

}  // namespace causalcheck
