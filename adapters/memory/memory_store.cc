#include "adapters/memory/memory_store.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <utility>

#include "harness/slot_key.h"

namespace causalcheck {
namespace {

constexpr std::size_t kDigits = SlotKey::kDigits;
constexpr std::size_t kCounted = 8;  // of them; no log in memory is longer
constexpr std::string_view kLeadingZeros = "000000000000";
static_assert(kLeadingZeros.size() + kCounted == kDigits);

struct NumberedKey {
  std::string_view prefix{};
  std::size_t number = 0;
};

// The number that eight decimal digits are.
std::optional<std::size_t> eight_digits(const char* at) {
  std::uint64_t v = 0;
  std::memcpy(&v, at, kCounted);
  if constexpr (std::endian::native == std::endian::big) v = __builtin_bswap64(v);
  // Each byte is from 0x30 to 0x39: the upper half is 3, also after adding 6.
  constexpr std::uint64_t kUpper = 0xF0F0F0F0F0F0F0F0U;
  constexpr std::uint64_t kThrees = 0x3030303030303030U;
  if ((v & kUpper) != kThrees || ((v + 0x0606060606060606U) & kUpper) != kThrees) {
    return std::nullopt;
  }
  // The first digit lies in the lowest byte. Neighbours are joined, then pairs, then fours.
  v = (v & 0x0F0F0F0F0F0F0F0FU) * (10 * 256 + 1) >> 8U;
  v = (v & 0x00FF00FF00FF00FFU) * (100 * 65536 + 1) >> 16U;
  v = (v & 0x0000FFFF0000FFFFU) * (10000 * 4294967296U + 1) >> 32U;
  return static_cast<std::size_t>(v);
}

// `key` taken apart, when it ends in a small number of 20 digits.
std::optional<NumberedKey> numbered(std::string_view key) {
  if (key.size() < kDigits) return std::nullopt;
  const std::string_view digits = key.substr(key.size() - kDigits);
  if (digits.substr(0, kLeadingZeros.size()) != kLeadingZeros) return std::nullopt;
  const auto number = eight_digits(digits.data() + kLeadingZeros.size());
  if (!number) return std::nullopt;
  return NumberedKey{key.substr(0, key.size() - kDigits), *number};
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

// The object at `key`; null when there is none.
const std::string* MemoryStore::find(std::string_view key) {
  if (const std::optional<NumberedKey> parts = numbered(key)) {
    const Folder* folder = find_folder(parts->prefix);
    if (folder != nullptr && parts->number < folder->size) return &folder->objects[parts->number];
  }
  if (others_.empty()) return nullptr;
  const auto found = others_.find(key);
  return found == others_.end() ? nullptr : &found->second;
}

Result<std::optional<std::string>> MemoryStore::get(std::string_view key, Runtime&, Time) {
  const auto lock = guard();
  const std::string* object = find(key);
  if (object == nullptr) return std::optional<std::string>();
  return std::optional<std::string>(*object);
}

Result<bool> MemoryStore::get_into(std::string_view key, std::string& content, Runtime&, Time) {
  const auto lock = guard();
  const std::string* object = find(key);
  if (object != nullptr) content = *object;
  return object != nullptr;
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
