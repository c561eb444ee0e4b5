#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace causalcheck {

/// A set of a few numbers, sorted, that can be asked for its k-th member. Keeps its memory when
/// cleared. Finding, adding and removing take time linear in the size, which is faster than any
/// tree or bit trick for the dozen fibers or clients that it is made for.
class IdSet {
 public:
  /// Adds `id`, which must not be in the set.
  void insert(std::uint32_t id) {
    const std::size_t at = rank(id);
    assert(at == ids_.size() || ids_[at] != id);
    ids_.insert(ids_.begin() + static_cast<std::ptrdiff_t>(at), id);
  }

  /// Removes `id`, which must be in the set.
  void erase(std::uint32_t id) {
    const std::size_t at = rank(id);
    assert(at < ids_.size() && ids_[at] == id);
    ids_.erase(ids_.begin() + static_cast<std::ptrdiff_t>(at));
  }

  void clear() { ids_.clear(); }

  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(ids_.size()); }
  [[nodiscard]] bool empty() const { return ids_.empty(); }

  /// The member that has `k` members below it. `k` must be less than size().
  [[nodiscard]] std::uint32_t nth(std::uint32_t k) const {
    assert(k < ids_.size());
    return ids_[k];
  }

  /// How many members are less than `id`. Counts them all: a search that stops at the right place
  /// stops at an unpredictable one, and the mispredicted branch costs more.
  [[nodiscard]] std::uint32_t rank(std::uint32_t id) const {
    std::uint32_t below = 0;
    for (const std::uint32_t member : ids_) below += member < id ? 1 : 0;
    return below;
  }

  [[nodiscard]] auto begin() const { return ids_.begin(); }
  [[nodiscard]] auto end() const { return ids_.end(); }

 private:
  std::vector<std::uint32_t> ids_{};
};

}  // namespace causalcheck
