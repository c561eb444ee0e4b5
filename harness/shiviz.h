#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "checker/clocks/stamped_log.h"
#include "harness/refusal.h"
#include "harness/shiviz_expression.h"

namespace causalcheck {

/// What to do with a line that belongs to no event and no separator.
enum class OtherLines : std::uint8_t {
  kRefuse,  // a mangled line must not go by as if there were nothing to see
  kSkip,    // count it
};

/// How a log is to be read.
struct ShivizOptions {
  /// What an event looks like; with groups host, clock and event, and as docs/clocks.md says.
  /// Empty: what the log's first line says, if it is such an expression, else kShivizParser.
  std::string parser{};
  /// What stands between two executions; a group `trace` names the one that follows. Empty: what
  /// the log's second line says, if the first one is an expression.
  std::string separator{};
  OtherLines other_lines = OtherLines::kRefuse;
  std::size_t hosts_max = kIdentitiesMax;
};

/// One execution of a log.
struct ShivizExecution {
  std::string label{};  // empty when it has none
  StampedLog log{};
};

/// A log from elsewhere, in the format of ShiViz. docs/clocks.md, "Logs from elsewhere".
struct ShivizLog {
  std::vector<ShivizExecution> executions{};  // one at least, with one event at least
  std::uint64_t lines_skipped = 0;
  std::uint64_t first_skipped = 0;  // its line, if there is one
};

/// Reads a log. Nothing is trusted and nothing is guessed.
///
/// Errors: an expression that is none or lacks a group; the first line that does not fit, as
/// `line 7: ...`: a line of no event, a clock that is no JSON object of whole numbers from 0 to
/// 2^62, an event whose own host is not in its clock, a host in a clock of which the log has no
/// event; an execution in which nothing matched, and so an empty log. Cost: linear, but for what
/// the expression backtracks.
[[nodiscard]] Attempt<ShivizLog> parse_shiviz(std::string text, const ShivizOptions& options = {});

/// The log as a file that ShiViz opens and `parse_shiviz` reads back: the expression, an empty line
/// for the separator, and two lines per event. Every entry is written, those that are 0 have no
/// place; names lose their blanks and control characters, and stay apart.
///
/// `log` must satisfy ShiViz: own entries from 1 by steps of 1, of every process it names.
[[nodiscard]] std::string to_shiviz(const StampedLog& log);

}  // namespace causalcheck
