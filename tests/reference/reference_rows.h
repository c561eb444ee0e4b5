#pragma once

#include "checker/verdict.h"
#include "tests/reference/reference_model.h"

namespace causalcheck::reference {

/// Each says whether the history breaks the guarantee, whether or not it is claimed.
bool breaks_no_lost_writes(const Model& model);
bool breaks_read_your_writes(const Model& model);
bool breaks_monotonic_reads(const Model& model);
bool breaks_delivery(const Model& model, Grounding grounding);
bool breaks_identity(const Model& model);
bool breaks_outcome(const Model& model);
bool breaks_integrity(const Model& model);
bool breaks_real_time(const Model& model);

/// P1 or P2 is false: the recording, not the backend, is at fault.
bool is_contaminated(const Model& model);
/// Some client observed another client's message.
bool is_contended(const Model& model);
/// Some operation of a client overlapped a window of a fault.
bool met_a_fault(const Model& model);

}  // namespace causalcheck::reference
