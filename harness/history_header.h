#pragma once

#include <string>
#include <vector>

#include "checker/declaration.h"
#include "harness/history_file.h"
#include "harness/json_fields.h"
#include "harness/refusal.h"

namespace causalcheck {

/// All that a header line says.
struct ParsedHeader {
  HistoryHeader header{};
  Declaration declared{};
  std::vector<std::string> clients{};
  bool payloads_checked = false;
};

/// Understands the members of a header line. `reader` must be the one that split it.
/// Errors: a member that is missing or does not fit; another format or version.
[[nodiscard]] Attempt<ParsedHeader> parse_header(JsonFieldReader& reader,
                                                 const std::vector<JsonField>& fields);

/// The header line of `file`, without its line end.
[[nodiscard]] std::string header_line(const HistoryFile& file);

}  // namespace causalcheck
