#include "adapters/fs/simulated_files.h"

#include <algorithm>
#include <cerrno>
#include <set>

namespace causalcheck {
namespace {

// What becomes of one thing that was not synced.
constexpr std::uint32_t kSurvives = 0;

}  // namespace

void SimulatedFiles::wipe() { root_ = std::make_shared<Folder>(); }

SimulatedFiles::Folder* SimulatedFiles::find_folder(std::string_view path, int& error) const {
  Folder* at = root_.get();
  error = 0;
  while (!path.empty()) {
    const std::string_view name = path.substr(0, path.find('/'));
    path.remove_prefix(std::min(path.size(), name.size() + 1));
    const auto found = at->names.find(name);
    if (found == at->names.end() || found->second.folder == nullptr) {
      error = found == at->names.end() ? ENOENT : ENOTDIR;
      return nullptr;
    }
    at = found->second.folder.get();
  }
  return at;
}

SimulatedFiles::Place SimulatedFiles::place_of(const std::string& path, int& error) const {
  const std::size_t slash = path.rfind('/');
  const std::string_view above =
      slash == std::string::npos ? std::string_view() : std::string_view(path).substr(0, slash);
  Place place{find_folder(above, error), path.substr(slash == std::string::npos ? 0 : slash + 1)};
  if (error == 0 && place.name.size() > 255) error = ENAMETOOLONG;
  return place;
}

SimulatedFiles::Found SimulatedFiles::find(const std::string& path, int& error) const {
  const Place place = place_of(path, error);
  if (error != 0) return {};
  const auto name = place.folder->names.find(place.name);
  if (name == place.folder->names.end()) error = ENOENT;
  return {place.folder, name};
}

int SimulatedFiles::make_folder(const std::string& path) {
  int error = 0;
  const Place place = place_of(path, error);
  if (error != 0) return error;
  const auto [name, is_new] = place.folder->names.try_emplace(place.name);
  if (!is_new) return EEXIST;
  name->second.folder = std::make_shared<Folder>();
  return 0;
}

int SimulatedFiles::sync_folder(const std::string& path) {
  int error = 0;
  Folder* folder = find_folder(path, error);
  if (folder != nullptr) folder->durable = folder->names;
  return error;
}

int SimulatedFiles::write_new(const std::string& path, std::string_view content, Synced synced) {
  int error = 0;
  const Place place = place_of(path, error);
  if (error != 0) return error;
  const auto [name, is_new] = place.folder->names.try_emplace(place.name);
  if (!is_new) return EEXIST;
  name->second.file = std::make_shared<File>(File{std::string(content), synced == Synced::kYes});
  return 0;
}

int SimulatedFiles::link(const std::string& from, const std::string& to) {
  int error = 0;
  const Found source = find(from, error);
  if (error != 0) return error;
  const Place target = place_of(to, error);
  if (error != 0) return error;
  if (source.name->second.file == nullptr) return EPERM;
  return target.folder->names.try_emplace(target.name, source.name->second).second ? 0 : EEXIST;
}

int SimulatedFiles::remove_file(const std::string& path) {
  int error = 0;
  const Found found = find(path, error);
  if (error != 0) return error;
  if (found.name->second.file == nullptr) return EISDIR;
  found.folder->names.erase(found.name);
  return 0;
}

int SimulatedFiles::remove_folder(const std::string& path) {
  int error = 0;
  const Found found = find(path, error);
  if (error != 0) return error;
  if (found.name->second.folder == nullptr) return ENOTDIR;
  if (!found.name->second.folder->names.empty()) return ENOTEMPTY;
  found.folder->names.erase(found.name);
  return 0;
}

int SimulatedFiles::read(const std::string& path, std::string& content) {
  int error = 0;
  const Found found = find(path, error);
  if (error != 0) return error;
  if (found.name->second.file == nullptr) return EISDIR;
  content = found.name->second.file->content;
  return 0;
}

int SimulatedFiles::names_in(const std::string& path, std::vector<FileName>& names) {
  int error = 0;
  const Folder* folder = find_folder(path, error);
  if (folder == nullptr) return error;
  for (const auto& [name, thing] : folder->names) names.push_back({name, thing.folder != nullptr});
  return 0;
}

bool SimulatedFiles::between_steps(Runtime& runtime) {
  const std::uint64_t boot = boots_;
  runtime.yield();
  return boot == boots_;
}

void SimulatedFiles::lose_power(Runtime& runtime) {
  crash();
  settle(*root_, runtime);
}

// Names in byte order, folders where their names come, files once however many names they have.
void SimulatedFiles::settle(Folder& folder, Runtime& runtime) {
  std::set<std::string> changed;
  for (const auto& [name, thing] : folder.names) {
    const auto before = folder.durable.find(name);
    if (before == folder.durable.end() || !(before->second == thing)) changed.insert(name);
  }
  for (const auto& [name, thing] : folder.durable) {
    if (folder.names.find(name) == folder.names.end()) changed.insert(name);
  }
  for (const std::string& name : changed) {
    if (runtime.choose(2) == kSurvives) continue;
    const auto before = folder.durable.find(name);
    if (before == folder.durable.end()) {
      folder.names.erase(name);
    } else {
      folder.names[name] = before->second;
    }
  }
  // What is on the disk now is durable.
  folder.durable = folder.names;
  for (const auto& [name, thing] : folder.names) {
    if (thing.folder != nullptr) settle(*thing.folder, runtime);
    if (thing.file != nullptr && !thing.file->synced) settle(*thing.file, runtime);
  }
}

void SimulatedFiles::settle(File& file, Runtime& runtime) {
  file.synced = true;
  const auto size = static_cast<std::uint32_t>(file.content.size());
  enum : std::uint32_t { kWhole, kCut, kZeros, kWays };
  const std::uint32_t way = runtime.choose(kWays);
  if (way == kWhole || size == 0) return;
  const std::uint32_t kept = runtime.choose(size);
  file.content.resize(kept);
  if (way == kZeros) file.content.resize(size, '\0');
}

}  // namespace causalcheck
