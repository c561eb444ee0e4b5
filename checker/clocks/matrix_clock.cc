#include "checker/clocks/matrix_clock.h"

#include <algorithm>
#include <cassert>

namespace causalcheck {

MatrixClock::MatrixClock(ProcessId self, std::size_t processes) : self_(self), rows_(processes) {
  assert(self < processes);
}

ClockStatus MatrixClock::tick() { return rows_[self_].tick(self_, rows_.size()); }

void MatrixClock::merge(const MatrixClock& other) {
  assert(other.rows_.size() == rows_.size());
  for (std::size_t i = 0; i < rows_.size(); ++i) rows_[i].merge(other.rows_[i]);
  rows_[self_].merge(other.rows_[other.self_]);
}

Tick MatrixClock::known_to_all(ProcessId process) const {
  Tick least = rows_.front()[process];
  for (const VectorClock& row : rows_) least = std::min(least, row[process]);
  return least;
}

void UnstableMessages::keep(const StampedMessage& message) {
  const auto place = std::lower_bound(kept_.begin(), kept_.end(), message);
  if (place == kept_.end() || *place != message) kept_.insert(place, message);
}

std::vector<StampedMessage> UnstableMessages::forget_stable(const MatrixClock& clock) {
  std::vector<StampedMessage> stable;
  std::vector<StampedMessage> rest;
  for (const StampedMessage& message : kept_) {
    (clock.is_stable(message) ? stable : rest).push_back(message);
  }
  kept_ = std::move(rest);
  return stable;
}

}  // namespace causalcheck
