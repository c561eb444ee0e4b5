#pragma once

#include <string>

#include "checker/history.h"
#include "checker/verdict.h"

namespace causalcheck {

/// How much the live annotation repeats.
enum class Annotation : std::uint8_t {
  kNewClauses,  // for each event the clauses it adds
  kAllClauses,  // and all clauses so far, each time
};

/// The live annotation: for each event its number, what it was, the grounding and the clauses it
/// adds, and the verdict so far. P3 clauses are those that the declared level speaks about.
///
/// For people and small histories: O(events) per observation.
std::string annotate(const History& history, Annotation annotation,
                     Grounding grounding = Grounding::kHappenedBefore);

}  // namespace causalcheck
