#pragma once

#include <functional>
#include <memory>
#include <string>

#include "harness/backend.h"
#include "harness/cli/exit_code.h"
#include "harness/run.h"

namespace causalcheck::cli {

/// The backend that `spec` names: one of the adapters, or `planted:NAME`, one of the deliberately
/// wrong ones in fixtures/.
[[nodiscard]] Result<std::unique_ptr<Backend>> backend_of(const std::string& spec);

/// The exit code for a backend that could not be made.
ExitCode exit_code_of(const Error& error);

/// The exit code for a run that has no verdict.
ExitCode exit_code_of(const RunFailure& failure);

}  // namespace causalcheck::cli
