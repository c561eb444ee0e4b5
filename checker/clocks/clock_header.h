#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "checker/clocks/vector_clock.h"

namespace causalcheck {

/// A clock as it travels on a message and is stored beside data: by labels, not by indices, so that
/// it means the same wherever it is read. docs/clocks.md, "The header".
struct ClockHeader {
  struct Entry {
    std::string label{};
    Tick tick = 0;
    bool operator==(const Entry&) const = default;
  };
  /// 0 for a whole clock; else the sequence number of a ClockDifference.
  std::uint64_t sequence = 0;
  /// The epoch of the identities that it was stamped in (checker/clocks/identities.h).
  std::uint64_t epoch = 0;
  /// By ascending label, as bytes.
  std::vector<Entry> entries{};
  bool operator==(const ClockHeader&) const = default;
};

/// What the decoder refuses to take.
struct ClockHeaderLimits {
  std::size_t bytes_max = 64 * 1024;
  std::size_t identities_max = kIdentitiesMax;
};

/// Why a text is no clock: what is wrong, and at which byte, from 0.
struct ClockHeaderError {
  std::size_t at = 0;
  std::string text{};
};

/// "vc1;0;A=3,B=12" for a whole clock and "vd1;7;0;B=12" for the seventh difference. Printable
/// ASCII without blanks, quotes and backslashes: it fits a header field, an object's metadata and a
/// JSON string as it is.
///
/// Entries are sorted and those that are 0 left out. The labels must differ and not be empty; ticks
/// must not exceed kTickMax.
std::string encode(const ClockHeader& header);

/// Reads what `encode` writes, and nothing else: one clock has one text. Never reads beyond `text`,
/// never allocates more than a constant times its size.
[[nodiscard]] std::variant<ClockHeader, ClockHeaderError> decode_clock(
    std::string_view text, const ClockHeaderLimits& limits = {});

}  // namespace causalcheck
