#include <CLI/CLI.hpp>
#include <memory>

#include "harness/cli/commands.h"
#include "harness/cli/output.h"
#include "harness/clock_report.h"
#include "harness/files.h"

namespace causalcheck::cli {
namespace {

struct ClocksArguments {
  std::string path{};
  ClockRequest request{};
  bool check = false;
  bool cut = false;
  bool races = false;
  bool skip_other_lines = false;
};

ExitCode run_clocks(const ClocksArguments& arguments) {
  ClockRequest request = arguments.request;
  if (arguments.cut || !request.at.empty()) request.question = ClockQuestion::kCut;
  if (arguments.races || request.window_events > 0) request.question = ClockQuestion::kRaces;
  if (arguments.skip_other_lines) request.format.other_lines = OtherLines::kSkip;
  Attempt<std::string> file = read_file(arguments.path);
  if (!file) return refuse(file.error().text);
  const Attempt<ClockAnswer> answer = answer_about_clocks(*std::move(file), request);
  if (!answer) return refuse(arguments.path + ": " + answer.error().text);
  print(answer->text);
  return exit_code_of(answer->verdict);
}

}  // namespace

void add_clocks(CLI::App& program, Action& action) {
  const auto arguments = std::make_shared<ClocksArguments>();
  ClockRequest& request = arguments->request;
  CLI::App* command = program.add_subcommand(
      "clocks",
      "Ask a log with vector clocks: are they possible, where is the latest consistent "
      "cut, which writes race");
  command
      ->add_option("log", arguments->path,
                   "A log in ShiViz's format from whatever system, a history file, or -")
      ->required()
      ->type_name("FILE");
  CLI::Option* check = command->add_flag(
      "--check", arguments->check,
      "Are the clocks possible, and did marked messages arrive in causal order (the default)");
  CLI::Option* cut = command->add_flag("--cut", arguments->cut,
                                       "The latest consistent cut from the tails of the logs");
  CLI::Option* races =
      command->add_flag("--races", arguments->races, "Concurrent writes to one resource");
  CLI::Option* at =
      command
          ->add_option("--at", request.at,
                       "With --cut: what the event knows and what was recorded until then")
          ->type_name("HOST:N");
  CLI::Option* window = command
                            ->add_option("--window", request.window_events,
                                         "With --races: leave out what is more events apart")
                            ->type_name("N")
                            ->check(CLI::PositiveNumber);
  check->excludes(cut)->excludes(races)->excludes(at)->excludes(window);
  cut->excludes(races)->excludes(window);
  at->excludes(races)->excludes(window);
  command
      ->add_option("--parser", request.format.parser,
                   "What an event looks like: a regular expression with the groups host, clock and "
                   "event. Otherwise the log's first line says, or it is ShiViz's usual one")
      ->type_name("REGEX");
  command
      ->add_option("--separator", request.format.separator,
                   "What stands between two executions; its group trace names the next one")
      ->type_name("REGEX");
  command->add_flag("--skip-other-lines", arguments->skip_other_lines,
                    "Leave out lines that are no event instead of refusing the log");
  command->footer(
      "  causalcheck clocks govector.log\n"
      "  causalcheck clocks app.log --races --parser '^(?<host>\\w+) (?<clock>{[^}]*}) "
      "(?<event>.*)$'\n"
      "  causalcheck clocks history.jsonl --cut --at C2\n\n"
      "Words in an event's text say more: #send=ID, #receive=ID, #write=RESOURCE. docs/clocks.md "
      "has\n"
      "the format. Exit code: 0 nothing to find fault with (--cut: the tails are consistent), 1 "
      "there\n"
      "is, 2 unknown, 3 the log cannot be read.");
  command->callback(
      [&action, arguments] { action = [arguments] { return run_clocks(*arguments); }; });
}

}  // namespace causalcheck::cli
