#include "harness/path_escape.h"

#include <algorithm>
#include <cstddef>

namespace causalcheck {
namespace {

constexpr std::string_view kHexDigits = "0123456789ABCDEF";

bool stays(char c, bool leading) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '_' || (c == '.' && !leading);
}

}  // namespace

std::string escape_component(std::string_view text) {
  if (text.empty()) return "%";
  std::string component;
  component.reserve(text.size());
  for (const char c : text) {
    if (stays(c, component.empty())) {
      component += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      component += {'%', kHexDigits[byte >> 4U], kHexDigits[byte & 15U]};
    }
  }
  return component;
}

std::optional<std::string> unescape_component(std::string_view component) {
  if (component.empty()) return std::nullopt;
  if (component == "%") return std::string();
  std::string text;
  text.reserve(component.size());
  for (std::size_t i = 0; i < component.size(); ++i) {
    if (component[i] != '%') {
      if (!stays(component[i], text.empty())) return std::nullopt;
      text += component[i];
      continue;
    }
    if (i + 2 >= component.size()) return std::nullopt;
    const std::size_t high = kHexDigits.find(component[i + 1]);
    const std::size_t low = kHexDigits.find(component[i + 2]);
    if (high == std::string_view::npos || low == std::string_view::npos) return std::nullopt;
    const auto c = static_cast<char>(high << 4U | low);
    if (stays(c, text.empty())) return std::nullopt;  // it would not have been escaped
    text += c;
    i += 2;
  }
  return text;
}

}  // namespace causalcheck
