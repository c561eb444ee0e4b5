#pragma once

#include <cstddef>
#include <vector>

#include "checker/clocks/history_clocks.h"
#include "checker/history.h"
#include "checker/timeline.h"
#include "checker/verdict.h"

namespace causalcheck {

/// Up to this many events a page holds the whole run: a campaign's runs of 100,000, which end with
/// some more.
inline constexpr std::size_t kPageEventsMax = 110'000;
/// What a larger one holds of the causal past of its conflicts, the latest events first, and of the
/// operations either side of each event of a conflict; without a conflict, of its start and its
/// end.
inline constexpr std::size_t kPagePastMax = 10'000;
inline constexpr std::size_t kPageNeighbours = 1'000;
inline constexpr std::size_t kPageEndsMax = 10'000;

/// The operations of `history` that a page holds, ascending: all of a small run; of a larger one
/// the conflicts of `report`, their causal past, a window round each of their events, and the
/// publishes of what any of these observed.
[[nodiscard]] std::vector<OperationIndex> operations_for_page(const Report& report,
                                                              const History& history,
                                                              const Timeline& timeline);

}  // namespace causalcheck
