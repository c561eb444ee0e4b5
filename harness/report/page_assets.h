#pragma once

#include <span>
#include <string_view>

namespace causalcheck {

/// A script or a style sheet of the page, as it was built in.
struct PageAsset {
  std::span<const std::string_view> pieces{};  // one after another, they are the whole
  std::string_view hash{};                     // as a content security policy names it
};

/// What page/ holds, made into one script and one sheet (cmake/EmbedPage.cmake).
[[nodiscard]] PageAsset page_script();
[[nodiscard]] PageAsset page_style();

}  // namespace causalcheck
