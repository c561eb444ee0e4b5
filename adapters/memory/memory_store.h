#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/backend.h"
#include "harness/object_store.h"

namespace causalcheck {

/// An object store in the memory of this process: the reference. Never fails, ends with its object.
///
/// Made for logs: objects whose keys end in 20 digits and count up from 0 in one folder lie in an
/// array and cost no look-up by key. Keeps its memory from run to run.
class MemoryStore final : public ObjectStore {
 public:
  /// For the fibers of one thread, or for threads.
  explicit MemoryStore(Execution execution) : threads_(execution == Execution::kThreads) {}

  [[nodiscard]] Result<Created> create_if_absent(std::string_view key, std::string_view content,
                                                 Runtime& runtime, Time deadline) override;
  [[nodiscard]] Result<std::optional<std::string>> get(std::string_view key, Runtime& runtime,
                                                       Time deadline) override;
  [[nodiscard]] Result<bool> get_into(std::string_view key, std::string& content, Runtime& runtime,
                                      Time deadline) override;
  [[nodiscard]] Result<std::vector<std::string>> list(std::string_view prefix, Runtime& runtime,
                                                      Time deadline) override;
  [[nodiscard]] Result<void> forget(std::string_view prefix) override;

 private:
  // The objects `<prefix><0, 20 digits>`, `<prefix><1, 20 digits>`, ... The strings past `size` are
  // what an earlier run left: room, not content.
  struct Folder {
    std::string prefix{};
    std::vector<std::string> objects{};
    std::size_t size = 0;
  };

  [[nodiscard]] const std::string* find(std::string_view key);
  Folder* find_folder(std::string_view prefix);
  Folder& add_folder(std::string_view prefix);

  // Locked only where threads share the store: fibers of one thread never meet inside.
  [[nodiscard]] std::unique_lock<std::mutex> guard() {
    std::unique_lock<std::mutex> lock(mutex_, std::defer_lock);
    if (threads_) lock.lock();
    return lock;
  }

  const bool threads_;
  std::mutex mutex_{};
  std::vector<Folder> folders_{};  // the first `folders_used_` are in use
  std::size_t folders_used_ = 0;
  std::size_t folder_found_ = 0;                              // where the last look-up ended
  std::map<std::string, std::string, std::less<>> others_{};  // whatever is not in a folder
};

}  // namespace causalcheck
