#include "harness/temporary_folder.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

namespace causalcheck {

TemporaryFolder::TemporaryFolder(std::string path) : path_(std::move(path)) {}

TemporaryFolder::TemporaryFolder(TemporaryFolder&& other) noexcept
    : path_(std::exchange(other.path_, std::string())) {}

TemporaryFolder::~TemporaryFolder() {
  if (path_.empty()) return;
  std::error_code ignored;  // nobody is left to hear of it
  std::filesystem::remove_all(path_, ignored);
}

Result<TemporaryFolder> TemporaryFolder::make(std::string_view purpose) {
  const char* place = std::getenv("TMPDIR");
  std::string path = fmt::format("{}/causalcheck-{}-XXXXXX",
                                 place == nullptr || *place == '\0' ? "/tmp" : place, purpose);
  if (::mkdtemp(path.data()) == nullptr) {
    const int error = errno;
    return Error(ErrorCode::kUnavailable,
                 fmt::format("cannot make the temporary folder {}: {}", path,
                             std::generic_category().message(error)));
  }
  return TemporaryFolder(std::move(path));
}

}  // namespace causalcheck
