#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace causalcheck {

/// Which run a payload was written in, as its 16 hex digits.
class RunTag {
 public:
  RunTag() : RunTag(0) {}
  explicit RunTag(std::uint64_t run);
  [[nodiscard]] std::string_view text() const { return {digits_.data(), digits_.size()}; }

 private:
  std::array<char, 16> digits_{};
};

/// What a payload says of its message.
struct PayloadFields {
  /// The message's place among all that the run published, from 0.
  std::uint32_t number = 0;
  /// Who published it, and the step at which it did: the identity that "C2" prints.
  std::string_view label{};
  std::uint32_t step = 0;
  bool is_delete = false;
  bool operator==(const PayloadFields&) const = default;
};

/// Appends to `out` the payload of a message: one line of ASCII,
///
///     causalcheck 0123456789abcdef 0000002a w C 2 <filler> 89abcdef01234567
///
/// that is: run, number, w or d for a delete, label, step, `filler_bytes` of filler, and the XXH3
/// of all before the last blank. `label` must hold no blank. Below 60 ns without filler.
void append_payload(std::string& out, const RunTag& run, const PayloadFields& fields,
                    std::size_t filler_bytes);

enum class PayloadOrigin : std::uint8_t {
  kOurs,         // written by this program in this run
  kForeign,      // written by this program in another run
  kUndecodable,  // cut off, changed, or nothing that append_payload ever wrote
};

/// `run` and `fields.label` point into the payload. All is empty when it is undecodable.
struct DecodedPayload {
  PayloadOrigin origin = PayloadOrigin::kUndecodable;
  std::string_view run{};
  PayloadFields fields{};
};

/// Takes `payload` apart. Any bytes are allowed. Below 60 ns for payloads without filler.
[[nodiscard]] DecodedPayload decode_payload(std::string_view payload, const RunTag& run);

/// The number that `payload` claims to have, unchecked: for looking up what was written under it,
/// and comparing. Any number when it is no payload of ours; empty when it is too short for one. A
/// few nanoseconds.
[[nodiscard]] std::optional<std::uint32_t> claimed_number(std::string_view payload);

/// 16 hex digits that tell payloads apart, and a delete from a message with the same bytes.
[[nodiscard]] std::string payload_digest(std::string_view payload, bool is_delete);

/// XXH3 of `text` as 16 hex digits.
[[nodiscard]] std::string hex_hash(std::string_view text);

}  // namespace causalcheck
