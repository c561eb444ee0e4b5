#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "harness/choices.h"
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
  bool wander();
  bool lower_to(std::uint64_t least, std::uint64_t (*size)(const Plan&),
                Plan (*resized)(const Plan&, std::uint64_t));

  enum class Takes { kNoMoreEvents, kFewerEvents };
  bool attempt(Plan candidate, Takes takes = Takes::kNoMoreEvents);
  bool draw_afresh(Plan shape, Takes takes, std::uint64_t bits);
  bool draw_often(const Plan& shape, Takes takes);
  bool attempt_choices(Choices choices);
  void take(Plan candidate, ShrinkTrial trial);
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

/// 1, 2, 4, ... and last the one below `value`.
[[nodiscard]] std::vector<std::uint32_t> lower_counts(std::uint32_t value);

/// The plans that are one step simpler than `plan` in anything but events and choices, and valid;
/// the largest steps first: fewer clients, fewer topics, fewer faults, a workload without this or
/// that.
[[nodiscard]] std::vector<Plan> simpler_shapes(const Plan& plan);

/// The plans like `plan` in which one more client only reads, or only writes, or one of each, or
/// clients leave more often. No simpler, but a client that only reads makes no first publish, and
/// one that only writes, or left, no last reads: with them a history can do with fewer events.
[[nodiscard]] std::vector<Plan> quieter_shapes(const Plan& plan);

/// A plan like `plan` with fewer events, clients or roles, or the same, as `draws` say.
[[nodiscard]] Plan smaller(const Plan& plan, Choices& draws);

/// The same, and a few of its choices are left out, put in or changed.
[[nodiscard]] Plan mutated(const Plan& plan, Choices& draws);

}  // namespace causalcheck
