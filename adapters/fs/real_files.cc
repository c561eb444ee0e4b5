#include "adapters/fs/real_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "harness/files.h"

namespace causalcheck {
namespace {

const char* name_of(const std::string& path) { return path.empty() ? "." : path.c_str(); }

FileDescriptor open_folder(const FileDescriptor& root, const std::string& path) {
  return FileDescriptor(
      ::openat(root.get(), name_of(path), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

Error cannot(std::string_view what, const std::string& root) {
  return Error(ErrorCode::kUnavailable,
               fmt::format("cannot {} {}: {}", what, root, std::generic_category().message(errno)));
}

}  // namespace

Result<std::unique_ptr<RealFiles>> RealFiles::open(const std::string& root) {
  FileDescriptor fd(::open(root.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd.is_open()) return cannot("open the folder", root);
  if (::faccessat(AT_FDCWD, root.c_str(), W_OK | X_OK, AT_EACCESS) != 0) {
    return cannot("write to the folder", root);
  }
  return std::unique_ptr<RealFiles>(new RealFiles(std::move(fd)));
}

int RealFiles::make_folder(const std::string& path) {
  return ::mkdirat(root_.get(), path.c_str(), 0777) == 0 ? 0 : errno;
}

int RealFiles::sync_folder(const std::string& path) {
  const FileDescriptor folder = open_folder(root_, path);
  return folder.is_open() && ::fsync(folder.get()) == 0 ? 0 : errno;
}

int RealFiles::write_new(const std::string& path, std::string_view content, Synced synced) {
  const FileDescriptor file(
      ::openat(root_.get(), path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (!file.is_open()) return errno;
  if (const int error = write_all(file.get(), content); error != 0) return error;
  if (synced == Synced::kNo) return 0;
  return ::fsync(file.get()) == 0 ? 0 : errno;
}

int RealFiles::link(const std::string& from, const std::string& to) {
  return ::linkat(root_.get(), from.c_str(), root_.get(), to.c_str(), 0) == 0 ? 0 : errno;
}

int RealFiles::remove_file(const std::string& path) {
  return ::unlinkat(root_.get(), path.c_str(), 0) == 0 ? 0 : errno;
}

int RealFiles::remove_folder(const std::string& path) {
  return ::unlinkat(root_.get(), path.c_str(), AT_REMOVEDIR) == 0 ? 0 : errno;
}

int RealFiles::read(const std::string& path, std::string& content) {
  const FileDescriptor file(::openat(root_.get(), path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  if (!file.is_open()) return errno;
  content.clear();
  struct stat status {};
  if (::fstat(file.get(), &status) == 0 && status.st_size > 0) {
    content.reserve(static_cast<std::size_t>(status.st_size) + 1);
  }
  constexpr std::size_t kChunk = 64 * 1024;
  while (true) {
    const std::size_t size = content.size();
    content.resize(size + std::clamp<std::size_t>(content.capacity() - size, 1, kChunk));
    const ssize_t got = ::read(file.get(), content.data() + size, content.size() - size);
    const int error = errno;
    content.resize(size + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (got == 0) return 0;
    if (got < 0 && error != EINTR) return error;
  }
}

int RealFiles::names_in(const std::string& path, std::vector<FileName>& names) {
  const FileDescriptor folder = open_folder(root_, path);
  if (!folder.is_open()) return errno;
  const int fd = ::openat(folder.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return errno;
  DIR* dir = ::fdopendir(fd);
  if (dir == nullptr) {
    const int error = errno;
    ::close(fd);
    return error;
  }
  errno = 0;
  while (const dirent* entry = ::readdir(dir)) {
    const std::string name = entry->d_name;
    if (name == "." || name == "..") continue;
    struct stat status {};
    if (::fstatat(folder.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0) {
      names.push_back({name, S_ISDIR(status.st_mode)});
    }
    errno = 0;
  }
  const int error = errno;
  ::closedir(dir);
  return error;
}

}  // namespace causalcheck
