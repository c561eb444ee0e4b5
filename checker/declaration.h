#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <vector>

namespace causalcheck {

/// What is judged; docs/semantics.md says when each breaks. In the order reports list them.
enum class Guarantee : std::uint8_t {
  kNoLostWrites,       // SG-1
  kReadYourWrites,     // SG-2
  kMonotonicReads,     // SG-3
  kMonotonicWrites,    // Terry et al. 1994
  kWritesFollowReads,  // Terry et al. 1994
  kFifo,               // P3 for one sender's messages
  kCausal,             // P3 for messages ordered by happened-before
  kTotal,              // P3 for all messages of a topic
  kDelivery,           // no gaps in a feed
  kIdentity,           // one slot one message, one id one payload
  kOutcome,            // what failed stays invisible
  kIntegrity,          // only what was written is ever read
  kRealTime,           // linearizability of the log, slots as the witness order
};
inline constexpr std::size_t kGuaranteeCount = 13;

/// A set of guarantees; a value.
class GuaranteeSet {
 public:
  constexpr GuaranteeSet() = default;
  constexpr GuaranteeSet(std::initializer_list<Guarantee> ids) {
    for (const Guarantee id : ids) insert(id);
  }
  [[nodiscard]] constexpr bool contains(Guarantee id) const {
    return (bits_ >> static_cast<unsigned>(id) & 1U) != 0;
  }
  constexpr void insert(Guarantee id) { bits_ |= 1U << static_cast<unsigned>(id); }
  constexpr void erase(Guarantee id) { bits_ &= ~(1U << static_cast<unsigned>(id)); }
  [[nodiscard]] constexpr bool empty() const { return bits_ == 0; }
  constexpr bool operator==(const GuaranteeSet&) const = default;

 private:
  std::uint32_t bits_ = 0;
};

/// Whether messages get positions: none, positions with gaps, or positions without.
enum class Slots : std::uint8_t { kNone, kSparse, kContiguous };
/// A poll that resolves the freshest message, or a feed that hands over one after another.
enum class Reads : std::uint8_t { kLatest, kFeed };
/// Which pairs of messages P3 speaks about; each level contains the ones before it.
enum class Level : std::uint8_t { kFifo, kCausal, kTotal };
/// Whether order is promised inside one topic or across all.
enum class Scope : std::uint8_t { kTopic, kAll };
/// Whether an acknowledged message may occupy two slots. Nothing declared, nothing asserted.
enum class Retries : std::uint8_t { kUndeclared, kNone, kAtLeastOnce };

/// What a backend says of itself (docs/semantics.md, "What the backend declares").
///
/// `claims` is what gets judged beside what every backend owes; `offers` is what the chosen
/// settings are documented to give. Levels are not listed in the sets: `level` stands for itself
/// and for all levels below it. The defaults are those of a history without a header.
struct Declaration {
  Slots slots = Slots::kNone;
  Reads reads = Reads::kLatest;
  Level level = Level::kCausal;
  Scope scope = Scope::kAll;
  Retries retries = Retries::kUndeclared;
  GuaranteeSet claims{Guarantee::kReadYourWrites, Guarantee::kMonotonicReads,
                      Guarantee::kMonotonicWrites, Guarantee::kWritesFollowReads};
  GuaranteeSet offers{};
  bool operator==(const Declaration&) const = default;
};

/// Whether `id` is judged of a backend that declares this: what every backend owes, the levels up
/// to the declared one, and what it claims. Not whether it applies (docs/semantics.md,
/// "Guarantees").
bool is_claimed(const Declaration& declared, Guarantee id);

/// The ids used in files, on the command line and in reports, and back. Parsing knows exactly
/// these.
std::string_view to_string(Guarantee id);
std::string_view to_string(Slots value);
std::string_view to_string(Reads value);
std::string_view to_string(Level value);
std::string_view to_string(Scope value);
std::string_view to_string(Retries value);
std::optional<Guarantee> parse_guarantee(std::string_view text);
std::optional<Slots> parse_slots(std::string_view text);
std::optional<Reads> parse_reads(std::string_view text);
std::optional<Level> parse_level(std::string_view text);
std::optional<Scope> parse_scope(std::string_view text);
std::optional<Retries> parse_retries(std::string_view text);

/// Every guarantee, in report order.
const std::vector<Guarantee>& all_guarantees();

}  // namespace causalcheck
