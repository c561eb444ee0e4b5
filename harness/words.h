#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "checker/declaration.h"
#include "harness/refusal.h"

namespace causalcheck {

/// "60s", "10m", "2h", "500ms", or a plain number of seconds. Errors: anything else, or nothing.
[[nodiscard]] Attempt<std::chrono::nanoseconds> parse_duration(std::string_view text);

/// A time in seconds, for arithmetic and for people.
[[nodiscard]] inline double seconds_of(std::chrono::nanoseconds time) {
  return std::chrono::duration<double>(time).count();
}

/// A whole number; `what` names it in the error.
[[nodiscard]] Attempt<std::uint64_t> parse_number(std::string_view text, std::string_view what);
/// The same, of which there must be one at least.
[[nodiscard]] Attempt<std::uint64_t> parse_count(std::string_view text, std::string_view what);

/// "causal, fifo": what there is, one after another.
[[nodiscard]] std::string listed(const std::vector<std::string>& words);
[[nodiscard]] std::string listed(const std::vector<Guarantee>& ids);

/// "A..B", both included. Errors: not of that form, or B below A.
struct SeedRange {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
};
[[nodiscard]] Attempt<SeedRange> parse_seeds(std::string_view text);

/// "2/5": the second of five shards. Errors: not of that form, or out of range.
struct Shard {
  std::uint64_t index = 0;  // from 0
  std::uint64_t count = 1;
};
[[nodiscard]] Attempt<Shard> parse_shard(std::string_view text);

}  // namespace causalcheck
