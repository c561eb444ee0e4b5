#pragma once

#include <boost/system/result.hpp>
#include <string>
#include <utility>

namespace causalcheck {

/// Why something a person gave us (a file, a setting, a place to write to) cannot be used. The text
/// names what was wrong and what was expected, in one line; there is nothing else to act on.
struct Refusal {
  // No constructor takes a string: Attempt<std::string> could not tell the two apart.
  Refusal() = default;
  [[nodiscard]] static Refusal because(std::string text) {
    Refusal refusal;
    refusal.text = std::move(text);
    return refusal;
  }
  std::string text{};
};

/// A value or a Refusal. The alias cannot carry [[nodiscard]]: every function returning one does.
template <class T>
using Attempt = boost::system::result<T, Refusal>;

/// What Attempt<T>::value() does with a Refusal: taking a value that is not there is a bug.
[[noreturn]] void throw_exception_from_error(const Refusal& refusal,
                                             const boost::source_location& where);

}  // namespace causalcheck
