#pragma once

#include <string>

#include "fixtures/selftest.h"

namespace causalcheck::cli {

/// What the self-test came to as Markdown: a table for the planted bugs and one for their rare
/// forms, what is wrong, and one sentence for all. Ends with a newline.
std::string selftest_to_text(const SelftestResult& result);

/// The same as one JSON object. Ends with a newline.
std::string selftest_to_json(const SelftestResult& result);

}  // namespace causalcheck::cli
