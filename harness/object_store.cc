#include "harness/object_store.h"

#include <utility>

namespace causalcheck {

Result<bool> ObjectStore::get_into(std::string_view key, std::string& content, Runtime& runtime,
                                   Time deadline) {
  Result<std::optional<std::string>> got = get(key, runtime, deadline);
  if (got.has_error()) return std::move(got).error();
  if (!got->has_value()) return false;
  content = std::move(**got);
  return true;
}

}  // namespace causalcheck
