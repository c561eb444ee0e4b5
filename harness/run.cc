#include "harness/run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

#include "harness/plan_file.h"

namespace causalcheck {
namespace {

// Scheduling steps that an event may cost before the run counts as one that hangs.
constexpr std::uint64_t kStepsPerEventMax = 100'000;

}  // namespace

Runner::Runner(Backend& backend, RunnerOptions options)
    : user_backend_(backend),
      backend_(backend),
      holds_(dynamic_cast<HoldReporter*>(&backend)),
      options_(std::move(options)),
      declared_(backend_.declare()),
      namespace_(fmt::format("{}-{:x}-{:x}", options_.instance, getpid(),
                             std::chrono::system_clock::now().time_since_epoch().count())),
      checker_(options_.grounding),
      cascade_(backend_, scheduler_, recorder_, options_.times) {}

RunResult Runner::run(const Plan& plan) {
  RunResult result;
  result.strategy = plan.strategy.kind;
  result.failure = drive(plan);
  if (!result.failure) result.failure = new_misuse();
  if (result.failure) return result;
  result.report =
      recorder_.touched_the_past() ? checker_.check_whole(recorder_.history()) : checker_.finish();
  result.events = recorder_.events();
  result.switches_inside = scheduler_.switches_inside();
  result.steps = scheduler_.steps();
  result.virtual_time = scheduler_.now();
  if (holds_ != nullptr) result.holds = hold_summary(*holds_);
  if (!plan.faults.empty()) {
    result.faults = count_faults(recorder_.history(), faults_of(plan.faults));
  }
  return result;
}

std::optional<RunFailure> Runner::drive(const Plan& plan) {
  using Kind = RunFailure::Kind;
  if (declared_.execution != Execution::kDeterministic) {
    return RunFailure{Kind::kBackend,
                      "this backend needs the threads scheduler, which this build lacks"};
  }
  std::vector<std::uint32_t> room = choices_.take_consumed();
  choices_ =
      plan.choices ? Choices(*plan.choices, std::move(room)) : Choices(plan.seed, std::move(room));
  info_.id = fmt::format("{}-{}", namespace_, ++runs_);
  if (info_.topics.size() != plan.topics) info_.topics = name_topics(plan);
  try {
    if (const Result<void> ready = backend_.reset(info_); ready.has_error()) {
      return RunFailure{Kind::kBackend, "the backend could not be reset: " + ready.error().text};
    }
    recorded_.id = run_id(plan);
    if (recorded_.clients.size() != plan.clients) recorded_.clients = label_clients(plan);
    recorded_.topics = info_.topics;
    recorded_.nodes = backend_.nodes();
    recorded_.declared = apply(options_.settings, declared_.promises);
    recorded_.faults_asked = !plan.faults.empty();
    recorded_.filler_bytes = plan.workload.filler_bytes;
    recorder_.begin(recorded_, &checker_, holds_);
    scheduler_.begin(choices_, plan.strategy);
    scheduler_.limit_steps(std::max<std::uint64_t>(DeterministicScheduler::kDefaultStepsMax,
                                                   plan.events * kStepsPerEventMax));
    if (std::optional<std::string> failed = run_cascade(plan)) {
      return RunFailure{Kind::kBackend, std::move(*failed)};
    }
  } catch (const SchedulerError& error) {
    return RunFailure{Kind::kInternal, error.what()};
  } catch (const std::exception& error) {
    return RunFailure{Kind::kMisuse,
                      fmt::format("the adapter threw an exception: {}", error.what())};
  } catch (...) {
    return RunFailure{Kind::kMisuse, "the adapter threw something that is no exception"};
  }
  return std::nullopt;
}

// The reason when the backend could not be driven.
std::optional<std::string> Runner::run_cascade(const Plan& plan) {
  if (plan.faults.empty()) return cascade_.run(plan, choices_);
  if (faults_ == nullptr) {
    faults_ = std::make_unique<FaultInjector>(backend_, user_backend_, scheduler_, recorder_);
  }
  if (const auto begun = faults_->begin(plan, choices_, [this] { cascade_.faults_settled(); });
      !begun) {
    return begun.error().text;
  }
  // Also when the run ends by an exception.
  struct Ending {
    FaultInjector& faults;
    ~Ending() { faults.end(); }
  } ending{*faults_};
  std::optional<std::string> failed = cascade_.run(plan, choices_, faults_.get());
  return failed ? failed : faults_->problem();
}

std::optional<RunFailure> Runner::new_misuse() {
  const std::vector<Misuse>& misuse = backend_.misuse();
  if (misuse.size() == misuse_seen_) return std::nullopt;
  std::string text = "the adapter misuses the interface:";
  for (; misuse_seen_ < misuse.size(); ++misuse_seen_) {
    text += "\n  " + misuse[misuse_seen_].text;
  }
  return RunFailure{RunFailure::Kind::kMisuse, std::move(text)};
}

Plan Runner::explicit_plan(const Plan& plan) const {
  Plan made = plan;
  if (!made.choices) made.choices = choices_.consumed();
  return made;
}

HistoryFile Runner::history_file(const Plan& plan) const {
  const Plan made = explicit_plan(plan);
  HistoryFile file;
  file.history = recorder_.history();
  file.header.seed = made.seed;
  file.header.plan_hash = plan_hash(made);
  file.header.run = std::string(RunTag(run_id(made)).text());
  file.header.config = plan_to_config(made);
  file.header.faults = made.faults;
  file.other_lines = recorder_.hold_lines();
  return file;
}

}  // namespace causalcheck
