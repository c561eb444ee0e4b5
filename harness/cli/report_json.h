#pragma once

#include <string>

#include "checker/history.h"
#include "checker/verdict.h"

namespace causalcheck::cli {

/// `report` as one JSON object, as `check --json` prints it: verdict, guarantees by id, violations
/// (each once, with its sentence, clauses and operations), counts. Ends with a newline.
std::string report_to_json(const Report& report, const History& history);

}  // namespace causalcheck::cli
