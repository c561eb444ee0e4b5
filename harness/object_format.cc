#include "harness/object_format.h"

#include <cassert>
#include <cstdint>
#include <limits>

namespace causalcheck {

std::string_view ObjectWriter::encode(std::string_view payload, bool is_delete) {
  assert(payload.size() <= std::numeric_limits<std::uint32_t>::max());
  const std::size_t size = payload.size();
  const char trailer[kTrailerBytes] = {
      static_cast<char>(size & 255U), static_cast<char>(size >> 8U & 255U),
      static_cast<char>(size >> 16U & 255U), static_cast<char>(size >> 24U & 255U),
      is_delete ? kDelete : kMessage};
  buffer_.assign(payload);
  buffer_.append(trailer, kTrailerBytes);
  return buffer_;
}

}  // namespace causalcheck
