#include "harness/cli/corpus_text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "harness/artifacts.h"

namespace causalcheck::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr CorpusOutcome kOutcomes[] = {CorpusOutcome::kFailsStill, CorpusOutcome::kFailsOtherwise,
                                       CorpusOutcome::kFixed, CorpusOutcome::kNotReplayed};

Json entries(const CorpusResult& result) {
  Json list = Json::array();
  for (const CorpusReplay& replay : result.replays) {
    list.push_back(
        {{"path", replay.path}, {"outcome", to_string(replay.outcome)}, {"text", replay.text}});
  }
  return list;
}

std::string dumped(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace

std::string corpus_to_text(const std::string& folder, const CorpusResult& result) {
  std::string text = fmt::format("corpus {}: {} saved plan{}", folder, result.replays.size(),
                                 result.replays.size() == 1 ? "" : "s");
  for (const CorpusOutcome outcome : kOutcomes) {
    if (const auto count = result.count(outcome)) {
      text += fmt::format(", {} {}", count, to_string(outcome));
    }
  }
  if (result.of_other_backends > 0) {
    text += fmt::format("; {} of other backends passed over", result.of_other_backends);
  }
  text += '\n';
  for (const CorpusReplay& replay : result.replays) {
    text +=
        fmt::format("  {:<15} {}\n    {}\n", to_string(replay.outcome), replay.path, replay.text);
    const bool fails = replay.outcome == CorpusOutcome::kFailsStill ||
                       replay.outcome == CorpusOutcome::kFailsOtherwise;
    if (fails) text += fmt::format("    Again: {}\n", replay_command(replay.path));
  }
  return text;
}

std::string corpus_to_json(const CampaignOptions& options, const CorpusResult& result,
                           const std::string& command) {
  return dumped({{"verdict", to_string(result.verdict())},
                 {"why", "a saved plan fails; no new seeds were run (--keep-going runs them)"},
                 {"backend", options.plan.backend},
                 {"command", command},
                 {"corpus", entries(result)}});
}

std::string with_corpus(const std::string& campaign, Verdict verdict, const CorpusResult& result,
                        const std::vector<std::string>& saved) {
  Json json = Json::parse(campaign);
  if (const Verdict together = both(verdict, result.verdict()); together != verdict) {
    json["verdict"] = to_string(together);
    json["why"] =
        together == Verdict::kBreaks ? "a saved plan fails" : "a saved plan could not be replayed";
  }
  json["corpus"] = entries(result);
  json["saved"] = saved;
  return dumped(json);
}

Verdict both(Verdict campaign, Verdict corpus) {
  for (const Verdict worst : {Verdict::kBreaks, Verdict::kUnknown}) {
    if (campaign == worst || corpus == worst) return worst;
  }
  return Verdict::kHolds;
}

}  // namespace causalcheck::cli
