#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/refusal.h"

namespace causalcheck {

/// One member of a JSON object: its name, and its value as it stands in the text.
struct JsonField {
  std::string key{};
  std::string_view text{};
};

/// The member called `key`, or null.
[[nodiscard]] const JsonField* find_field(const std::vector<JsonField>& fields,
                                          std::string_view key);

/// Takes single JSON objects apart, strictly. For the few lines of a history that are no
/// operations, for headers, and to say what is wrong with a line.
///
/// All texts given to it must lie in a buffer that can be read 64 bytes beyond them; what comes
/// back points into them.
class JsonFieldReader {
 public:
  JsonFieldReader();
  ~JsonFieldReader();
  JsonFieldReader(const JsonFieldReader&) = delete;
  JsonFieldReader& operator=(const JsonFieldReader&) = delete;

  /// The members of the object that `text` is, in order. Everything in it is checked to be JSON.
  /// Errors: not UTF-8, not JSON, not an object, a name that stands twice, more than 64 levels
  /// deep.
  [[nodiscard]] Attempt<std::vector<JsonField>> split(std::string_view text);

  /// What `text`, one JSON value, says, if it is of that type.
  [[nodiscard]] std::optional<std::string> string(std::string_view text);
  [[nodiscard]] std::optional<std::uint64_t> whole_number(std::string_view text);
  [[nodiscard]] std::optional<std::vector<std::string>> strings(std::string_view text);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// `fields` but those named in `known`, as members of an object without its braces.
[[nodiscard]] std::string members_besides(const std::vector<JsonField>& fields,
                                          const std::vector<std::string_view>& known);

}  // namespace causalcheck
