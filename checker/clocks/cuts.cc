#include "checker/clocks/cuts.h"

#include <algorithm>
#include <cassert>

#include "checker/clocks/log_check.h"

namespace causalcheck {
namespace {

Cut with(Cut cut, const StampedLog& log, ProcessId process, Tick tick) {
  const ClockStatus status = cut.set(process, tick, log.processes.size());
  assert(status == ClockStatus::kOk);
  static_cast<void>(status);
  return cut;
}

}  // namespace

Cuts::Cuts(const StampedLog& log) : log_(log), of_process_(log.by_process()) {}

StampedIndex Cuts::last_in(const Cut& cut, ProcessId process) const {
  return last_until(log_, of_process_[process], cut[process]);
}

Cut Cuts::tails() const {
  Cut cut;
  for (ProcessId p = 0; p < of_process_.size(); ++p) {
    if (of_process_[p].empty()) continue;
    cut = with(std::move(cut), log_, p, log_.events()[of_process_[p].back()].own);
  }
  return cut;
}

Cut Cuts::recorded_at(StampedIndex event) const {
  Cut cut;
  for (StampedIndex i = 0; i <= event; ++i) {
    cut = with(std::move(cut), log_, log_.events()[i].process, log_.events()[i].own);
  }
  return cut;
}

std::optional<CutProblem> Cuts::problem(const Cut& cut) const {
  for (ProcessId p = 0; p < of_process_.size(); ++p) {
    const StampedIndex last = last_in(cut, p);
    if (last == kNoStamped) continue;
    for (std::uint32_t i = 0; i < log_.entry_count(last); ++i) {
      const ClockEntry entry = log_.entry_at(last, i);
      if (entry.process == p || entry.tick <= cut[entry.process]) continue;
      return CutProblem{last, entry.process, entry.tick, cut[entry.process]};
    }
  }
  return std::nullopt;
}

LatestCut Cuts::latest_consistent(const Cut& cut) const {
  LatestCut latest{cut, {}};
  while (const auto found = problem(latest.cut)) {
    const ProcessId p = log_.events()[found->knows].process;
    // The first event of p that knows so much: it and what follows are out.
    const auto& events = of_process_[p];
    const auto first_out = std::partition_point(events.begin(), events.end(), [&](StampedIndex e) {
      return log_.entry(e, found->about) <= found->in_cut;
    });
    latest.pulled.push_back(
        {*first_out, found->about, log_.entry(*first_out, found->about), found->in_cut});
    const Tick kept = first_out == events.begin() ? 0 : log_.events()[*std::prev(first_out)].own;
    latest.cut = with(std::move(latest.cut), log_, p, kept);
  }
  return latest;
}

namespace {

std::string knows(const StampedLog& log, ProcessId about, Tick known, Tick in_cut) {
  return "knows " + std::to_string(known) + (known == 1 ? " event of " : " events of ") +
         log.processes[about] + "; " + std::to_string(in_cut) +
         (in_cut == 1 ? " is in the cut" : " are in the cut");
}

}  // namespace

std::string to_string(const CutProblem& problem, const StampedLog& log) {
  return place_of(problem.knows, log) + ": " + log.processes[log.events()[problem.knows].process] +
         " " + knows(log, problem.about, problem.known, problem.in_cut);
}

std::string to_string(const PullBack& step, const StampedLog& log) {
  return log.processes[log.events()[step.dropped].process] + " goes back before " +
         place_of(step.dropped, log) + ", which " + knows(log, step.about, step.known, step.in_cut);
}

}  // namespace causalcheck
