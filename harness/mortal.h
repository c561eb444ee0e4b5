#pragma once

#include <optional>
#include <string>

namespace causalcheck {

/// Optional power: a backend that can go down without being told to, and knows it.
class Mortal {
 public:
  virtual ~Mortal() = default;
  /// Why it went down by itself since the last reset; nullopt: it did not. A run in which it did
  /// counts as cut off: what broke stands, and what held says nothing.
  [[nodiscard]] virtual std::optional<std::string> went_down() const = 0;
};

}  // namespace causalcheck
