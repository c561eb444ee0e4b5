#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adapters/memory/memory_store.h"
#include "harness/object_store.h"

namespace causalcheck {

/// An object store in memory that counts its calls and lets a test answer in its place.
class ScriptedStore final : public ObjectStore {
 public:
  Result<Created> create_if_absent(std::string_view key, std::string_view content, Runtime& runtime,
                                   Time deadline) override {
    created.emplace_back(key);
    if (on_create) {
      if (auto answer = on_create(key, content)) return *std::move(answer);
    }
    return store.create_if_absent(key, content, runtime, deadline);
  }
  Result<std::optional<std::string>> get(std::string_view key, Runtime& runtime,
                                         Time deadline) override {
    got.emplace_back(key);
    if (on_get) {
      if (auto answer = on_get(key)) return *std::move(answer);
    }
    return store.get(key, runtime, deadline);
  }
  Result<std::vector<std::string>> list(std::string_view prefix, Runtime& runtime,
                                        Time deadline) override {
    if (on_list) return on_list(prefix);
    return store.list(prefix, runtime, deadline);
  }
  Result<void> forget(std::string_view prefix) override {
    forgotten.emplace_back(prefix);
    return store.forget(prefix);
  }

  MemoryStore store{Execution::kDeterministic};
  std::vector<std::string> created{};  // keys, call by call
  std::vector<std::string> got{};
  std::vector<std::string> forgotten{};
  /// Answers instead of the store, unless it answers nullopt.
  std::function<std::optional<Result<Created>>(std::string_view key, std::string_view content)>
      on_create{};
  std::function<std::optional<Result<std::optional<std::string>>>(std::string_view key)> on_get{};
  std::function<Result<std::vector<std::string>>(std::string_view prefix)> on_list{};
};

}  // namespace causalcheck
