#include "harness/report/markup.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "harness/json_text.h"

namespace causalcheck {
namespace {

struct Character {
  char32_t code = 0;
  std::size_t bytes = 1;
};

/// The character that `text`, which is valid UTF-8 and not empty, begins with.
Character first_of(std::string_view text) {
  const auto byte = [text](std::size_t i) {
    return static_cast<char32_t>(static_cast<unsigned char>(text[i]));
  };
  const char32_t first = byte(0);
  std::size_t bytes = 1;
  char32_t code = first;
  if (first >= 0xF0) {
    bytes = 4;
    code = first & 0x07U;
  } else if (first >= 0xE0) {
    bytes = 3;
    code = first & 0x0FU;
  } else if (first >= 0xC0) {
    bytes = 2;
    code = first & 0x1FU;
  }
  for (std::size_t i = 1; i < bytes && i < text.size(); ++i) code = code << 6U | (byte(i) & 0x3FU);
  return {code, std::min(bytes, text.size())};
}

bool is_hidden(char32_t code) {
  constexpr std::array<std::pair<char32_t, char32_t>, 12> kHidden{{{0x00, 0x08},
                                                                   {0x0B, 0x1F},
                                                                   {0x7F, 0x9F},
                                                                   {0xAD, 0xAD},
                                                                   {0x61C, 0x61C},
                                                                   {0x180E, 0x180E},
                                                                   {0x200B, 0x200F},
                                                                   {0x2028, 0x202E},
                                                                   {0x2060, 0x206F},
                                                                   {0xFEFF, 0xFEFF},
                                                                   {0xFFF9, 0xFFFB},
                                                                   {0xE0000, 0xE007F}}};
  return std::any_of(kHidden.begin(), kHidden.end(), [code](const auto& range) {
    return code >= range.first && code <= range.second;
  });
}

/// Calls `visit(character, its bytes)` for each character of `text`, whatever `text` is.
template <class Visit>
void for_each_character(std::string_view text, Visit visit) {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) {
      visit(char32_t{0xFFFD}, std::string_view("\xEF\xBF\xBD"));
      text.remove_prefix(1);
    } else {
      visit(first_of(text).code, text.substr(0, length));
      text.remove_prefix(length);
    }
  }
}

}  // namespace

std::string visible(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for_each_character(text, [&](char32_t code, std::string_view bytes) {
    if (is_hidden(code)) {
      out += fmt::format("<U+{:04X}>", static_cast<std::uint32_t>(code));
    } else {
      out += bytes;
    }
  });
  return out;
}

void append_markup(std::string& out, std::string_view text) {
  for (const char c : visible(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
}

std::string markup(std::string_view text) {
  std::string out;
  append_markup(out, text);
  return out;
}

std::string json_for_script(std::string_view json) {
  std::string out;
  out.reserve(json.size() + json.size() / 16);
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (c == '<' || c == '>' || c == '&') {
      // Only inside strings do these stand in JSON.
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else if (json.substr(i, 3) == "\xE2\x80\xA8" || json.substr(i, 3) == "\xE2\x80\xA9") {
      out += json[i + 2] == '\xA8' ? "\\u2028" : "\\u2029";
      i += 2;
    } else {
      out += c;
    }
  }
  return out;
}

std::string shortened(std::string_view text, std::size_t characters_max) {
  std::string out;
  std::size_t count = 0;
  bool cut = false;
  for_each_character(text, [&](char32_t, std::string_view bytes) {
    if (count++ < characters_max) {
      out += bytes;
    } else {
      cut = true;
    }
  });
  return cut ? out + "..." : out;
}

}  // namespace causalcheck
