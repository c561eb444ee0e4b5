#include "checker/clocks/vector_clock.h"

#include <algorithm>
#include <cassert>

namespace causalcheck {
namespace {

ClockOrder order_of(bool some_smaller, bool some_larger) {
  if (some_smaller && some_larger) return ClockOrder::kConcurrent;
  if (some_smaller) return ClockOrder::kBefore;
  return some_larger ? ClockOrder::kAfter : ClockOrder::kEqual;
}

bool any(std::span<const Tick> entries) {
  return std::any_of(entries.begin(), entries.end(), [](Tick tick) { return tick != 0; });
}

}  // namespace

ClockOrder compare(std::span<const Tick> a, std::span<const Tick> b) {
  const std::size_t common = std::min(a.size(), b.size());
  // No early exit: the loop without one is several entries a cycle.
  unsigned smaller = 0;
  unsigned larger = 0;
  for (std::size_t i = 0; i < common; ++i) {
    smaller |= static_cast<unsigned>(a[i] < b[i]);
    larger |= static_cast<unsigned>(a[i] > b[i]);
  }
  return order_of(smaller != 0 || any(b.subspan(common)), larger != 0 || any(a.subspan(common)));
}

VectorClock::VectorClock(std::initializer_list<Tick> entries) : entries_(entries) {
  assert(std::all_of(entries_.begin(), entries_.end(), [](Tick t) { return t <= kTickMax; }));
}

ClockStatus VectorClock::set(ProcessId process, Tick value, std::size_t identities_max) {
  if (process >= identities_max) return ClockStatus::kTooManyIdentities;
  if (value > kTickMax) return ClockStatus::kNearLimit;
  if (process >= entries_.size()) entries_.resize(std::size_t{process} + 1, 0);
  entries_[process] = value;
  return ClockStatus::kOk;
}

ClockStatus VectorClock::tick(ProcessId process, std::size_t identities_max) {
  return set(process, (*this)[process] + 1, identities_max);
}

void VectorClock::merge(const VectorClock& other) {
  if (other.entries_.size() > entries_.size()) entries_.resize(other.entries_.size(), 0);
  for (std::size_t i = 0; i < other.entries_.size(); ++i) {
    entries_[i] = std::max(entries_[i], other.entries_[i]);
  }
}

SparseClock::SparseClock(const VectorClock& dense) {
  for (std::size_t i = 0; i < dense.entries().size(); ++i) {
    const Tick tick = dense.entries()[i];
    if (tick != 0) entries_.push_back({static_cast<ProcessId>(i), tick});
  }
}

namespace {

auto place_of(auto& entries, ProcessId process) {
  return std::lower_bound(entries.begin(), entries.end(), process,
                          [](const ClockEntry& entry, ProcessId p) { return entry.process < p; });
}

}  // namespace

Tick SparseClock::operator[](ProcessId process) const {
  const auto place = place_of(entries_, process);
  return place != entries_.end() && place->process == process ? place->tick : 0;
}

VectorClock SparseClock::dense() const {
  VectorClock clock;
  for (const ClockEntry& entry : entries_) {
    const ClockStatus status = clock.set(entry.process, entry.tick, std::size_t{entry.process} + 1);
    assert(status == ClockStatus::kOk);
    static_cast<void>(status);
  }
  return clock;
}

ClockStatus SparseClock::set(ProcessId process, Tick value, std::size_t identities_max) {
  if (process >= identities_max) return ClockStatus::kTooManyIdentities;
  if (value > kTickMax) return ClockStatus::kNearLimit;
  const auto place = place_of(entries_, process);
  const bool there = place != entries_.end() && place->process == process;
  if (value == 0) {
    if (there) entries_.erase(place);
  } else if (there) {
    place->tick = value;
  } else {
    entries_.insert(place, {process, value});
  }
  return ClockStatus::kOk;
}

ClockStatus SparseClock::tick(ProcessId process, std::size_t identities_max) {
  return set(process, (*this)[process] + 1, identities_max);
}

void SparseClock::merge(const SparseClock& other) {
  std::vector<ClockEntry> both;
  both.reserve(entries_.size() + other.entries_.size());
  auto a = entries_.begin();
  auto b = other.entries_.begin();
  while (a != entries_.end() || b != other.entries_.end()) {
    const bool take_a =
        b == other.entries_.end() || (a != entries_.end() && a->process <= b->process);
    const bool take_b =
        a == entries_.end() || (b != other.entries_.end() && b->process <= a->process);
    if (take_a && take_b) {
      both.push_back({a->process, std::max(a->tick, b->tick)});
    } else {
      both.push_back(take_a ? *a : *b);
    }
    if (take_a) ++a;
    if (take_b) ++b;
  }
  entries_ = std::move(both);
}

ClockOrder compare(const SparseClock& x, const SparseClock& y) {
  bool smaller = false;
  bool larger = false;
  auto a = x.entries_.begin();
  auto b = y.entries_.begin();
  while (a != x.entries_.end() || b != y.entries_.end()) {
    if (b == y.entries_.end() || (a != x.entries_.end() && a->process < b->process)) {
      larger = true;
      ++a;
    } else if (a == x.entries_.end() || b->process < a->process) {
      smaller = true;
      ++b;
    } else {
      smaller = smaller || a->tick < b->tick;
      larger = larger || a->tick > b->tick;
      ++a;
      ++b;
    }
  }
  return order_of(smaller, larger);
}

}  // namespace causalcheck
