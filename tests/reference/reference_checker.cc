#include "tests/reference/reference_checker.h"

#include <algorithm>

#include "tests/reference/reference_model.h"
#include "tests/reference/reference_order.h"
#include "tests/reference/reference_rows.h"

namespace causalcheck::reference {
namespace {

bool has_drain(const Model& model) {
  return std::any_of(model.lines.begin(), model.lines.end(),
                     [](const Operation& line) { return line.is_drain(); });
}

/// The guarantee is judged in this run at all.
bool applies(const Model& model, Guarantee id) {
  const Declaration& declared = model.history.declared;
  const bool ids_tell_apart =
      std::none_of(model.messages.begin(), model.messages.end(),
                   [](const MessageFacts& facts) { return facts.conflicted; });
  switch (id) {
    case Guarantee::kNoLostWrites:
      return has_drain(model);
    case Guarantee::kReadYourWrites:
      return declared.claims.contains(id) && !model.feed;
    case Guarantee::kMonotonicReads:
      return declared.claims.contains(id) && (!model.feed || model.slots);
    case Guarantee::kMonotonicWrites:
    case Guarantee::kWritesFollowReads:
      return declared.claims.contains(id);
    case Guarantee::kFifo:
      return ids_tell_apart;
    case Guarantee::kCausal:
      return ids_tell_apart && declared.level >= Level::kCausal;
    case Guarantee::kTotal: {
      const bool copies_look_like_steps_back =
          !model.feed && !model.slots && declared.retries == Retries::kAtLeastOnce;
      return ids_tell_apart && declared.level == Level::kTotal && !copies_look_like_steps_back;
    }
    case Guarantee::kDelivery:
      return model.feed;
    case Guarantee::kIdentity:
    case Guarantee::kOutcome:
      return true;
    case Guarantee::kIntegrity:
      return model.history.payloads_checked;
    case Guarantee::kRealTime:
      return declared.claims.contains(id) && model.slots;
  }
  return false;
}

bool breaks(const Model& model, Guarantee id, Grounding grounding) {
  switch (id) {
    case Guarantee::kNoLostWrites:
      return breaks_no_lost_writes(model);
    case Guarantee::kReadYourWrites:
      return breaks_read_your_writes(model);
    case Guarantee::kMonotonicReads:
      return breaks_monotonic_reads(model);
    case Guarantee::kMonotonicWrites:
      return breaks_monotonic_writes(model);
    case Guarantee::kWritesFollowReads:
      return breaks_writes_follow_reads(model);
    case Guarantee::kFifo:
      return breaks_fifo(model, grounding);
    case Guarantee::kCausal:
      return breaks_causal(model);
    case Guarantee::kTotal:
      return breaks_total(model, grounding);
    case Guarantee::kDelivery:
      return breaks_delivery(model, grounding);
    case Guarantee::kIdentity:
      return breaks_identity(model);
    case Guarantee::kOutcome:
      return breaks_outcome(model);
    case Guarantee::kIntegrity:
      return breaks_integrity(model);
    case Guarantee::kRealTime:
      return breaks_real_time(model);
  }
  return false;
}

Verdict verdict_of(const Model& model, const ReferenceReport& report) {
  if (report.contaminated) return Verdict::kUnknown;
  if (std::find(report.answers.begin(), report.answers.end(), Answer::kBreaks) !=
      report.answers.end()) {
    return Verdict::kBreaks;
  }
  const bool cut_off = model.history.has_header && !has_drain(model);
  const bool vacuous = !is_contended(model) || (model.history.faults_asked && !met_a_fault(model));
  return cut_off || vacuous ? Verdict::kUnknown : Verdict::kHolds;
}

}  // namespace

ReferenceReport reference_check(const History& history, Grounding grounding) {
  const Model model(history);
  ReferenceReport report;
  report.contaminated = is_contaminated(model);
  for (const Guarantee id : all_guarantees()) {
    Answer& answer = report.answers[static_cast<std::size_t>(id)];
    answer = Answer::kNotApplicable;
    if (report.contaminated || !applies(model, id)) continue;
    answer = breaks(model, id, grounding) ? Answer::kBreaks : Answer::kHolds;
  }
  report.verdict = verdict_of(model, report);
  return report;
}

}  // namespace causalcheck::reference
