#include "harness/json_fields.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <unordered_set>

#include "harness/json_strict.h"
#include "harness/json_text.h"

namespace causalcheck {
namespace ondemand = simdjson::ondemand;

class JsonFieldReader::Impl {
 public:
  ondemand::parser parser{};
};

JsonFieldReader::JsonFieldReader() : impl_(std::make_unique<Impl>()) {}
JsonFieldReader::~JsonFieldReader() = default;

Attempt<std::vector<JsonField>> JsonFieldReader::split(std::string_view text) {
  const auto wrong = [text](simdjson::error_code error) {
    return Refusal::because(not_json(error, text));
  };
  ondemand::document document;
  if (const auto error = impl_->parser.iterate(padded(text)).get(document)) return wrong(error);
  ondemand::object object;
  if (const auto error = document.get_object().get(object)) return wrong(error);

  std::vector<JsonField> fields;
  std::unordered_set<std::string> keys;
  for (auto item : object) {
    ondemand::field field;
    if (const auto error = std::move(item).get(field)) return wrong(error);
    std::string_view key;
    if (const auto error = field.unescaped_key().get(key)) return wrong(error);
    if (!keys.emplace(key).second)
      return Refusal::because(fmt::format("{} stands twice", quoted(key)));
    JsonText value;
    if (const auto error = whole_text(field.value(), document).get(value)) return wrong(error);
    fields.push_back({std::string(key), value.text});
  }
  if (!is_at_end(document))
    return Refusal::because("must be one JSON object, more follows behind it");
  return fields;
}

std::optional<std::string> JsonFieldReader::string(std::string_view text) {
  ondemand::document document;
  std::string_view value;
  if (impl_->parser.iterate(padded(text)).get(document)) return std::nullopt;
  if (document.get_string().get(value)) return std::nullopt;
  return std::string(value);
}

std::optional<std::uint64_t> JsonFieldReader::whole_number(std::string_view text) {
  ondemand::document document;
  std::uint64_t value = 0;
  if (impl_->parser.iterate(padded(text)).get(document)) return std::nullopt;
  if (document.get_uint64().get(value)) return std::nullopt;
  return value;
}

std::optional<std::vector<std::string>> JsonFieldReader::strings(std::string_view text) {
  ondemand::document document;
  ondemand::array array;
  if (impl_->parser.iterate(padded(text)).get(document)) return std::nullopt;
  if (document.get_array().get(array)) return std::nullopt;
  std::vector<std::string> values;
  for (auto item : array) {
    std::string_view value;
    if (item.get_string().get(value)) return std::nullopt;
    values.emplace_back(value);
  }
  return values;
}

const JsonField* find_field(const std::vector<JsonField>& fields, std::string_view key) {
  const auto found = std::find_if(fields.begin(), fields.end(),
                                  [key](const JsonField& field) { return field.key == key; });
  return found == fields.end() ? nullptr : &*found;
}

std::string members_besides(const std::vector<JsonField>& fields,
                            const std::vector<std::string_view>& known) {
  std::string members;
  for (const JsonField& field : fields) {
    if (std::find(known.begin(), known.end(), field.key) != known.end()) continue;
    if (!members.empty()) members.push_back(',');
    append_json_string(members, field.key);
    members.push_back(':');
    members += field.text;
  }
  return members;
}

}  // namespace causalcheck
