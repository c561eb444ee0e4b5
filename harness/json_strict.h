#pragma once

#include <simdjson.h>

#include <string>
#include <string_view>

namespace causalcheck {

// What the two readers of lines share around simdjson, which alone is too lenient: it looks into a
// value only when asked to. Included by .cc files only.

/// `text` as simdjson wants it: the caller vouches for the readable bytes behind it.
inline simdjson::padded_string_view padded(std::string_view text) {
  return simdjson::padded_string_view(text.data(), text.size(),
                                      text.size() + simdjson::SIMDJSON_PADDING);
}

/// True when nothing follows what was read of `document`.
inline bool is_at_end(simdjson::ondemand::document& document) {
  return document.current_location().error() == simdjson::OUT_OF_BOUNDS;
}

/// One value as it stands in the text. A struct because simdjson_result<std::string_view> carries
/// conversions that do not fit here.
struct JsonText {
  std::string_view text{};
};

/// Checks `value`, a member of the root object of `document`, to be JSON throughout and no more
/// than 64 levels deep, and returns its text. simdjson alone would only count the brackets.
simdjson::simdjson_result<JsonText> whole_text(simdjson::ondemand::value& value,
                                               simdjson::ondemand::document& document);

/// Why `text` is not the one JSON object it has to be.
std::string not_json(simdjson::error_code error, std::string_view text);

}  // namespace causalcheck
