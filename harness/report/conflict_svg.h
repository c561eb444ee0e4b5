#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "harness/report/conflict.h"

namespace causalcheck {

/// Where a picture will stand.
enum class SvgUse : std::uint8_t {
  kFile,    // a file of its own: background and both colour schemes are in it
  kInline,  // in a page, whose style sheet may recolour the classes; nothing but attributes
};

/// The conflict as an SVG: a column for each client and log, time downwards, the clauses numbered
/// in the order of the sentence. P1 is the lane itself, P2 solid and through the log, P3 dashed;
/// the broken clause is doubled, with a cross and the word FALSE. No meaning rests on colour.
///
/// `title` and `description` are what a screen reader says. `id` tells pictures of one page apart.
/// No scripts, no links, nothing from outside. Ends with a newline.
[[nodiscard]] std::string conflict_svg(const Conflict& conflict, const History& history, SvgUse use,
                                       std::string_view id, std::string_view title,
                                       std::string_view description);

}  // namespace causalcheck
