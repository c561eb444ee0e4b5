#pragma once

#include <optional>

#include "checker/history.h"

namespace causalcheck {

/// Two events of one client at one position: nothing says which came first.
struct EventClash {
  ClientId client = 0;
  Position position = 0;
  OperationIndex operation = 0;  // the second of the two in the order of operations
  bool operator==(const EventClash&) const = default;
};

/// The first operation whose event stands where its client already has one, or nothing. Events are
/// the start of a write and the end of an ok read that found a message (docs/semantics.md,
/// "Words"). Linear while each client's events come in order, which is usual; else it sorts.
[[nodiscard]] std::optional<EventClash> first_event_clash(const History& history);

}  // namespace causalcheck
