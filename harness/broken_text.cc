#include "harness/broken_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace causalcheck {

BrokenGuarantee broken_text(const CampaignOptions& options, const CampaignResult& result,
                            Guarantee id) {
  const GuaranteeExamples& examples = result.examples[static_cast<std::size_t>(id)];
  const GuaranteeTally& tally = result.summary[id];
  BrokenGuarantee said = examples.lowest;
  said.guarantee = id;
  const std::uint64_t seed = examples.seeds.empty() ? 0 : examples.seeds.front();
  // The kind of violation that this seed is the example of, if it is one.
  const auto found = std::find_if(result.found.begin(), result.found.end(),
                                  [&](const FoundViolation& f) { return f.seed == seed; });
  std::string shrunk;
  if (found != result.found.end() && !found->shrunk_explanation.empty()) {
    const auto same = std::find_if(found->shrunk_broken.begin(), found->shrunk_broken.end(),
                                   [&](const BrokenGuarantee& b) { return b.guarantee == id; });
    if (same != found->shrunk_broken.end()) {
      said = *same;
      shrunk = fmt::format("This is the run of seed {} shrunk from {} events to {}.\n", seed,
                           found->events, found->shrunk_events);
    }
  }
  std::string& text = said.explanation;
  text += fmt::format("It broke in {} of {} runs judged; seed{} {}{}.\n", tally.runs_broken,
                      tally.runs_judged, examples.seeds.size() == 1 ? "" : "s",
                      fmt::join(examples.seeds, ", "),
                      tally.runs_broken > examples.seeds.size() ? " and others" : "");
  text += shrunk;
  if (found != result.found.end()) {
    if (!shrunk.empty() && !found->shrunk_folder.empty()) {
      text += fmt::format("Artifact: {}\nAgain: {}\n", found->shrunk_folder,
                          again_command(options, found->shrunk_folder));
    }
    if (!found->folder.empty()) {
      text += fmt::format("Artifact: {}\nAgain: {}\n", found->folder,
                          again_command(options, found->folder));
    }
  }
  text += fmt::format("Again: {}\n", again_command(options, seed));
  return said;
}

}  // namespace causalcheck
