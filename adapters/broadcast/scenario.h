#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/broadcast/broadcast_settings.h"
#include "checker/declaration.h"
#include "harness/history_file.h"
#include "harness/hold_events.h"
#include "harness/refusal.h"
#include "harness/runtime.h"

namespace causalcheck {

/// A broadcast of a scenario: at a time of its own, or as soon as its process has delivered
/// another.
struct ScenarioStep {
  std::string process{};
  std::string message{};
  Time at{};            // when there is no `after`
  std::string after{};  // the message it reacts to
};

/// A link of a scenario that takes its own time.
struct ScenarioLink {
  std::string from{};
  std::string to{};
  Time delay{};
};

/// A packet of a scenario that is lost: the first one that carries `message` from its sender to
/// `to`.
struct ScenarioLoss {
  std::string message{};
  std::string to{};
};

/// A small, fixed run of a broadcast group: who sends what when, over which links. No chance in it.
struct Scenario {
  std::string about{};
  DeliveryOrder order = DeliveryOrder::kCausal;
  Level level = Level::kCausal;  // what the run is judged by
  Retransmit retransmit = Retransmit::kOn;
  std::vector<std::string> processes{};
  Time delay = std::chrono::milliseconds(10);  // of every link that is not listed
  std::vector<ScenarioLink> links{};
  std::vector<ScenarioLoss> lost{};
  std::vector<ScenarioStep> steps{};
};

/// What became of it.
struct ScenarioRun {
  HistoryFile file{};  // its holds are among other_lines
  /// What happened when, a line for each broadcast, hold and delivery; then what still waits.
  std::string timeline{};
  std::vector<HoldEvent> stalled{};
  /// What each process' queue went through, a line each.
  std::string queues{};
};

/// Reads a scenario from JSON (docs/broadcast.md, "Scenarios"). Errors: the first thing that does
/// not fit, by name: an unknown member, a process that is not listed, a message sent twice.
[[nodiscard]] Attempt<Scenario> parse_scenario(std::string_view text);
[[nodiscard]] Attempt<Scenario> read_scenario(const std::string& path);

/// Plays `scenario` to its end. With `order`, in that order instead of its own; judged as before.
[[nodiscard]] ScenarioRun run_scenario(const Scenario& scenario,
                                       std::optional<DeliveryOrder> order = std::nullopt);

/// `immediate`, `fifo`, `causal` or `total`.
[[nodiscard]] std::optional<DeliveryOrder> parse_delivery_order(std::string_view text);

}  // namespace causalcheck
