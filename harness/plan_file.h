#pragma once

#include <string>
#include <string_view>

#include "harness/plan.h"
#include "harness/refusal.h"

namespace causalcheck {

inline constexpr std::string_view kPlanFormat = "causalcheck-plan";
inline constexpr std::uint64_t kPlanVersion = 1;

/// A plan as a file told it.
struct LoadedPlan {
  Plan plan{};
  /// What the file says its hash is; empty when it says nothing, as when a person wrote it.
  std::string stored_hash{};
  /// What it is.
  std::string hash{};
  /// False when the file was changed after it was saved, or saved by a version that reads it
  /// differently: the run it describes is another one.
  [[nodiscard]] bool as_saved() const { return stored_hash.empty() || stored_hash == hash; }
};

/// 16 hex digits over everything in `plan`: the shape, and the choices when they are explicit.
[[nodiscard]] std::string plan_hash(const Plan& plan);

/// `plan` as a file: one JSON object with its hash, members in alphabetical order, a newline at the
/// end. Equal plans give equal bytes.
[[nodiscard]] std::string plan_to_json(const Plan& plan);

/// Reads what plan_to_json wrote, or a person.
///
/// Nothing is trusted: unknown and repeated members are refused, as are values out of range. What
/// is not there has its default; "format" and "version" must be there. Errors: the first thing that
/// does not fit, by name.
[[nodiscard]] Attempt<LoadedPlan> parse_plan(std::string_view text);

/// The same for the file at `path`, or standard input for "-". Errors name the path, too.
[[nodiscard]] Attempt<LoadedPlan> read_plan(const std::string& path);

/// The "config" of a history's header: an object that holds the plan.
[[nodiscard]] std::string plan_to_config(const Plan& plan);

/// The plan in a "config". Errors: there is none, or as parse_plan.
[[nodiscard]] Attempt<LoadedPlan> plan_of_config(std::string_view config);

}  // namespace causalcheck
