#pragma once

#include <string>
#include <string_view>

#include "harness/result.h"

namespace causalcheck {

/// A folder below $TMPDIR or /tmp that goes, with all that is in it, when its owner goes.
/// Move-only.
class TemporaryFolder {
 public:
  /// Makes `causalcheck-<purpose>-XXXXXX`. Errors: kUnavailable, with the system's reason.
  [[nodiscard]] static Result<TemporaryFolder> make(std::string_view purpose);

  TemporaryFolder(TemporaryFolder&& other) noexcept;
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  explicit TemporaryFolder(std::string path);

  std::string path_;  // empty when moved from
};

}  // namespace causalcheck
