#include <CLI/CLI.hpp>
#include <memory>

#include "checker/checker.h"
#include "checker/explain.h"
#include "harness/cli/commands.h"
#include "harness/cli/judging_options.h"
#include "harness/cli/output.h"
#include "harness/cli/report_json.h"
#include "harness/history_file.h"

namespace causalcheck::cli {
namespace {

struct CheckArguments {
  std::string path{};
  JudgingWords words{};
  bool json = false;
};

ExitCode run_check(const CheckArguments& arguments) {
  const Attempt<Judging> judging = understand(arguments.words);
  if (!judging) return refuse(judging.error().text);
  Attempt<HistoryFile> file = read_history(arguments.path);
  if (!file) return refuse(file.error().text);
  History& history = file->history;
  history.declared = apply(judging->settings, history.declared);
  const Report report = check(history, judging->grounding);
  print(arguments.json ? report_to_json(report, history) : explain(report, history));
  return exit_code_of(report.verdict);
}

}  // namespace

void add_check(CLI::App& program, Action& action) {
  const auto arguments = std::make_shared<CheckArguments>();
  CLI::App* command = program.add_subcommand("check", "Judge a recorded history, from anywhere");
  command->add_option("history", arguments->path, "A history file (docs/history-format.md), or -")
      ->required()
      ->type_name("FILE");
  add_file_options(*command, arguments->words);
  add_claim_options(*command, arguments->words);
  command->add_flag("--json", arguments->json, "Print one JSON object");
  command->footer(
      "A history without a header is judged as: slots as its lines show, latest reads, all four\n"
      "session guarantees, level causal, scope all. The options override a header, too.\n\n"
      "  causalcheck check run.jsonl\n"
      "  causalcheck check feed.jsonl --reads feed --level total\n\n"
      "Exit code: 0 holds, 1 breaks, 2 unknown, 3 the file or an argument does not fit.");
  command->callback(
      [&action, arguments] { action = [arguments] { return run_check(*arguments); }; });
}

}  // namespace causalcheck::cli
