#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace causalcheck {

/// How a message lies in an object: the payload, its length (four bytes, the lowest first), and one
/// byte that says what it is: 'm' a message, 'd' a delete.
///
/// The trailer makes a cut, an empty and a zeroed object malformed, whatever the payload was. What
/// it does not show is a changed byte within the payload: payloads carry their own checksum.
class ObjectWriter {
 public:
  static constexpr std::size_t kTrailerBytes = 5;
  static constexpr char kMessage = 'm';
  static constexpr char kDelete = 'd';

  /// The object for this message. Good until the next call. `payload` is below 4 GiB.
  std::string_view encode(std::string_view payload, bool is_delete);

 private:
  std::string buffer_{};
};

/// What an object's trailer says.
struct ObjectTrailer {
  std::size_t payload_bytes = 0;  // the payload is what lies before
  bool is_delete = false;
};

/// The trailer of an object; nullopt when the object is malformed.
inline std::optional<ObjectTrailer> read_trailer(std::string_view content) {
  if (content.size() < ObjectWriter::kTrailerBytes) return std::nullopt;
  const std::size_t size = content.size() - ObjectWriter::kTrailerBytes;
  std::size_t told = 0;
  for (std::size_t i = 4; i-- > 0;) {
    told = told << 8U | static_cast<unsigned char>(content[size + i]);
  }
  const char kind = content.back();
  if (told != size || (kind != ObjectWriter::kMessage && kind != ObjectWriter::kDelete)) {
    return std::nullopt;
  }
  return ObjectTrailer{size, kind == ObjectWriter::kDelete};
}

}  // namespace causalcheck
