#include "harness/report/window.h"

#include <algorithm>
#include <numeric>

#include "harness/report/conflict.h"

namespace causalcheck {
namespace {

class Window {
 public:
  Window(const Report& report, const History& history, const Timeline& timeline)
      : history_(history), timeline_(timeline), keep_(history.operations.size(), false) {
    for (const ViolationGroup& group : violation_groups(report)) {
      for (const ConflictRow& row : conflict_of(*group.violation, history, timeline).rows) {
        conflict_.push_back(row.operation);
      }
    }
    std::sort(conflict_.begin(), conflict_.end());
    conflict_.erase(std::unique(conflict_.begin(), conflict_.end()), conflict_.end());
  }

  std::vector<OperationIndex> take() {
    if (conflict_.empty()) {
      ends();
    } else {
      for (const OperationIndex i : conflict_) keep_[i] = true;
      neighbours();
      past();
    }
    publishes();
    std::vector<OperationIndex> kept;
    for (OperationIndex i = 0; i < keep_.size(); ++i) {
      if (keep_[i]) kept.push_back(i);
    }
    return kept;
  }

 private:
  void ends() {
    const std::vector<OperationIndex> order = by_start(history_);
    const std::size_t count = std::min(order.size(), kPageEndsMax);
    for (std::size_t i = 0; i < count; ++i) {
      keep_[order[i]] = true;
      keep_[order[order.size() - 1 - i]] = true;
    }
  }

  void neighbours() {
    const std::vector<OperationIndex> order = by_start(history_);
    for (std::size_t at = 0; at < order.size(); ++at) {
      if (!std::binary_search(conflict_.begin(), conflict_.end(), order[at])) continue;
      const std::size_t from = at < kPageNeighbours ? 0 : at - kPageNeighbours;
      const std::size_t to = std::min(order.size(), at + kPageNeighbours + 1);
      for (std::size_t i = from; i < to; ++i) keep_[order[i]] = true;
    }
  }

  void past() {
    const EventClocks clocks(history_, timeline_);
    std::vector<std::uint32_t> ends;
    for (const OperationIndex i : conflict_) {
      if (timeline_.event_of[i] != kNoEvent) ends.push_back(timeline_.event_of[i]);
    }
    std::size_t left = kPagePastMax;
    for (auto e = static_cast<std::uint32_t>(timeline_.events.size()); e-- > 0 && left > 0;) {
      const bool before = std::any_of(ends.begin(), ends.end(), [&](std::uint32_t end) {
        return clocks.order(e, end) == ClockOrder::kBefore;
      });
      if (!before) continue;
      keep_[timeline_.events[e].operation] = true;
      --left;
    }
  }

  /// An observation without the publish of its message would point to nothing.
  void publishes() {
    for (OperationIndex i = 0; i < keep_.size(); ++i) {
      const MessageId message = history_.operations[i].message;
      if (!keep_[i] || message == kNothing) continue;
      const OperationIndex send = timeline_.messages[message].send;
      if (send != kNoOperation) keep_[send] = true;
    }
  }

  const History& history_;
  const Timeline& timeline_;
  std::vector<bool> keep_;
  std::vector<OperationIndex> conflict_{};
};

}  // namespace

std::vector<OperationIndex> operations_for_page(const Report& report, const History& history,
                                                const Timeline& timeline) {
  if (timeline.events.size() > kPageEventsMax) return Window(report, history, timeline).take();
  std::vector<OperationIndex> all(history.operations.size());
  std::iota(all.begin(), all.end(), 0U);
  return all;
}

}  // namespace causalcheck
