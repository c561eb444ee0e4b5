#include "harness/run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <chrono>
#include <exception>
#include <utility>

#include "harness/checked_backend.h"
#include "harness/faults/fault_injector.h"
#include "harness/hold_events.h"
#include "harness/mortal.h"
#include "harness/plan_file.h"
#include "harness/recorder.h"
#include "harness/replayer.h"

namespace causalcheck {
namespace {

// Scheduling steps that an event may cost before the run counts as one that hangs.
constexpr std::uint64_t kStepsPerEventMax = 100'000;

// A backend that went down by itself: what broke stands, and what held says nothing.
void cut_off_by(const std::optional<std::string>& why, Report& report) {
  if (!why || report.contaminated) return;
  report.cut_off = true;
  if (report.verdict == Verdict::kBreaks) return;
  report.verdict = Verdict::kUnknown;
  report.why = "the backend went down by itself: " + *why;
}

}  // namespace

/// What a Runner is made of. Kept apart, so that it can outlive the Runner when a thread still uses
/// it.
class Runner::Parts {
 public:
  Parts(Backend& backend, std::unique_ptr<Backend> owned, RunnerOptions options)
      : owned_(std::move(owned)),
        user_backend_(backend),
        backend_(backend),
        holds_(dynamic_cast<HoldReporter*>(&backend)),
        mortal_(dynamic_cast<const Mortal*>(&backend)),
        options_(std::move(options)),
        declared_(backend_.declare()),
        on_threads_(declared_.execution == Execution::kThreads),
        namespace_(fmt::format("{}-{:x}-{:x}", options_.instance, getpid(),
                               std::chrono::system_clock::now().time_since_epoch().count())),
        threads_(on_threads_ ? std::make_unique<ThreadsScheduler>(options_.limits) : nullptr),
        scheduler_(on_threads_ ? static_cast<Scheduler&>(*threads_) : fibers_),
        checker_(options_.grounding),
        recorder_(on_threads_ ? Recorder::Calls::kManyThreads : Recorder::Calls::kOneThread),
        times_(options_.times.value_or(on_threads_ ? CascadeTimes::for_threads() : CascadeTimes{})),
        cascade_(backend_, scheduler_, recorder_, times_),
        replayer_(backend_, scheduler_, recorder_, times_) {}

  RunResult run(const Plan& plan, const History* recorded);
  [[nodiscard]] Plan explicit_plan(const Plan& plan) const;
  [[nodiscard]] HistoryFile history_file(const Plan& plan) const;
  [[nodiscard]] const History& history() const { return recorder_.history(); }
  [[nodiscard]] const std::vector<std::uint32_t>& consumed() const {
    return on_threads_ ? consumed_ : choices_.consumed();
  }
  [[nodiscard]] const BackendDeclaration& declared() const { return declared_; }
  [[nodiscard]] std::string status() const { return scheduler_.status(); }
  [[nodiscard]] bool abandoned() const { return abandoned_; }

 private:
  std::optional<RunFailure> drive(const Plan& plan, const History* recorded);
  void begin(const Plan& plan);
  std::optional<std::string> drive_clients(const Plan& plan, const History* recorded);
  std::optional<RunFailure> new_misuse();

  const std::unique_ptr<Backend> owned_;  // or null
  Backend& user_backend_;
  CheckedBackend backend_;
  HoldReporter* const holds_;  // the backend, if it has that power
  const Mortal* const mortal_;
  RunnerOptions options_;
  const BackendDeclaration declared_;
  const bool on_threads_;
  const std::string namespace_;
  std::uint64_t runs_ = 0;
  std::size_t misuse_seen_ = 0;
  DeterministicScheduler fibers_{};
  const std::unique_ptr<ThreadsScheduler> threads_;
  Scheduler& scheduler_;
  Checker checker_;
  Recorder recorder_;
  Choices choices_{0};                     // of fibers_
  std::vector<std::uint32_t> consumed_{};  // on threads
  const CascadeTimes times_;
  Cascade cascade_;
  Replayer replayer_;
  std::unique_ptr<FaultInjector> faults_{};  // made when the first plan arms one
  RecordedRun recorded_{};
  RunInfo info_{};
  bool abandoned_ = false;
};

// `recorded` is the run to make again, or null.
RunResult Runner::Parts::run(const Plan& plan, const History* recorded) {
  assert(!abandoned_);
  RunResult result;
  result.strategy = plan.strategy.kind;
  result.failure = drive(plan, recorded);
  if (abandoned_) return result;
  if (on_threads_) consumed_ = threads_->consumed();
  if (!result.failure) result.failure = new_misuse();
  if (result.failure) return result;
  result.report =
      recorder_.touched_the_past() ? checker_.check_whole(recorder_.history()) : checker_.finish();
  if (mortal_ != nullptr) cut_off_by(mortal_->went_down(), result.report);
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

// Starts the scheduler with the plan's choices.
void Runner::Parts::begin(const Plan& plan) {
  if (on_threads_) return threads_->begin(plan);
  fibers_.begin(choices_, plan.strategy);
  fibers_.limit_steps(std::max<std::uint64_t>(DeterministicScheduler::kDefaultStepsMax,
                                              plan.events * kStepsPerEventMax));
}

std::optional<RunFailure> Runner::Parts::drive(const Plan& plan, const History* recorded) {
  using Kind = RunFailure::Kind;
  if (!on_threads_) {
    std::vector<std::uint32_t> room = choices_.take_consumed();
    choices_ = plan.choices ? Choices(*plan.choices, std::move(room))
                            : Choices(plan.seed, std::move(room));
  }
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
    begin(plan);
    if (std::optional<std::string> failed = drive_clients(plan, recorded)) {
      return RunFailure{Kind::kBackend, std::move(*failed)};
    }
  } catch (const ClientStuck& error) {
    abandoned_ = true;
    return RunFailure{Kind::kOverdue, error.what()};
  } catch (const RunOverdue& error) {
    return RunFailure{Kind::kOverdue, error.what()};
  } catch (const SchedulerError& error) {
    return RunFailure{Kind::kInternal, error.what()};
  } catch (const AdapterMisuse& misuse) {
    return RunFailure{Kind::kMisuse, misuse.what()};
  } catch (const std::exception& error) {
    return RunFailure{Kind::kMisuse,
                      fmt::format("the adapter threw an exception: {}", error.what())};
  } catch (...) {
    return RunFailure{Kind::kMisuse, "the adapter threw something that is no exception"};
  }
  return std::nullopt;
}

// The reason when the backend could not be driven.
std::optional<std::string> Runner::Parts::drive_clients(const Plan& plan, const History* recorded) {
  const auto clients = [&](FaultInjector* faults) {
    return recorded == nullptr ? cascade_.run(plan, faults)
                               : replayer_.run(plan, *recorded, faults);
  };
  if (plan.faults.empty()) return clients(nullptr);
  if (faults_ == nullptr) {
    faults_ = std::make_unique<FaultInjector>(backend_, user_backend_, scheduler_, recorder_);
  }
  const auto begun = faults_->begin(plan, [this, recorded] {
    if (recorded == nullptr) cascade_.faults_settled();
  });
  if (!begun) return begun.error().text;
  std::optional<std::string> failed;
  run_to_end([&] { failed = clients(faults_.get()); }, [&] { faults_->end(); });
  return failed ? failed : faults_->problem();
}

std::optional<RunFailure> Runner::Parts::new_misuse() {
  const std::vector<Misuse>& misuse = backend_.misuse();
  if (misuse.size() == misuse_seen_) return std::nullopt;
  std::string text = "the adapter misuses the interface:";
  for (; misuse_seen_ < misuse.size(); ++misuse_seen_) {
    text += "\n  " + misuse[misuse_seen_].text;
  }
  return RunFailure{RunFailure::Kind::kMisuse, std::move(text)};
}

Plan Runner::Parts::explicit_plan(const Plan& plan) const {
  Plan made = plan;
  if (!made.choices) made.choices = consumed();
  return made;
}

HistoryFile Runner::Parts::history_file(const Plan& plan) const {
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

Runner::Runner(Backend& backend, RunnerOptions options)
    : parts_(std::make_unique<Parts>(backend, nullptr, std::move(options))) {}

Runner::Runner(std::unique_ptr<Backend> backend, RunnerOptions options) {
  Backend& user = *backend;
  parts_ = std::make_unique<Parts>(user, std::move(backend), std::move(options));
}

Runner::~Runner() {
  if (parts_->abandoned()) static_cast<void>(parts_.release());
}

RunResult Runner::run(const Plan& plan) { return parts_->run(plan, nullptr); }
RunResult Runner::replay(const Plan& plan, const History& recorded) {
  return parts_->run(plan, &recorded);
}
const History& Runner::history() const { return parts_->history(); }
const std::vector<std::uint32_t>& Runner::consumed() const { return parts_->consumed(); }
Plan Runner::explicit_plan(const Plan& plan) const { return parts_->explicit_plan(plan); }
HistoryFile Runner::history_file(const Plan& plan) const { return parts_->history_file(plan); }
const BackendDeclaration& Runner::declared() const { return parts_->declared(); }
std::string Runner::status() const { return parts_->status(); }
bool Runner::abandoned() const { return parts_->abandoned(); }

}  // namespace causalcheck
