#pragma once

#include <memory>

#include "harness/backend.h"
#include "harness/backend_url.h"

namespace causalcheck {

/// `memory`: an object log in the memory of this process, right in every respect. The reference,
/// and what the harness itself is tested with.
///
/// Settings: reads=latest|feed. Errors: kRejected for an address or a setting it does not know.
[[nodiscard]] Result<std::unique_ptr<Backend>> make_memory_backend(const BackendUrl& url);

}  // namespace causalcheck
