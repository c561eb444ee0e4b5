#pragma once

#include <gtest/gtest.h>

#include <string_view>
#include <variant>

#include "checker/shorthand.h"

namespace causalcheck {

/// The history that `text` tells in shorthand. Fails the test, and gives an empty one, if it does
/// not.
inline History history_of(std::string_view text, const Declaration& declared = {}) {
  auto parsed = parse_shorthand(text, declared);
  if (const auto* error = std::get_if<ShorthandError>(&parsed)) {
    ADD_FAILURE() << error->text;
    return {};
  }
  return std::get<History>(std::move(parsed));
}

}  // namespace causalcheck
