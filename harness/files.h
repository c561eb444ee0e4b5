#pragma once

#include <string>
#include <string_view>

#include "harness/refusal.h"

namespace causalcheck {

/// The whole content of the file at `path`, or of standard input for "-".
///
/// The string has room for 64 bytes more, so that a parser that wants padding need not copy it.
/// Errors: whatever the system says (missing, a folder, no permission), with the path.
[[nodiscard]] Attempt<std::string> read_file(const std::string& path);

/// Makes `bytes` the content of the file at `path`, wholly or not at all.
///
/// Writes a temporary file in the same folder, syncs it and renames it over `path`: a reader sees
/// the old content or the new one, and a full disk leaves nothing under the final name. The folder
/// must exist. A symbolic link stays and what it points to is replaced; a device or pipe is written
/// to directly. Errors: whatever the system says, with the path; the temporary file is gone then.
[[nodiscard]] Attempt<void> write_file_atomically(const std::string& path, std::string_view bytes);

/// Writes all of `bytes` to `descriptor`; 0, or the error number.
[[nodiscard]] int write_all(int descriptor, std::string_view bytes);

}  // namespace causalcheck
