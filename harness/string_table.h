#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace causalcheck {

/// Gives each distinct string its index in a vector, in order of first appearance.
///
/// Open addressing over indices, so that the strings live in the vector alone and may move with it.
/// Asking for the same string twice in a row costs one comparison. The vector must outlive the
/// table and be changed by it only.
class StringTable {
 public:
  explicit StringTable(std::vector<std::string>& names) : names_(names), places_(kPlacesMin) {
    assert(names.empty());
  }

  /// The index of `name`, which is added when it is new.
  std::uint32_t index_of(std::string_view name) {
    if (last_ < names_.size() && names_[last_] == name) return last_;
    if (2 * (names_.size() + 1) > places_.size()) grow();
    const std::size_t hash = std::hash<std::string_view>{}(name);
    std::size_t at = hash & (places_.size() - 1);
    while (places_[at].index != kFree) {
      if (places_[at].tag == tag_of(hash) && names_[places_[at].index] == name) {
        return last_ = places_[at].index;
      }
      at = (at + 1) & (places_.size() - 1);
    }
    assert(names_.size() < kFree);
    last_ = static_cast<std::uint32_t>(names_.size());
    places_[at] = {tag_of(hash), last_};
    names_.emplace_back(name);
    return last_;
  }

 private:
  static constexpr std::size_t kPlacesMin = 64;  // a power of two, as every later size
  static constexpr std::uint32_t kFree = std::numeric_limits<std::uint32_t>::max();

  struct Place {
    std::uint32_t tag = 0;  // the upper half of the hash, to save most comparisons
    std::uint32_t index = kFree;
  };

  static std::uint32_t tag_of(std::size_t hash) { return static_cast<std::uint32_t>(hash >> 32U); }

  void grow() {
    std::vector<Place> places(places_.size() * 2);
    for (std::uint32_t index = 0; index < names_.size(); ++index) {
      const std::size_t hash = std::hash<std::string_view>{}(names_[index]);
      std::size_t at = hash & (places.size() - 1);
      while (places[at].index != kFree) at = (at + 1) & (places.size() - 1);
      places[at] = {tag_of(hash), index};
    }
    places_.swap(places);
  }

  std::vector<std::string>& names_;
  std::vector<Place> places_;
  std::uint32_t last_ = kFree;
};

}  // namespace causalcheck
