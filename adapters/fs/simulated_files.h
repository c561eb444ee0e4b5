#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/fs/file_layer.h"

namespace causalcheck {

/// Files in memory that know what was synced, on a machine whose power can go.
///
/// At a loss of power each name that was made or removed since its folder was last synced, and the
/// content of each file that was never synced, survives or not as the run chooses: in any order, as
/// POSIX allows, which is harsher than a file system with a journal. What survives of such a
/// content may be torn: cut, or at its length with zeros at the end. 0 always means that it was
/// written in time.
///
/// For one thread.
class SimulatedFiles final : public FileLayer {
 public:
  SimulatedFiles() { wipe(); }

  [[nodiscard]] int make_folder(const std::string& path) override;
  [[nodiscard]] int sync_folder(const std::string& path) override;
  [[nodiscard]] int write_new(const std::string& path, std::string_view content,
                              Synced synced) override;
  [[nodiscard]] int link(const std::string& from, const std::string& to) override;
  [[nodiscard]] int remove_file(const std::string& path) override;
  [[nodiscard]] int remove_folder(const std::string& path) override;
  [[nodiscard]] int read(const std::string& path, std::string& content) override;
  [[nodiscard]] int names_in(const std::string& path, std::vector<FileName>& names) override;
  /// Yields: the power may go in between, and another client may come to see what is not durable.
  [[nodiscard]] bool between_steps(Runtime& runtime) override;

  /// An empty disk.
  void wipe();
  /// Everybody who was in the middle of something is gone; the files are as they were.
  void crash() { ++boots_; }
  /// The same, and what was not synced is gone or torn.
  void lose_power(Runtime& runtime);

 private:
  struct File {
    std::string content{};
    bool synced = false;
  };
  struct Folder;
  /// What a name stands for: a file or a folder.
  struct Thing {
    std::shared_ptr<File> file{};
    std::shared_ptr<Folder> folder{};
    [[nodiscard]] bool operator==(const Thing&) const = default;
  };
  using Names = std::map<std::string, Thing, std::less<>>;
  struct Folder {
    Names names{};
    Names durable{};  // as of the last sync
  };
  /// A name in a folder.
  struct Place {
    Folder* folder = nullptr;
    std::string name{};
  };

  /// One that is there.
  struct Found {
    Folder* folder = nullptr;
    Names::iterator name{};
  };

  [[nodiscard]] Folder* find_folder(std::string_view path, int& error) const;
  [[nodiscard]] Place place_of(const std::string& path, int& error) const;
  [[nodiscard]] Found find(const std::string& path, int& error) const;
  static void settle(Folder& folder, Runtime& runtime);
  static void settle(File& file, Runtime& runtime);

  std::shared_ptr<Folder> root_{};
  std::uint64_t boots_ = 0;
};

}  // namespace causalcheck
