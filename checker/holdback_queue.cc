#include "checker/holdback_queue.h"

#include <algorithm>

namespace causalcheck {
namespace {

constexpr auto kNeedsMore = [](const auto& a, const auto& b) { return a.needs > b.needs; };
constexpr auto kCameLater = [](const auto& a, const auto& b) { return a.order > b.order; };

}  // namespace

void HoldBackQueue::know(std::size_t processes) {
  if (processes <= clock_.size()) return;
  clock_.resize(processes, 0);
  waiters_.resize(processes);
}

std::optional<Missing> HoldBackQueue::add(const Arrival& arrival) {
  const Stamp& stamp = arrival.stamp;
  know(std::max<std::size_t>(stamp.clock.size(), std::size_t{stamp.sender} + 1));
  Place place = 0;
  if (free_.empty()) {
    place = static_cast<Place>(items_.size());
    items_.emplace_back();
  } else {
    place = free_.back();
    free_.pop_back();
  }
  items_[place] = Item{};
  items_[place].arrival = arrival;
  items_[place].order = ++arrivals_;
  const std::optional<Missing> missing = rule_.first_missing(stamp, clock_);
  if (missing) {
    items_[place].was_held = true;
    ++held_;
    wait(place, *missing);
  } else {
    make_ready(place);
  }
  return missing;
}

void HoldBackQueue::wait(Place place, const Missing& missing) {
  Item& item = items_[place];
  item.waits = true;
  item.missing = missing;
  know(std::size_t{missing.process} + 1);
  std::vector<Waiter>& heap = waiters_[missing.process];
  heap.push_back({missing.needs, item.order, place});
  std::push_heap(heap.begin(), heap.end(), kNeedsMore);
}

void HoldBackQueue::make_ready(Place place) {
  ready_.push_back({items_[place].order, place});
  std::push_heap(ready_.begin(), ready_.end(), kCameLater);
}

// The entry of `process` is at least `number` from now on; whoever waited for that is looked at
// again.
void HoldBackQueue::raise(ProcessId process, std::uint32_t number, std::uint32_t by) {
  if (number <= clock_[process]) return;
  clock_[process] = number;
  std::vector<Waiter>& heap = waiters_[process];
  while (!heap.empty() && heap.front().needs <= number) {
    const Waiter waiter = heap.front();
    std::pop_heap(heap.begin(), heap.end(), kNeedsMore);
    heap.pop_back();
    Item& item = items_[waiter.place];
    // One that was given up, and perhaps its place taken since.
    if (item.order != waiter.order || !item.waits) continue;
    item.waits = false;
    if (const auto missing = rule_.first_missing(item.arrival.stamp, clock_)) {
      wait(waiter.place, *missing);
    } else {
      --held_;
      item.released_by = by;
      make_ready(waiter.place);
    }
  }
}

Delivery HoldBackQueue::deliver(Place place) {
  Item& item = items_[place];
  const Delivery delivery{item.arrival.message, item.arrival.stamp.sender, item.was_held,
                          item.released_by};
  const std::uint32_t number = item.arrival.stamp.number;
  item.order = 0;
  item.waits = false;
  free_.push_back(place);
  raise(delivery.sender, number, delivery.message);
  return delivery;
}

std::optional<Delivery> HoldBackQueue::next() {
  if (ready_.empty()) return std::nullopt;
  const Place place = ready_.front().place;
  std::pop_heap(ready_.begin(), ready_.end(), kCameLater);
  ready_.pop_back();
  return deliver(place);
}

std::optional<Delivery> HoldBackQueue::give_up_oldest() {
  const Item* oldest = nullptr;
  for (const Item& item : items_) {
    if (item.waits && (oldest == nullptr || item.order < oldest->order)) oldest = &item;
  }
  if (oldest == nullptr) return std::nullopt;
  --held_;
  return deliver(static_cast<Place>(oldest - items_.data()));
}

void HoldBackQueue::count(ProcessId process, std::uint32_t number) {
  know(std::size_t{process} + 1);
  raise(process, number, kNoBroadcast);
}

std::vector<HeldBack> HoldBackQueue::held() const {
  std::vector<const Item*> waiting;
  for (const Item& item : items_) {
    if (item.waits) waiting.push_back(&item);
  }
  std::sort(waiting.begin(), waiting.end(),
            [](const Item* a, const Item* b) { return a->order < b->order; });
  std::vector<HeldBack> held;
  held.reserve(waiting.size());
  for (const Item* item : waiting) {
    Missing missing = item->missing;
    missing.has = clock_[missing.process];
    held.push_back({item->arrival.message, missing});
  }
  return held;
}

}  // namespace causalcheck
