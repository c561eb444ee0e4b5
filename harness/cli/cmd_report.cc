#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "checker/checker.h"
#include "harness/artifacts.h"
#include "harness/cli/commands.h"
#include "harness/cli/judging_options.h"
#include "harness/cli/output.h"
#include "harness/files.h"
#include "harness/history_file.h"
#include "harness/plan_file.h"
#include "harness/report/html_report.h"

namespace causalcheck::cli {
namespace {

namespace fs = std::filesystem;

struct ReportArguments {
  std::string path{};
  std::string output{};
  std::string svg{};
  std::string compare{};
  JudgingWords words{};
};

/// A history that was read and judged.
struct JudgedRun {
  std::string name{};
  HistoryFile file{};
  Report report{};
};

Attempt<JudgedRun> judged_at(const std::string& path, const Judging& judging, std::string name) {
  Attempt<HistoryFile> file = read_history(path);
  if (!file) return file.error();
  JudgedRun run{std::move(name), std::move(*file), {}};
  run.file.history.declared = apply(judging.settings, run.file.history.declared);
  run.report = check(run.file.history, judging.grounding);
  return run;
}

/// The runs behind `path`, the one to open with first: an artifact folder has the shrunk run beside
/// the one that was recorded.
Attempt<std::vector<JudgedRun>> judged_runs(const std::string& path, const Judging& judging) {
  std::error_code ignored;
  std::vector<std::pair<std::string, std::string>> places;  // path and name
  if (!fs::is_directory(path, ignored)) {
    places.emplace_back(path, "as recorded");
  } else {
    const fs::path shrunk = fs::path(path) / "shrunk" / "history.jsonl";
    if (fs::exists(shrunk, ignored)) places.emplace_back(shrunk.string(), "shrunk");
    places.emplace_back((fs::path(path) / "history.jsonl").string(), "as recorded");
  }
  std::vector<JudgedRun> runs;
  for (auto& [place, name] : places) {
    Attempt<JudgedRun> run = judged_at(place, judging, name);
    if (!run) return run.error();
    runs.push_back(std::move(*run));
  }
  return runs;
}

std::string title_of(const std::string& path) {
  if (path == "-") return "history";
  fs::path name = fs::path(path).lexically_normal();
  if (!name.has_filename()) name = name.parent_path();
  if (name.filename() == "history.jsonl" && name.has_parent_path()) name = name.parent_path();
  return name.filename().string();
}

/// Where report.html goes when nobody says: beside the history.
std::string default_output(const std::string& path) {
  if (path == "-") return "report.html";
  std::error_code ignored;
  const fs::path folder =
      fs::is_directory(path, ignored) ? fs::path(path) : fs::path(path).parent_path();
  return (folder / "report.html").string();
}

ExitCode run_report(const ReportArguments& a) {
  const Attempt<Judging> judging = understand(a.words);
  if (!judging) return refuse(judging.error().text);
  Attempt<std::vector<JudgedRun>> runs = judged_runs(a.path, *judging);
  if (!runs) return refuse(runs.error().text);
  if (!a.compare.empty()) {
    Attempt<std::vector<JudgedRun>> others = judged_runs(a.compare, *judging);
    if (!others) return refuse(others.error().text);
    others->front().name = title_of(a.compare);
    runs->resize(1);
    runs->push_back(std::move(others->front()));
  }
  const JudgedRun& first = runs->front();
  if (!a.svg.empty()) {
    const std::string svg = conflict_svg_file(first.report, first.file.history);
    if (svg.empty()) {
      complain("nothing is violated in " + a.path + ", so there is no conflict to draw");
    } else if (const Attempt<void> written = write_file_atomically(a.svg, svg); !written) {
      return refuse(written.error().text, ExitCode::kInternal);
    } else {
      print(a.svg + "\n");
    }
  }
  if (a.svg.empty() || !a.output.empty()) {
    HtmlReport html;
    html.title = title_of(a.path);
    html.grounding = judging->grounding;
    for (const JudgedRun& run : *runs) html.runs.push_back({run.name, &run.file, &run.report});
    if (a.path != "-") {
      const bool replays = plan_of_config(first.file.header.config).has_value();
      html.commands.push_back(replays ? replay_command(a.path)
                                      : "causalcheck explain " + shell_word(a.path));
    }
    const std::string output = a.output.empty() ? default_output(a.path) : a.output;
    if (const Attempt<void> written = write_file_atomically(output, html_report(html)); !written) {
      return refuse(written.error().text, ExitCode::kInternal);
    }
    print(output + "\n");
  }
  return exit_code_of(first.report.verdict);
}

}  // namespace

void add_report(CLI::App& program, Action& action) {
  const auto a = std::make_shared<ReportArguments>();
  CLI::App* command = program.add_subcommand(
      "report", "Draw a run: one HTML file that opens anywhere, or a picture of the conflict");
  command
      ->add_option("history", a->path,
                   "A history file, -, or an artifact folder, whose shrunk run is shown first")
      ->required()
      ->type_name("PATH");
  command->add_option("-o,--output", a->output, "The HTML file; report.html beside the history")
      ->type_name("FILE");
  command->add_option("--svg", a->svg, "Write only the picture of the conflict; with -o both")
      ->type_name("FILE");
  command
      ->add_option("--compare", a->compare, "Another history, or artifact folder, to set beside it")
      ->type_name("PATH");
  add_file_options(*command, a->words);
  add_claim_options(*command, a->words);
  command->footer(
      "  causalcheck report causalcheck-out/memory-8157\n"
      "  causalcheck report run.jsonl -o run.html\n"
      "  causalcheck report run.jsonl --svg conflict.svg\n"
      "  causalcheck report before.jsonl --compare after.jsonl\n\n"
      "The file needs no network and no other file: verdict and picture show with scripts off, "
      "the\n"
      "timeline below them with scripts on; press ? in it for its keys. `causalcheck explain` "
      "draws\n"
      "the same conflict in the terminal. Exit code as of check.");
  command->callback([&action, a] { action = [a] { return run_report(*a); }; });
}

}  // namespace causalcheck::cli
