#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "checker/clocks/stamped_log.h"

namespace causalcheck {

struct RaceOptions {
  /// A write is held against those among this many events before it, in causal order; 0: all.
  std::uint64_t window_events = 0;
  /// How many pairs of each resource are named. The others are counted.
  std::size_t examples_max = 3;
};

/// Two writes to one resource, neither of which knows the other.
struct Race {
  StampedIndex first = 0;
  StampedIndex second = 0;
  bool operator==(const Race&) const = default;
};

/// What was found about one resource that is written to concurrently.
struct ResourceRaces {
  NameId resource = 0;
  std::uint64_t writes = 0;
  std::uint64_t pairs = 0;
  std::vector<Race> examples{};  // the first ones
  bool operator==(const ResourceRaces&) const = default;
};

struct Races {
  std::uint64_t resources = 0;  // written to at all
  std::uint64_t writes = 0;
  std::uint64_t pairs = 0;
  std::vector<ResourceRaces> racing{};  // in the order in which their first races show
  bool operator==(const Races&) const = default;
};

/// The concurrent writes of a log, by resource. The clocks must be possible; nullopt when they are
/// not even in any order.
///
/// A write that the clocks do not tie to another although something else did (a lock, a queue, a
/// file that dropped the clock) counts as concurrent: docs/clocks.md, "A hop that drops the clock".
///
/// Each write costs one step, and a logarithm where there is a race, per process that writes to the
/// same resource, however long the log and however many pairs race: counting them lists none.
[[nodiscard]] std::optional<Races> find_races(const StampedLog& log,
                                              const RaceOptions& options = {});

}  // namespace causalcheck
