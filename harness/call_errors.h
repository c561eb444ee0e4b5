#pragma once

#include <fmt/format.h>

#include <string_view>

#include "harness/result.h"

namespace causalcheck {

/// What sessions and backends answer to a call that makes no sense: nothing was done.

inline Error not_a_topic(std::string_view topic) {
  return Error(ErrorCode::kRejected, fmt::format("'{}' is no topic of this run", topic));
}

/// `call` is for the other kind of reads than those of this `what`, a log for instance.
inline Error wrong_reads(std::string_view call, std::string_view reads,
                         std::string_view what = "log") {
  return Error(ErrorCode::kRejected,
               fmt::format("{} is not possible: this {} is read with reads={}", call, what, reads));
}

}  // namespace causalcheck
