#include "adapters/fs/fs_store.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <system_error>
#include <utility>

#include "adapters/fs/real_files.h"
#include "harness/path_escape.h"

namespace causalcheck {
namespace {

// No escaped component begins with a dot, so no object ever has such a name.
constexpr std::string_view kTemporaryPrefix = ".tmp-";

std::string reason(int error) { return std::generic_category().message(error); }

Error failed(ErrorCode code, std::string_view what, std::string_view path, int error) {
  return Error(code, fmt::format("{} {}: {}", what, path, reason(error)));
}

Error went_down(std::string_view path) {
  return Error(ErrorCode::kConnectionLost,
               fmt::format("the machine went down while {} was being created", path));
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

// "run/x" and "7" -> "run/x/7".
std::string below(const std::string& folder, const std::string& name) {
  return folder.empty() ? name : folder + "/" + name;
}

// "run/x/7" -> "run/x" and "7".
std::pair<std::string, std::string> split(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return {std::string(), path};
  return {path.substr(0, slash), path.substr(slash + 1)};
}

bool is_temporary(const std::string& name) {
  return name.compare(0, kTemporaryPrefix.size(), kTemporaryPrefix) == 0;
}

// The keys of all objects below the folder at `path`, whose own key is `key` and ends in '/', or is
// empty.
Result<std::vector<std::string>> keys_below(FileLayer& files, const std::string& path,
                                            const std::string& key) {
  std::vector<FileName> names;
  std::vector<std::string> keys;
  const int error = files.names_in(path, names);
  // A folder removed meanwhile has nothing in it.
  if (error == ENOENT || error == ENOTDIR) return keys;
  if (error != 0) return failed(ErrorCode::kUnavailable, "cannot list", key, error);
  for (const FileName& entry : names) {
    const std::optional<std::string> component = unescape_component(entry.name);
    if (!component) continue;  // a temporary file, or nothing of ours
    if (!entry.is_folder) {
      keys.push_back(key + *component);
      continue;
    }
    Result<std::vector<std::string>> more =
        keys_below(files, below(path, entry.name), key + *component + "/");
    if (more.has_error()) return more;
    keys.insert(keys.end(), std::make_move_iterator(more->begin()),
                std::make_move_iterator(more->end()));
  }
  return keys;
}

// Removes what creates that never ended left behind.
void remove_temporaries(FileLayer& files, const std::string& path) {
  std::vector<FileName> names;
  // Where it cannot be listed the folder cannot be removed either, and that is told.
  if (files.names_in(path, names) != 0) return;
  for (const FileName& entry : names) {
    if (is_temporary(entry.name)) static_cast<void>(files.remove_file(below(path, entry.name)));
  }
}

}  // namespace

FsStore::FsStore(std::unique_ptr<FileLayer> files, FsSyncs syncs)
    : files_(std::move(files)), syncs_(syncs) {}

Result<std::unique_ptr<FsStore>> FsStore::open(const std::string& root, FsSyncs syncs) {
  Result<std::unique_ptr<RealFiles>> files = RealFiles::open(root);
  if (files.has_error()) return files.error();
  auto store = std::make_unique<FsStore>(*std::move(files), syncs);
  store->root_path_ = root;
  return store;
}

Result<std::unique_ptr<FsStore>> FsStore::open_temporary(FsSyncs syncs) {
  Result<TemporaryFolder> folder = TemporaryFolder::make("fs");
  if (folder.has_error()) return folder.error();
  Result<std::unique_ptr<FsStore>> store = open(folder->path(), syncs);
  if (store.has_value()) (*store)->temporary_root_.emplace(*std::move(folder));
  return store;
}

FsStore::~FsStore() {
  // Nobody is left to hear of an error; what could not be removed stays.
  static_cast<void>(forget(""));
}

void FsStore::restarted() {
  const std::lock_guard lock(mutex_);
  for (auto& [path, folder] : folders_) folder.ready = folder.settled = false;
  unsynced_.clear();
}

int FsStore::sync_folder(const std::string& path) {
  return syncs_.folders ? files_->sync_folder(path) : 0;
}

Result<void> FsStore::prepare_folder(const std::string& path) {
  const std::lock_guard lock(mutex_);
  Folder& known = folders_[path];
  if (known.ready) return {};
  std::string above;
  std::size_t begin = 0;
  while (begin < path.size()) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const std::string here = path.substr(0, end);
    if (const int error = files_->make_folder(here); error == 0) {
      const auto& made = folders_created_;
      if (std::find(made.begin(), made.end(), here) == made.end()) folders_created_.push_back(here);
    } else if (error != EEXIST) {
      return failed(ErrorCode::kRejected, "cannot make the folder", here, error);
    }
    // Another process may have made it and not have come to its sync yet.
    if (const int error = sync_folder(above); error != 0) {
      return failed(ErrorCode::kRejected, "cannot sync the folder above", here, error);
    }
    above = here;
    begin = end + 1;
  }
  known.ready = true;
  return {};
}

void FsStore::note_created(const std::string& folder, const std::string& name) {
  const std::lock_guard lock(mutex_);
  folders_[folder].created.push_back(name);
}

void FsStore::mark_unsynced(const std::string& path) {
  const std::lock_guard lock(mutex_);
  unsynced_.insert(path);
}

void FsStore::unmark(const std::string& path) {
  const std::lock_guard lock(mutex_);
  const auto mark = unsynced_.find(path);
  if (mark != unsynced_.end()) unsynced_.erase(mark);
}

Result<void> FsStore::settle(const std::string& folder, const std::string& path) {
  bool settled = false;
  {
    const std::lock_guard lock(mutex_);
    settled = folders_[folder].settled;
    if (settled && unsynced_.find(path) == unsynced_.end()) return {};
  }
  if (!settled) {
    if (Result<void> ready = prepare_folder(folder); ready.has_error()) return ready;
  }
  if (const int error = sync_folder(folder); error != 0) {
    return failed(ErrorCode::kUnavailable, "there, but cannot be made durable:", path, error);
  }
  const std::lock_guard lock(mutex_);
  folders_[folder].settled = true;
  return {};
}

Result<Created> FsStore::claim(const std::string& folder, const std::string& name,
                               const std::string& temporary, Runtime& runtime) {
  const std::string path = below(folder, name);
  // Before the name can be seen. The mark stays where nobody knows whether it is there or durable.
  mark_unsynced(path);
  if (const int error = files_->link(temporary, path); error != 0) {
    if (error == EIO) {
      // The disk failed in the middle of it; only then may the name be there after all.
      note_created(folder, name);
      return failed(ErrorCode::kConnectionLost, "cannot tell whether this is linked:", path, error);
    }
    unmark(path);
    if (error == EEXIST) {
      if (Result<void> settled = settle(folder, path); settled.has_error()) return settled.error();
      return Created::kTaken;
    }
    if (error == EPERM || error == EOPNOTSUPP) {
      return Error(ErrorCode::kRejected,
                   fmt::format("cannot link {}: {} (does this file system know hard links?)", path,
                               reason(error)));
    }
    return failed(ErrorCode::kRejected, "cannot link", path, error);
  }
  note_created(folder, name);
  if (!files_->between_steps(runtime)) {
    return went_down(path);
  }
  if (const int error = sync_folder(folder); error != 0) {
    return failed(ErrorCode::kConnectionLost, "linked, but cannot be made durable:", path, error);
  }
  unmark(path);
  return Created::kCreated;
}

Result<Created> FsStore::create_if_absent(std::string_view key, std::string_view content,
                                          Runtime& runtime, Time) {
  const auto [folder, name] = split(path_of(key));
  if (const Result<void> ready = prepare_folder(folder); ready.has_error()) return ready.error();
  const std::string temporary =
      below(folder, fmt::format("{}{}-{}", kTemporaryPrefix, ::getpid(), temporaries_++));
  const Synced synced = syncs_.files ? Synced::kYes : Synced::kNo;
  if (const int error = files_->write_new(temporary, content, synced); error != 0) {
    static_cast<void>(files_->remove_file(temporary));
    return failed(ErrorCode::kRejected, "cannot write", below(folder, name), error);
  }
  if (!files_->between_steps(runtime)) {
    // It is not there, and nobody is left to say so.
    return went_down(below(folder, name));
  }
  Result<Created> answer = claim(folder, name, temporary, runtime);
  // Nobody is there to remove it where the machine went down; forget will.
  const bool unsure = answer.has_error() && answer.error().code == ErrorCode::kConnectionLost;
  if (!unsure) static_cast<void>(files_->remove_file(temporary));
  return answer;
}

Result<std::optional<std::string>> FsStore::get(std::string_view key, Runtime&, Time) {
  const std::string path = path_of(key);
  std::string content;
  const int error = files_->read(path, content);
  if (error == ENOENT || error == ENOTDIR) return std::optional<std::string>();
  if (error == EISDIR || error == EIO) {
    return failed(ErrorCode::kUndecodable, "cannot read", path, error);
  }
  if (error != 0) return failed(ErrorCode::kUnavailable, "cannot open", path, error);
  if (Result<void> settled = settle(split(path).first, path); settled.has_error()) {
    return settled.error();
  }
  return std::optional<std::string>(std::move(content));
}

Result<std::vector<std::string>> FsStore::list(std::string_view prefix, Runtime&, Time) {
  // From the folder that all of `prefix` but its last component names.
  const std::size_t slash = prefix.rfind('/');
  const std::string key(prefix.substr(0, slash == std::string_view::npos ? 0 : slash + 1));
  std::string path = path_of(key);
  if (!path.empty()) path.pop_back();
  Result<std::vector<std::string>> keys = keys_below(*files_, path, key);
  if (keys.has_error()) return keys;
  std::erase_if(*keys,
                [&](const std::string& k) { return k.compare(0, prefix.size(), prefix) != 0; });
  std::sort(keys->begin(), keys->end());
  return keys;
}

Result<void> FsStore::forget(std::string_view prefix) {
  const std::lock_guard lock(mutex_);
  const std::string under = path_of(prefix);
  const auto is_under = [&](const std::string& path) {
    return (path + "/").compare(0, under.size(), under) == 0;
  };
  Result<void> answer;
  const auto note = [&](std::string_view path, int error) {
    if (error == 0 || error == ENOENT || error == ENOTEMPTY || error == EEXIST) return;
    if (answer.has_value()) answer = failed(ErrorCode::kUnavailable, "cannot remove", path, error);
  };
  for (auto it = folders_.begin(); it != folders_.end();) {
    if (!is_under(it->first)) {
      ++it;
      continue;
    }
    for (const std::string& name : it->second.created) {
      const std::string path = below(it->first, name);
      note(path, files_->remove_file(path));
    }
    it = folders_.erase(it);
  }
  std::erase_if(unsynced_, is_under);
  std::vector<std::string> kept;
  for (auto path = folders_created_.rbegin(); path != folders_created_.rend(); ++path) {
    if (!is_under(*path)) {
      kept.push_back(*path);
      continue;
    }
    remove_temporaries(*files_, *path);
    note(*path, files_->remove_folder(*path));
  }
  folders_created_.assign(kept.rbegin(), kept.rend());
  return answer;
}

}  // namespace causalcheck
