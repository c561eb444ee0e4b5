#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/fs/file_descriptor.h"
#include "harness/object_store.h"
#include "harness/temporary_folder.h"

namespace causalcheck {

/// An object store in a local folder: one file an object, its key the path, each component escaped
/// (harness/path_escape.h).
///
/// A create writes and syncs a temporary file beside the object, claims the object's name with
/// link(2), which fails when it is taken, and syncs the folder. So it is atomic against every
/// process on the folder, durable before it is acknowledged, and a half-written object has no name.
/// What a crash leaves is a temporary file that no call shows; forget removes it. A key may not be
/// the folder of another one.
///
/// Errors of create: kRejected before the link and for every refusal of the link itself;
/// kConnectionLost when the link was made, or may have been, and could not be made durable.
class FsStore final : public ObjectStore {
 public:
  /// Opens the folder `root`, which must exist and be writable.
  /// Errors: kUnavailable, with the path and the system's reason.
  [[nodiscard]] static Result<std::unique_ptr<FsStore>> open(const std::string& root);
  /// Opens a folder of its own, which goes with the store.
  [[nodiscard]] static Result<std::unique_ptr<FsStore>> open_temporary();

  /// Forgets everything.
  ~FsStore() override;

  [[nodiscard]] Result<Created> create_if_absent(std::string_view key, std::string_view content,
                                                 Runtime& runtime, Time deadline) override;
  [[nodiscard]] Result<std::optional<std::string>> get(std::string_view key, Runtime& runtime,
                                                       Time deadline) override;
  [[nodiscard]] Result<std::vector<std::string>> list(std::string_view prefix, Runtime& runtime,
                                                      Time deadline) override;
  /// Removes the files this object created, then the folders it created unless others put something
  /// there.
  [[nodiscard]] Result<void> forget(std::string_view prefix) override;

  [[nodiscard]] const std::string& root() const { return root_path_; }

 private:
  struct Folder {
    FileDescriptor fd{};
    std::vector<std::string> created{};  // names of files
  };

  FsStore(std::string root, FileDescriptor fd);

  /// The folder at `path`, made if need be, its way there durable.
  [[nodiscard]] Result<Folder*> folder(const std::string& path);
  void note_created(Folder& folder, const std::string& name);
  [[nodiscard]] Result<Created> claim(Folder& folder, const std::string& path,
                                      const std::string& temporary, const std::string& name);

  std::optional<TemporaryFolder> temporary_root_{};  // goes last
  const std::string root_path_;
  FileDescriptor root_;
  std::atomic<std::uint64_t> temporaries_{0};
  std::mutex mutex_{};                          // guards what follows
  std::map<std::string, Folder> folders_{};     // by path below the root
  std::vector<std::string> folders_created_{};  // parents first
};

}  // namespace causalcheck
