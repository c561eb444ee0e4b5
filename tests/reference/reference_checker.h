#pragma once

#include <array>

#include "checker/declaration.h"
#include "checker/history.h"
#include "checker/verdict.h"

namespace causalcheck::reference {

/// What the slow checker says.
struct ReferenceReport {
  Verdict verdict = Verdict::kUnknown;
  std::array<Answer, kGuaranteeCount> answers{};
  bool contaminated = false;

  [[nodiscard]] Answer operator[](Guarantee id) const {
    return answers[static_cast<std::size_t>(id)];
  }
  bool operator==(const ReferenceReport&) const = default;
};

/// Judges a history by docs/semantics.md, read word for word: every
/// pair, every receiver, transitive closure by matrix. Shares nothing with the fast checker but the
/// types of its input and of its answers. For histories of a few dozen operations.
[[nodiscard]] ReferenceReport reference_check(const History& history,
                                              Grounding grounding = Grounding::kHappenedBefore);

}  // namespace causalcheck::reference
