#include <CLI/CLI.hpp>
#include <memory>

#include "checker/annotate.h"
#include "checker/checker.h"
#include "checker/explain.h"
#include "checker/holdback.h"
#include "harness/cli/commands.h"
#include "harness/cli/judging_options.h"
#include "harness/cli/output.h"
#include "harness/history_file.h"
#include "harness/hold_events.h"
#include "harness/report/html_report.h"

namespace causalcheck::cli {
namespace {

struct ExplainArguments {
  std::string path{};
  JudgingWords words{};
  bool annotate = false;
  bool full = false;
  bool waits = false;
};

void print_part(std::string_view title, const std::string& lines) {
  if (!lines.empty()) print("\n" + std::string(title) + ":\n" + lines);
}

ExitCode run_explain(const ExplainArguments& arguments) {
  const Attempt<Judging> judging = understand(arguments.words);
  if (!judging) return refuse(judging.error().text);
  Attempt<HistoryFile> file = read_history(arguments.path);
  if (!file) return refuse(file.error().text);
  History& history = file->history;
  history.declared = apply(judging->settings, history.declared);
  const Report report = check(history, judging->grounding);
  if (arguments.annotate || arguments.full) {
    print(annotate(history, arguments.full ? Annotation::kAllClauses : Annotation::kNewClauses,
                   judging->grounding));
  } else {
    print(explain(report, history));
    print_part("the conflict", conflict_text_of(report, history));
    print_part("held back", explain_holds(file->other_lines, history));
  }
  if (arguments.waits) {
    print_part("a causal receiver would have waited",
               explain_waits(causal_waits(history), history));
  }
  return exit_code_of(report.verdict);
}

}  // namespace

void add_explain(CLI::App& program, Action& action) {
  const auto arguments = std::make_shared<ExplainArguments>();
  CLI::App* command =
      program.add_subcommand("explain", "Say in words what broke, and the chain behind it");
  command->add_option("history", arguments->path, "A history file, or -")
      ->required()
      ->type_name("FILE");
  command->add_flag(
      "--annotate", arguments->annotate,
      "Print for each event its number, what it was, the grounding and the clauses it "
      "adds, and the verdict so far");
  command->add_flag("--full", arguments->full,
                    "As --annotate, repeating all clauses so far at each event");
  command->add_flag(
      "--waits", arguments->waits,
      "Print also what a causal receiver in each reader's place would have waited for");
  add_file_options(*command, arguments->words);
  add_claim_options(*command, arguments->words);
  command->footer(
      "  causalcheck explain causalcheck-out/sqlite-8157/history.jsonl\n"
      "  causalcheck explain --annotate run.jsonl\n\n"
      "P1: a client's own order. P2: a publish precedes every observation of it. P3: what a "
      "client\n"
      "observed first was published first. Exit code as of check.");
  command->callback(
      [&action, arguments] { action = [arguments] { return run_explain(*arguments); }; });
}

}  // namespace causalcheck::cli
