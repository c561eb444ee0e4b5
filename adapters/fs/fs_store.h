#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/fs/file_layer.h"
#include "harness/object_store.h"
#include "harness/temporary_folder.h"

namespace causalcheck {

/// What a store makes durable before it says that an object was created. Less than both is faster
/// and loses or tears acknowledged objects when the power goes.
struct FsSyncs {
  bool files = true;    // what is in the object
  bool folders = true;  // that it is there
};

/// An object store in a local folder: one file an object, its key the path, each component escaped
/// (harness/path_escape.h).
///
/// A create writes and syncs a temporary file beside the object, claims the object's name with
/// link(2), which fails when it is taken, and syncs the folder. So it is atomic against every
/// process on the folder, durable before it is acknowledged, and a half-written object has no name.
/// What a crash leaves is a temporary file that no call shows; forget removes it. A key may not be
/// the folder of another one.
///
/// A name can be seen from the link on, and is durable only after the sync. So whoever comes across
/// one of this object's names in between, to read it or because it is taken, has it synced first:
/// nobody builds on what may be gone again. So is a folder that was there before this process: an
/// earlier one may have been killed between link and sync. What another process links meanwhile is
/// not known here; a power loss takes its readers, too.
///
/// Errors of create: kRejected before the link and for every refusal of the link itself;
/// kConnectionLost when the link was made, or may have been, and could not be made durable, and
/// when the machine went down.
class FsStore final : public ObjectStore {
 public:
  /// Opens the folder `root`, which must exist and be writable.
  /// Errors: kUnavailable, with the path and the system's reason.
  [[nodiscard]] static Result<std::unique_ptr<FsStore>> open(const std::string& root,
                                                             FsSyncs syncs = {});
  /// Opens a folder of its own, which goes with the store.
  [[nodiscard]] static Result<std::unique_ptr<FsStore>> open_temporary(FsSyncs syncs = {});
  /// On other files than the operating system's.
  explicit FsStore(std::unique_ptr<FileLayer> files, FsSyncs syncs = {});

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

  /// The machine went down and is up again: what was known of the files is not known any more.
  void restarted();

  [[nodiscard]] const std::string& root() const { return root_path_; }

 private:
  struct Folder {
    bool ready = false;                  // it is there, its way there durable
    bool settled = false;                // whatever was in it when this process came is durable
    std::vector<std::string> created{};  // names of files
  };

  /// Makes the folder at `path` if need be, its way there durable.
  [[nodiscard]] Result<void> prepare_folder(const std::string& path);
  [[nodiscard]] int sync_folder(const std::string& path);
  /// Has the object's name made durable if it may not be. Errors: kUnavailable, kRejected.
  [[nodiscard]] Result<void> settle(const std::string& folder, const std::string& path);
  void note_created(const std::string& folder, const std::string& name);
  void mark_unsynced(const std::string& path);
  void unmark(const std::string& path);
  [[nodiscard]] Result<Created> claim(const std::string& folder, const std::string& name,
                                      const std::string& temporary, Runtime& runtime);

  std::optional<TemporaryFolder> temporary_root_{};  // goes last
  std::string root_path_{};
  const std::unique_ptr<FileLayer> files_;
  const FsSyncs syncs_;
  std::atomic<std::uint64_t> temporaries_{0};
  std::mutex mutex_{};                          // guards what follows
  std::map<std::string, Folder> folders_{};     // by path below the root
  std::vector<std::string> folders_created_{};  // parents first
  std::multiset<std::string> unsynced_{};       // objects that may be linked and not synced
};

}  // namespace causalcheck
