#include "harness/json_strict.h"

#include <fmt/format.h>

#include <cstddef>

#include "harness/json_text.h"

namespace causalcheck {
namespace ondemand = simdjson::ondemand;
namespace {

constexpr int kDepthMax = 64;

simdjson::error_code check_value(ondemand::value& value, int depth);

simdjson::error_code check_array(ondemand::value& value, int depth) {
  ondemand::array array;
  if (const auto error = value.get_array().get(array)) return error;
  for (auto item : array) {
    ondemand::value inner;
    if (const auto error = std::move(item).get(inner)) return error;
    if (const auto error = check_value(inner, depth + 1)) return error;
  }
  return simdjson::SUCCESS;
}

simdjson::error_code check_object(ondemand::value& value, int depth) {
  ondemand::object object;
  if (const auto error = value.get_object().get(object)) return error;
  for (auto item : object) {
    ondemand::field field;
    if (const auto error = std::move(item).get(field)) return error;
    std::string_view key;
    if (const auto error = field.unescaped_key().get(key)) return error;
    if (const auto error = check_value(field.value(), depth + 1)) return error;
  }
  return simdjson::SUCCESS;
}

simdjson::error_code check_value(ondemand::value& value, int depth) {
  if (depth > kDepthMax) return simdjson::DEPTH_ERROR;
  ondemand::json_type type{};
  if (const auto error = value.type().get(type)) return error;
  switch (type) {
    case ondemand::json_type::array:
      return check_array(value, depth);
    case ondemand::json_type::object:
      return check_object(value, depth);
    case ondemand::json_type::string:
      return value.get_string().error();
    case ondemand::json_type::number:
      return value.get_double().error();
    case ondemand::json_type::boolean:
      return value.get_bool().error();
    case ondemand::json_type::null: {
      bool is_null = false;
      if (const auto error = value.is_null().get(is_null)) return error;
      return is_null ? simdjson::SUCCESS : simdjson::N_ATOM_ERROR;
    }
  }
  return simdjson::TAPE_ERROR;
}

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

std::string_view without_spaces(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

}  // namespace

simdjson::simdjson_result<JsonText> whole_text(ondemand::value& value,
                                               ondemand::document& document) {
  const char* begin = nullptr;
  const char* end = nullptr;
  if (const auto error = document.current_location().get(begin)) return error;
  if (const auto error = check_value(value, 1)) return error;
  if (const auto error = document.current_location().get(end)) return error;
  return JsonText{without_spaces({begin, static_cast<std::size_t>(end - begin)})};
}

std::string not_json(simdjson::error_code error, std::string_view text) {
  if (text.find('\0') != std::string_view::npos) return "holds a NUL byte";
  text = without_spaces(text);
  switch (error) {
    case simdjson::UTF8_ERROR:
      return "is not valid UTF-8";
    case simdjson::UNESCAPED_CHARS:
      return "is not JSON: a control character inside a string must be escaped";
    case simdjson::UNCLOSED_STRING:
      return "is not JSON: a string is not closed (does the line end too early?)";
    case simdjson::INCOMPLETE_ARRAY_OR_OBJECT:
      return "is not JSON: an object or list is not closed (does the line end too early?)";
    case simdjson::STRING_ERROR:
      return "is not JSON: a string holds an escape that means nothing";
    case simdjson::NUMBER_ERROR:
      return "is not JSON: a number is malformed or too large";
    case simdjson::DEPTH_ERROR:
      return fmt::format("is nested more than {} levels deep", kDepthMax);
    case simdjson::MEMALLOC:
    case simdjson::CAPACITY:
      return "is too long to be read";
    default:
      break;
  }
  if (text.empty() || text.front() != '{') {
    return fmt::format("must be a JSON object, found {}", shown(text));
  }
  return fmt::format("is not JSON, found {}", shown(text));
}

}  // namespace causalcheck
