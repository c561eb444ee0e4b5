#include "harness/shrink.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

#include "harness/shrinker.h"

namespace causalcheck {
namespace {

// Events up to the last operation that `violation` names; 0 when that is not one of a client.
std::uint64_t events_until(const Violation& violation, const History& history) {
  Position last = 0;
  bool drained = false;
  const auto look_at = [&](OperationIndex index) {
    const Operation& operation = history.operations[index];
    drained = drained || operation.is_drain();
    last = std::max(last, operation.end == kNever ? operation.start : operation.end);
  };
  for (const OperationIndex index : violation.operations) look_at(index);
  if (violation.broken) look_at(violation.broken->learned_from);
  for (const Clause& clause : violation.chain) look_at(clause.learned_from);
  if (drained) return 0;
  const auto is_event = [last](const Operation& operation) {
    if (operation.is_drain()) return false;
    if (operation.is_write()) return operation.start <= last;
    return operation.message != kNothing && operation.end <= last;
  };
  return static_cast<std::uint64_t>(
      std::count_if(history.operations.begin(), history.operations.end(), is_event));
}

// The violation of class `kind`, if there is one, else `otherwise`.
const Violation* broken_as(std::string_view kind, const Report& report,
                           const Violation* otherwise) {
  for (const Judgement& judgement : report.guarantees) {
    if (judgement.answer != Answer::kBreaks || !judgement.violation) continue;
    if (fingerprint(*judgement.violation) == kind) return &*judgement.violation;
  }
  return otherwise;
}

// On threads a run that failed is worth keeping: the plan alone need not fail again.
struct Evidence {
  Report report{};
  History history{};
  std::uint64_t events = 0;
};
constexpr std::uint32_t kReplays = 10;  // of it

}  // namespace

const Violation* first_broken(const Report& report) {
  for (const Judgement& judgement : report.guarantees) {
    if (judgement.answer == Answer::kBreaks && judgement.violation) return &*judgement.violation;
  }
  return nullptr;
}

ShrinkTrial trial_of(const RunResult& result, const Runner& runner, std::string_view kind,
                     ShrinkMatch match) {
  ShrinkTrial trial;
  if (result.failure) return trial;
  trial.events = result.report.counts.publishes + result.report.counts.observes;
  if (result.report.verdict != Verdict::kBreaks) return trial;
  const Violation* violation = first_broken(result.report);
  if (match == ShrinkMatch::kAnyBroken) violation = broken_as(kind, result.report, violation);
  if (violation == nullptr) return trial;
  trial.kind = fingerprint(*violation);
  trial.events_needed = events_until(*violation, runner.history());
  trial.consumed = runner.consumed();
  return trial;
}

ShrunkPlan shrink_plan(const std::function<ShrinkTrial(const Plan&)>& run, const Plan& failing,
                       std::string_view kind, const ShrinkOptions& options) {
  return Shrinker(run, failing, kind, options).shrink();
}

ShrinkResult shrink(Runner& runner, const Plan& failing, std::string_view kind,
                    const ShrinkOptions& options) {
  RunResult last;
  std::string kept(kind);
  const bool on_threads = runner.declared().execution == Execution::kThreads;
  std::map<std::uint64_t, Evidence> evidence;  // by shape: a candidate that fails may not be taken
  const auto run = [&](const Plan& plan) {
    if (runner.abandoned()) return ShrinkTrial{};
    if (options.watch != nullptr) options.watch->arm();
    last = runner.run(plan);
    if (options.watch != nullptr) options.watch->disarm();
    ShrinkTrial trial = trial_of(last, runner, kept, options.match);
    if (kept.empty()) kept = trial.kind;
    const bool fails = !kept.empty() && trial.kind == kept;
    if (on_threads && fails) {
      Evidence& smallest = evidence[run_id(plan)];
      if (smallest.events == 0 || trial.events <= smallest.events) {
        smallest = {last.report, runner.history(), trial.events};
      }
    }
    return trial;
  };
  ShrinkResult result;
  static_cast<ShrunkPlan&>(result) = shrink_plan(run, failing, kind, options);
  const auto keep = [&] {
    result.plan = runner.explicit_plan(result.plan);
    result.report = last.report;
    result.history = runner.history_file(result.plan);
    result.events = last.report.counts.publishes + last.report.counts.observes;
  };
  if (const auto kept_run = evidence.find(run_id(result.plan)); kept_run != evidence.end()) {
    result.history = runner.history_file(result.plan);
    result.history.history = std::move(kept_run->second.history);
    result.report = std::move(kept_run->second.report);
    result.events = kept_run->second.events;
    while (result.tries < kReplays && !runner.abandoned()) {
      if (options.watch != nullptr) options.watch->arm();
      last = runner.replay(result.plan, result.history.history);
      if (options.watch != nullptr) options.watch->disarm();
      ++result.tries;
      if (trial_of(last, runner, kept, options.match).kind == kept) ++result.fails;
    }
    return result;
  }
  // The evidence is that of a run which failed, if any of them did.
  const std::uint32_t tries = std::max(options.tries, 1U);
  for (; result.tries < tries; ++result.tries) {
    const ShrinkTrial trial = run(result.plan);
    const bool fails = !kept.empty() && trial.kind == kept;
    if (fails) ++result.fails;
    if (result.tries == 0 || (fails && result.fails == 1)) keep();
  }
  if (result.events_before == 0) result.events_before = result.events;
  return result;
}

}  // namespace causalcheck
