#include "harness/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <system_error>
#include <utility>

namespace causalcheck {
namespace {

constexpr std::size_t kPadding = 64;
constexpr std::size_t kBlock = std::size_t{1} << 20;
constexpr std::size_t kWriteMax = std::size_t{1}
                                  << 30;  // the system takes no more than 2 GiB a call

Refusal refusal(std::string_view what, const std::string& path, int code) {
  return Refusal::because(std::string("cannot ") + std::string(what) + " " + path + ": " +
                          std::error_code(code, std::generic_category()).message());
}

/// An open file, closed when it goes out of scope.
class File {
 public:
  explicit File(int descriptor) : descriptor_(descriptor) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  [[nodiscard]] int descriptor() const { return descriptor_; }
  [[nodiscard]] bool is_open() const { return descriptor_ >= 0; }
  /// 0, or the error number; some file systems report a full disk only here.
  [[nodiscard]] int close() { return ::close(std::exchange(descriptor_, -1)) == 0 ? 0 : errno; }

 private:
  int descriptor_;
};

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

/// `path` with its links followed, so that renaming replaces the file and not the link.
std::string resolved(const std::string& path) {
  char* const real = ::realpath(path.c_str(), nullptr);
  if (real == nullptr) return path;
  std::string result(real);
  std::free(real);
  return result;
}

/// Makes the rename itself durable. A folder that cannot be synced is no reason to refuse.
void sync_folder(const std::string& folder) {
  const File opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (opened.is_open()) ::fsync(opened.descriptor());
}

/// Writes, syncs and closes; 0 or the error number.
int fill(File& file, std::string_view bytes) {
  if (const int error = write_all(file.descriptor(), bytes); error != 0) return error;
  if (::fsync(file.descriptor()) != 0) return errno;
  return file.close();
}

Attempt<void> write_directly(const std::string& path, std::string_view bytes) {
  File file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!file.is_open()) return refusal("write", path, errno);
  int error = write_all(file.descriptor(), bytes);
  if (error == 0) error = file.close();
  if (error != 0) return refusal("write", path, error);
  return {};
}

Attempt<void> replace(const std::string& path, std::string_view bytes) {
  std::string temporary;
  int descriptor = -1;
  for (unsigned attempt = 0; descriptor < 0; ++attempt) {
    temporary = path + ".tmp-" + std::to_string(::getpid()) + "-" + std::to_string(attempt);
    descriptor = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor < 0 && errno != EEXIST) return refusal("write", path, errno);
  }
  File file(descriptor);
  int error = fill(file, bytes);
  if (error == 0 && ::rename(temporary.c_str(), path.c_str()) != 0) error = errno;
  if (error != 0) {
    ::unlink(temporary.c_str());
    return refusal("write", path, error);
  }
  sync_folder(folder_of(path));
  return {};
}

}  // namespace

int write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), std::min(bytes.size(), kWriteMax));
    if (written < 0) {
      if (errno == EINTR) continue;
      return errno;
    }
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

Attempt<std::string> read_file(const std::string& path) {
  const bool is_standard_input = path == "-";
  const std::string name = is_standard_input ? "standard input" : path;
  const File opened(is_standard_input ? -1 : ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!is_standard_input && !opened.is_open()) return refusal("read", name, errno);
  const int descriptor = is_standard_input ? STDIN_FILENO : opened.descriptor();

  // One byte more than the file has: its end is then found without growing the buffer.
  struct stat status {};
  std::size_t expected = kBlock;
  if (::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
    expected = static_cast<std::size_t>(status.st_size) + 1;
  }
  std::string content;
  std::size_t filled = 0;
  while (true) {
    if (filled == content.size()) {
      const std::size_t room = filled == 0 ? expected : filled;
      content.reserve(filled + room + kPadding);
      content.resize(filled + room);
    }
    const ssize_t count =
        ::read(descriptor, content.data() + filled, std::min(content.size() - filled, kWriteMax));
    if (count < 0) {
      if (errno == EINTR) continue;
      return refusal("read", name, errno);
    }
    if (count == 0) break;
    filled += static_cast<std::size_t>(count);
  }
  content.resize(filled);
  return content;
}

Attempt<void> write_file_atomically(const std::string& path, std::string_view bytes) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return replace(path, bytes);
  if (S_ISDIR(status.st_mode)) return refusal("write", path, EISDIR);
  if (!S_ISREG(status.st_mode)) return write_directly(path, bytes);
  return replace(resolved(path), bytes);
}

}  // namespace causalcheck
