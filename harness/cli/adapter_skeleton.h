#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/refusal.h"

namespace causalcheck::cli {

/// One file of a new adapter; the path is relative to its folder.
struct SkeletonFile {
  std::string path{};
  std::string content{};
  bool is_program = false;  // gets the right to be executed
};

/// The files of a new adapter called `name`, in `language`, and what to do with them.
struct Skeleton {
  std::vector<SkeletonFile> files{};
  std::string next_steps{};  // commands, one a line, to be typed in the adapter's folder
};

/// Errors: a name that is not of lower-case letters, digits, '-' and '_', beginning with a letter,
/// at most 40 of them; a language there is no skeleton for.
[[nodiscard]] Attempt<Skeleton> adapter_skeleton(std::string_view name, std::string_view language);

}  // namespace causalcheck::cli
