#include "checker/declaration.h"

#include <array>
#include <cstddef>
#include <utility>

namespace causalcheck {
namespace {

template <class T, std::size_t N>
using Names = std::array<std::pair<T, std::string_view>, N>;

constexpr Names<Guarantee, kGuaranteeCount> kGuarantees{{
    {Guarantee::kNoLostWrites, "no-lost-writes"},
    {Guarantee::kReadYourWrites, "read-your-writes"},
    {Guarantee::kMonotonicReads, "monotonic-reads"},
    {Guarantee::kMonotonicWrites, "monotonic-writes"},
    {Guarantee::kWritesFollowReads, "writes-follow-reads"},
    {Guarantee::kFifo, "fifo"},
    {Guarantee::kCausal, "causal"},
    {Guarantee::kTotal, "total"},
    {Guarantee::kDelivery, "delivery"},
    {Guarantee::kIdentity, "identity"},
    {Guarantee::kOutcome, "outcome"},
    {Guarantee::kIntegrity, "integrity"},
    {Guarantee::kRealTime, "real-time"},
}};
constexpr Names<Slots, 3> kSlots{
    {{Slots::kNone, "none"}, {Slots::kSparse, "sparse"}, {Slots::kContiguous, "contiguous"}}};
constexpr Names<Reads, 2> kReads{{{Reads::kLatest, "latest"}, {Reads::kFeed, "feed"}}};
constexpr Names<Level, 3> kLevels{
    {{Level::kFifo, "fifo"}, {Level::kCausal, "causal"}, {Level::kTotal, "total"}}};
constexpr Names<Scope, 2> kScopes{{{Scope::kTopic, "topic"}, {Scope::kAll, "all"}}};
// An undeclared `retries` has no word: the field is left out.
constexpr Names<Retries, 2> kRetries{
    {{Retries::kNone, "none"}, {Retries::kAtLeastOnce, "at-least-once"}}};

template <class T, std::size_t N>
std::string_view name_of(const Names<T, N>& names, T value) {
  for (const auto& [known, name] : names) {
    if (known == value) return name;
  }
  return "undeclared";
}

template <class T, std::size_t N>
std::optional<T> value_of(const Names<T, N>& names, std::string_view text) {
  for (const auto& [value, name] : names) {
    if (name == text) return value;
  }
  return std::nullopt;
}

}  // namespace

bool is_claimed(const Declaration& declared, Guarantee id) {
  switch (id) {
    case Guarantee::kNoLostWrites:
    case Guarantee::kDelivery:
    case Guarantee::kIdentity:
    case Guarantee::kOutcome:
    case Guarantee::kIntegrity:
    case Guarantee::kFifo:
      return true;
    case Guarantee::kCausal:
      return declared.level >= Level::kCausal;
    case Guarantee::kTotal:
      return declared.level >= Level::kTotal;
    default:
      return declared.claims.contains(id);
  }
}

std::string_view to_string(Guarantee id) { return name_of(kGuarantees, id); }
std::string_view to_string(Slots value) { return name_of(kSlots, value); }
std::string_view to_string(Reads value) { return name_of(kReads, value); }
std::string_view to_string(Level value) { return name_of(kLevels, value); }
std::string_view to_string(Scope value) { return name_of(kScopes, value); }
std::string_view to_string(Retries value) { return name_of(kRetries, value); }

std::optional<Guarantee> parse_guarantee(std::string_view text) {
  return value_of(kGuarantees, text);
}
std::optional<Slots> parse_slots(std::string_view text) { return value_of(kSlots, text); }
std::optional<Reads> parse_reads(std::string_view text) { return value_of(kReads, text); }
std::optional<Level> parse_level(std::string_view text) { return value_of(kLevels, text); }
std::optional<Scope> parse_scope(std::string_view text) { return value_of(kScopes, text); }
std::optional<Retries> parse_retries(std::string_view text) { return value_of(kRetries, text); }

const std::vector<Guarantee>& all_guarantees() {
  static const std::vector<Guarantee> all = [] {
    std::vector<Guarantee> ids;
    for (const auto& [id, name] : kGuarantees) ids.push_back(id);
    return ids;
  }();
  return all;
}

}  // namespace causalcheck
