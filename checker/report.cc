// From what was counted and found to the Report.
#include <algorithm>

#include "checker/checker_impl.h"
#include "checker/fault_overlap.h"

namespace causalcheck {
namespace {

constexpr std::array kOrders{Guarantee::kFifo, Guarantee::kCausal, Guarantee::kTotal};

}  // namespace

Report Checker::Impl::contaminated_report(std::string why) const {
  Report report;
  report.verdict = Verdict::kUnknown;
  report.contaminated = true;
  report.why = "contaminated run: " + std::move(why);
  report.counts = counts_;
  for (const Guarantee id : all_guarantees()) {
    report[id].claimed = is_claimed(history_->declared, id);
    report[id].why = "the run was contaminated";
  }
  return report;
}

/// Why `id` cannot be judged of this history at all; empty when it can.
std::string Checker::Impl::inapplicable(Guarantee id) const {
  const Declaration& declared = history_->declared;
  const auto is_order = [](Guarantee g) {
    return std::find(kOrders.begin(), kOrders.end(), g) != kOrders.end();
  };
  if (is_order(id) && std::any_of(messages_.begin(), messages_.end(),
                                  [](const MessageState& m) { return m.conflicted; })) {
    return "one id stood for two messages";
  }
  switch (id) {
    case Guarantee::kNoLostWrites:
      if (std::all_of(drained_.begin(), drained_.end(), [](const auto& d) { return d.empty(); })) {
        return "nothing was drained";
      }
      return {};
    case Guarantee::kReadYourWrites:
      return feed_ ? "a feed need not hand back own messages" : "";
    case Guarantee::kMonotonicReads:
      return feed_ && !slots_ ? "a feed without slots" : "";
    case Guarantee::kDelivery:
      return feed_ ? "" : "latest reads may skip messages";
    case Guarantee::kIntegrity:
      return history_->payloads_checked ? "" : "the payloads carry no checksum of this run";
    case Guarantee::kRealTime:
      return slots_ ? "" : "no slots to order by";
    case Guarantee::kTotal:
      if (!feed_ && !slots_ && declared.retries == Retries::kAtLeastOnce) {
        return "a second copy cannot be told from a step back";
      }
      return {};
    default:
      return {};
  }
}

void Checker::Impl::fill(Report& report) {
  // What breaks a session guarantee about writes breaks causal order; what breaks a level breaks
  // those above it.
  const auto carry = [&](Guarantee from, Guarantee to) {
    const auto at = static_cast<std::size_t>(from);
    if (judgements_[at].broken > 0 && !broken(to)) found(to, *findings_[at]);
  };
  carry(Guarantee::kMonotonicWrites, Guarantee::kCausal);
  carry(Guarantee::kWritesFollowReads, Guarantee::kCausal);
  // Read literally, fifo may break by the order of calls alone; what breaks it really is in the
  // past of what was observed, which causal sees by itself.
  if (grounding_ == Grounding::kHappenedBefore) carry(Guarantee::kFifo, Guarantee::kCausal);
  carry(Guarantee::kCausal, Guarantee::kTotal);
  for (const MessageState& m : messages_) {
    if (m.failed) judged(Guarantee::kOutcome);
  }

  const Declaration& declared = history_->declared;
  for (const Guarantee id : all_guarantees()) {
    Judgement& judgement = judgements_[static_cast<std::size_t>(id)];
    judgement.claimed = is_claimed(declared, id);
    judgement.why = judgement.claimed ? inapplicable(id) : "not claimed by the backend";
    if (!judgement.why.empty()) continue;
    judgement.answer = judgement.broken > 0 ? Answer::kBreaks : Answer::kHolds;
  }
  describe_all();
  report.guarantees = judgements_;
  report.counts = counts_;
  judge_exercise(report);
}

/// The verdict of the run.
void Checker::Impl::judge_exercise(Report& report) const {
  const bool breaks = std::any_of(report.guarantees.begin(), report.guarantees.end(),
                                  [](const Judgement& j) { return j.answer == Answer::kBreaks; });
  const bool drained =
      std::any_of(drained_.begin(), drained_.end(), [](const auto& d) { return !d.empty(); });
  report.cut_off = history_->has_header && !drained;
  bool fault_hit = !history_->faults_asked;
  if (!fault_hit) {
    const FaultOverlap faults(*history_);
    fault_hit = std::any_of(history_->operations.begin(), history_->operations.end(),
                            [&](const Operation& o) { return !o.is_drain() && faults.touches(o); });
  }
  report.vacuous = counts_.foreign_observes == 0 || !fault_hit;
  if (breaks) {
    report.verdict = Verdict::kBreaks;
  } else if (report.cut_off) {
    report.verdict = Verdict::kUnknown;
    report.why = "the run was cut off: it has a header and no drain";
  } else if (report.vacuous) {
    report.verdict = Verdict::kUnknown;
    report.why =
        fault_hit ? "nothing contended: no message was observed by a client other than its sender"
                  : "nothing contended: no operation overlapped a fault that was asked for";
  } else {
    report.verdict = Verdict::kHolds;
  }
}

}  // namespace causalcheck
