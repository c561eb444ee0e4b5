#pragma once

#include <string_view>

#include "harness/cli/exit_code.h"

namespace causalcheck::cli {

/// Writes results to standard output. What cannot be written is noticed by `finish_output`.
void print(std::string_view text);

/// Writes one line to standard error: "causalcheck: TEXT".
void complain(std::string_view text);

/// `complain`, and the exit code to return.
ExitCode refuse(std::string_view text, ExitCode code = ExitCode::kBadArguments);

/// Flushes standard output; kInternal when it could not take everything (a full disk, say).
[[nodiscard]] ExitCode finish_output(ExitCode code);

}  // namespace causalcheck::cli
