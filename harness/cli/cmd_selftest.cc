#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "fixtures/bugs/planted_bug.h"
#include "fixtures/selftest.h"
#include "harness/cli/commands.h"
#include "harness/cli/interrupt.h"
#include "harness/cli/output.h"
#include "harness/cli/progress.h"
#include "harness/cli/selftest_text.h"

namespace causalcheck::cli {
namespace {

struct SelftestArguments {
  std::uint64_t twin_runs = SelftestOptions{}.twin_runs;
  std::uint64_t starts = SelftestOptions{}.starts;
  std::uint64_t shrinks = SelftestOptions{}.shrinks;
  std::uint32_t jobs = 0;
  std::vector<std::string> only{};
  bool json = false;
};

/// The bugs that are asked for; all of them when none is. An empty list when one is not known.
std::vector<PlantedBug> chosen(const std::vector<std::string>& names) {
  std::vector<PlantedBug> all = planted_bugs();
  if (names.empty()) return all;
  std::vector<PlantedBug> bugs;
  for (const std::string& name : names) {
    const auto bug = std::find_if(all.begin(), all.end(),
                                  [&](const PlantedBug& known) { return known.name == name; });
    if (bug == all.end()) {
      std::string known;
      for (const PlantedBug& one : all) {
        known += (known.empty() ? "" : ", ") + std::string(one.name);
      }
      complain("there is no planted bug \"" + name + "\"; known are " + known);
      return {};
    }
    bugs.push_back(*bug);
  }
  return bugs;
}

ExitCode run(const SelftestArguments& arguments) {
  const std::vector<PlantedBug> bugs = chosen(arguments.only);
  if (bugs.empty()) return ExitCode::kBadArguments;
  const InterruptGuard interrupt;
  SelftestOptions options;
  options.starts = arguments.starts;
  options.shrinks = arguments.shrinks;
  options.twin_runs = arguments.twin_runs;
  options.jobs =
      arguments.jobs > 0 ? arguments.jobs : std::max(1U, std::thread::hardware_concurrency());
  options.stop = &interrupt.requested();
  SelftestResult result;
  {
    ProgressLine line;
    options.progress = [&line](const SelftestProgress& progress) { line.show(progress); };
    result = run_selftest(bugs, options);
  }
  print(arguments.json ? selftest_to_json(result) : selftest_to_text(result));
  if (!result.passes()) return ExitCode::kBreaks;
  return result.interrupted ? ExitCode::kUnknown : ExitCode::kHolds;
}

}  // namespace

void add_selftest(CLI::App& program, Action& action) {
  const auto arguments = std::make_shared<SelftestArguments>();
  CLI::App* command = program.add_subcommand(
      "selftest", "Prove the harness's power: each planted bug is found, no legal twin is accused");
  command->add_option("--only", arguments->only, "Just this planted bug; may be repeated")
      ->type_name("NAME");
  command->add_option("--runs", arguments->twin_runs, "Runs of each legal twin")
      ->check(CLI::Range(1, 100'000'000))
      ->capture_default_str();
  command->add_option("--starts", arguments->starts, "Starting seeds for each form of each bug")
      ->check(CLI::Range(1, 100'000))
      ->capture_default_str();
  command
      ->add_option("--shrinks", arguments->shrinks,
                   "Of the runs that found a form, how many are shrunk")
      ->check(CLI::Range(0, 100'000))
      ->capture_default_str();
  command->add_option("--jobs", arguments->jobs, "Threads; as many as the machine has by default")
      ->check(CLI::Range(1, 1024));
  command->add_flag("--json", arguments->json, "Print one JSON object");
  command->footer(
      "Fuzzes deliberately wrong backends (fixtures/bugs/) as `fuzz planted:NAME` would, each "
      "from\n"
      "20 starting seeds until something breaks, and in its rare form, where the defect can act\n"
      "once a run at most (planted:NAME/rare). Beside each runs its legal twin "
      "(planted:NAME/twin):\n"
      "the same without the defect, under the same faults.\n"
      "\n"
      "For each form it prints\n"
      "  faults           the faults that it takes to show it\n"
      "  found            from how many of the starting seeds\n"
      "  reported         which guarantees must be reported, and in how many of the runs that\n"
      "                   found the bug each of them was\n"
      "  median, worst    how many runs it took; at most 100 (rare form: 1,000) in the median\n"
      "  found by         the scheduling strategy of the runs that found it\n"
      "  defect acted in  the share of operations; below 2 % in the rare form\n"
      "  shrunk to, in    the largest shrunk history, at most 8 events, and the longest time that\n"
      "                   shrinking took\n"
      "\n"
      "Examples:\n"
      "  causalcheck selftest\n"
      "  causalcheck selftest --only two-winners --runs 100000\n"
      "  causalcheck fuzz planted:hole --faults crash     what such a bug looks like when found\n"
      "\n"
      "Exit code: 0, 1 if a bug is missed, reported as the wrong guarantee or misses a bar above,\n"
      "or if a twin is accused; 2 when interrupted before anything of that.");
  command->callback([&action, arguments] { action = [arguments] { return run(*arguments); }; });
}

}  // namespace causalcheck::cli
