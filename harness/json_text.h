#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace causalcheck {

/// The bytes of the well-formed UTF-8 sequence that `text` begins with, or 0 when it begins with
/// none. `text` is not empty.
[[nodiscard]] std::size_t utf8_length(std::string_view text);

/// Appends `text` to `out` as a JSON string with its quotes.
///
/// The result is always valid JSON and valid UTF-8: quotes, backslashes and control characters are
/// escaped, and each byte that belongs to no well-formed UTF-8 sequence becomes U+FFFD. Two texts
/// that differ only in such bytes come out equal: whoever needs them told apart encodes them first.
void append_json_string(std::string& out, std::string_view text);

/// `text`, which is valid UTF-8, for a message: on one line, shortened, and without anything a
/// terminal might obey.
[[nodiscard]] std::string shown(std::string_view text);

/// The same in quotes.
[[nodiscard]] std::string quoted(std::string_view text);

}  // namespace causalcheck
