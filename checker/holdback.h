#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "checker/history.h"
#include "checker/timeline.h"

namespace causalcheck {

/// A message that a causal receiver in a reader's place would have held back.
struct CausalWait {
  MessageId message = kNothing;
  ClientId reader = 0;
  OperationIndex observed = 0;   // the read that brought it
  Position observed_at = 0;      // its event number
  MessageId missing = kNothing;  // the broadcast it waits for first: number `needs` of `process`
  ClientId process = 0;
  std::uint32_t needs = 0;
  std::uint32_t has = 0;
  Position released_at = kNever;     // the event that let it go; kNever: it waits to the end
  MessageId released_by = kNothing;  // the message of that event
  bool operator==(const CausalWait&) const = default;
};

/// What a causal receiver would have waited for, had it been handed what each reader of `history`
/// was handed, in that order, whatever backend that was. In order of the events that brought the
/// messages.
///
/// The receiver is that of Birman, Schiper and Stephenson over all topics, with clocks made from
/// the history: an entry counts a client's acknowledged publishes, not its steps. A publish that
/// ended info has no number: nobody waits for it, and it waits for what its sender knew. A reader
/// of `latest` that skipped a message for good does not wait for it: with latest reads, values may
/// be skipped.
///
/// Over a feed with one topic and no message of unknown outcome, there is a wait exactly when
/// `causal` breaks. Cost: O(events x clients) time, O(messages x clients) memory.
[[nodiscard]] std::vector<CausalWait> causal_waits(const History& history);

/// "C2 waits for B1: needs B 1, has B 0; released by event 5", or "...; never released".
[[nodiscard]] std::string to_string(const CausalWait& wait, const History& history);

/// All waits, one a line, each after its reader: "A: C2 waits for ...". Empty when there are none.
[[nodiscard]] std::string explain_waits(const std::vector<CausalWait>& waits,
                                        const History& history);

}  // namespace causalcheck
