#pragma once

#include <string>

#include "harness/campaign.h"

namespace causalcheck {

/// Everything there is to say of guarantee `id`, which some run of the campaign broke: the sentence
/// (the first line), class, chain and operations, of the shrunk run where there is one; how many
/// runs and which seeds; the commands that run it again; the artifacts. Ends with a newline.
[[nodiscard]] BrokenGuarantee broken_text(const CampaignOptions& options,
                                          const CampaignResult& result, Guarantee id);

}  // namespace causalcheck
