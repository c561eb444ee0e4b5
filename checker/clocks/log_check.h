#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "checker/clocks/stamped_log.h"

namespace causalcheck {

/// What can be wrong with the clocks of a log.
enum class LogFault : std::uint8_t {
  kOwnNotIncreasing,   // a process's own entry does not increase from one event to the next
  kEntryWentBack,      // a process knows less of another than it did before
  kKnowsMoreThanDone,  // a process knows more events of another than its log holds
  kKnowEachOther,      // each of two events knows the other
  kPastIncomplete,     // an event is known, but not everything that it knew itself
  kSentTwice,          // two events send messages of one name
  kReceivedUnknown,    // a message is received by an event whose clock does not know its send
};

/// One thing wrong. A value; its text is a function of it and of the log.
struct LogFinding {
  LogFault fault = LogFault::kOwnNotIncreasing;
  StampedIndex event = 0;           // where it shows
  StampedIndex other = kNoStamped;  // the event that it is at odds with, if there is one
  ProcessId about = 0;              // whose entry
  Tick found = 0;                   // what the entry is
  Tick expected = 0;                // what it must be at least, or at most (kKnowsMoreThanDone)
  bool operator==(const LogFinding&) const = default;
};

struct LogCheck {
  /// In order of events; the first kLogFindingsMax of them.
  std::vector<LogFinding> findings{};
  std::uint64_t found = 0;
  /// Own entries that skip values, or do not start at 1: legal, but events may be missing.
  std::uint64_t gaps = 0;
  StampedIndex first_gap = kNoStamped;
  /// Something is wrong with the clocks themselves, so that comparing them says nothing. Knowing
  /// more than the log holds is not of this kind: a log may have been cut short. Nor is what
  /// concerns marked messages.
  bool clocks_impossible = false;
  /// The own entries of some process do not increase. Entries of others were not looked into then.
  bool own_entries_broken = false;
  bool operator==(const LogCheck&) const = default;
};

inline constexpr std::size_t kLogFindingsMax = 100;

/// Whether the clocks of `log` are ones that processes can have come to which count their own
/// events, send their clock with every message and merge what they receive.
///
/// Each fault is reported where it begins, not again for what follows from it. Linear in the
/// entries of the clocks, where an entry that changed costs as many steps as the clock it leads to
/// has.
[[nodiscard]] LogCheck check_log(const StampedLog& log);

/// "line 9: B knows 4 events of A, whose log ends at 3 (line 5)".
std::string to_string(const LogFinding& finding, const StampedLog& log);

/// "line 9", or the event's symbol, "C2", in a log that was not read from a file.
std::string place_of(StampedIndex event, const StampedLog& log);

}  // namespace causalcheck
