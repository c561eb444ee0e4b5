#pragma once

#include <string>
#include <string_view>

#include "harness/campaign.h"

namespace causalcheck::cli {

/// `text` with nothing that an XML 1.0 document may not hold: each byte of a control character or
/// of broken UTF-8 becomes "\x1B".
[[nodiscard]] std::string xml_text(std::string_view text);

/// What `causalcheck fuzz --junit` writes: one test case for each guarantee of the backend, and one
/// for the campaign itself, which is an error when the verdict is unknown or a run had none.
///
/// A broken guarantee is a failure whose text says everything: sentence, class and chain, of the
/// shrunk run where there is one, the seeds, the commands that run them again, the artifacts. What
/// does not apply, or could not have broken in any run, is skipped and says why. `command` made the
/// campaign. The result is a whole document, in UTF-8.
[[nodiscard]] std::string campaign_to_junit(const CampaignOptions& options,
                                            const CampaignResult& result,
                                            const std::string& command);

/// One annotation for each broken guarantee, or one for a campaign without an answer; each a line.
[[nodiscard]] std::string campaign_to_annotations(const CampaignOptions& options,
                                                  const CampaignResult& result);

}  // namespace causalcheck::cli
