#include "harness/annotation.h"

#include <cstdlib>

namespace causalcheck {
namespace {

// The runner takes a line apart at these (its "workflow commands").
void append_escaped(std::string& out, std::string_view text, std::string_view special) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (special.find(c) == std::string_view::npos) {
      out += c;
    } else {
      out += '%';
      out += kHex[byte >> 4U];
      out += kHex[byte & 15U];
    }
  }
}

constexpr std::string_view kInMessage = "%\r\n";
constexpr std::string_view kInProperty = "%\r\n:,";

}  // namespace

bool in_github_actions() {
  const char* set = std::getenv("GITHUB_ACTIONS");
  return set != nullptr && std::string_view(set) == "true";
}

std::string annotation(AnnotationLevel level, std::string_view title, std::string_view message,
                       const SourcePlace& place) {
  std::string line = level == AnnotationLevel::kError ? "::error " : "::warning ";
  if (!place.file.empty()) {
    line += "file=";
    append_escaped(line, place.file, kInProperty);
    line += ",line=" + std::to_string(place.line) + ",";
  }
  line += "title=";
  append_escaped(line, title, kInProperty);
  line += "::";
  append_escaped(line, message, kInMessage);
  return line + '\n';
}

}  // namespace causalcheck
