#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/fs/file_descriptor.h"
#include "adapters/fs/file_layer.h"
#include "harness/result.h"

namespace causalcheck {

/// The operating system's files below one folder.
class RealFiles final : public FileLayer {
 public:
  /// Opens the folder `root`, which must exist and be writable.
  /// Errors: kUnavailable, with the path and the system's reason.
  [[nodiscard]] static Result<std::unique_ptr<RealFiles>> open(const std::string& root);

  [[nodiscard]] int make_folder(const std::string& path) override;
  [[nodiscard]] int sync_folder(const std::string& path) override;
  [[nodiscard]] int write_new(const std::string& path, std::string_view content,
                              Synced synced) override;
  [[nodiscard]] int link(const std::string& from, const std::string& to) override;
  [[nodiscard]] int remove_file(const std::string& path) override;
  [[nodiscard]] int remove_folder(const std::string& path) override;
  [[nodiscard]] int read(const std::string& path, std::string& content) override;
  [[nodiscard]] int names_in(const std::string& path, std::vector<FileName>& names) override;
  [[nodiscard]] bool between_steps(Runtime&) override { return true; }

 private:
  explicit RealFiles(FileDescriptor root) : root_(std::move(root)) {}

  FileDescriptor root_;
};

}  // namespace causalcheck
