#pragma once

#include <boost/system/result.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "checker/history.h"

namespace causalcheck {

/// What went wrong with an operation, as far as the caller can act on it. `outcome_of` is the one
/// table that says whether the operation may have happened.
enum class ErrorCode {
  kRejected,        // the backend refused it
  kUnavailable,     // never reached the backend
  kDeadline,        // no answer in time
  kConnectionLost,  // the connection died after the request may have left
  kUndecodable,     // an answer came and could not be understood
};

/// An expected failure: the code to act on and the text for people.
struct Error {
  /// What Result::error() answers where there is none.
  explicit Error() = default;
  explicit Error(ErrorCode c, std::string t) : code(c), text(std::move(t)) {}
  ErrorCode code = ErrorCode::kConnectionLost;
  std::string text{};
};

/// kFail when the operation certainly left no trace in the backend, kInfo when it may have.
constexpr Outcome outcome_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::kRejected:
    case ErrorCode::kUnavailable:
      return Outcome::kFail;
    case ErrorCode::kDeadline:
    case ErrorCode::kConnectionLost:
    case ErrorCode::kUndecodable:
      return Outcome::kInfo;
  }
  return Outcome::kInfo;  // anything unknown is info
}

std::string_view to_string(ErrorCode code);

/// A value or an Error. The alias cannot carry [[nodiscard]]: every function returning one does.
template <class T>
using Result = boost::system::result<T, Error>;

/// What Result<T>::value() does with an Error: taking a value that is not there is a bug.
[[noreturn]] void throw_exception_from_error(const Error& error,
                                             const boost::source_location& where);

}  // namespace causalcheck
