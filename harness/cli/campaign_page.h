#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/campaign.h"

namespace causalcheck::cli {

/// What a campaign came to as one HTML file without a script: verdict, what each guarantee met, how
/// often each fault fired and hit, every kind of violation with links to its reports, the time to
/// the first failure, and plots of operations and failures over the time of the campaign.
/// `progress` is what was reported on the way, in order; `folder` is where the file will stand:
/// links are relative to it. Ends with a newline.
std::string campaign_page(const CampaignOptions& options, const CampaignResult& result,
                          std::string_view command, const std::vector<CampaignProgress>& progress,
                          const std::string& folder);

}  // namespace causalcheck::cli
