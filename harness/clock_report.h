#pragma once

#include <cstdint>
#include <string>

#include "checker/verdict.h"
#include "harness/refusal.h"
#include "harness/shiviz.h"

namespace causalcheck {

/// What is asked of a log with vector clocks.
enum class ClockQuestion : std::uint8_t {
  kCheck,  // are the clocks possible, and was delivery causal
  kCut,    // the latest consistent cut from the tails, or the cuts at one event
  kRaces,  // concurrent writes to one resource
};

struct ClockRequest {
  ClockQuestion question = ClockQuestion::kCheck;
  ShivizOptions format{};
  std::uint64_t window_events = 0;  // of kRaces (checker/clocks/races.h)
  std::string at{};                 // of kCut: "A:3", or in a history "A3"; empty: the tails
};

/// The answer for people, and what it comes to: kHolds when there is nothing to find fault with,
/// kBreaks when there is, kUnknown when the log does not allow an answer.
struct ClockAnswer {
  Verdict verdict = Verdict::kUnknown;
  std::string text{};  // ends with a newline
};

/// Answers `request` about `file`, the content of a log in ShiViz's format or of a history file.
///
/// A history is one without an expression that starts with a brace; its events get their clocks
/// from `stamped_log_of`. Each execution of a log is answered on its own, and the worst answer
/// counts. Errors: what cannot be read (parse_shiviz, parse_history), an event that is not there.
[[nodiscard]] Attempt<ClockAnswer> answer_about_clocks(std::string file,
                                                       const ClockRequest& request);

}  // namespace causalcheck
