#pragma once

#include <string>

#include "harness/report/conflict.h"

namespace causalcheck {

/// The conflict as a picture for a terminal: a column for each client and log, a row for each
/// operation with the clauses it taught, ASCII only but for names. Ends with a newline; empty when
/// there is nothing to draw.
///
///          B    C    A     log chat
///       2  B1 -----------> #0        B published B1
///       6  |    C1 <------ #0        C observed B1      1  P2 B1 < C1
[[nodiscard]] std::string conflict_text(const Conflict& conflict, const History& history);

}  // namespace causalcheck
