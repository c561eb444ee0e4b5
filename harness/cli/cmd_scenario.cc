#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>

#include "adapters/broadcast/scenario.h"
#include "checker/checker.h"
#include "checker/explain.h"
#include "checker/holdback.h"
#include "harness/cli/commands.h"
#include "harness/cli/judging_options.h"
#include "harness/cli/output.h"
#include "harness/files.h"
#include "harness/history_file.h"

namespace causalcheck::cli {
namespace {

struct ScenarioArguments {
  std::string path{};
  std::string order{};
  std::string history_path{};
  JudgingWords words{};
};

ExitCode run_scenario_command(const ScenarioArguments& arguments) {
  const Attempt<Judging> judging = understand(arguments.words);
  if (!judging) return refuse(judging.error().text);
  const Attempt<Scenario> scenario = read_scenario(arguments.path);
  if (!scenario) return refuse(scenario.error().text);
  std::optional<DeliveryOrder> order;
  if (!arguments.order.empty()) {
    order = parse_delivery_order(arguments.order);
    if (!order) return refuse("--order must be immediate, fifo, causal or total");
  }
  ScenarioRun run = run_scenario(*scenario, order);
  History& history = run.file.history;
  history.declared = apply(judging->settings, history.declared);
  if (!arguments.history_path.empty()) {
    const Attempt<void> written = write_file_atomically(arguments.history_path, to_jsonl(run.file));
    if (!written) return refuse(written.error().text);
  }
  const Report report = check(history, judging->grounding);
  std::string text;
  if (!scenario->about.empty()) text += scenario->about + "\n\n";
  text += run.timeline + "\nqueues:\n" + run.queues;
  const std::string held = explain_holds(run.file.other_lines, history);
  if (!held.empty()) text += "\nheld back:\n" + held;
  const std::string waits = explain_waits(causal_waits(history), history);
  if (!waits.empty()) text += "\na causal receiver would have waited:\n" + waits;
  print(text + "\n" + explain(report, history));
  return exit_code_of(report.verdict);
}

}  // namespace

void add_scenario(CLI::App& program, Action& action) {
  const auto arguments = std::make_shared<ScenarioArguments>();
  CLI::App* command = program.add_subcommand(
      "scenario", "Play a small fixed run of a broadcast group and show what waits for what");
  command->add_option("scenario", arguments->path, "A scenario (docs/broadcast.md), or -")
      ->required()
      ->type_name("FILE");
  command
      ->add_option(
          "--order", arguments->order,
          "Deliver in this order instead of the scenario's own: immediate, fifo, causal or "
          "total; it is judged as before")
      ->type_name("ORDER");
  command->add_option("-o,--history", arguments->history_path, "Write the history here")
      ->type_name("FILE");
  add_claim_options(*command, arguments->words);
  command->footer(
      "  causalcheck scenario fixtures/scenarios/slow-path.json\n"
      "  causalcheck scenario fixtures/scenarios/slow-path.json --order immediate\n"
      "  causalcheck scenario fixtures/scenarios/concurrent.json --level total\n\n"
      "Exit code as of check: 1 where the scenario is there to show what breaks.");
  command->callback(
      [&action, arguments] { action = [arguments] { return run_scenario_command(*arguments); }; });
}

}  // namespace causalcheck::cli
