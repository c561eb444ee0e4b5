#pragma once

#include <CLI/App.hpp>
#include <string>

#include "checker/verdict.h"
#include "harness/refusal.h"
#include "harness/settings.h"

namespace causalcheck::cli {

/// The settings that say how a history is judged, as words from the command line.
struct JudgingWords {
  std::string reads{};
  std::string slots{};
  std::string level{};
  std::string scope{};
  std::string retries{};
  std::string claim{};
  std::string grounding{};
};

/// What they come to.
struct Judging {
  SettingsOverride settings{};
  Grounding grounding = Grounding::kHappenedBefore;
};

/// Adds --level, --claim and --grounding to `command`.
void add_claim_options(CLI::App& command, JudgingWords& words);

/// Adds --reads, --slots, --scope and --retries: for files that do not say so themselves.
void add_file_options(CLI::App& command, JudgingWords& words);

/// Understands the words. Errors: the first that is not known, with the known ones.
[[nodiscard]] Attempt<Judging> understand(const JudgingWords& words);

}  // namespace causalcheck::cli
