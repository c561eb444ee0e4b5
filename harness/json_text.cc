#include "harness/json_text.h"

#include <algorithm>

namespace causalcheck {
namespace {

constexpr std::size_t kShownMax = 40;

bool is_plain(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x20 && byte < 0x80 && c != '"' && c != '\\';
}

/// The control characters of ASCII and of Latin-1, C0 and C1.
bool is_control(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  if (character.size() == 1) return first < 0x20 || first == 0x7F;
  return character.size() == 2 && first == 0xC2 && static_cast<unsigned char>(character[1]) < 0xA0;
}

void append_escaped(std::string& out, char c) {
  constexpr std::string_view kHex = "0123456789abcdef";
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default: {
      const auto byte = static_cast<unsigned char>(c);
      out += "\\u00";
      out.push_back(kHex[byte >> 4U]);
      out.push_back(kHex[byte & 0xFU]);
    }
  }
}

}  // namespace

// Unicode 15, table 3-7.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const auto follows = [&](std::size_t i, unsigned low, unsigned high) {
    return i < text.size() && byte(i) >= low && byte(i) <= high;
  };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first < 0xC2 || first > 0xF4) return 0;
  if (first < 0xE0) return follows(1, 0x80, 0xBF) ? 2 : 0;
  if (first < 0xF0) {
    const unsigned low = first == 0xE0 ? 0xA0 : 0x80;   // overlong forms
    const unsigned high = first == 0xED ? 0x9F : 0xBF;  // surrogates
    return follows(1, low, high) && follows(2, 0x80, 0xBF) ? 3 : 0;
  }
  const unsigned low = first == 0xF0 ? 0x90 : 0x80;   // overlong forms
  const unsigned high = first == 0xF4 ? 0x8F : 0xBF;  // beyond U+10FFFF
  return follows(1, low, high) && follows(2, 0x80, 0xBF) && follows(3, 0x80, 0xBF) ? 4 : 0;
}

void append_json_string(std::string& out, std::string_view text) {
  out.push_back('"');
  while (true) {
    const auto stop = std::find_if_not(text.begin(), text.end(), is_plain);
    const auto plain = static_cast<std::size_t>(stop - text.begin());
    out.append(text.data(), plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    std::size_t length = 1;
    if (static_cast<unsigned char>(text.front()) < 0x80) {
      append_escaped(out, text.front());
    } else if (const std::size_t whole = utf8_length(text); whole > 0) {
      length = whole;
      out.append(text.data(), length);
    } else {
      out += "\xEF\xBF\xBD";  // U+FFFD
    }
    text.remove_prefix(length);
  }
  out.push_back('"');
}

std::string shown(std::string_view text) {
  std::string line;
  const bool cut = text.size() > kShownMax;
  text = text.substr(0, kShownMax);
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) break;  // cut in the middle of a character
    const std::string_view one = text.substr(0, length);
    line += is_control(one) ? " " : one;
    text.remove_prefix(length);
  }
  if (cut) line += "...";
  return line;
}

std::string quoted(std::string_view text) {
  std::string out;
  append_json_string(out, shown(text));
  return out;
}

}  // namespace causalcheck
