#include "harness/words.h"

#include <fmt/format.h>

#include <charconv>

namespace causalcheck {
namespace {

std::string quoted(std::string_view text) { return '"' + std::string(text) + '"'; }

}  // namespace

Attempt<std::uint64_t> parse_number(std::string_view text, std::string_view what) {
  std::uint64_t number = 0;
  const auto [rest, error] = std::from_chars(text.begin(), text.end(), number);
  if (error != std::errc{} || rest != text.end()) {
    return Refusal::because(std::string(what) + " takes a whole number from 0 to 2^64 - 1, not " +
                            quoted(text));
  }
  return number;
}

Attempt<std::uint64_t> parse_count(std::string_view text, std::string_view what) {
  const Attempt<std::uint64_t> number = parse_number(text, what);
  if (number && *number == 0) return Refusal::because(std::string(what) + " must be 1 or more");
  return number;
}

std::string listed(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, ", "));
}

std::string listed(const std::vector<Guarantee>& ids) {
  std::vector<std::string> names;
  for (const Guarantee id : ids) names.emplace_back(to_string(id));
  return listed(names);
}

Attempt<std::chrono::nanoseconds> parse_duration(std::string_view text) {
  const std::size_t digits = text.find_first_not_of("0123456789");
  const std::string_view unit = digits == std::string_view::npos ? "s" : text.substr(digits);
  const Attempt<std::uint64_t> number = parse_number(text.substr(0, digits), "a time");
  constexpr std::uint64_t kLongestSeconds = 366ULL * 24 * 3600;
  std::uint64_t ms = 0;
  if (unit == "ms") ms = 1;
  if (unit == "s") ms = 1000;
  if (unit == "m" || unit == "min") ms = 60'000;
  if (unit == "h") ms = 3'600'000;
  if (!number || ms == 0 || *number == 0 || *number > kLongestSeconds * 1000 / ms) {
    return Refusal::because(
        "a time is a number with a unit (500ms, 60s, 10m, 2h), up to a year; not " + quoted(text));
  }
  return std::chrono::nanoseconds(std::chrono::milliseconds(*number * ms));
}

Attempt<SeedRange> parse_seeds(std::string_view text) {
  const std::size_t dots = text.find("..");
  if (dots != std::string_view::npos) {
    const Attempt<std::uint64_t> first = parse_number(text.substr(0, dots), "--seeds");
    const Attempt<std::uint64_t> last = parse_number(text.substr(dots + 2), "--seeds");
    if (first && last && *first <= *last) return SeedRange{*first, *last};
  }
  return Refusal::because("--seeds takes a range A..B with A not above B, as 1..500; not " +
                          quoted(text));
}

Attempt<Shard> parse_shard(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash != std::string_view::npos) {
    const Attempt<std::uint64_t> index = parse_number(text.substr(0, slash), "--shard");
    const Attempt<std::uint64_t> count = parse_number(text.substr(slash + 1), "--shard");
    if (index && count && *index >= 1 && *index <= *count) return Shard{*index - 1, *count};
  }
  return Refusal::because("--shard takes I/N with I from 1 to N, as 2/5; not " + quoted(text));
}

}  // namespace causalcheck
