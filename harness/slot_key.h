#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace causalcheck {

/// The key of one slot's object: a fixed folder, and a number of 20 digits that moves on in place.
class SlotKey {
 public:
  static constexpr std::size_t kDigits = 20;

  /// Slot 0 in `folder`, which ends in '/'.
  explicit SlotKey(std::string_view folder) {
    text_.reserve(folder.size() + kDigits);
    text_.assign(folder).append(kDigits, '0');
  }

  [[nodiscard]] std::string_view text() const { return text_; }
  [[nodiscard]] std::uint64_t slot() const { return slot_; }

  void move_to(std::uint64_t slot) {
    // Forwards, the digits in front of the number are zeros already.
    const bool forwards = slot >= slot_;
    slot_ = slot;
    for (std::size_t i = 1; i <= kDigits && !(forwards && slot == 0); ++i) {
      text_[text_.size() - i] = static_cast<char>('0' + slot % 10);
      slot /= 10;
    }
  }

  void move_on() {
    ++slot_;
    char* digit = &text_.back();
    while (*digit == '9') *digit-- = '0';
    ++*digit;
  }

 private:
  std::string text_{};
  std::uint64_t slot_ = 0;
};

}  // namespace causalcheck
