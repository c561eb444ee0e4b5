#pragma once

#include <rapidcheck/Random.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

namespace causalcheck::reference {

/// Draws from RapidCheck's generator, whole numbers only, so that a seed means the same everywhere.
class Chance {
 public:
  explicit Chance(const rc::Random& random) : random_(random) {}

  /// From 0 to n - 1; 0 when n is 0.
  std::size_t below(std::size_t n) {
    return n == 0 ? 0 : static_cast<std::size_t>(random_.next() % n);
  }
  bool percent(std::size_t share) { return below(100) < share; }
  /// An index, drawn by the weights.
  std::size_t weighted(std::initializer_list<std::size_t> weights) {
    std::size_t sum = 0;
    for (const std::size_t weight : weights) sum += weight;
    std::size_t drawn = below(sum);
    std::size_t index = 0;
    for (const std::size_t weight : weights) {
      if (drawn < weight) break;
      drawn -= weight;
      ++index;
    }
    return index;
  }
  template <typename T>
  T pick(const std::vector<T>& from) {
    return from[below(from.size())];
  }

 private:
  rc::Random random_;
};

}  // namespace causalcheck::reference
