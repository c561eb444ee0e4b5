#pragma once

#include <memory>

#include "harness/backend.h"
#include "harness/backend_url.h"

namespace causalcheck {

/// Makes the backend that an `exec:COMMAND` URL describes: the program is started and says hello.
/// Errors: kRejected when there is no command, kUnavailable when it did not start or its hello does
/// not fit; the text has the last that it said on standard error.
[[nodiscard]] Result<std::unique_ptr<Backend>> make_exec_backend(const BackendUrl& url);

}  // namespace causalcheck
