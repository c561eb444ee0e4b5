#pragma once

#include <fmt/format.h>

#include <iterator>
#include <string>
#include <string_view>
#include <utility>

namespace causalcheck {

/// `text` as people should see it, for pictures and pages: control characters, marks that turn the
/// direction of writing, and characters without width are written out as "<U+202E>", and bytes that
/// are no UTF-8 become U+FFFD. Line feeds and tabs stay. Names come from files and backends, and
/// one of them must not be able to rearrange the sentence it stands in.
[[nodiscard]] std::string visible(std::string_view text);

/// Appends `text` to HTML or SVG, as content or inside a quoted attribute. Made visible first.
void append_markup(std::string& out, std::string_view text);
[[nodiscard]] std::string markup(std::string_view text);

/// Appends what fmt::format makes of the rest.
template <class... Args>
void add(std::string& out, fmt::format_string<Args...> format, Args&&... args) {
  fmt::format_to(std::back_inserter(out), format, std::forward<Args>(args)...);
}

/// `json`, one valid JSON value, so that it can stand inside a script element: no '<', '>' or '&',
/// and no line separator that an old parser would trip over. Still the same value.
[[nodiscard]] std::string json_for_script(std::string_view json);

/// At most `characters_max` characters of `text`, with "..." where something was left out.
[[nodiscard]] std::string shortened(std::string_view text, std::size_t characters_max);

}  // namespace causalcheck
