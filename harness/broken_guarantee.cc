#include "harness/broken_guarantee.h"

#include <algorithm>

#include "checker/explain.h"

namespace causalcheck {

BrokenGuarantee describe_broken(const Violation& v, const History& history) {
  return {v.guarantee, sentence(v, history), std::string(class_of(v)), explain(v, history)};
}

std::vector<BrokenGuarantee> broken_guarantees(const Report& report, const History& history) {
  std::vector<BrokenGuarantee> broken;
  for (const Guarantee id : all_guarantees()) {
    const Judgement& judgement = report[id];
    if (judgement.answer != Answer::kBreaks || !judgement.violation) continue;
    broken.push_back(describe_broken(*judgement.violation, history));
  }
  return broken;
}

void GuaranteeExamples::add_seed(std::uint64_t seed) {
  const auto at = std::lower_bound(seeds.begin(), seeds.end(), seed);
  if (at != seeds.end() && *at == seed) return;
  seeds.insert(at, seed);
  if (seeds.size() > kSeedsMax) seeds.pop_back();
}

void GuaranteeExamples::merge(const GuaranteeExamples& other) {
  if (other.seeds.empty()) return;
  if (seeds.empty() || other.seeds.front() < seeds.front()) lowest = other.lowest;
  for (const std::uint64_t seed : other.seeds) add_seed(seed);
}

}  // namespace causalcheck
