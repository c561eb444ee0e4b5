#include <CLI/CLI.hpp>
#include <memory>

#include "checker/clocks/history_clocks.h"
#include "harness/cli/commands.h"
#include "harness/cli/judging_options.h"
#include "harness/cli/output.h"
#include "harness/files.h"
#include "harness/history_file.h"
#include "harness/shiviz.h"

namespace causalcheck::cli {
namespace {

struct ExportArguments {
  std::string path{};
  std::string format = "shiviz";
  std::string out{};
  JudgingWords words{};
};

ExitCode run_export(const ExportArguments& arguments) {
  const Attempt<Judging> judging = understand(arguments.words);
  if (!judging) return refuse(judging.error().text);
  Attempt<HistoryFile> file = read_history(arguments.path);
  if (!file) return refuse(file.error().text);
  History& history = file->history;
  history.declared = apply(judging->settings, history.declared);
  const StampedLog log = stamped_log_of(history);
  if (log.events().empty()) {
    return refuse(arguments.path + ": no publish and no observation to export");
  }
  const std::string text = to_shiviz(log);
  if (arguments.out.empty()) {
    print(text);
    return ExitCode::kHolds;
  }
  const Attempt<void> written = write_file_atomically(arguments.out, text);
  return written ? ExitCode::kHolds : refuse(written.error().text, ExitCode::kInternal);
}

}  // namespace

void add_export(CLI::App& program, Action& action) {
  const auto arguments = std::make_shared<ExportArguments>();
  CLI::App* command =
      program.add_subcommand("export", "Write a history for another program to show");
  command->add_option("history", arguments->path, "A history file, or -")
      ->required()
      ->type_name("FILE");
  command->add_option("--format", arguments->format, "shiviz: a log with vector clocks")
      ->check(CLI::IsMember({"shiviz"}))
      ->capture_default_str();
  command->add_option("-o,--out", arguments->out, "Write to this file instead of standard output")
      ->type_name("FILE");
  add_file_options(*command, arguments->words);
  command->footer(
      "  causalcheck export --format shiviz history.jsonl -o history.log\n\n"
      "A lane for each client and one for the log. Open the file in ShiViz, or ask `causalcheck\n"
      "clocks` about it. docs/clocks.md says what its clocks know.");
  command->callback(
      [&action, arguments] { action = [arguments] { return run_export(*arguments); }; });
}

}  // namespace causalcheck::cli
