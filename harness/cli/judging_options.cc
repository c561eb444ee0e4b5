#include "harness/cli/judging_options.h"

#include <CLI/CLI.hpp>
#include <optional>

namespace causalcheck::cli {

void add_claim_options(CLI::App& command, JudgingWords& words) {
  command.add_option("--level", words.level, "Judge this order: fifo, causal or total")
      ->type_name("LEVEL");
  command
      .add_option("--claim", words.claim,
                  "Judge these guarantees instead of the claimed ones: ids with commas between, "
                  "'offered' for what the settings are documented to give, or 'all'")
      ->type_name("LIST");
  command
      .add_option("--grounding", words.grounding,
                  "Read level total by happened-before, or by 'instrumentation': literally by "
                  "event numbers")
      ->type_name("WAY");
}

void add_file_options(CLI::App& command, JudgingWords& words) {
  command
      .add_option("--reads", words.reads,
                  "latest: a read resolves the freshest message; feed: it hands over one after "
                  "another")
      ->type_name("KIND");
  command.add_option("--slots", words.slots, "Positions in the log: none, sparse or contiguous")
      ->type_name("KIND");
  command.add_option("--scope", words.scope, "Where order is promised: topic or all")
      ->type_name("SCOPE");
  command
      .add_option("--retries", words.retries,
                  "Whether an acknowledged message may occupy two slots: none or at-least-once")
      ->type_name("KIND");
}

namespace {

/// Parses `word` into `into` when it was given. Errors: it is not one of `known`.
template <class T>
std::optional<Refusal> take(const std::string& word, const char* option, const char* known,
                            std::optional<T> (*parse)(std::string_view), std::optional<T>& into) {
  if (word.empty()) return std::nullopt;
  into = parse(word);
  if (into) return std::nullopt;
  return Refusal::because(std::string(option) + " knows " + known + ", not \"" + word + "\"");
}

}  // namespace

Attempt<Judging> understand(const JudgingWords& words) {
  Judging judging;
  SettingsOverride& s = judging.settings;
  using Problem = std::optional<Refusal>;
  if (Problem p = take(words.reads, "--reads", "latest and feed", parse_reads, s.reads)) return *p;
  if (Problem p =
          take(words.slots, "--slots", "none, sparse and contiguous", parse_slots, s.slots)) {
    return *p;
  }
  if (Problem p = take(words.level, "--level", "fifo, causal and total", parse_level, s.level)) {
    return *p;
  }
  if (Problem p = take(words.scope, "--scope", "topic and all", parse_scope, s.scope)) return *p;
  if (Problem p =
          take(words.retries, "--retries", "none and at-least-once", parse_retries, s.retries)) {
    return *p;
  }
  if (!words.claim.empty()) {
    Attempt<SettingsOverride> claimed = with_claims(s, words.claim);
    if (!claimed) return Refusal::because("--claim: " + claimed.error().text);
    s = *claimed;
  }
  if (words.grounding == "instrumentation") {
    judging.grounding = Grounding::kInstrumentation;
  } else if (!words.grounding.empty() && words.grounding != "happened-before") {
    return Refusal::because("--grounding knows happened-before and instrumentation, not \"" +
                            words.grounding + "\"");
  }
  return judging;
}

}  // namespace causalcheck::cli
