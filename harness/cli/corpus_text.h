#pragma once

#include <string>
#include <vector>

#include "checker/verdict.h"
#include "harness/corpus.h"

namespace causalcheck::cli {

/// What became of the plans saved in `folder`, one a line after the counts.
[[nodiscard]] std::string corpus_to_text(const std::string& folder, const CorpusResult& result);

/// One JSON object, for a campaign that ended at its corpus.
[[nodiscard]] std::string corpus_to_json(const CampaignOptions& options, const CorpusResult& result,
                                         const std::string& command);

/// `campaign`, one JSON object that ends in `verdict`, with what became of the corpus and what was
/// saved to it.
[[nodiscard]] std::string with_corpus(const std::string& campaign, Verdict verdict,
                                      const CorpusResult& result,
                                      const std::vector<std::string>& saved);

/// The verdict of a campaign and its corpus: breaks before unknown before holds.
[[nodiscard]] Verdict both(Verdict campaign, Verdict corpus);

}  // namespace causalcheck::cli
