#pragma once

#include <cstdint>

namespace causalcheck {

/// What SplitMix64 adds to its state for each number, and what it makes of the state (Steele, Lea
/// and Flood 2014). The same on every machine; neighbouring states have nothing in common.
inline constexpr std::uint64_t kSplitMixGamma = 0x9E3779B97F4A7C15ULL;
constexpr std::uint64_t split_mix(std::uint64_t z) {
  z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27U)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31U);
}

}  // namespace causalcheck
