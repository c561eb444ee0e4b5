#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "checker/history.h"
#include "checker/verdict.h"

namespace causalcheck {

inline constexpr std::uint32_t kNoEvent = std::numeric_limits<std::uint32_t>::max();
inline constexpr OperationIndex kNoOperation = std::numeric_limits<OperationIndex>::max();

/// What the lines of a history say about one message id, taken together.
struct MessageFacts {
  OperationIndex send = kNoOperation;  // the only write line that did not fail
  Position first_write = kNever;       // start of the earliest write line, failed ones included
  bool written = false;                // some write line carries it
  bool failed = false;                 // written, and every write line failed
  bool conflicted = false;             // the id stood for two messages
  bool ok = false;                     // acknowledged
};

/// One event of the history: a publish or an observation.
struct Event {
  Symbol at{};
  OperationIndex operation = 0;
  MessageId message = kNothing;
  bool is_publish = false;
};

/// The events of a history in order of their numbers, with what connects them.
///
/// Built for explanations, pictures and searches that run once per violation; the checker itself
/// does without. Linear in the history, apart from sorting.
struct Timeline {
  std::vector<MessageFacts> messages{};
  std::vector<Event> events{};
  std::vector<std::uint32_t> event_of{};  // per operation, or kNoEvent
  std::vector<std::uint32_t> previous{};  // per event: the client's event before it, or kNoEvent

  /// The publish event of `message`, or kNoEvent.
  [[nodiscard]] std::uint32_t publish_of(MessageId message) const;
  /// Whether the event's P1 edge leads on: every observation, and a publish that ended ok.
  [[nodiscard]] bool leads_on(std::uint32_t event) const;
};

/// What to make of a write that has not returned.
enum class OpenWrites : std::uint8_t {
  kUnknown,    // the history has ended: it never will
  kTakenAsOk,  // it is still growing
};

/// What the lines say of each message id.
std::vector<MessageFacts> message_facts(const History& history,
                                        OpenWrites open = OpenWrites::kUnknown);
Timeline timeline_of(const History& history, OpenWrites open = OpenWrites::kUnknown);

/// The outcome of `operation`, in a history that has ended.
inline Outcome final_outcome(const Operation& operation) {
  return operation.end == kNever ? Outcome::kInfo : operation.outcome;
}

/// Whether `operation` is a read whose answer is a message that counts as observed: ok, with a slot
/// where the run has slots, of a message written to that topic that neither failed nor is
/// conflicted.
bool is_observation(const History& history, const std::vector<MessageFacts>& facts,
                    const Operation& operation);

/// The indices of all operations, by start; at one start by index.
std::vector<OperationIndex> by_start(const History& history);

}  // namespace causalcheck
