#include "adapters/memory/memory_store.h"

#include <algorithm>
#include <utility>

#include "harness/slot_key.h"

namespace causalcheck {
namespace {

constexpr std::size_t kDigits = SlotKey::kDigits;
constexpr std::string_view kLeadingZeros = "0000000000000000";  // most numbers have four digits

struct NumberedKey {
  std::string_view prefix{};
  std::size_t number = 0;
};

// `key` taken apart, when it ends in a small number of 20 digits.
std::optional<NumberedKey> numbered(std::string_view key) {
  if (key.size() < kDigits) return std::nullopt;
  std::string_view digits = key.substr(key.size() - kDigits);
  // Most numbers are small, and zeros are skipped faster than they are multiplied.
  if (digits.substr(0, kLeadingZeros.size()) == kLeadingZeros) {
    digits.remove_prefix(kLeadingZeros.size());
  } else if (digits.substr(0, 4) != kLeadingZeros.substr(0, 4)) {
    return std::nullopt;  // might not fit, and no log is that long
  }
  std::size_t number = 0;
  for (const char c : digits) {
    if (c < '0' || c > '9') return std::nullopt;
    number = number * 10 + static_cast<std::size_t>(c - '0');
  }
  return NumberedKey{key.substr(0, key.size() - kDigits), number};
}

bool starts_with(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

}  // namespace

MemoryStore::Folder* MemoryStore::find_folder(std::string_view prefix) {
  if (folder_found_ < folders_used_ && folders_[folder_found_].prefix == prefix) {
    return &folders_[folder_found_];
  }
  for (std::size_t i = 0; i < folders_used_; ++i) {
    if (folders_[i].prefix != prefix) continue;
    folder_found_ = i;
    return &folders_[i];
  }
  return nullptr;
}

MemoryStore::Folder& MemoryStore::add_folder(std::string_view prefix) {
  if (folders_used_ == folders_.size()) folders_.emplace_back();
  Folder& folder = folders_[folders_used_++];
  folder.prefix = prefix;
  folder.size = 0;
  return folder;
}

Result<Created> MemoryStore::create_if_absent(std::string_view key, std::string_view content,
                                              Runtime&, Time) {
  const auto lock = guard();
  if (!others_.empty() && others_.find(key) != others_.end()) return Created::kTaken;
  if (const std::optional<NumberedKey> parts = numbered(key)) {
    Folder* folder = find_folder(parts->prefix);
    const std::size_t size = folder == nullptr ? 0 : folder->size;
    if (parts->number < size) return Created::kTaken;
    if (parts->number == size) {
      if (folder == nullptr) folder = &add_folder(parts->prefix);
      if (size == folder->objects.size()) folder->objects.emplace_back();
      folder->objects[size].assign(content);
      ++folder->size;
      return Created::kCreated;
    }
  }
  others_.emplace(key, content);
  return Created::kCreated;
}

Result<std::optional<std::string>> MemoryStore::get(std::string_view key, Runtime&, Time) {
  const auto lock = guard();
  if (const std::optional<NumberedKey> parts = numbered(key)) {
    const Folder* folder = find_folder(parts->prefix);
    if (folder != nullptr && parts->number < folder->size) {
      return std::optional<std::string>(folder->objects[parts->number]);
    }
  }
  if (others_.empty()) return std::optional<std::string>();
  const auto found = others_.find(key);
  if (found == others_.end()) return std::optional<std::string>();
  return std::optional<std::string>(found->second);
}

Result<std::vector<std::string>> MemoryStore::list(std::string_view prefix, Runtime&, Time) {
  const auto lock = guard();
  std::vector<std::string> keys;
  for (std::size_t i = 0; i < folders_used_; ++i) {
    const Folder& folder = folders_[i];
    // Either may be the longer one; the whole keys decide.
    const std::size_t common = std::min(prefix.size(), folder.prefix.size());
    if (prefix.substr(0, common) != std::string_view(folder.prefix).substr(0, common)) continue;
    SlotKey key(folder.prefix);
    keys.reserve(keys.size() + folder.size);
    for (std::size_t n = 0; n < folder.size; ++n, key.move_on()) {
      if (starts_with(key.text(), prefix)) keys.emplace_back(key.text());
    }
  }
  for (auto it = others_.lower_bound(prefix); it != others_.end(); ++it) {
    if (!starts_with(it->first, prefix)) break;
    keys.push_back(it->first);
  }
  if (!std::is_sorted(keys.begin(), keys.end())) std::sort(keys.begin(), keys.end());
  return keys;
}

Result<void> MemoryStore::forget(std::string_view prefix) {
  const auto lock = guard();
  for (std::size_t i = folders_used_; i-- > 0;) {
    if (!starts_with(folders_[i].prefix, prefix)) continue;
    std::swap(folders_[i], folders_[--folders_used_]);
  }
  auto it = others_.lower_bound(prefix);
  while (it != others_.end() && starts_with(it->first, prefix)) it = others_.erase(it);
  return {};
}

}  // namespace causalcheck
