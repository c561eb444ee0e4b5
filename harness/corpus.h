#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "checker/checker.h"
#include "harness/campaign.h"
#include "harness/plan.h"
#include "harness/refusal.h"
#include "harness/run.h"

namespace causalcheck {

inline constexpr std::string_view kCorpusFormat = "causalcheck-corpus";
inline constexpr std::uint64_t kCorpusVersion = 1;

/// A plan that failed once, kept to be run again: what it failed with, and what it was judged by.
struct CorpusEntry {
  std::string fingerprint{};  // the class of the violation
  std::string sentence{};     // and the violation in words
  Declaration judged_by{};    // as far as the command line can change it
  Grounding grounding = Grounding::kHappenedBefore;
  Plan plan{};  // with its choices
};

/// The entry as a file: one JSON object (docs/corpus.md). Equal entries give equal bytes.
[[nodiscard]] std::string corpus_entry_to_json(const CorpusEntry& entry);
/// Whether `text` says that it is one: the rest may still not fit.
[[nodiscard]] bool is_corpus_entry(std::string_view text);
/// Reads what corpus_entry_to_json wrote. Nothing is trusted. Errors: the first thing that does not
/// fit, by name; a plan that is not the one that was saved.
[[nodiscard]] Attempt<CorpusEntry> parse_corpus_entry(std::string_view text);
/// "memory-causal-1a2b3c4d.json": the same for the same plan and class.
[[nodiscard]] std::string corpus_entry_name(const CorpusEntry& entry);

/// What became of a saved plan.
enum class CorpusOutcome : std::uint8_t {
  kFailsStill,      // in the class it was saved with
  kFailsOtherwise,  // in another one
  kFixed,           // it holds
  kNotReplayed,     // it cannot be read, is not what was saved, or does not run
};
[[nodiscard]] std::string_view to_string(CorpusOutcome outcome);

struct CorpusReplay {
  std::string path{};
  CorpusOutcome outcome = CorpusOutcome::kNotReplayed;
  std::string fingerprint{};  // of the violation that it shows now
  std::string text{};         // what it shows now, or why it could not be replayed, for people
};

/// What replaying a folder came to.
struct CorpusResult {
  std::vector<CorpusReplay> replays{};  // by path
  std::uint64_t of_other_backends = 0;  // passed over
  [[nodiscard]] std::uint64_t count(CorpusOutcome outcome) const;
  /// kBreaks when any fails, else kUnknown when one was not replayed, else kHolds.
  [[nodiscard]] Verdict verdict() const;
};

/// Runs every entry of `folder` (its *.json, by name) that was saved for the campaign's backend, as
/// the backend was named, once each. A folder that is not there has no entries.
/// Errors: it cannot be listed; the backend cannot be made.
[[nodiscard]] Attempt<CorpusResult> replay_corpus(const std::string& folder,
                                                  const CampaignOptions& options);

/// Saves what the campaign found to `folder`, which is made when needed, but for classes that
/// `before` shows still. Returns the paths. Errors: what cannot be written.
[[nodiscard]] Attempt<std::vector<std::string>> save_to_corpus(const std::string& folder,
                                                               const CampaignOptions& options,
                                                               const CampaignResult& result,
                                                               const CorpusResult& before);

}  // namespace causalcheck
