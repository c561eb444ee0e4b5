#pragma once

#include <string>

#include "harness/campaign.h"

namespace causalcheck::cli {

/// What a campaign came to, for people: verdict, what each guarantee met, what was exercised, every
/// kind of violation with its explanation and how to run it again. Ends with a newline.
std::string campaign_to_text(const CampaignOptions& options, const CampaignResult& result);

/// The same as one JSON object, as `fuzz --json` prints it: the shape of `check --json`, summed
/// over runs, with seeds, artifacts and the commands that run them again. Ends with a newline.
std::string campaign_to_json(const CampaignOptions& options, const CampaignResult& result,
                             const std::string& command);

/// "1,234,567"
std::string grouped(std::uint64_t number);

/// "1.2 s", "3 min 20 s"
std::string duration_text(std::chrono::nanoseconds time);

}  // namespace causalcheck::cli
