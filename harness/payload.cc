#include "harness/payload.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

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

// The digit's value; above 15 for what is no digit.
constexpr std::array<std::uint8_t, 256> kHexValues = [] {
  std::array<std::uint8_t, 256> values{};
  values.fill(0xFF);
  for (std::uint8_t i = 0; i < 10; ++i) values[static_cast<std::size_t>('0') + i] = i;
  for (std::uint8_t i = 10; i < 16; ++i) values[static_cast<std::size_t>('a') + i - 10U] = i;
  return values;
}();

std::optional<std::uint32_t> parse_hex8(const char* at) {
  std::uint32_t value = 0;
  std::uint32_t seen = 0;
  for (std::size_t i = 0; i < 8; ++i) {
    const std::uint32_t digit = kHexValues[static_cast<unsigned char>(at[i])];
    seen |= digit;
    value = value << 4U | digit;
  }
  if (seen > 15) return std::nullopt;
  return value;
}

}  // namespace

RunTag::RunTag(std::uint64_t run) { put_hex<8>(digits_.data(), run); }

void append_payload(std::string& out, const RunTag& run, const PayloadFields& fields,
                    std::size_t filler_bytes) {
  const std::size_t begin = out.size();
  const std::size_t most = kLabelAt + fields.label.size() + 1 + kStepDigitsMax + 1 + filler_bytes +
                           1 + kHashDigits;
  out.resize(begin + most);
  char* const start = out.data() + begin;
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
  out.resize(begin + hashed + 1 + kHashDigits);
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
  const std::optional<std::uint32_t> number = parse_hex8(payload.data() + kNumberAt);
  const char kind = payload[kKindAt];
  const std::size_t label_end = payload.find(' ', kLabelAt);
  if (!number || (kind != 'w' && kind != 'd') || label_end >= hashed) return {};
  std::uint32_t step = 0;
  const char* const step_end = payload.data() + hashed;
  const auto [rest, error] = std::from_chars(payload.data() + label_end + 1, step_end, step);
  if (error != std::errc{} || rest == step_end || *rest != ' ') return {};

  DecodedPayload decoded;
  decoded.run = payload.substr(kRunAt, 16);
  decoded.origin =
      decoded.run == run.text() ? PayloadOrigin::kOurs : PayloadOrigin::kForeign;
  decoded.fields = {*number, payload.substr(kLabelAt, label_end - kLabelAt), step, kind == 'd'};
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
