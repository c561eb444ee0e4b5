#include "harness/refusal.h"

#include <stdexcept>

namespace causalcheck {

void throw_exception_from_error(const Refusal& refusal, const boost::source_location& where) {
  throw std::logic_error(where.to_string() + ": value of a refusal taken: " + refusal.text);
}

}  // namespace causalcheck
