#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "checker/history.h"
#include "checker/verdict.h"

namespace causalcheck {

/// One guarantee that a run broke, in words.
struct BrokenGuarantee {
  Guarantee guarantee = Guarantee::kCausal;
  std::string sentence{};
  std::string kind{};         // "contradiction", ...: class_of
  std::string explanation{};  // sentence, class, chain and operations, in lines
};

[[nodiscard]] BrokenGuarantee describe_broken(const Violation& violation, const History& history);

/// Every guarantee that `report` finds broken, in report order.
[[nodiscard]] std::vector<BrokenGuarantee> broken_guarantees(const Report& report,
                                                             const History& history);

/// The runs of a campaign that broke one guarantee, by example.
struct GuaranteeExamples {
  static constexpr std::size_t kSeedsMax = 10;

  std::vector<std::uint64_t> seeds{};  // the lowest ones, ascending
  BrokenGuarantee lowest{};            // what happened in the first of them

  /// A run of `seed` broke it. `words` is called when no lower seed did so far.
  template <class Words>
  void add(std::uint64_t seed, const Words& words) {
    if (seeds.empty() || seed < seeds.front()) lowest = words();
    add_seed(seed);
  }
  void merge(const GuaranteeExamples& other);

 private:
  void add_seed(std::uint64_t seed);
};

/// One for each guarantee, in the order of their ids.
using AllExamples = std::array<GuaranteeExamples, kGuaranteeCount>;

}  // namespace causalcheck
