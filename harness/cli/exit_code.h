#pragma once

#include "checker/verdict.h"

namespace causalcheck::cli {

/// What the program ends with (docs/architecture.md, "The program").
enum class ExitCode : int {
  kHolds = 0,
  kBreaks = 1,
  kUnknown = 2,
  kBadArguments = 3,  // also: a file that does not fit its format
  kBackend = 4,       // could not be started, or the adapter misused the interface
  kInternal = 5,
};

constexpr ExitCode exit_code_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::kHolds:
      return ExitCode::kHolds;
    case Verdict::kBreaks:
      return ExitCode::kBreaks;
    case Verdict::kUnknown:
      return ExitCode::kUnknown;
  }
  return ExitCode::kInternal;
}

}  // namespace causalcheck::cli
