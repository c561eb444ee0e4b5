#pragma once

#include "harness/backend.h"
#include "harness/campaign.h"

namespace causalcheck {

/// Shrinks the run behind each violation in `result.found`, on `backend`, one after another and
/// each with the whole budget of `options.shrink`, which must be there. Those that have a folder
/// get a folder "shrunk" in it: the plan from time to time while the search goes on, and everything
/// at the end. What cannot be written, or does not fail again, is added to `result.problems`.
void shrink_found(const CampaignOptions& options, Backend& backend, CampaignResult& result);

}  // namespace causalcheck
