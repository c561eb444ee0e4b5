#include "harness/result.h"

#include <stdexcept>
#include <string>

namespace causalcheck {

std::string_view to_string(ErrorCode code) {
  switch (code) {
    case ErrorCode::kRejected:
      return "rejected";
    case ErrorCode::kUnavailable:
      return "unavailable";
    case ErrorCode::kDeadline:
      return "deadline";
    case ErrorCode::kConnectionLost:
      return "connection-lost";
    case ErrorCode::kUndecodable:
      return "undecodable";
  }
  return "unknown";
}

void throw_exception_from_error(const Error& error, const boost::source_location& where) {
  // Only the file's own name: the folder it was built in is nobody's business and differs by
  // machine.
  const std::string_view path = where.file_name();
  const std::string_view file = path.substr(path.find_last_of('/') + 1);
  throw std::logic_error(std::string(file) + ":" + std::to_string(where.line()) +
                         ": value() of a failed result: " + std::string(to_string(error.code)) +
                         ": " + error.text);
}

}  // namespace causalcheck
