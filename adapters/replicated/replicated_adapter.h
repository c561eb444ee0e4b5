#pragma once

#include <memory>

#include "harness/backend.h"
#include "harness/backend_url.h"

namespace causalcheck {

/// `replicated`: a simulated replicated store in this process (docs/replicated.md).
///
/// Errors: kRejected for an address or a setting it does not know.
[[nodiscard]] Result<std::unique_ptr<Backend>> make_replicated_backend(const BackendUrl& url);

}  // namespace causalcheck
