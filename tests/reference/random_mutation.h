#pragma once

#include "checker/history.h"
#include "tests/reference/chance.h"

namespace causalcheck::reference {

/// No operation ends before it starts, and no two events of one client are at one position.
bool is_well_formed(const History& history);

/// The history with one thing changed at random: what a read shows, a slot, an outcome, a drain
/// line, a position, an id. Well-formed if `history` is; sometimes nothing changes.
History mutated(const History& history, Chance& chance);

}  // namespace causalcheck::reference
