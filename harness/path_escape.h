#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace causalcheck {

/// `text` as one component of an object's key or of a file's path: ASCII letters, digits, `-`, `_`
/// and `.` stay, every other byte becomes %XX, and so does a leading dot. The empty text becomes
/// "%". Different texts give different components, and none is "", "." or "..".
std::string escape_component(std::string_view text);

/// The text that escape_component turned into `component`; nullopt when there is none.
std::optional<std::string> unescape_component(std::string_view component);

}  // namespace causalcheck
