#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace causalcheck {

enum class AnnotationLevel : std::uint8_t { kError, kWarning };

/// A place in a source file; without a name there is none.
struct SourcePlace {
  std::string_view file{};
  int line = 0;
};

/// Whether this process runs in a workflow of GitHub Actions (GITHUB_ACTIONS is "true").
[[nodiscard]] bool in_github_actions();

/// "::error file=a.cc,line=3,title=...::message": one line which GitHub Actions turns into an
/// annotation. Whatever stands in `title` and `message` stays inside them. Ends with a newline.
[[nodiscard]] std::string annotation(AnnotationLevel level, std::string_view title,
                                     std::string_view message, const SourcePlace& place = {});

}  // namespace causalcheck
