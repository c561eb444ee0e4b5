#include "harness/campaign_summary.h"

#include <fmt/format.h>

#include "harness/words.h"

namespace causalcheck {
namespace {

constexpr std::uint64_t Counts::*kCounts[] = {
    &Counts::operations, &Counts::publishes,  &Counts::observes,   &Counts::foreign_observes,
    &Counts::clauses_p1, &Counts::clauses_p2, &Counts::clauses_p3, &Counts::reads_nothing,
    &Counts::repeats,    &Counts::duplicates, &Counts::skipped,    &Counts::overlaps,
    &Counts::info,       &Counts::fail,
};
static_assert(sizeof(Counts) == sizeof(kCounts) / sizeof(kCounts[0]) * sizeof(std::uint64_t),
              "every count is summed");

void add_counts(Counts& into, const Counts& from) {
  for (const auto count : kCounts) into.*count += from.*count;
}

}  // namespace

void CampaignSummary::ask_faults(const std::vector<std::string>& names) {
  const FaultSet kinds = faults_of(names);
  for (std::uint32_t i = 0; i < kinds.size(); ++i) {
    faults[static_cast<std::size_t>(kinds.nth(i))].asked = true;
  }
}

void CampaignSummary::add(const RunResult& run) {
  const Report& report = run.report;
  ++runs;
  StrategyTally& strategy = strategies[static_cast<std::size_t>(run.strategy)];
  ++strategy.runs;
  if (report.verdict == Verdict::kHolds) ++held;
  if (report.verdict == Verdict::kBreaks) {
    ++broke;
    ++strategy.broke;
  }
  if (report.contaminated) ++contaminated;
  if (report.cut_off) ++cut_off;
  if (report.vacuous) ++vacuous;
  if ((report.contaminated || report.cut_off) && first_problem.empty()) first_problem = report.why;
  events += run.events;
  switches_inside += run.switches_inside;
  if (run.switches_inside > 0) ++runs_with_switches;
  steps += run.steps;
  virtual_time += run.virtual_time;
  add_counts(counts, report.counts);
  if (run.holds) {
    ++holds.runs;
    holds.metrics.merge(run.holds->metrics);
    holds.stalled += run.holds->stalled;
    if (run.holds->stalled > 0) ++holds.runs_stalled;
    if (holds.first_stall.empty()) holds.first_stall = run.holds->first_stall;
  }
  for (std::size_t i = 0; i < kFaultKindCount; ++i) faults[i].add(run.faults[i]);
  for (std::size_t i = 0; i < kGuaranteeCount; ++i) {
    const Judgement& judgement = report.guarantees[i];
    GuaranteeTally& tally = guarantees[i];
    tally.claimed = tally.claimed || judgement.claimed;
    if (judgement.answer == Answer::kNotApplicable) {
      if (tally.why_not.empty()) tally.why_not = judgement.why;
      continue;
    }
    ++tally.runs_judged;
    if (judgement.judged > 0 || judgement.broken > 0) ++tally.runs_could_fail;
    if (judgement.answer == Answer::kBreaks) ++tally.runs_broken;
    tally.judged += judgement.judged;
    tally.broken += judgement.broken;
  }
}

void CampaignSummary::merge(const CampaignSummary& other) {
  runs += other.runs;
  held += other.held;
  broke += other.broke;
  vacuous += other.vacuous;
  contaminated += other.contaminated;
  cut_off += other.cut_off;
  if (first_problem.empty()) first_problem = other.first_problem;
  events += other.events;
  switches_inside += other.switches_inside;
  runs_with_switches += other.runs_with_switches;
  steps += other.steps;
  virtual_time += other.virtual_time;
  compared += other.compared;
  add_counts(counts, other.counts);
  for (std::size_t i = 0; i < kFaultKindCount; ++i) faults[i].merge(other.faults[i]);
  for (std::size_t i = 0; i < kGuaranteeCount; ++i) {
    const GuaranteeTally& from = other.guarantees[i];
    GuaranteeTally& into = guarantees[i];
    into.runs_judged += from.runs_judged;
    into.runs_could_fail += from.runs_could_fail;
    into.runs_broken += from.runs_broken;
    into.judged += from.judged;
    into.broken += from.broken;
    into.claimed = into.claimed || from.claimed;
    if (into.why_not.empty()) into.why_not = from.why_not;
  }
  holds.runs += other.holds.runs;
  holds.metrics.merge(other.holds.metrics);
  holds.stalled += other.holds.stalled;
  holds.runs_stalled += other.holds.runs_stalled;
  if (holds.first_stall.empty()) holds.first_stall = other.holds.first_stall;
  for (std::size_t i = 0; i < kStrategyCount; ++i) {
    strategies[i].runs += other.strategies[i].runs;
    strategies[i].broke += other.strategies[i].broke;
  }
}

CampaignVerdict judge_campaign(const CampaignSummary& summary, bool interleaves) {
  if (summary.broke > 0) return {Verdict::kBreaks, {}};
  const auto unknown = [](std::string why) {
    return CampaignVerdict{Verdict::kUnknown, std::move(why)};
  };
  if (summary.runs == 0) return unknown("nothing ran");
  if (summary.contaminated + summary.cut_off > 0) {
    return unknown(fmt::format("{} of {} runs could not be judged: {}",
                               summary.contaminated + summary.cut_off, summary.runs,
                               summary.first_problem));
  }
  if (summary.vacuous == summary.runs) {
    return unknown(
        "nothing contended in any run: no message was observed by a client other than "
        "its sender, or no fault that was asked for hit an operation");
  }
  std::vector<Guarantee> never;
  for (const Guarantee id : all_guarantees()) {
    const GuaranteeTally& tally = summary[id];
    if (!tally.claimed || tally.runs_judged == 0 || tally.runs_could_fail > 0) continue;
    if (id == Guarantee::kOutcome) continue;
    never.push_back(id);
  }
  if (!never.empty()) return unknown("never exercised in any run: " + listed(never));
  FaultSet idle;
  for (std::size_t i = 0; i < kFaultKindCount; ++i) {
    const FaultTally& tally = summary.faults[i];
    if (tally.asked && tally.hit == 0) idle.insert(static_cast<FaultKind>(i));
  }
  if (!idle.empty()) {
    return unknown("asked for, and never hit an operation in any run: " + to_string(idle));
  }
  if (interleaves && summary.switches_inside == 0) {
    return unknown(
        "the backend yields inside its operations, and no other client ever went on there");
  }
  return {Verdict::kHolds, {}};
}

}  // namespace causalcheck
