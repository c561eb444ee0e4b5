#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "harness/split_mix.h"

namespace causalcheck {

/// One run's decisions, consumed one by one: who goes on, what is answered, which fault strikes.
///
/// Drawn lazily from a counter-based generator keyed by the seed, or read from an explicit list (a
/// saved plan). When an explicit list runs out the answer is 0, which by convention means: keep
/// running the current client, no fault. Everything consumed is recorded, so that the list can be
/// saved. Draw at most once per full expression: argument evaluation order differs between
/// compilers.
class Choices {
 public:
  /// Draws from the generator keyed by `seed`. `room` is a list that is not needed any more: its
  /// memory holds what is consumed.
  explicit Choices(std::uint64_t seed, std::vector<std::uint32_t> room = {})
      : seed_(seed), consumed_(std::move(room)) {
    make_room();
  }
  /// Replays `list`, then answers 0.
  explicit Choices(std::vector<std::uint32_t> list, std::vector<std::uint32_t> room = {})
      : explicit_(true), list_(std::move(list)), consumed_(std::move(room)) {
    make_room();
  }

  /// A number in [0, n). n of 0 or 1 answers 0 and consumes nothing.
  std::uint32_t next(std::uint32_t n) {
    if (n <= 1) return 0;
    return record(explicit_ ? replayed(n) : bounded(draw(), n));
  }

  /// True in `permille` of 1000 draws. Recorded as 1 or 0, so that 0 is "no".
  bool chance(std::uint32_t permille) {
    if (permille == 0) return false;
    return record(explicit_ ? replayed(2) : (bounded(draw(), 1000) < permille ? 1U : 0U)) != 0;
  }

  /// As `next`, but an unsaved run answers what `decide()` says. For scheduling strategies, whose
  /// decisions are choices like any other once they are made.
  template <class Decide>
  std::uint32_t next_by(std::uint32_t n, Decide decide) {
    if (n <= 1) return 0;
    return record(explicit_ ? replayed(n) : decide());
  }

  /// Random bits that are not recorded: for a `decide` of next_by, whose outcome is.
  std::uint64_t unrecorded_bits() { return draw(); }

  /// Where in [0, n) the upper half of `bits` falls. n must not be 0.
  static std::uint32_t bounded(std::uint64_t bits, std::uint32_t n) {
    return static_cast<std::uint32_t>(((bits >> 32) * n) >> 32);
  }

  /// All that was consumed so far, in order.
  [[nodiscard]] const std::vector<std::uint32_t>& consumed() const { return consumed_; }
  [[nodiscard]] std::vector<std::uint32_t> take_consumed() { return std::move(consumed_); }

 private:
  static constexpr std::size_t kUsualRun = 512;  // saves a dozen reallocations in each run

  void make_room() {
    consumed_.clear();
    consumed_.reserve(kUsualRun);
  }

  // SplitMix64's finaliser over seed and counter: the same on every machine. One value ahead of its
  // use, so that whoever waits for the decision does not wait for the multiplications as well.
  std::uint64_t draw() {
    const std::uint64_t bits = next_bits_;
    next_bits_ = split_mix(seed_ + kSplitMixGamma * ++counter_);
    return bits;
  }
  std::uint32_t replayed(std::uint32_t n) {
    return cursor_ < list_.size() ? list_[cursor_++] % n : 0;
  }
  std::uint32_t record(std::uint32_t value) {
    consumed_.push_back(value);
    return value;
  }

  std::uint64_t seed_ = 0;
  std::uint64_t counter_ = 1;
  std::uint64_t next_bits_ = split_mix(seed_ + kSplitMixGamma);
  bool explicit_ = false;
  std::vector<std::uint32_t> list_{};
  std::size_t cursor_ = 0;
  std::vector<std::uint32_t> consumed_{};
};

}  // namespace causalcheck
