#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "checker/verdict.h"
#include "harness/history_file.h"

namespace causalcheck {

/// A run as a sequence of records for a live view, in the order in which it recorded them.
///
/// Each record is one JSON object (docs/report.md, "The live view"), told by its "type":
///
///     run                opens: clients, topics, what is judged, where the run comes from
///     called, returned   an operation's call, and its return with what it brought
///     message_held       a message that was received and has to wait: blocked_by says for what
///     message_delivered  it goes, by the delivery of another; or is given up
///     fault_begins, fault_ends, left
///     ended              the verdict, and the violations as the data block has them
///
/// Every record but the first carries "so_far", what the checker knew by then.
struct LiveRun {
  std::vector<std::string> records{};
  HistoryFile file{};
  Report report{};
};

/// The records of `file`, judged on the way. `title` says where the run comes from.
[[nodiscard]] LiveRun live_run_of(HistoryFile file, Grounding grounding, const std::string& title);

}  // namespace causalcheck
