#pragma once

#include <vector>

#include "checker/verdict.h"
#include "tests/reference/reference_model.h"

namespace causalcheck::reference {

/// Each says whether the history breaks the guarantee, whether or not it is claimed.
bool breaks_fifo(const Model& model, Grounding grounding);
bool breaks_causal(const Model& model);
bool breaks_total(const Model& model, Grounding grounding);
bool breaks_monotonic_writes(const Model& model);
bool breaks_writes_follow_reads(const Model& model);

/// The order in which the declared level has one topic's messages handed over: of one author; by
/// happens-before; at level total, where it exists, that which all receivers agree on.
MessageOrder declared_order(const Model& model, Grounding grounding, TopicId topic);

/// `send(before) < send(after)`, claimed by P3 at level total when some receiver got `after`.
struct SendClause {
  MessageId before = kNothing;
  MessageId after = kNothing;
};
/// Those of one topic, or all of them with scope `all`, in which case `topic` is not looked at.
std::vector<SendClause> total_clauses(const Model& model, TopicId topic);

/// Whether happens-before and the clauses have a common order: no cycle in the closure of both.
bool common_order_by_closure(const Model& model, const std::vector<SendClause>& clauses);
/// The same by trying every permutation of the messages. For at most seven.
bool common_order_by_permutations(const Model& model, const std::vector<SendClause>& clauses);

}  // namespace causalcheck::reference
