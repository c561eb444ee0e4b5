#include "harness/testing/backend_test.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "checker/explain.h"
#include "harness/artifacts.h"
#include "harness/broken_text.h"
#include "harness/campaign.h"
#include "harness/faults/fault_powers.h"
#include "harness/files.h"
#include "harness/history_file.h"
#include "harness/plan_file.h"
#include "harness/words.h"

namespace causalcheck {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kTriesOnThreads = 10;

/// The file that says which seed is being run, for when this process does not come back.
class RunningFile {
 public:
  RunningFile(const std::string& out, const std::string& name)
      : folder_(out), path_((fs::path(out) / (name + ".running")).string()) {
    std::error_code error;
    fs::create_directories(folder_, error);
    if (const Attempt<std::string> left = read_file(path_); left.has_value()) left_behind_ = *left;
    file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
  }
  ~RunningFile() {
    if (file_ < 0) return;
    ::close(file_);
    std::error_code ignored;
    fs::remove(path_, ignored);
    fs::remove(folder_, ignored);  // unless something is in it
  }
  RunningFile(const RunningFile&) = delete;
  RunningFile& operator=(const RunningFile&) = delete;

  /// Not synced: it is to outlive the process, not the machine.
  [[nodiscard]] bool write(const std::string& line) const {
    if (file_ < 0) return false;
    const ssize_t written = ::pwrite(file_, line.data(), line.size(), 0);
    return written == static_cast<ssize_t>(line.size()) && ::ftruncate(file_, written) == 0;
  }
  /// What a process that died left there.
  [[nodiscard]] const std::string& left_behind() const { return left_behind_; }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string folder_;
  std::string path_;
  std::string left_behind_{};
  int file_ = -1;
};

const char* environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : nullptr;
}

/// Lays what the environment says over `options`. Errors: a value that is none.
std::optional<Refusal> take_environment(BackendTestOptions& options) {
  const char* seed = environment("CAUSALCHECK_SEED");
  const char* runs = environment("CAUSALCHECK_RUNS");
  const char* time = environment("CAUSALCHECK_TIME");
  if (const char* out = environment("CAUSALCHECK_OUT")) options.out = out;
  if (const char* faults = environment("CAUSALCHECK_FAULTS")) options.faults = faults;
  if (seed != nullptr) {
    const Attempt<std::uint64_t> number = parse_number(seed, "CAUSALCHECK_SEED");
    if (!number) return number.error();
    options.seed = *number;
    if (runs == nullptr && time == nullptr) options.runs = 1;
  }
  if (time != nullptr) {
    const Attempt<std::chrono::nanoseconds> parsed = parse_duration(time);
    if (!parsed) return Refusal::because("CAUSALCHECK_TIME: " + parsed.error().text);
    options.time = *parsed;
    options.runs = 0;  // as many as it gives
  }
  if (runs != nullptr) {
    const Attempt<std::uint64_t> number = parse_count(runs, "CAUSALCHECK_RUNS");
    if (!number) return number.error();
    options.runs = *number;
  }
  return std::nullopt;
}

CampaignOptions campaign_of(const BackendMaker& make, const BackendTestOptions& options,
                            const BackendTestName& name) {
  CampaignOptions campaign;
  campaign.plan.backend = name.name;
  campaign.plan.clients = options.clients;
  campaign.plan.topics = options.topics;
  campaign.plan.events = options.events;
  campaign.plan.pipeline = options.pipeline;
  campaign.make_backend = make;
  campaign.first_seed = options.seed;
  if (options.runs > 0) campaign.runs = options.runs;
  campaign.time = options.time;
  campaign.settings = options.settings;
  campaign.out = options.out;
  if (options.shrink_time.count() > 0) {
    campaign.shrink = ShrinkOptions{};
    campaign.shrink->time = options.shrink_time;
  }
  campaign.again.seed = [name](std::uint64_t seed) {
    return fmt::format("CAUSALCHECK_SEED={} {}", seed, name.command);
  };
  campaign.again.folder = [name](const std::string& folder) {
    std::error_code error;
    const fs::path absolute = fs::absolute(folder, error);
    return fmt::format("CAUSALCHECK_REPLAY={} {}", shell_word(error ? folder : absolute.string()),
                       name.command);
  };
  return campaign;
}

BackendTestResult no_verdict(std::string text) {
  BackendTestResult result;
  result.failures.push_back(std::move(text));
  return result;
}

/// One more run of what lies in the artifact at `folder`.
BackendTestResult replay(const std::string& folder, const BackendMaker& make,
                         const BackendTestOptions& options, const BackendTestName& name,
                         const std::function<void(const std::string&)>& say) {
  const Attempt<LoadedPlan> plan = read_plan((fs::path(folder) / "plan.json").string());
  if (!plan) return no_verdict("CAUSALCHECK_REPLAY: " + plan.error().text);
  if (plan->plan.backend != name.name) {
    return no_verdict(
        fmt::format("CAUSALCHECK_REPLAY: {} holds a run of {}, not of {}; choose the "
                    "test with --gtest_filter",
                    folder, plan->plan.backend, name.name));
  }
  Result<std::unique_ptr<Backend>> backend = make();
  if (!backend) return no_verdict("the backend could not be made: " + backend.error().text);
  RunnerOptions runner_options;
  runner_options.settings = options.settings;
  runner_options.instance = "replay";
  Runner runner(*std::move(backend), runner_options);
  const std::string path = (fs::path(folder) / "history.jsonl").string();
  const Attempt<std::string> before = read_file(path);
  const Attempt<HistoryFile> history = read_history(path);
  if (!before || !history) {
    say((before ? history.error().text : before.error().text) +
        "; there is nothing to compare with");
  }
  // What the machine does not make twice gets some chances to come in the recorded order.
  const bool in_order = history && runner.declared().execution == Execution::kThreads;
  BackendTestResult result;
  RunResult run;
  while (result.runs < (in_order ? kTriesOnThreads : 1) && run.report.verdict != Verdict::kBreaks) {
    run = in_order ? runner.replay(plan->plan, history->history) : runner.run(plan->plan);
    if (run.failure) return no_verdict(run.failure->text);
    ++result.runs;
  }
  if (before && *before == to_jsonl(runner.history_file(plan->plan))) {
    say("replay: identical history, byte for byte");
  } else if (before) {
    say(fmt::format("replay: another history than the recorded one; {} tries", result.runs));
  }
  if (run.report.verdict == Verdict::kBreaks) {
    result.failures.push_back(explain_violations(run.report, runner.history()));
  }
  return result;
}

}  // namespace

BackendTestResult test_backend(const BackendMaker& make, const BackendTestOptions& given,
                               const BackendTestName& name,
                               const std::function<void(const std::string&)>& say) {
  BackendTestOptions options = given;
  if (const std::optional<Refusal> problem = take_environment(options)) {
    return no_verdict(problem->text);
  }
  if (const char* folder = environment("CAUSALCHECK_REPLAY")) {
    return replay(folder, make, options, name, say);
  }
  CampaignOptions campaign = campaign_of(make, options, name);
  if (options.faults != "none") {
    const Result<std::unique_ptr<Backend>> probe = make();
    if (!probe) return no_verdict("no verdict: " + probe.error().text);
    Attempt<std::vector<std::string>> faults = choose_faults(options.faults, **probe);
    if (!faults) return no_verdict(faults.error().text);
    campaign.plan.faults = *std::move(faults);
  }
  if (const Attempt<void> valid = validate(campaign); !valid) return no_verdict(valid.error().text);

  BackendTestResult result;
  result.command = fmt::format("CAUSALCHECK_SEED={} ", options.seed);
  if (campaign.runs) result.command += fmt::format("CAUSALCHECK_RUNS={} ", *campaign.runs);
  if (campaign.time) {
    const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(*campaign.time);
    result.command += fmt::format("CAUSALCHECK_TIME={}ms ", ms.count());
  }
  result.command += name.command;
  say("Again: " + result.command);
  const RunningFile running(options.out, name.name);
  if (!running.left_behind().empty()) {
    say("The last process of this test died in: " + running.left_behind());
  }
  bool noted = true;
  campaign.before_run = [&](std::uint64_t seed) {
    noted = running.write(campaign.again.seed(seed) + '\n') && noted;
  };

  const CampaignResult found = run_campaign(campaign);
  result.runs = found.summary.runs;
  for (const std::string& problem : found.problems) say("problem: " + problem);
  if (!noted) say("problem: could not write to " + running.path());
  if (found.failure) {
    result.failures.push_back(fmt::format("no verdict: {}\nAgain: {}", found.failure->text,
                                          campaign.again.seed(found.failed_seed)));
    return result;
  }
  for (const Guarantee id : all_guarantees()) {
    if (found.summary[id].claimed && found.summary[id].runs_broken > 0) {
      result.failures.push_back(broken_text(campaign, found, id).explanation);
    }
  }
  if (result.failures.empty() && found.verdict.verdict != Verdict::kHolds) {
    result.failures.push_back(
        fmt::format("unknown, {}: {} runs say nothing for the backend and "
                    "nothing against it\nAgain: {}",
                    found.verdict.why, result.runs, result.command));
  }
  return result;
}

std::string program_word() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  return error ? "the-test-program" : shell_word(program.string());
}

}  // namespace causalcheck
