#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include "harness/temporary_folder.h"

namespace causalcheck {

/// A folder for one test, and what lies in it.
class ScratchFolder {
 public:
  [[nodiscard]] const std::string& path() const { return folder_.path(); }
  [[nodiscard]] std::string operator/(const std::string& name) const { return path() + "/" + name; }

  /// The paths of all files and folders below, relative.
  [[nodiscard]] std::set<std::string> content() const {
    std::set<std::string> found;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path())) {
      found.insert(std::filesystem::relative(entry.path(), path()).string());
    }
    return found;
  }
  void write(const std::string& name, const std::string& bytes) const {
    std::filesystem::create_directories(std::filesystem::path(*this / name).parent_path());
    std::ofstream(*this / name, std::ios::binary) << bytes;
  }
  [[nodiscard]] std::string read(const std::string& name) const {
    std::ifstream file(*this / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }

 private:
  TemporaryFolder folder_ = TemporaryFolder::make("test").value();
};

}  // namespace causalcheck
