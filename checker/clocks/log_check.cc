#include "checker/clocks/log_check.h"

#include <algorithm>

#include "checker/history.h"

namespace causalcheck {
namespace {

class Check {
 public:
  explicit Check(const StampedLog& log) : log_(log), of_process_(log.by_process()) {}

  LogCheck result() {
    for (ProcessId p = 0; p < of_process_.size(); ++p) own_entries(p);
    for (ProcessId p = 0; p < of_process_.size(); ++p) entries_of_others(p);
    if (!result_.own_entries_broken) messages();
    std::stable_sort(result_.findings.begin(), result_.findings.end(),
                     [](const LogFinding& a, const LogFinding& b) { return a.event < b.event; });
    if (result_.findings.size() > kLogFindingsMax) result_.findings.resize(kLogFindingsMax);
    return std::move(result_);
  }

 private:
  void report(const LogFinding& finding) {
    ++result_.found;
    const LogFault fault = finding.fault;
    if (fault == LogFault::kOwnNotIncreasing) result_.own_entries_broken = true;
    if (fault == LogFault::kOwnNotIncreasing || fault == LogFault::kEntryWentBack ||
        fault == LogFault::kKnowEachOther || fault == LogFault::kPastIncomplete) {
      result_.clocks_impossible = true;
    }
    if (kept_++ < kKeptOfOneKind) result_.findings.push_back(finding);
  }

  void own_entries(ProcessId p) {
    kept_ = 0;
    StampedIndex before = kNoStamped;
    Tick last = 0;
    for (const StampedIndex event : of_process_[p]) {
      const Tick own = log_.events()[event].own;
      if (own <= last) {
        report({LogFault::kOwnNotIncreasing, event, before, p, own, last + 1});
      } else if (own > last + 1) {
        ++result_.gaps;
        result_.first_gap = std::min(result_.first_gap, event);
      }
      before = event;
      last = own;
    }
  }

  void entries_of_others(ProcessId p) {
    kept_ = 0;
    StampedIndex before = kNoStamped;
    for (const StampedIndex event : of_process_[p]) {
      if (before != kNoStamped) went_back(before, event);
      for (std::uint32_t i = 0; i < log_.entry_count(event); ++i) {
        const ClockEntry entry = log_.entry_at(event, i);
        const Tick known = before == kNoStamped ? 0 : log_.entry(before, entry.process);
        if (entry.process == p || entry.tick <= known || result_.own_entries_broken) continue;
        learned(event, entry, known);
      }
      before = event;
    }
  }

  void went_back(StampedIndex before, StampedIndex event) {
    for (std::uint32_t i = 0; i < log_.entry_count(before); ++i) {
      const ClockEntry entry = log_.entry_at(before, i);
      if (entry.process == log_.events()[event].process) continue;
      const Tick now = log_.entry(event, entry.process);
      if (now >= entry.tick) continue;
      report({LogFault::kEntryWentBack, event, before, entry.process, now, entry.tick});
    }
  }

  /// `event` is the first of its process that knows so much of another one.
  void learned(StampedIndex event, const ClockEntry& entry, Tick known_before) {
    const auto& theirs = of_process_[entry.process];
    const Tick done = theirs.empty() ? 0 : log_.events()[theirs.back()].own;
    if (entry.tick > done && (known_before <= done)) {
      report({LogFault::kKnowsMoreThanDone, event, theirs.empty() ? kNoStamped : theirs.back(),
              entry.process, entry.tick, done});
    }
    const StampedIndex source = last_until(log_, theirs, entry.tick);
    if (source == kNoStamped) return;
    const StampedEvent& learner = log_.events()[event];
    const Tick back = log_.entry(source, learner.process);
    if (back >= learner.own) {
      report({LogFault::kKnowEachOther, event, source, learner.process, learner.own, back});
      return;
    }
    for (std::uint32_t i = 0; i < log_.entry_count(source); ++i) {
      const ClockEntry past = log_.entry_at(source, i);
      const Tick here = log_.entry(event, past.process);
      if (here >= past.tick) continue;
      report({LogFault::kPastIncomplete, event, source, past.process, here, past.tick});
      return;
    }
  }

  void messages() {
    kept_ = 0;
    std::vector<StampedIndex> sender(log_.names.size(), kNoStamped);
    for (StampedIndex i = 0; i < log_.events().size(); ++i) {
      const StampedEvent& event = log_.events()[i];
      if (event.sends == kNoName) continue;
      StampedIndex& first = sender[event.sends];
      if (first == kNoStamped) {
        first = i;
      } else {
        report({LogFault::kSentTwice, i, first, event.process, event.own, 0});
      }
    }
    for (StampedIndex i = 0; i < log_.events().size(); ++i) {
      const StampedEvent& event = log_.events()[i];
      if (event.receives == kNoName || sender[event.receives] == kNoStamped) continue;
      const StampedEvent& send = log_.events()[sender[event.receives]];
      const Tick known = log_.entry(i, send.process);
      if (known >= send.own) continue;
      report(
          {LogFault::kReceivedUnknown, i, sender[event.receives], send.process, known, send.own});
    }
  }

  static constexpr std::size_t kKeptOfOneKind = kLogFindingsMax;

  const StampedLog& log_;
  std::vector<std::vector<StampedIndex>> of_process_;
  std::size_t kept_ = 0;  // of the process and the rule at hand
  LogCheck result_{};
};

std::string events_of(Tick count) {
  return std::to_string(count) + (count == 1 ? " event" : " events");
}

}  // namespace

LogCheck check_log(const StampedLog& log) { return Check(log).result(); }

std::string place_of(StampedIndex event, const StampedLog& log) {
  const StampedEvent& e = log.events()[event];
  if (e.line != 0) return "line " + std::to_string(e.line);
  return event_symbol(log.processes[e.process], static_cast<std::uint32_t>(e.own));
}

std::string to_string(const LogFinding& finding, const StampedLog& log) {
  const StampedEvent& event = log.events()[finding.event];
  const std::string& who = log.processes[event.process];
  const std::string& about = log.processes[finding.about];
  const std::string other = finding.other == kNoStamped ? "" : place_of(finding.other, log);
  std::string text = place_of(finding.event, log) + ": ";
  switch (finding.fault) {
    case LogFault::kOwnNotIncreasing:
      return text + "the own entry of " + who + " is " + std::to_string(finding.found) + " after " +
             std::to_string(finding.expected - 1) + " in " + other +
             ": each event must count one more, and a restarted process needs a fresh name";
    case LogFault::kEntryWentBack:
      return text + who + " knows " + events_of(finding.found) + " of " + about + ", but knew " +
             std::to_string(finding.expected) + " in " + other;
    case LogFault::kKnowsMoreThanDone:
      text += who + " knows " + events_of(finding.found) + " of " + about;
      if (other.empty()) return text + ", of which the log holds none";
      return text + ", whose log ends at " + std::to_string(finding.expected) + " in " + other;
    case LogFault::kKnowEachOther:
      return text + "this event of " + who + " and the one in " + other + " each know the other";
    case LogFault::kPastIncomplete:
      return text + who + " knows the event in " + other + ", but only " +
             events_of(finding.found) + " of " + about + ", of which that one knew " +
             std::to_string(finding.expected);
    case LogFault::kSentTwice:
      return text + who + " sends " + log.names[event.sends] + ", which was sent in " + other;
    case LogFault::kReceivedUnknown:
      return text + who + " receives " + log.names[event.receives] + ", sent in " + other +
             " as event " + std::to_string(finding.expected) + " of " + about +
             ", but knows only " + events_of(finding.found) + " of " + about +
             ": the clock was lost on the way";
  }
  return text;
}

}  // namespace causalcheck
