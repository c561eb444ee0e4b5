#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "checker/clocks/vector_clock.h"

namespace causalcheck {

/// An index into StampedLog::events.
using StampedIndex = std::uint32_t;
inline constexpr StampedIndex kNoStamped = std::numeric_limits<StampedIndex>::max();
/// An index into StampedLog::names: of a message or of a resource.
using NameId = std::uint32_t;
inline constexpr NameId kNoName = std::numeric_limits<NameId>::max();

/// One event of a process, with what its line says about it.
struct StampedEvent {
  ProcessId process = 0;
  NameId sends = kNoName;     // the message that it sends
  NameId receives = kNoName;  // the message that is delivered in it
  NameId writes = kNoName;    // the resource that it writes to
  Tick own = 0;               // its process's entry in its clock, 1 or more
  std::uint64_t line = 0;     // where it stands in the file, from 1; 0: in none
  bool operator==(const StampedEvent&) const = default;
};

/// A log of one execution whose events carry vector clocks, from wherever. Entries that are 0 are
/// not kept, and an entry that is missing is 0. A value.
///
/// Nothing is promised about the clocks: log_check.h says whether they are possible. Twelve bytes
/// an entry, and the text of the events.
class StampedLog {
 public:
  std::vector<std::string> processes{};
  std::vector<std::string> names{};  // of messages and resources

  [[nodiscard]] const std::vector<StampedEvent>& events() const { return events_; }
  /// Appends an event with its clock, entries by ascending process and none of them 0. Sets its
  /// `own` from the clock, which must have an entry of its process. `text` is what the line says.
  void add(StampedEvent event, const std::vector<ClockEntry>& clock, std::string_view text);

  [[nodiscard]] std::string_view text(StampedIndex event) const;
  /// How many entries the event's clock has, and each of them.
  [[nodiscard]] std::uint32_t entry_count(StampedIndex event) const;
  [[nodiscard]] ClockEntry entry_at(StampedIndex event, std::uint32_t place) const;
  /// The entry for `process` in the event's clock.
  [[nodiscard]] Tick entry(StampedIndex event, ProcessId process) const;
  [[nodiscard]] VectorClock clock(StampedIndex event) const;

  /// How two events stand to each other, by their clocks alone. Two lookups.
  [[nodiscard]] ClockOrder order(StampedIndex a, StampedIndex b) const;

  /// The events of each process, in the order of the log.
  [[nodiscard]] std::vector<std::vector<StampedIndex>> by_process() const;

 private:
  std::vector<StampedEvent> events_{};
  std::vector<std::uint64_t> entries_end_{};  // per event
  std::vector<std::uint64_t> text_end_{};     // per event
  std::vector<ProcessId> entry_process_{};
  std::vector<Tick> entry_tick_{};
  std::string texts_{};
};

/// The last of `events`, of one process and with own entries that increase, whose own entry is
/// `tick` or less; kNoStamped if there is none. Logarithmic; constant where own entries go by steps
/// of 1.
StampedIndex last_until(const StampedLog& log, const std::vector<StampedIndex>& events, Tick tick);

/// The events in an order in which each comes behind everything that it knows: that of the log
/// where it has this property, else as close to it as the clocks allow. nullopt when there is no
/// such order. The own entries of each process must increase. Linear in the entries, times a
/// logarithm.
[[nodiscard]] std::optional<std::vector<StampedIndex>> causal_order(const StampedLog& log);

}  // namespace causalcheck
