#include "checker/clocks/races.h"

#include <algorithm>

namespace causalcheck {
namespace {

/// The writes of one process to one resource, in causal order.
struct Writer {
  ProcessId process = 0;
  std::vector<std::uint32_t> places{};  // into the causal order
};

struct Resource {
  std::vector<Writer> writers{};
  ResourceRaces races{};
};

class Finder {
 public:
  Finder(const StampedLog& log, const RaceOptions& options, std::vector<StampedIndex> order)
      : log_(log), options_(options), order_(std::move(order)), resources_(log.names.size()) {}

  Races found() {
    for (std::uint32_t place = 0; place < order_.size(); ++place) {
      const NameId name = log_.events()[order_[place]].writes;
      if (name != kNoName) write(name, place);
    }
    Races races;
    for (const Resource& resource : resources_) {
      if (resource.races.writes == 0) continue;
      ++races.resources;
      races.writes += resource.races.writes;
      races.pairs += resource.races.pairs;
    }
    for (const NameId name : racing_) races.racing.push_back(std::move(resources_[name].races));
    return races;
  }

 private:
  void write(NameId name, std::uint32_t place) {
    Resource& resource = resources_[name];
    resource.races.resource = name;
    ++resource.races.writes;
    const StampedIndex event = order_[place];
    const ProcessId process = log_.events()[event].process;
    Writer* own = nullptr;
    for (Writer& writer : resource.writers) {
      if (writer.process == process) {
        own = &writer;
      } else {
        hold_against(resource.races, writer, place);
      }
    }
    if (own == nullptr) own = &resource.writers.emplace_back(Writer{process, {}});
    own->places.push_back(place);
  }

  /// Everything before `place` in causal order that its event does not know is concurrent with it.
  /// Of one process it does not know the writes from some one on.
  void hold_against(ResourceRaces& races, const Writer& writer, std::uint32_t place) {
    const StampedIndex event = order_[place];
    const Tick known = log_.entry(event, writer.process);
    const auto own_of = [&](std::uint32_t p) { return log_.events()[order_[p]].own; };
    if (own_of(writer.places.back()) <= known) return;
    auto first = std::partition_point(writer.places.begin(), writer.places.end(),
                                      [&](std::uint32_t p) { return own_of(p) <= known; });
    if (options_.window_events != 0 && place > options_.window_events) {
      const std::uint64_t oldest = place - options_.window_events;
      first = std::partition_point(first, writer.places.end(),
                                   [&](std::uint32_t p) { return p < oldest; });
    }
    if (first == writer.places.end()) return;
    if (races.pairs == 0) racing_.push_back(races.resource);
    races.pairs += static_cast<std::uint64_t>(writer.places.end() - first);
    for (; first != writer.places.end() && races.examples.size() < options_.examples_max; ++first) {
      races.examples.push_back({order_[*first], event});
    }
  }

  const StampedLog& log_;
  RaceOptions options_;
  std::vector<StampedIndex> order_;
  std::vector<Resource> resources_;
  std::vector<NameId> racing_{};
};

}  // namespace

std::optional<Races> find_races(const StampedLog& log, const RaceOptions& options) {
  auto order = causal_order(log);
  if (!order) return std::nullopt;
  return Finder(log, options, *std::move(order)).found();
}

}  // namespace causalcheck
