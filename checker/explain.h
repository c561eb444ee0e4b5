#pragma once

#include <string>

#include "checker/history.h"
#include "checker/verdict.h"

namespace causalcheck {

/// "C2", or "A~2.1" for a client that came back.
std::string to_string(const Symbol& symbol, const History& history);

/// "P3 C2 < B1", the text that explanations and the live annotation share.
std::string to_string(const Clause& clause, const History& history);

/// What taught `clause`, in words: "A observed B1".
std::string because(const Clause& clause, const History& history);

/// What one operation did, in words: "A read chat: B1 at slot 0 [4..5]".
std::string describe(const Operation& operation, const History& history);

/// One sentence that names what happened: "A observed C2, which depends on B1, before B1".
std::string sentence(const Violation& violation, const History& history);

/// "contradiction", or "refuted by the recorded order only", or what the slots or the drain say.
std::string_view class_of(const Violation& violation);

/// The sentence, the class, the chain one clause a line with the operation that taught it, and the
/// operations involved. Ends with a newline. A function of its arguments alone.
std::string explain(const Violation& violation, const History& history);

/// Every violation in `report`, explained. Violations of one root are explained once.
std::string explain_violations(const Report& report, const History& history);

/// Everything `report` says of `history`: verdict, each guarantee a line, and the violations.
std::string explain(const Report& report, const History& history);

}  // namespace causalcheck
