#pragma once

#include <memory>

#include "harness/backend.h"
#include "harness/backend_url.h"

namespace causalcheck {

/// `broadcast`: a causal-broadcast group after Birman, Schiper and Stephenson over simulated links.
///
/// Settings: docs/broadcast.md. Errors: kRejected for an address or a setting it does not know.
[[nodiscard]] Result<std::unique_ptr<Backend>> make_broadcast_backend(const BackendUrl& url);

}  // namespace causalcheck
