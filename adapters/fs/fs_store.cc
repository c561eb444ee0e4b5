#include "adapters/fs/fs_store.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <system_error>
#include <utility>

#include "harness/path_escape.h"

namespace causalcheck {
namespace {

// No escaped component begins with a dot, so no object ever has such a name.
constexpr std::string_view kTemporaryPrefix = ".tmp-";

std::string reason(int error) { return std::generic_category().message(error); }

Error failed(ErrorCode code, std::string_view what, std::string_view path, int error) {
  return Error(code, fmt::format("{} {}: {}", what, path, reason(error)));
}

// "run/a topic/" -> "run/a%20topic/": the path of a key, or the beginning of one that ends in '/'.
std::string path_of(std::string_view key) {
  std::string path;
  while (true) {
    const std::size_t slash = key.find('/');
    if (slash == std::string_view::npos) {
      if (!key.empty()) path += escape_component(key);
      return path;
    }
    path += escape_component(key.substr(0, slash)) + "/";
    key.remove_prefix(slash + 1);
  }
}

int write_all(int fd, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = ::write(fd, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

// The names in an open folder.
Result<std::vector<std::string>> names_in(const FileDescriptor& folder, std::string_view path) {
  const int fd = ::openat(folder.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return failed(ErrorCode::kUnavailable, "cannot list", path, errno);
  DIR* dir = ::fdopendir(fd);
  if (dir == nullptr) {
    const int error = errno;
    ::close(fd);
    return failed(ErrorCode::kUnavailable, "cannot list", path, error);
  }
  std::vector<std::string> names;
  errno = 0;
  while (const dirent* entry = ::readdir(dir)) names.emplace_back(entry->d_name);
  const int error = errno;
  ::closedir(dir);
  // A folder removed meanwhile has nothing in it.
  if (error != 0 && error != ENOENT) {
    return failed(ErrorCode::kUnavailable, "cannot list", path, error);
  }
  return names;
}

FileDescriptor open_folder(const FileDescriptor& parent, const std::string& path) {
  return FileDescriptor(::openat(parent.get(), path.empty() ? "." : path.c_str(),
                                 O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

// The keys of all objects below `folder`, whose own key is `key` and ends in '/', or is empty.
Result<std::vector<std::string>> keys_below(const FileDescriptor& folder, const std::string& key) {
  const Result<std::vector<std::string>> names = names_in(folder, key);
  if (names.has_error()) return names.error();
  std::vector<std::string> keys;
  for (const std::string& name : *names) {
    const std::optional<std::string> component = unescape_component(name);
    if (!component) continue;  // a temporary file, ".", "..", or nothing of ours
    struct stat status {};
    if (::fstatat(folder.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (!S_ISDIR(status.st_mode)) {
      keys.push_back(key + *component);
      continue;
    }
    const FileDescriptor below = open_folder(folder, name);
    if (!below.is_open()) {
      if (errno == ENOENT) continue;
      return failed(ErrorCode::kUnavailable, "cannot list", key + *component, errno);
    }
    Result<std::vector<std::string>> more = keys_below(below, key + *component + "/");
    if (more.has_error()) return more;
    keys.insert(keys.end(), std::make_move_iterator(more->begin()),
                std::make_move_iterator(more->end()));
  }
  return keys;
}

// Removes what creates that never ended left behind.
void remove_temporaries(const FileDescriptor& folder, std::string_view path) {
  if (!folder.is_open()) return;
  const Result<std::vector<std::string>> names = names_in(folder, path);
  if (names.has_error()) return;  // then the folder cannot be removed either, and that is told
  for (const std::string& name : *names) {
    if (name.compare(0, kTemporaryPrefix.size(), kTemporaryPrefix) != 0) continue;
    ::unlinkat(folder.get(), name.c_str(), 0);
  }
}

}  // namespace

FsStore::FsStore(std::string root, FileDescriptor fd)
    : root_path_(std::move(root)), root_(std::move(fd)) {}

Result<std::unique_ptr<FsStore>> FsStore::open(const std::string& root) {
  FileDescriptor fd(::open(root.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd.is_open()) return failed(ErrorCode::kUnavailable, "cannot open the folder", root, errno);
  if (::faccessat(AT_FDCWD, root.c_str(), W_OK | X_OK, AT_EACCESS) != 0) {
    return failed(ErrorCode::kUnavailable, "cannot write to the folder", root, errno);
  }
  return std::unique_ptr<FsStore>(new FsStore(root, std::move(fd)));
}

Result<std::unique_ptr<FsStore>> FsStore::open_temporary() {
  Result<TemporaryFolder> folder = TemporaryFolder::make("fs");
  if (folder.has_error()) return folder.error();
  Result<std::unique_ptr<FsStore>> store = open(folder->path());
  if (store.has_value()) (*store)->temporary_root_.emplace(*std::move(folder));
  return store;
}

FsStore::~FsStore() {
  // Nobody is left to hear of an error; what could not be removed stays.
  static_cast<void>(forget(""));
}

Result<FsStore::Folder*> FsStore::folder(const std::string& path) {
  const std::lock_guard lock(mutex_);
  const auto known = folders_.find(path);
  if (known != folders_.end()) return &known->second;
  FileDescriptor parent(::dup(root_.get()));
  std::size_t begin = 0;
  while (begin < path.size()) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const std::string name = path.substr(begin, end - begin);
    if (::mkdirat(parent.get(), name.c_str(), 0777) == 0) {
      folders_created_.push_back(path.substr(0, end));
    } else if (errno != EEXIST) {
      return failed(ErrorCode::kRejected, "cannot make the folder", path.substr(0, end), errno);
    }
    // Another process may have made it and not have come to its sync yet.
    if (::fsync(parent.get()) != 0) {
      return failed(ErrorCode::kRejected, "cannot sync the folder above", path.substr(0, end),
                    errno);
    }
    FileDescriptor next = open_folder(parent, name);
    if (!next.is_open()) {
      return failed(ErrorCode::kRejected, "cannot open the folder", path.substr(0, end), errno);
    }
    parent = std::move(next);
    begin = end + 1;
  }
  Folder& made = folders_[path];
  made.fd = std::move(parent);
  return &made;
}

void FsStore::note_created(Folder& folder, const std::string& name) {
  const std::lock_guard lock(mutex_);
  folder.created.push_back(name);
}

Result<Created> FsStore::claim(Folder& folder, const std::string& path,
                               const std::string& temporary, const std::string& name) {
  const int fd = folder.fd.get();
  if (::linkat(fd, temporary.c_str(), fd, name.c_str(), 0) != 0) {
    const int error = errno;
    if (error == EEXIST) return Created::kTaken;
    if (error == EIO) {
      // The disk failed in the middle of it; only then may the name be there after all.
      note_created(folder, name);
      return failed(ErrorCode::kConnectionLost, "cannot tell whether this is linked:", path, error);
    }
    if (error == EPERM || error == EOPNOTSUPP) {
      return Error(ErrorCode::kRejected,
                   fmt::format("cannot link {}: {} (does this file system know hard links?)", path,
                               reason(error)));
    }
    return failed(ErrorCode::kRejected, "cannot link", path, error);
  }
  note_created(folder, name);
  if (::fsync(fd) != 0) {
    return failed(ErrorCode::kConnectionLost, "linked, but cannot be made durable:", path, errno);
  }
  return Created::kCreated;
}

Result<Created> FsStore::create_if_absent(std::string_view key, std::string_view content, Runtime&,
                                          Time) {
  const std::string path = path_of(key);
  const std::size_t slash = std::min(path.rfind('/'), path.size());
  const std::string name = slash == path.size() ? path : path.substr(slash + 1);
  const Result<Folder*> found =
      folder(slash == path.size() ? std::string() : path.substr(0, slash));
  if (found.has_error()) return found.error();
  Folder& in = **found;
  const std::string temporary =
      fmt::format("{}{}-{}", kTemporaryPrefix, ::getpid(), temporaries_++);
  FileDescriptor file(
      ::openat(in.fd.get(), temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (!file.is_open()) {
    return failed(ErrorCode::kRejected, "cannot make a file for", path, errno);
  }
  int error = write_all(file.get(), content);
  if (error == 0 && ::fsync(file.get()) != 0) error = errno;
  Result<Created> answer = error == 0 ? claim(in, path, temporary, name)
                                      : failed(ErrorCode::kRejected, "cannot write", path, error);
  ::unlinkat(in.fd.get(), temporary.c_str(), 0);
  return answer;
}

Result<std::optional<std::string>> FsStore::get(std::string_view key, Runtime&, Time) {
  const std::string path = path_of(key);
  const FileDescriptor file(::openat(root_.get(), path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  if (!file.is_open()) {
    if (errno == ENOENT || errno == ENOTDIR) return std::optional<std::string>();
    return failed(ErrorCode::kUnavailable, "cannot open", path, errno);
  }
  std::string content;
  struct stat status {};
  if (::fstat(file.get(), &status) == 0 && status.st_size > 0) {
    content.reserve(static_cast<std::size_t>(status.st_size) + 1);
  }
  constexpr std::size_t kChunk = 64 * 1024;
  while (true) {
    const std::size_t size = content.size();
    content.resize(size + std::clamp<std::size_t>(content.capacity() - size, 1, kChunk));
    const ssize_t got = ::read(file.get(), content.data() + size, content.size() - size);
    content.resize(size + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (got == 0) return std::optional<std::string>(std::move(content));
    if (got < 0 && errno != EINTR) {
      return failed(ErrorCode::kUndecodable, "cannot read", path, errno);
    }
  }
}

Result<std::vector<std::string>> FsStore::list(std::string_view prefix, Runtime&, Time) {
  // From the folder that all of `prefix` but its last component names.
  const std::size_t slash = prefix.rfind('/');
  const std::string key(prefix.substr(0, slash == std::string_view::npos ? 0 : slash + 1));
  const std::string path = path_of(key);
  const FileDescriptor folder = open_folder(root_, path);
  if (!folder.is_open()) {
    if (errno == ENOENT || errno == ENOTDIR) return std::vector<std::string>();
    return failed(ErrorCode::kUnavailable, "cannot list", path, errno);
  }
  Result<std::vector<std::string>> keys = keys_below(folder, key);
  if (keys.has_error()) return keys;
  std::erase_if(*keys,
                [&](const std::string& k) { return k.compare(0, prefix.size(), prefix) != 0; });
  std::sort(keys->begin(), keys->end());
  return keys;
}

Result<void> FsStore::forget(std::string_view prefix) {
  const std::lock_guard lock(mutex_);
  const std::string below = path_of(prefix);
  const auto is_below = [&](const std::string& path) {
    return (path + "/").compare(0, below.size(), below) == 0;
  };
  Result<void> answer;
  const auto note = [&](std::string_view path) {
    if (errno == ENOENT || errno == ENOTEMPTY || errno == EEXIST || answer.has_error()) return;
    answer = failed(ErrorCode::kUnavailable, "cannot remove", path, errno);
  };
  for (auto it = folders_.begin(); it != folders_.end();) {
    if (!is_below(it->first)) {
      ++it;
      continue;
    }
    for (const std::string& name : it->second.created) {
      if (::unlinkat(it->second.fd.get(), name.c_str(), 0) != 0) note(it->first + "/" + name);
    }
    it = folders_.erase(it);
  }
  std::vector<std::string> kept;
  for (auto path = folders_created_.rbegin(); path != folders_created_.rend(); ++path) {
    if (!is_below(*path)) {
      kept.push_back(*path);
      continue;
    }
    remove_temporaries(open_folder(root_, *path), *path);
    if (::unlinkat(root_.get(), path->c_str(), AT_REMOVEDIR) != 0) note(*path);
  }
  folders_created_.assign(kept.rbegin(), kept.rend());
  return answer;
}

}  // namespace causalcheck
