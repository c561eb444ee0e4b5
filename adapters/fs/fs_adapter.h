#pragma once

#include <memory>

#include "harness/backend.h"
#include "harness/backend_url.h"

namespace causalcheck {

/// `fs:DIR`: an object log in local files (FsStore). DIR must exist; a run makes one folder there,
/// named by its id, and removes it at the next reset or in the end. Without DIR a temporary folder.
///
/// Settings: reads=latest|feed. Errors: kRejected for a setting it does not know, kUnavailable for
/// a DIR that is not there or not writable.
[[nodiscard]] Result<std::unique_ptr<Backend>> make_fs_backend(const BackendUrl& url);

}  // namespace causalcheck
