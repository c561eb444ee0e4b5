#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "checker/history.h"
#include "harness/refusal.h"

namespace causalcheck {

inline constexpr std::string_view kHistoryFormat = "causalcheck-history";
inline constexpr std::uint64_t kHistoryVersion = 1;

/// What a header says beside what History holds.
struct HistoryHeader {
  std::optional<std::uint64_t> seed{};
  std::string plan_hash{};            // empty when not told
  std::string run{};                  // the id in this run's payloads; empty when not told
  std::string config{};               // one JSON value as text; empty when not told
  std::vector<std::string> faults{};  // the kinds asked for
  /// Members this version does not know, of the header and of its "backend", as JSON text without
  /// braces: `"a":1,"b":[]`. They are kept.
  std::string extras{};
  std::string backend_extras{};
  bool operator==(const HistoryHeader&) const = default;
};

/// Unknown members of one line, kept as JSON text without braces.
struct LineExtras {
  std::size_t index = 0;  // into the list the line went to
  std::string members{};
  bool operator==(const LineExtras&) const = default;
};

/// A history file in memory (docs/history-format.md). A value.
struct HistoryFile {
  History history{};
  HistoryHeader header{};  // written when history.has_header
  /// Lines of the kinds held, released and note, as they came, without their line ends.
  std::vector<std::string> other_lines{};
  /// For the few lines that have any, in ascending order of index.
  std::vector<LineExtras> operation_extras{};
  std::vector<LineExtras> fault_extras{};
  std::vector<LineExtras> leave_extras{};
  bool operator==(const HistoryFile&) const = default;
};

/// Reads a history. Without a header, `declared` has its defaults, with sparse slots when any line
/// shows one; settings given by a person are applied afterwards (harness/settings.h).
///
/// Nothing is trusted and nothing is skipped. Errors: the first line that does not fit, as
/// `line 7: "start" must be a whole number from 1 to 2^62, found "x"`.
/// Cost: linear, one pass; about a third of a microsecond an operation, and no memory per line
/// beyond what History holds and four bytes.
[[nodiscard]] Attempt<HistoryFile> parse_history(std::string text);

/// The same for the file at `path`, or standard input for "-". Errors name the path, too.
[[nodiscard]] Attempt<HistoryFile> read_history(const std::string& path);

/// The bytes of `file`: the header when there is one, operations, faults and leaves by start, the
/// other lines as they came, then the drain as it came. Equal values give equal bytes, and reading
/// and writing them again gives the same bytes. Strings that are no valid UTF-8 come out with
/// U+FFFD in place of each byte that does not belong; see append_json_string.
[[nodiscard]] std::string to_jsonl(const HistoryFile& file);

}  // namespace causalcheck
