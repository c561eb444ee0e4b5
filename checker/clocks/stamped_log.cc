#include "checker/clocks/stamped_log.h"

#include <algorithm>
#include <cassert>
#include <functional>
#include <queue>
#include <utility>

namespace causalcheck {

void StampedLog::add(StampedEvent event, const std::vector<ClockEntry>& clock,
                     std::string_view text) {
  event.own = 0;
  for (const ClockEntry& entry : clock) {
    assert(entry.tick > 0);
    if (entry.process == event.process) event.own = entry.tick;
    entry_process_.push_back(entry.process);
    entry_tick_.push_back(entry.tick);
  }
  assert(event.own > 0);
  events_.push_back(event);
  texts_ += text;
  entries_end_.push_back(entry_process_.size());
  text_end_.push_back(texts_.size());
}

std::string_view StampedLog::text(StampedIndex event) const {
  const std::uint64_t begin = event == 0 ? 0 : text_end_[event - 1];
  return std::string_view(texts_).substr(begin, text_end_[event] - begin);
}

std::uint32_t StampedLog::entry_count(StampedIndex event) const {
  const std::uint64_t begin = event == 0 ? 0 : entries_end_[event - 1];
  return static_cast<std::uint32_t>(entries_end_[event] - begin);
}

ClockEntry StampedLog::entry_at(StampedIndex event, std::uint32_t place) const {
  const std::uint64_t begin = event == 0 ? 0 : entries_end_[event - 1];
  return {entry_process_[begin + place], entry_tick_[begin + place]};
}

Tick StampedLog::entry(StampedIndex event, ProcessId process) const {
  const std::uint64_t begin = event == 0 ? 0 : entries_end_[event - 1];
  const std::uint64_t end = entries_end_[event];
  // A clock that has them all has them in order.
  if (end - begin == processes.size()) return entry_tick_[begin + process];
  const auto first = entry_process_.begin() + static_cast<std::ptrdiff_t>(begin);
  const auto last = entry_process_.begin() + static_cast<std::ptrdiff_t>(end);
  const auto place = std::lower_bound(first, last, process);
  if (place == last || *place != process) return 0;
  return entry_tick_[static_cast<std::size_t>(place - entry_process_.begin())];
}

VectorClock StampedLog::clock(StampedIndex event) const {
  VectorClock clock;
  for (std::uint32_t i = 0; i < entry_count(event); ++i) {
    const ClockEntry e = entry_at(event, i);
    const ClockStatus status = clock.set(e.process, e.tick, processes.size());
    assert(status == ClockStatus::kOk);
    static_cast<void>(status);
  }
  return clock;
}

ClockOrder StampedLog::order(StampedIndex a, StampedIndex b) const {
  if (a == b) return ClockOrder::kEqual;
  if (entry(b, events_[a].process) >= events_[a].own) return ClockOrder::kBefore;
  if (entry(a, events_[b].process) >= events_[b].own) return ClockOrder::kAfter;
  return ClockOrder::kConcurrent;
}

std::vector<std::vector<StampedIndex>> StampedLog::by_process() const {
  std::vector<std::vector<StampedIndex>> lists(processes.size());
  for (StampedIndex i = 0; i < events_.size(); ++i) lists[events_[i].process].push_back(i);
  return lists;
}

StampedIndex last_until(const StampedLog& log, const std::vector<StampedIndex>& events, Tick tick) {
  if (events.empty() || log.events()[events.front()].own > tick) return kNoStamped;
  const Tick first = log.events()[events.front()].own;
  if (tick - first < events.size()) {
    const StampedIndex guess = events[tick - first];
    if (log.events()[guess].own == tick) return guess;
  } else if (log.events()[events.back()].own <= tick) {
    return events.back();
  }
  const auto behind =
      std::upper_bound(events.begin(), events.end(), tick,
                       [&](Tick t, StampedIndex event) { return t < log.events()[event].own; });
  return *std::prev(behind);
}

namespace {

/// Lines up the processes' events, each once everything is out that it knows.
class Sorter {
 public:
  explicit Sorter(const StampedLog& log)
      : log_(log), of_process_(log.by_process()), next_(log.processes.size(), 0) {}

  std::optional<std::vector<StampedIndex>> sorted() {
    waiting_for_.resize(log_.processes.size());
    std::vector<StampedIndex> order;
    order.reserve(log_.events().size());
    for (ProcessId p = 0; p < log_.processes.size(); ++p) offer(p);
    while (!ready_.empty()) {
      const StampedIndex event = ready_.top();
      ready_.pop();
      order.push_back(event);
      const ProcessId p = log_.events()[event].process;
      ++next_[p];
      offer(p);
      for (const ProcessId waiter : std::exchange(waiting_for_[p], {})) offer(waiter);
    }
    if (order.size() != log_.events().size()) return std::nullopt;
    return order;
  }

 private:
  /// Makes the next event of `p` ready, or has it wait for the first process that is not far
  /// enough.
  void offer(ProcessId p) {
    if (next_[p] == of_process_[p].size()) return;
    const StampedIndex event = of_process_[p][next_[p]];
    for (std::uint32_t i = 0; i < log_.entry_count(event); ++i) {
      const ClockEntry entry = log_.entry_at(event, i);
      if (entry.process == p || next_[entry.process] == of_process_[entry.process].size()) continue;
      const StampedIndex missing = of_process_[entry.process][next_[entry.process]];
      if (log_.events()[missing].own > entry.tick) continue;
      waiting_for_[entry.process].push_back(p);
      return;
    }
    ready_.push(event);
  }

  const StampedLog& log_;
  std::vector<std::vector<StampedIndex>> of_process_;
  std::vector<std::size_t> next_;  // per process: into of_process_
  std::vector<std::vector<ProcessId>> waiting_for_{};
  std::priority_queue<StampedIndex, std::vector<StampedIndex>, std::greater<>> ready_{};
};

/// Whether nothing in the log knows an event that stands further on.
bool is_causal(const StampedLog& log) {
  std::vector<std::vector<StampedIndex>> of_process = log.by_process();
  std::vector<std::size_t> next(log.processes.size(), 0);
  for (StampedIndex i = 0; i < log.events().size(); ++i) {
    ++next[log.events()[i].process];
    for (std::uint32_t k = 0; k < log.entry_count(i); ++k) {
      const ClockEntry entry = log.entry_at(i, k);
      const auto& events = of_process[entry.process];
      const std::size_t following = next[entry.process];
      if (following < events.size() && log.events()[events[following]].own <= entry.tick) {
        return false;
      }
    }
  }
  return true;
}

}  // namespace

std::optional<std::vector<StampedIndex>> causal_order(const StampedLog& log) {
  if (!is_causal(log)) return Sorter(log).sorted();
  std::vector<StampedIndex> order(log.events().size());
  for (StampedIndex i = 0; i < order.size(); ++i) order[i] = i;
  return order;
}

}  // namespace causalcheck
