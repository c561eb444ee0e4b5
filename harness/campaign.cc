#include "harness/campaign.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <limits>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "checker/explain.h"
#include "harness/artifacts.h"
#include "harness/campaign_shrink.h"
#include "harness/history_file.h"
#include "harness/plan_file.h"
#include "harness/words.h"

namespace causalcheck {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint32_t kJobsMax = 1024;
// What a run may take, whatever the limit: a store that syncs each write to a slow disk.
constexpr std::chrono::milliseconds kRunLimitPerEvent{20};

// "line 7 of the history: `...` the first time, `...` the second".
std::string first_difference(const std::string& first, const std::string& second) {
  std::size_t line = 1;
  std::size_t begin = 0;
  const std::size_t common = std::min(first.size(), second.size());
  for (std::size_t i = 0; i < common && first[i] == second[i]; ++i) {
    if (first[i] == '\n') {
      ++line;
      begin = i + 1;
    }
  }
  const auto line_of = [begin](const std::string& text) {
    return text.substr(begin, text.find('\n', begin) - begin);
  };
  return fmt::format("line {} of the history:\n  first  {}\n  second {}", line, line_of(first),
                     line_of(second));
}

class Campaign {
 public:
  explicit Campaign(const CampaignOptions& options);
  CampaignResult run();

 private:
  struct Job {
    std::uint32_t index = 0;
    std::unique_ptr<Backend> backend{};
    CampaignSummary summary{};
    std::map<std::string, FoundViolation> found{};  // by fingerprint
    AllExamples examples{};
    std::vector<std::string> problems{};
    BackendDeclaration declared{};
    // For the progress; written by the job alone.
    alignas(64) std::atomic<std::uint64_t> runs{0};
    std::atomic<std::uint64_t> events{0};
    std::atomic<std::uint64_t> broke{0};
  };

  bool make_backends();
  void work(Job& job, WatchList& watches);
  bool run_one(Job& job, Runner& runner, std::uint64_t index);
  std::optional<std::string> difference(Runner& runner, const Plan& again);
  void note_violation(Job& job, Runner& runner, const Plan& plan, const Report& report);
  void write(Job& job, Runner& runner, const Plan& plan, const Report& report,
             FoundViolation& found);
  void fail(std::uint64_t index, RunFailure failure);
  void wait();
  void report_progress() const;
  CampaignResult collect();

  [[nodiscard]] static bool deterministic(const Job& job) {
    return job.declared.execution == Execution::kDeterministic;
  }
  [[nodiscard]] std::uint64_t seed_of(std::uint64_t index) const {
    return options_.first_seed + options_.shard + index * options_.shards;
  }
  [[nodiscard]] bool stopped() const {
    return options_.stop != nullptr && options_.stop->load(std::memory_order_relaxed);
  }
  // No index from `index` on is to begin any more.
  void lower_limit(std::uint64_t index) {
    std::uint64_t limit = limit_.load();
    while (index < limit && !limit_.compare_exchange_weak(limit, index)) {
    }
  }

  const CampaignOptions& options_;
  const Clock::time_point began_ = Clock::now();
  std::uint64_t count_ = 0;  // of indices
  std::atomic<std::uint64_t> next_{0};
  std::atomic<std::uint64_t> limit_{0};
  std::atomic<bool> interrupted_{false};
  std::vector<std::unique_ptr<Job>> jobs_{};

  std::mutex mutex_{};
  std::condition_variable done_{};
  std::uint32_t working_ = 0;
  std::optional<RunFailure> failure_{};
  std::uint64_t failed_index_ = std::numeric_limits<std::uint64_t>::max();
};

Campaign::Campaign(const CampaignOptions& options) : options_(options) {
  const std::uint64_t seeds_left = std::numeric_limits<std::uint64_t>::max() - options.first_seed;
  const std::uint64_t seeds = options.runs.value_or(options.time ? seeds_left : 1);
  if (seeds > options.shard) count_ = (seeds - options.shard - 1) / options.shards + 1;
  limit_ = count_;
}

bool Campaign::make_backends() {
  for (std::uint32_t i = 0; i < options_.jobs; ++i) {
    auto made = options_.make_backend();
    if (made.has_error()) {
      fail(0, {RunFailure::Kind::kBackend, std::move(made).error().text});
      return false;
    }
    jobs_.push_back(std::make_unique<Job>());
    jobs_.back()->index = i;
    jobs_.back()->backend = std::move(*made);
  }
  return true;
}

CampaignResult Campaign::run() {
  if (make_backends()) {
    Watchdog watchdog(run_limit(options_));
    std::vector<std::jthread> threads;
    working_ = options_.jobs;
    threads.reserve(jobs_.size());
    for (const auto& job : jobs_) {
      threads.emplace_back([this, &watchdog, &job] { work(*job, watchdog.list()); });
    }
    wait();
  }
  CampaignResult result = collect();
  if (options_.shrink && !result.failure && !result.overdue) {
    shrink_found(options_, *jobs_.front()->backend, result);
  }
  return result;
}

// Until all jobs are done; reports progress meanwhile.
void Campaign::wait() {
  std::unique_lock lock(mutex_);
  while (!done_.wait_for(lock, options_.progress_interval, [this] { return working_ == 0; })) {
    lock.unlock();
    report_progress();
    lock.lock();
  }
  lock.unlock();
  report_progress();
}

void Campaign::report_progress() const {
  if (!options_.progress) return;
  CampaignProgress progress;
  for (const auto& job : jobs_) {
    progress.runs += job->runs.load(std::memory_order_relaxed);
    progress.events += job->events.load(std::memory_order_relaxed);
    progress.broke += job->broke.load(std::memory_order_relaxed);
  }
  progress.elapsed = Clock::now() - began_;
  if (options_.runs && progress.runs > 0) {
    const std::uint64_t to_run = count_ - std::min(count_, progress.runs);
    progress.left = std::chrono::nanoseconds(static_cast<std::int64_t>(
        static_cast<double>(progress.elapsed.count()) * static_cast<double>(to_run) /
        static_cast<double>(progress.runs)));
  }
  if (options_.time) {
    const std::chrono::nanoseconds left =
        std::max(std::chrono::nanoseconds{}, *options_.time - progress.elapsed);
    progress.left = std::min(left, progress.left.value_or(left));
  }
  options_.progress(progress);
}

void Campaign::work(Job& job, WatchList& watches) {
  {
    Runner runner(*job.backend,
                  {options_.settings, options_.grounding, fmt::format("job{}", job.index),
                   options_.times, threads_limits(options_)});
    job.declared = runner.declared();
    job.summary.ask_faults(options_.plan.faults);
    Watch watch(watches, [&runner] { return runner.status(); });
    while (true) {
      if (stopped()) {
        interrupted_ = true;
        break;
      }
      const bool late = options_.time && Clock::now() - began_ >= *options_.time;
      if (late && next_.load() > 0) break;
      const std::uint64_t index = next_.fetch_add(1);
      if (index >= limit_.load()) break;
      watch.arm();
      const bool goes_on = run_one(job, runner, index);
      watch.disarm();
      // A call that never came back goes on using the backend.
      if (runner.abandoned()) static_cast<void>(job.backend.release());
      if (!goes_on) break;
    }
  }
  const std::lock_guard lock(mutex_);
  --working_;
  done_.notify_all();
}

// False when the campaign cannot go on.
bool Campaign::run_one(Job& job, Runner& runner, std::uint64_t index) {
  const Plan plan = draw_plan(options_.plan, seed_of(index));
  if (options_.before_run) options_.before_run(plan.seed);
  RunResult result = runner.run(plan);
  if (result.failure) {
    fail(index, std::move(*result.failure));
    return false;
  }
  job.summary.add(result);
  const auto count = [](std::atomic<std::uint64_t>& counter, std::uint64_t by) {
    counter.store(counter.load(std::memory_order_relaxed) + by, std::memory_order_relaxed);
  };
  count(job.runs, 1);
  count(job.events, result.events);
  if (index % kCompareOneIn == 0 && deterministic(job)) {
    ++job.summary.compared;
    if (auto differs = difference(runner, plan)) {
      fail(index, {RunFailure::Kind::kInternal,
                   "two runs of one plan differ, first in " + std::move(*differs)});
      return false;
    }
  }
  if (result.report.verdict != Verdict::kBreaks) return true;
  count(job.broke, 1);
  if (options_.on_violation == OnViolation::kStop) lower_limit(index);
  note_violation(job, runner, plan, result.report);
  return true;
}

// Runs `again` and says where its history is not that of the run before.
std::optional<std::string> Campaign::difference(Runner& runner, const Plan& again) {
  // Values are compared: equal ones have equal bytes.
  const History before = runner.history();
  const std::vector<std::uint32_t> consumed = runner.consumed();
  RunResult second = runner.run(again);
  if (second.failure) return "that the second failed: " + second.failure->text;
  if (runner.history() == before && runner.consumed() == consumed) return std::nullopt;
  if (runner.history() == before) return "the choices consumed; the histories are the same";
  // Under one header, so that the first line that differs is the first operation that does.
  HistoryFile file = runner.history_file(again);
  const std::string second_text = to_jsonl(file);
  file.history = before;
  return first_difference(to_jsonl(file), second_text);
}

void Campaign::note_violation(Job& job, Runner& runner, const Plan& plan, const Report& report) {
  const Violation* broken = first_broken(report);
  if (broken == nullptr) return;
  for (const Guarantee id : all_guarantees()) {
    const std::optional<Violation>& one = report[id].violation;
    if (report[id].answer != Answer::kBreaks || !one) continue;
    job.examples[static_cast<std::size_t>(id)].add(
        plan.seed, [&] { return describe_broken(*one, runner.history()); });
  }
  FoundViolation& found = job.found[fingerprint(*broken)];
  if (++found.runs > 1) return;  // a job's seeds ascend: the first one is the lowest
  found.seed = plan.seed;
  found.after = Clock::now() - began_;
  found.strategy = plan.strategy.kind;
  found.guarantee = broken->guarantee;
  found.fingerprint = fingerprint(*broken);
  found.sentence = sentence(*broken, runner.history());
  found.explanation = explain_violations(report, runner.history());
  found.command = again_command(options_, plan.seed);
  found.plan = runner.explicit_plan(plan);
  found.plan_hash = plan_hash(found.plan);
  if (!options_.out.empty()) write(job, runner, plan, report, found);
}

void Campaign::write(Job& job, Runner& runner, const Plan& plan, const Report& report,
                     FoundViolation& found) {
  const HistoryFile history = runner.history_file(plan);
  const std::string name = artifact_name(options_.plan.backend, plan.seed);
  const std::string folder = options_.out + "/" + name;
  const std::string commands =
      fmt::format("{}\n{}\n", again_command(options_, folder), found.command);
  const Artifact artifact =
      make_artifact(found.plan, history, report, options_.grounding, commands);
  if (auto differs = deterministic(job) ? difference(runner, found.plan) : std::nullopt) {
    job.problems.push_back(fmt::format(
        "seed {} does not run in the same way from its saved plan; they differ first in {}",
        plan.seed, *differs));
  }
  const auto written = write_artifact(options_.out, name, artifact);
  if (written.has_value()) {
    found.folder = *written;
  } else {
    job.problems.push_back(written.error().text);
  }
}

void Campaign::fail(std::uint64_t index, RunFailure failure) {
  const std::lock_guard lock(mutex_);
  lower_limit(index);
  if (failure_ && failed_index_ <= index) return;
  failure_ = std::move(failure);
  failed_index_ = index;
}

CampaignResult Campaign::collect() {
  CampaignResult result;
  std::map<std::string, FoundViolation> found;
  for (const auto& job : jobs_) {
    result.summary.merge(job->summary);
    for (const auto& [kind, violation] : job->found) {
      FoundViolation& into = found[kind];
      const std::uint64_t runs = into.runs + violation.runs;
      if (into.runs == 0 || violation.seed < into.seed) into = violation;
      into.runs = runs;
    }
    for (std::size_t i = 0; i < kGuaranteeCount; ++i) result.examples[i].merge(job->examples[i]);
    for (std::string& problem : job->problems) result.problems.push_back(std::move(problem));
    result.declared = job->declared;
  }
  for (auto& [kind, violation] : found) result.found.push_back(std::move(violation));
  std::sort(result.found.begin(), result.found.end(),
            [](const FoundViolation& a, const FoundViolation& b) { return a.seed < b.seed; });
  const bool on_fibers = result.declared.execution == Execution::kDeterministic;
  result.verdict = judge_campaign(result.summary, on_fibers && result.declared.interleaves);
  result.interrupted = interrupted_;
  result.elapsed = Clock::now() - began_;
  if (failure_ && failure_->kind == RunFailure::Kind::kOverdue) {
    // Bounded, reported, and no verdict: what broke before stands all the same.
    std::string why = fmt::format("seed {}: {}", seed_of(failed_index_), failure_->text);
    if (result.verdict.verdict == Verdict::kBreaks) {
      result.problems.push_back(std::move(why));
    } else {
      result.verdict = {Verdict::kUnknown, std::move(why)};
    }
    result.overdue = true;
  } else if (failure_) {
    result.failure = std::move(failure_);
    result.failed_seed = seed_of(failed_index_);
  }
  return result;
}

}  // namespace

double CampaignProgress::events_per_second() const {
  const double seconds = seconds_of(elapsed);
  return seconds > 0 ? static_cast<double>(events) / seconds : 0;
}

CampaignResult run_campaign(const CampaignOptions& options) { return Campaign(options).run(); }

std::string again_command(const CampaignOptions& options, std::uint64_t seed) {
  if (options.again.seed) return options.again.seed(seed);
  return fuzz_command(options.plan, options.settings, options.grounding, {seed, 1});
}

std::string again_command(const CampaignOptions& options, const std::string& folder) {
  return options.again.folder ? options.again.folder(folder) : replay_command(folder);
}

std::chrono::milliseconds run_limit(const CampaignOptions& options) {
  return std::max(options.run_limit, kRunLimitPerEvent * options.plan.events);
}

ThreadsLimits threads_limits(const CampaignOptions& options) {
  ThreadsLimits limits;
  limits.after_deadline = options.stuck_after;
  limits.run = run_limit(options) / 2;
  return limits;
}

Attempt<void> validate(const CampaignOptions& options) {
  const auto refuse = [](std::string text) -> Attempt<void> {
    return Refusal::because(std::move(text));
  };
  if (const auto ok = validate(options.plan); !ok) return ok;
  if (options.jobs < 1 || options.jobs > kJobsMax) {
    return refuse(fmt::format("jobs must be from 1 to {}, not {}", kJobsMax, options.jobs));
  }
  if (options.shard >= options.shards) {
    return refuse(fmt::format("there is no shard {} of {}: they are counted from 0", options.shard,
                              options.shards));
  }
  if (options.runs && *options.runs == 0) return refuse("at least one run is needed");
  if (options.runs &&
      *options.runs - 1 > std::numeric_limits<std::uint64_t>::max() - options.first_seed) {
    return refuse("the seeds end beyond the largest one");
  }
  if (options.time && options.time->count() <= 0) return refuse("the time must not be zero");
  return {};
}

}  // namespace causalcheck
