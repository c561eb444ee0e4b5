#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <optional>

#include "checker/explain.h"
#include "harness/cli/backend_of.h"
#include "harness/cli/commands.h"
#include "harness/cli/judging_options.h"
#include "harness/cli/output.h"
#include "harness/cli/report_json.h"
#include "harness/corpus.h"
#include "harness/files.h"
#include "harness/history_file.h"
#include "harness/plan_file.h"
#include "harness/run.h"

namespace causalcheck::cli {
namespace {

struct ReplayArguments {
  std::string path{};
  JudgingWords words{};
  std::uint32_t times = 0;  // 0: what suits the backend
  bool json = false;
};

/// What is to be run again, and what it once came to.
struct Recorded {
  Plan plan{};
  std::optional<std::string> history{};  // the recorded bytes
  std::optional<HistoryFile> file{};     // and what they say
  std::optional<CorpusEntry> entry{};    // of a corpus, which has no history
};

/// Reads a plan file, a history with a plan in its header, or a folder with both.
Attempt<Recorded> recorded_at(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const bool folder = fs::is_directory(path, ignored);
  const std::string plan_path = folder ? (fs::path(path) / "plan.json").string() : path;
  const bool is_history = !folder && fs::path(path).extension() == ".jsonl";
  const std::string history_path =
      is_history ? path : (fs::path(plan_path).parent_path() / "history.jsonl").string();

  Recorded recorded;
  if (!folder && !is_history) {
    Attempt<std::string> bytes = read_file(path);
    if (!bytes) return bytes.error();
    if (is_corpus_entry(*bytes)) {
      Attempt<CorpusEntry> entry = parse_corpus_entry(*bytes);
      if (!entry) return Refusal::because(path + ": " + entry.error().text);
      recorded.plan = entry->plan;
      recorded.entry = *std::move(entry);
      return recorded;
    }
  }
  if (is_history || fs::exists(history_path, ignored)) {
    Attempt<std::string> bytes = read_file(history_path);
    if (!bytes) return bytes.error();
    Attempt<HistoryFile> file = read_history(history_path);
    if (!file) return file.error();
    recorded.history = std::move(*bytes);
    recorded.file = std::move(*file);
  }
  const Attempt<LoadedPlan> loaded =
      is_history ? plan_of_config(recorded.file->header.config) : read_plan(plan_path);
  if (!loaded) {
    return is_history
               ? Refusal::because(path +
                                  ": its header holds no plan to run again: " + loaded.error().text)
               : loaded.error();
  }
  if (!loaded->as_saved()) {
    return Refusal::because(plan_path + ": the plan's hash is " + loaded->hash + ", but it says " +
                            loaded->stored_hash +
                            ": it was changed, or saved by another version. It would run something "
                            "else; remove its \"hash\" to run it all the same");
  }
  if (is_history && recorded.file->header.plan_hash != loaded->hash) {
    return Refusal::because(path + ": the header's plan_hash is " +
                            recorded.file->header.plan_hash + ", but its plan has " + loaded->hash +
                            ": it would run something else");
  }
  recorded.plan = loaded->plan;
  return recorded;
}

/// The first guarantee that breaks, as a class: fingerprints are equal for equal kinds.
std::string class_of(const Report& report) {
  for (const Guarantee id : all_guarantees()) {
    if (report[id].violation) return fingerprint(*report[id].violation);
  }
  return {};
}

// What is not made twice by the machine gets so many chances.
constexpr std::uint32_t kTimesOnThreads = 10;

/// How many of the runs with the same violation had the same bytes as well.
std::string identical_too(std::uint32_t identical) {
  if (identical == 0) return {};
  return ", identical history in " + std::to_string(identical);
}

ExitCode run_replay(const ReplayArguments& a) {
  const Attempt<Judging> judging = understand(a.words);
  if (!judging) return refuse(judging.error().text);
  const Attempt<Recorded> recorded = recorded_at(a.path);
  if (!recorded) return refuse(recorded.error().text);
  Result<std::unique_ptr<Backend>> backend = backend_of(recorded->plan.backend);
  if (!backend) return refuse(backend.error().text, exit_code_of(backend.error()));

  RunnerOptions options;
  options.settings = judging->settings;
  if (recorded->file && judging->settings == SettingsOverride{}) {
    options.settings = settings_of(recorded->file->history.declared);
  }
  options.grounding = judging->grounding;
  if (recorded->entry && judging->settings == SettingsOverride{}) {
    options.settings = settings_of(recorded->entry->judged_by);
    options.grounding = recorded->entry->grounding;
  }
  options.instance = "replay";
  Runner runner(*std::move(backend), options);
  std::string before;
  if (recorded->entry) before = recorded->entry->fingerprint;
  if (recorded->file) before = class_of(check(recorded->file->history, options.grounding));

  const bool on_threads = runner.declared().execution == Execution::kThreads;
  const bool in_order = on_threads && recorded->file.has_value();
  const std::uint32_t times = a.times > 0 ? a.times : in_order ? kTimesOnThreads : 1;
  std::uint32_t identical = 0;
  std::uint32_t same_violation = 0;
  RunResult result;     // of the run that is shown
  std::string shown{};  // and its explanation
  std::string json{};
  for (std::uint32_t i = 0; i < times; ++i) {
    RunResult made = in_order ? runner.replay(recorded->plan, recorded->file->history)
                              : runner.run(recorded->plan);
    if (made.failure) return refuse(made.failure->text, exit_code_of(*made.failure));
    const bool same_bytes =
        recorded->history && to_jsonl(runner.history_file(recorded->plan)) == *recorded->history;
    const bool same_class = !before.empty() && class_of(made.report) == before;
    if (same_bytes) ++identical;
    if (same_class) ++same_violation;
    // The first one that shows what was recorded, else the last one.
    if (i > 0 && same_violation > (same_class ? 1U : 0U)) continue;
    result = std::move(made);
    shown = explain(result.report, runner.history());
    if (a.json) json = report_to_json(result.report, runner.history());
  }
  if (a.json) {
    print(json);
    return exit_code_of(result.report.verdict);
  }
  const std::string tries = std::to_string(times);
  if (recorded->entry) {
    print("replay: the saved violation showed in " + std::to_string(same_violation) + " of " +
          tries + " runs\n");
  } else if (!recorded->history) {
    print("replayed " + tries + " time(s); there is no recorded history to compare with\n");
  } else if (identical == times) {
    print("replay: identical history, byte for byte (" + tries + " of " + tries + ")\n");
  } else if (same_violation > 0) {
    print("replay: same violation (" + std::to_string(same_violation) + " of " + tries + ")" +
          identical_too(identical) + "\n");
  } else if (identical > 0) {
    print("replay: identical history, byte for byte (" + std::to_string(identical) + " of " +
          tries + ")\n");
  } else {
    print("replay: not reproduced (" + tries + " tries)\n");
  }
  print(shown);
  return exit_code_of(result.report.verdict);
}

}  // namespace

void add_replay(CLI::App& program, Action& action) {
  const auto a = std::make_shared<ReplayArguments>();
  CLI::App* command = program.add_subcommand("replay", "Run a recorded plan again");
  command
      ->add_option("recorded", a->path,
                   "A plan file, a history with a plan in its header, an artifact folder, or an "
                   "entry of a corpus")
      ->required()
      ->type_name("PATH");
  command
      ->add_option("--times", a->times,
                   "How often; by default once, or 10 times where threads race each other")
      ->check(CLI::Range(1, 1'000'000));
  add_claim_options(*command, a->words);
  command->add_flag("--json", a->json, "Print one JSON object");
  command->footer(
      "  causalcheck replay causalcheck-out/memory-8157\n"
      "  causalcheck replay causalcheck-out/memory-8157/plan.json --times 20\n\n"
      "Says whether the history came out identical, the same violation showed (in k of n runs), "
      "or\n"
      "nothing did, and explains what was found. A backend on threads is made to take its calls "
      "in\n"
      "the recorded order, when the history is there. Exit code as of fuzz.");
  command->callback([&action, a] { action = [a] { return run_replay(*a); }; });
}

}  // namespace causalcheck::cli
