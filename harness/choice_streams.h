#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "harness/choices.h"

namespace causalcheck {

/// The decisions of a run on threads: one stream for each client's cascade and one for what its
/// Runtime answers, so that what one client draws does not hang on when the others draw.
///
/// Each stream is keyed by the seed and its number. A saved plan has one list: its choices are
/// dealt out to the streams in turn, and `consumed` puts them together in the same way, with 0
/// (nothing special) where a stream drew less than others. Not thread-safe by itself: each stream
/// belongs to whoever guards it.
class ChoiceStreams {
 public:
  /// Forgets the run before. `list`, if any, outlives the call only.
  void begin(std::uint64_t seed, const std::optional<std::vector<std::uint32_t>>& list,
             std::size_t count);

  /// The streams are counted from 0 to what `begin` was told, exclusive.
  [[nodiscard]] Choices& stream(std::size_t index) { return streams_[index]; }

  /// What all streams consumed, as a saved plan holds it.
  [[nodiscard]] std::vector<std::uint32_t> consumed() const;

 private:
  std::deque<Choices> streams_{};
};

}  // namespace causalcheck
