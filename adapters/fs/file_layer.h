#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/runtime.h"

namespace causalcheck {

/// A name in a folder.
struct FileName {
  std::string name{};
  bool is_folder = false;
};

/// Whether what a call did is to be durable when it returns.
enum class Synced : std::uint8_t { kNo, kYes };

/// What FsStore needs of a file system, so that one can be put in whose power goes.
///
/// Paths lie below a root, which is "", and have '/' between their components. Calls answer 0, or
/// an errno as the system call that they stand for would: that call's rules are theirs.
///
/// What is durable is what POSIX promises and no more: the content of a file once that file was
/// synced, the names in a folder (made, linked or removed) once that folder was.
class FileLayer {
 public:
  FileLayer() = default;
  FileLayer(const FileLayer&) = delete;
  FileLayer& operator=(const FileLayer&) = delete;
  virtual ~FileLayer() = default;

  /// mkdir(2).
  [[nodiscard]] virtual int make_folder(const std::string& path) = 0;
  /// Makes the names in the folder durable: fsync(2) of it.
  [[nodiscard]] virtual int sync_folder(const std::string& path) = 0;
  /// Makes a file that was not there, with `content`; with kYes its content is durable then. When
  /// it fails there may be a file with a part of it.
  [[nodiscard]] virtual int write_new(const std::string& path, std::string_view content,
                                      Synced synced) = 0;
  /// A second name for a file: link(2). EEXIST when `to` is taken, by whomever.
  [[nodiscard]] virtual int link(const std::string& from, const std::string& to) = 0;
  [[nodiscard]] virtual int remove_file(const std::string& path) = 0;
  /// rmdir(2).
  [[nodiscard]] virtual int remove_folder(const std::string& path) = 0;
  [[nodiscard]] virtual int read(const std::string& path, std::string& content) = 0;
  /// Appends what is in the folder, in any order.
  [[nodiscard]] virtual int names_in(const std::string& path, std::vector<FileName>& names) = 0;

  /// Between two steps of one operation: lets others go on where something could happen meanwhile.
  /// False: the machine went down, and the operation with it.
  [[nodiscard]] virtual bool between_steps(Runtime& runtime) = 0;
};

}  // namespace causalcheck
