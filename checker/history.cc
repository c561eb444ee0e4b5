#include "checker/history.h"

#include <algorithm>
#include <charconv>

namespace causalcheck {

Incarnation incarnation_of(std::string_view label) {
  const std::size_t tilde = label.rfind('~');
  if (tilde == std::string_view::npos) return {label, 1};
  const std::string_view digits = label.substr(tilde + 1);
  std::uint32_t number = 0;
  const auto [rest, error] = std::from_chars(digits.begin(), digits.end(), number);
  if (error != std::errc{} || rest != digits.end() || number < 2) return {label, 1};
  return {label.substr(0, tilde), number};
}

std::string client_label(ClientId index) {
  std::string label;
  for (std::uint64_t rest = std::uint64_t{index} + 1; rest > 0; rest = (rest - 1) / 26) {
    label.push_back(static_cast<char>('A' + (rest - 1) % 26));
  }
  std::reverse(label.begin(), label.end());
  return label;
}

std::string event_symbol(std::string_view label, std::uint32_t step) {
  std::string symbol(label);
  const char last = label.empty() ? '.' : label.back();
  const bool letter = (last >= 'A' && last <= 'Z') || (last >= 'a' && last <= 'z');
  if (!letter) symbol += '.';
  return symbol + std::to_string(step);
}

}  // namespace causalcheck
