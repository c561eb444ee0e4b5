#pragma once

#include <rapidcheck/Gen.h>

#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#include "checker/history.h"

namespace causalcheck::reference {

/// Small histories of every shape: 1 to 5 clients, up to 12 operations, a closing round of feed
/// reads and the drain; all outcomes, slots or none, topics, restarts, overlaps, and things that no
/// correct backend does. Well-formed: no two events of one client at one position.
///
/// The size is not looked at. Shrinks by leaving things out (`simpler`).
rc::Gen<History> random_history();

/// The history with one thing less, for each thing that can be left out: an operation, a fault, a
/// leave, a flag, a claim. Tables stay as they are.
std::vector<History> simpler(const History& history);

/// Leaves out one thing after another as long as `keeps` holds of what remains. Greedy: no single
/// thing can be left out of the result.
History smallest_where(History history, const std::function<bool(const History&)>& keeps);

/// Everything about a history in a few lines: its declaration, its flags, its shorthand, and where
/// the positions say more than the shorthand, its operations one by one.
std::string describe(const History& history);

}  // namespace causalcheck::reference

namespace causalcheck {

/// RapidCheck finds this by argument-dependent look-up and prints it.
void showValue(const History& history, std::ostream& os);

}  // namespace causalcheck
