#include "harness/payload.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <bit>
#include <charconv>
#include <cstring>

namespace causalcheck {
namespace {

constexpr std::string_view kMagic = "causalcheck ";
constexpr std::size_t kRunAt = kMagic.size();
constexpr std::size_t kNumberAt = kRunAt + 16 + 1;
constexpr std::size_t kKindAt = kNumberAt + 8 + 1;
constexpr std::size_t kLabelAt = kKindAt + 2;
constexpr std::size_t kHashDigits = 16;
constexpr std::size_t kStepDigitsMax = 10;

constexpr std::array<char, 512> kHexPairs = [] {
  std::array<char, 512> pairs{};
  constexpr std::string_view kDigits = "0123456789abcdef";
  for (std::size_t byte = 0; byte < 256; ++byte) {
    pairs[2 * byte] = kDigits[byte / 16];
    pairs[2 * byte + 1] = kDigits[byte % 16];
  }
  return pairs;
}();

template <std::size_t kBytes>
void put_hex(char* at, std::uint64_t value) {
  for (std::size_t i = 0; i < kBytes; ++i) {
    const std::size_t byte = value >> (8 * (kBytes - 1 - i)) & 0xFFU;
    std::memcpy(at + 2 * i, &kHexPairs[2 * byte], 2);
  }
}

// The number that eight hex digits stand for; some number when they are no hex digits.
std::uint32_t parse_hex8(const char* at) {
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, at, sizeof(bytes));
  if constexpr (std::endian::native == std::endian::big) bytes = __builtin_bswap64(bytes);
  // Eight digits at once, the first in the lowest byte: their values, then joined two by two.
  std::uint64_t joined = (bytes & 0x0F0F0F0F0F0F0F0FU) + 9 * (bytes >> 6U & 0x0101010101010101U);
  joined = (joined << 4U | joined >> 8U) & 0x00FF00FF00FF00FFU;
  joined = (joined << 8U | joined >> 16U) & 0x0000FFFF0000FFFFU;
  return static_cast<std::uint32_t>(joined << 16U | joined >> 32U);
}

}  // namespace

RunTag::RunTag(std::uint64_t run) { put_hex<8>(digits_.data(), run); }

void append_payload(std::string& out, const RunTag& run, const PayloadFields& fields,
                    std::size_t filler_bytes) {
  const std::size_t most =
      kLabelAt + fields.label.size() + 1 + kStepDigitsMax + 1 + filler_bytes + 1 + kHashDigits;
  // Most payloads are short; a string that is made longer fills itself with zeros first.
  std::array<char, 128> short_buffer{};
  std::string long_buffer;
  if (most > short_buffer.size()) long_buffer.resize(most);
  char* const start = most > short_buffer.size() ? long_buffer.data() : short_buffer.data();
  std::memcpy(start, kMagic.data(), kMagic.size());
  std::memcpy(start + kRunAt, run.text().data(), 16);
  start[kNumberAt - 1] = ' ';
  put_hex<4>(start + kNumberAt, fields.number);
  start[kKindAt - 1] = ' ';
  start[kKindAt] = fields.is_delete ? 'd' : 'w';
  start[kKindAt + 1] = ' ';
  std::memcpy(start + kLabelAt, fields.label.data(), fields.label.size());
  char* at = start + kLabelAt + fields.label.size();
  *at++ = ' ';
  at = std::to_chars(at, at + kStepDigitsMax, fields.step).ptr;
  *at++ = ' ';
  std::memset(at, '.', filler_bytes);
  at += filler_bytes;
  *at = ' ';
  const auto hashed = static_cast<std::size_t>(at - start);
  put_hex<8>(at + 1, XXH3_64bits(start, hashed));
  out.append(start, hashed + 1 + kHashDigits);
}

DecodedPayload decode_payload(std::string_view payload, const RunTag& run) {
  constexpr std::size_t kLeast = kLabelAt + 1 + 1 + 1 + 1 + 1 + kHashDigits;
  if (payload.size() < kLeast || payload.substr(0, kMagic.size()) != kMagic) return {};
  const std::size_t hashed = payload.size() - kHashDigits - 1;
  std::array<char, kHashDigits> expected{};
  put_hex<8>(expected.data(), XXH3_64bits(payload.data(), hashed));
  if (payload[hashed] != ' ' ||
      std::memcmp(payload.data() + hashed + 1, expected.data(), kHashDigits) != 0) {
    return {};
  }
  const std::uint32_t number = parse_hex8(payload.data() + kNumberAt);
  std::array<char, 8> digits{};
  put_hex<4>(digits.data(), number);
  const bool is_number = std::memcmp(payload.data() + kNumberAt, digits.data(), 8) == 0;
  const char kind = payload[kKindAt];
  const std::size_t label_end = payload.find(' ', kLabelAt);
  if (!is_number || (kind != 'w' && kind != 'd') || label_end >= hashed) return {};
  std::uint32_t step = 0;
  const char* const step_end = payload.data() + hashed;
  const auto [rest, error] = std::from_chars(payload.data() + label_end + 1, step_end, step);
  if (error != std::errc{} || rest == step_end || *rest != ' ') return {};

  DecodedPayload decoded;
  decoded.run = payload.substr(kRunAt, 16);
  decoded.origin = decoded.run == run.text() ? PayloadOrigin::kOurs : PayloadOrigin::kForeign;
  decoded.fields = {number, payload.substr(kLabelAt, label_end - kLabelAt), step, kind == 'd'};
  return decoded;
}

std::optional<std::uint32_t> claimed_number(std::string_view payload) {
  if (payload.size() < kKindAt) return std::nullopt;
  return parse_hex8(payload.data() + kNumberAt);
}

std::string payload_digest(std::string_view payload, bool is_delete) {
  std::string digits(kHashDigits, '0');
  put_hex<8>(digits.data(),
             XXH3_64bits_withSeed(payload.data(), payload.size(), is_delete ? 1 : 0));
  return digits;
}

std::string hex_hash(std::string_view text) {
  std::string digits(kHashDigits, '0');
  put_hex<8>(digits.data(), XXH3_64bits(text.data(), text.size()));
  return digits;
}

}  // namespace causalcheck
