#pragma once

#include <string>
#include <vector>

#include "checker/verdict.h"
#include "harness/history_file.h"

namespace causalcheck {

/// A run that a page shows: what was recorded, and how it was judged.
struct ReportedRun {
  std::string name{};  // "shrunk", "as recorded"; tells runs of one page apart
  const HistoryFile* file = nullptr;
  const Report* report = nullptr;
};

/// The JSON that a page draws its runs from (docs/report.md, "The data block"): tables, columns
/// with an entry for each operation, what came of the run, and nothing that follows from these.
/// Names are as they are in the history.
///
/// Numbers above 2^53 are not exact in a page: positions are then numbered anew in their order, and
/// slots written as strings.
[[nodiscard]] std::string data_block(const std::vector<ReportedRun>& runs, Grounding grounding);

}  // namespace causalcheck
