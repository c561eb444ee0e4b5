#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "fixtures/bugs/planted_bug.h"
#include "harness/cli/campaign_text.h"
#include "harness/cli/commands.h"
#include "harness/cli/output.h"
#include "harness/run.h"
#include "harness/shrink.h"

namespace causalcheck::cli {
namespace {

constexpr std::uint64_t kStarts = 20;        // starting seeds for each bug
constexpr std::uint64_t kRunsToFind = 1000;  // from each, at most

struct SelftestArguments {
  std::uint64_t twin_runs = 2000;
  bool json = false;
};

/// How one planted bug and its twin fared.
struct Row {
  std::string name{};
  std::string guarantees{};       // that must be reported
  std::uint64_t found_from = 0;   // of kStarts starting seeds
  std::uint64_t median_runs = 0;  // until it was found
  std::uint64_t worst_runs = 0;
  std::uint64_t shrunk_events = 0;  // of the first run that showed it
  std::uint64_t twin_runs = 0;
  std::uint64_t twin_accused = 0;
  std::string problem{};  // of a run without a verdict
  [[nodiscard]] bool passes() const {
    return problem.empty() && found_from == kStarts && twin_accused == 0;
  }
};

bool shows(const Report& report, const PlantedBug& bug) {
  return std::any_of(bug.must_break.begin(), bug.must_break.end(),
                     [&](Guarantee id) { return report[id].answer == Answer::kBreaks; });
}

PlanOptions options_for(const PlantedBug& bug, const std::string& name) {
  PlanOptions options;
  options.backend = "planted:" + name;
  options.topics = bug.topics;
  return options;
}

/// Looks for the bug from each starting seed, and shrinks the first run that showed it.
void find(const PlantedBug& bug, Row& row) {
  const PlanOptions options = options_for(bug, row.name);
  const std::unique_ptr<Backend> backend = bug.make();
  Runner runner(*backend);
  std::vector<std::uint64_t> needed;
  for (std::uint64_t start = 0; start < kStarts; ++start) {
    for (std::uint64_t i = 0; i < kRunsToFind; ++i) {
      const Plan plan = draw_plan(options, 1 + start * kRunsToFind + i);
      const RunResult result = runner.run(plan);
      if (result.failure) {
        row.problem = result.failure->text;
        return;
      }
      if (!shows(result.report, bug)) continue;
      needed.push_back(i + 1);
      if (row.shrunk_events == 0) {
        row.shrunk_events = shrink(runner, runner.explicit_plan(plan), {}, {}).events;
      }
      break;
    }
  }
  row.found_from = needed.size();
  if (needed.empty()) return;
  std::sort(needed.begin(), needed.end());
  row.median_runs = needed[needed.size() / 2];
  row.worst_runs = needed.back();
}

void watch_twin(const PlantedBug& bug, std::uint64_t runs, Row& row) {
  const PlanOptions options = options_for(bug, row.name + "/twin");
  const std::unique_ptr<Backend> twin = bug.make_twin();
  Runner runner(*twin);
  for (; row.twin_runs < runs; ++row.twin_runs) {
    const RunResult result = runner.run(draw_plan(options, 1 + row.twin_runs));
    if (result.failure) {
      row.problem = "twin: " + result.failure->text;
      return;
    }
    if (result.report.verdict == Verdict::kBreaks || result.report.contaminated) ++row.twin_accused;
  }
}

std::string table(const std::vector<Row>& rows) {
  std::string text =
      "| planted bug | must be reported | found | median runs | worst | shrunk to | legal twin |\n"
      "| --- | --- | --- | --- | --- | --- | --- |\n";
  for (const Row& row : rows) {
    text += "| `" + row.name + "` | " + row.guarantees + " | " + std::to_string(row.found_from) +
            " of " + std::to_string(kStarts) + " | " + std::to_string(row.median_runs) + " | " +
            std::to_string(row.worst_runs) + " | " + std::to_string(row.shrunk_events) +
            " events | accused in " + grouped(row.twin_accused) + " of " + grouped(row.twin_runs) +
            " runs |\n";
    if (!row.problem.empty()) text += "\n" + row.name + ": " + row.problem + "\n\n";
  }
  return text;
}

std::string rows_to_json(const std::vector<Row>& rows) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const Row& row : rows) {
    json.push_back({{"bug", row.name},
                    {"must_be_reported", row.guarantees},
                    {"starts", kStarts},
                    {"found_from", row.found_from},
                    {"median_runs", row.median_runs},
                    {"worst_runs", row.worst_runs},
                    {"shrunk_events", row.shrunk_events},
                    {"twin_runs", row.twin_runs},
                    {"twin_accused", row.twin_accused},
                    {"problem", row.problem},
                    {"passes", row.passes()}});
  }
  return json.dump(2) + '\n';
}

ExitCode run_selftest(const SelftestArguments& arguments) {
  std::vector<Row> rows;
  for (const PlantedBug& bug : planted_bugs()) {
    Row row;
    row.name = bug.name;
    for (const Guarantee id : bug.must_break) {
      row.guarantees += (row.guarantees.empty() ? "" : ", ") + std::string(to_string(id));
    }
    complain("looking for " + row.name);
    find(bug, row);
    watch_twin(bug, arguments.twin_runs, row);
    rows.push_back(std::move(row));
  }
  print(arguments.json ? rows_to_json(rows) : table(rows));
  const bool passes =
      std::all_of(rows.begin(), rows.end(), [](const Row& row) { return row.passes(); });
  return passes ? ExitCode::kHolds : ExitCode::kBreaks;
}

}  // namespace

void add_selftest(CLI::App& program, Action& action) {
  const auto arguments = std::make_shared<SelftestArguments>();
  CLI::App* command = program.add_subcommand(
      "selftest", "Prove the harness's power: each planted bug is found, no legal twin is accused");
  command->add_option("--runs", arguments->twin_runs, "Runs of each legal twin")
      ->check(CLI::Range(1, 100'000'000))
      ->capture_default_str();
  command->add_flag("--json", arguments->json, "Print one JSON array");
  command->footer(
      "Prints a table: for each planted bug from how many of 20 starting seeds it was found, the\n"
      "median and the largest number of runs that took, and the size of the shrunk history.\n"
      "Exit code: 0, or 1 if a bug was missed or a twin accused.");
  command->callback(
      [&action, arguments] { action = [arguments] { return run_selftest(*arguments); }; });
}

}  // namespace causalcheck::cli
