#include "checker/clocks/clock_header.h"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <optional>

namespace causalcheck {
namespace {

constexpr std::string_view kWhole = "vc1;";
constexpr std::string_view kDifference = "vd1;";
constexpr std::string_view kHex = "0123456789ABCDEF";

/// Letters, digits and what labels of hosts and incarnations are made of; the rest is escaped.
constexpr bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '.' || c == '_' || c == '~' || c == ':' || c == '/';
}

void append_label(std::string& out, std::string_view label) {
  for (const char c : label) {
    if (is_plain(c)) {
      out += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out += '%';
    out += kHex[byte >> 4U];
    out += kHex[byte & 15U];
  }
}

/// A place in a text that is being read.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  [[nodiscard]] std::size_t at() const { return at_; }
  [[nodiscard]] bool at_end() const { return at_ == text_.size(); }
  bool take(std::string_view expected) {
    if (text_.substr(at_, expected.size()) != expected) return false;
    at_ += expected.size();
    return true;
  }
  /// A whole number from `least` to kTickMax, without leading zeros.
  std::optional<std::uint64_t> number(std::uint64_t least) {
    std::uint64_t value = 0;
    const char* const begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error != std::errc{} || (*begin == '0' && end != begin + 1)) return std::nullopt;
    if (value < least || value > kTickMax) return std::nullopt;
    at_ += static_cast<std::size_t>(end - begin);
    return value;
  }
  std::optional<std::string> label() {
    std::string label;
    std::size_t next = at_;
    while (next < text_.size() && text_[next] != '=') {
      if (is_plain(text_[next])) {
        label += text_[next++];
        continue;
      }
      if (text_[next] != '%' || text_.size() - next < 3) return std::nullopt;
      const std::size_t high = kHex.find(text_[next + 1]);
      const std::size_t low = kHex.find(text_[next + 2]);
      if (high == std::string_view::npos || low == std::string_view::npos) return std::nullopt;
      const char byte = static_cast<char>(high << 4U | low);
      if (is_plain(byte)) return std::nullopt;
      label += byte;
      next += 3;
    }
    if (label.empty()) return std::nullopt;
    at_ = next;
    return label;
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

std::string encode(const ClockHeader& header) {
  std::vector<ClockHeader::Entry> entries = header.entries;
  std::sort(entries.begin(), entries.end(),
            [](const auto& a, const auto& b) { return a.label < b.label; });
  std::string out(header.sequence == 0 ? kWhole : kDifference);
  if (header.sequence != 0) out += std::to_string(header.sequence) + ";";
  out += std::to_string(header.epoch);
  char separator = ';';
  for (const ClockHeader::Entry& entry : entries) {
    assert(!entry.label.empty());
    assert(entry.tick <= kTickMax);
    if (entry.tick == 0) continue;
    out += separator;
    append_label(out, entry.label);
    out += '=';
    out += std::to_string(entry.tick);
    separator = ',';
  }
  return out;
}

std::variant<ClockHeader, ClockHeaderError> decode_clock(std::string_view text,
                                                         const ClockHeaderLimits& limits) {
  Reader reader(text);
  const auto refused = [&](std::string why) {
    return ClockHeaderError{reader.at(), std::move(why)};
  };
  if (text.size() > limits.bytes_max) {
    return refused("longer than " + std::to_string(limits.bytes_max) + " bytes");
  }
  ClockHeader header;
  if (reader.take(kDifference)) {
    const auto sequence = reader.number(1);
    if (!sequence) return refused("expected a sequence number from 1 to 2^62");
    header.sequence = *sequence;
    if (!reader.take(";")) return refused("expected ';'");
  } else if (!reader.take(kWhole)) {
    return refused("expected 'vc1;' or 'vd1;'");
  }
  const auto epoch = reader.number(0);
  if (!epoch) return refused("expected an epoch from 0 to 2^62");
  header.epoch = *epoch;
  if (reader.at_end()) return header;
  if (!reader.take(";")) return refused("expected ';'");
  do {
    if (header.entries.size() == limits.identities_max) {
      return refused("more than " + std::to_string(limits.identities_max) + " entries");
    }
    auto label = reader.label();
    if (!label) return refused("expected a label, escaped where it has to be");
    if (!header.entries.empty() && header.entries.back().label >= *label) {
      return refused("labels must ascend, each once");
    }
    if (!reader.take("=")) return refused("expected '='");
    const auto tick = reader.number(1);
    if (!tick) return refused("expected a whole number from 1 to 2^62");
    header.entries.push_back({std::move(*label), *tick});
  } while (reader.take(","));
  if (!reader.at_end()) return refused("expected ',' or the end");
  return header;
}

}  // namespace causalcheck
