#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/refusal.h"

namespace causalcheck {

/// What ShiViz's input page proposes: host and clock on one line, the event on the next.
inline constexpr std::string_view kShivizParser = R"((?<host>\S*) (?<clock>{.*})\n(?<event>.*))";

/// A regular expression as ShiViz takes them: JavaScript's, with named groups, in which `^` and `$`
/// match at every line and `.` matches no line end. A pair of parentheses without a name groups and
/// captures nothing.
class ShivizExpression {
 public:
  /// One match: where it is in the text, and where the named groups are. Views into that text.
  struct Match {
    std::string_view whole{};
    /// Per name, as names() lists them; a group that took no part is empty.
    std::vector<std::string_view> groups{};
  };

  /// Errors: not a regular expression, one that can match nothing at all, a name given twice.
  [[nodiscard]] static Attempt<ShivizExpression> parse(std::string_view expression);

  ShivizExpression(ShivizExpression&&) noexcept;
  ShivizExpression& operator=(ShivizExpression&&) noexcept;
  ~ShivizExpression();

  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  /// The index of a name, if the expression has it.
  [[nodiscard]] std::optional<std::size_t> find(std::string_view name) const;

  /// The first match at or behind `from`; nullopt when there is none.
  /// Errors: the search was given up, because the expression backtracks too much on this text.
  [[nodiscard]] Attempt<std::optional<Match>> next(std::string_view text, std::size_t from) const;

 private:
  struct Compiled;
  ShivizExpression();
  std::unique_ptr<Compiled> compiled_;
  std::vector<std::string> names_{};
  std::vector<int> groups_{};  // per name: its number among all groups
};

}  // namespace causalcheck
