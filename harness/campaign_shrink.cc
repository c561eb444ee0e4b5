#include "harness/campaign_shrink.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string>
#include <system_error>

#include "checker/checker.h"
#include "checker/explain.h"
#include "harness/artifacts.h"
#include "harness/files.h"
#include "harness/history_file.h"
#include "harness/plan_file.h"
#include "harness/report/html_report.h"
#include "harness/shrink.h"

namespace causalcheck {
namespace {

constexpr std::string_view kFolder = "shrunk";
// What fails only now and then on threads gets so many chances.
constexpr std::uint32_t kTriesOnThreads = 5;
// Between one saved plan and the next: saving syncs the disk.
constexpr std::chrono::seconds kSaveInterval{1};

// Keeps the best plan so far on the disk, in case a candidate takes the process with it.
class Saver {
 public:
  explicit Saver(std::string folder) : folder_(std::move(folder)) {}

  void look_at(const ShrinkProgress& progress) {
    if (folder_.empty() || progress.elapsed - saved_at_ < kSaveInterval) return;
    if (progress.best->choices == saved_.choices && progress.events == events_) return;
    saved_at_ = progress.elapsed;
    saved_ = *progress.best;
    events_ = progress.events;
    std::error_code error;
    std::filesystem::create_directories(folder_, error);
    // A failure shows again, and is reported, when everything is written at the end.
    static_cast<void>(write_file_atomically(folder_ + "/plan.json", plan_to_json(saved_)));
  }

 private:
  const std::string folder_;
  std::chrono::nanoseconds saved_at_{};
  Plan saved_{};
  std::uint64_t events_ = 0;
};

// The recorded run's page once more, opening with what it was shrunk to. Errors: as reading and
// writing files have them.
Attempt<void> show_both(const CampaignOptions& options, const FoundViolation& found,
                        const ShrinkResult& shrunk, std::string_view commands) {
  const Attempt<HistoryFile> recorded = read_history(found.folder + "/history.jsonl");
  if (!recorded) return recorded.error();
  const Report report = check(recorded->history, options.grounding);
  return write_file_atomically(
      found.folder + "/report.html",
      html_report({artifact_name(options.plan.backend, found.seed),
                   lines_of(commands),
                   options.grounding,
                   {{std::string(kFolder), &shrunk.history, &shrunk.report},
                    {"as recorded", &*recorded, &report}}}));
}

void shrink_one(const CampaignOptions& options, Runner& runner, Watch& watch, FoundViolation& found,
                std::vector<std::string>& problems) {
  ShrinkOptions how = *options.shrink;
  how.watch = &watch;
  if (how.stop == nullptr) how.stop = options.stop;
  if (runner.declared().execution == Execution::kThreads) {
    how.tries = std::max(how.tries, kTriesOnThreads);
  }
  Saver saver(found.folder.empty() ? std::string() : fmt::format("{}/{}", found.folder, kFolder));
  how.progress = [&](const ShrinkProgress& progress) {
    saver.look_at(progress);
    if (options.shrink->progress) options.shrink->progress(progress);
  };
  const ShrinkResult shrunk =
      shrink(runner, draw_plan(options.plan, found.seed), found.fingerprint, how);
  if (shrunk.fails == 0 && shrunk.report.verdict != Verdict::kBreaks) {
    problems.push_back(
        fmt::format("seed {} was not shrunk: it did not fail in the same way again ({} tries)",
                    found.seed, shrunk.tries));
    return;
  }
  found.events = shrunk.events_before;
  found.shrunk_events = shrunk.events;
  found.shrink_runs = shrunk.runs;
  found.shrink_finished = shrunk.fixed_point;
  found.shrunk_fails = shrunk.fails;
  found.shrunk_tries = shrunk.tries;
  found.plan = shrunk.plan;
  found.shrunk_sentence = sentence(*first_broken(shrunk.report), shrunk.history.history);
  found.shrunk_explanation = explain_violations(shrunk.report, shrunk.history.history);
  found.shrunk_broken = broken_guarantees(shrunk.report, shrunk.history.history);
  if (found.folder.empty()) return;
  const std::string commands =
      fmt::format("{}\n{}\n", again_command(options, fmt::format("{}/{}", found.folder, kFolder)),
                  found.command);
  const auto written = write_artifact(
      found.folder, std::string(kFolder),
      make_artifact(shrunk.plan, shrunk.history, shrunk.report, options.grounding, commands));
  if (!written) {
    problems.push_back(written.error().text);
    return;
  }
  found.shrunk_folder = *written;
  const auto shown = show_both(options, found, shrunk, commands);
  if (!shown) problems.push_back(shown.error().text);
}

}  // namespace

void shrink_found(const CampaignOptions& options, Backend& backend, CampaignResult& result) {
  Watchdog watchdog(run_limit(options));
  Runner runner(backend, {options.settings, options.grounding, "shrink", options.times,
                          threads_limits(options)});
  Watch watch(watchdog.list(), [&runner] { return runner.status(); });
  for (FoundViolation& found : result.found) {
    if (options.stop != nullptr && options.stop->load()) return;
    shrink_one(options, runner, watch, found, result.problems);
  }
}

}  // namespace causalcheck
