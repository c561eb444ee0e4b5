#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "harness/plan.h"
#include "harness/shrink.h"

namespace causalcheck {

/// The search of shrink_plan, which see. No part of any interface.
class Shrinker {
 public:
  using Run = std::function<ShrinkTrial(const Plan&)>;

  /// All that is handed over must outlive this object.
  Shrinker(const Run& run, const Plan& failing, std::string_view kind,
           const ShrinkOptions& options);
  [[nodiscard]] ShrunkPlan shrink();

 private:
  using Clock = std::chrono::steady_clock;
  using Choices = std::vector<std::uint32_t>;
  struct Range {
    std::size_t begin;
    std::size_t end;
  };

  bool begin();
  bool round();
  // Passes; true when any step counted.
  bool lower_events();
  bool simplify_shape();
  bool cut_choices();
  bool change_chunks(Choices (*changed)(const Choices&, Range));
  bool lower_values();
  bool redraw();
  bool lower_to(std::uint64_t least, std::uint64_t (*size)(const Plan&),
                Plan (*resized)(const Plan&, std::uint64_t));

  bool attempt(Plan candidate);
  bool attempt_choices(Choices choices);
  bool fails(const Plan& candidate, ShrinkTrial& trial);
  [[nodiscard]] bool spent();
  void report_progress(Clock::time_point now) const;
  [[nodiscard]] const Choices& choices() const { return *best_.plan.choices; }

  const Run& run_;
  const ShrinkOptions& options_;
  std::string kind_;
  const Clock::time_point began_ = Clock::now();
  Clock::time_point reported_ = began_;
  ShrunkPlan best_{};
  std::uint64_t events_needed_ = 0;
  bool cut_off_ = false;  // there was a candidate for which no budget was left
  std::unordered_set<std::uint64_t> tried_{};
};

/// The plans that are one step simpler than `plan` in anything but events and choices, and valid;
/// the largest steps first: fewer clients, fewer topics, fewer faults, a workload without this or
/// that.
[[nodiscard]] std::vector<Plan> simpler_shapes(const Plan& plan);

}  // namespace causalcheck
