#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "checker/declaration.h"
#include "harness/refusal.h"

namespace causalcheck {

/// What the command line says about how a history is to be judged. What is not set is left as the
/// header, the backend or the defaults have it.
struct SettingsOverride {
  std::optional<Reads> reads{};
  std::optional<Slots> slots{};
  std::optional<Level> level{};
  std::optional<Scope> scope{};
  std::optional<Retries> retries{};
  /// `--claim`: replaces the claims.
  std::optional<GuaranteeSet> claims{};
  /// `--claim offered`: what is offered replaces the claims, beside those of `claims`; the level
  /// becomes the highest one offered, when levels are listed there.
  bool claim_offered = false;
  /// A level named by `--claim`: raises the level to this one, never lowers it.
  std::optional<Level> level_at_least{};
  bool operator==(const SettingsOverride&) const = default;
};

/// `declared` as `settings` would have it. In this order: claims, level, level_at_least.
[[nodiscard]] Declaration apply(const SettingsOverride& settings, Declaration declared);

/// What judges a backend as `declared` says, whatever it declares itself.
[[nodiscard]] SettingsOverride settings_of(const Declaration& declared);

/// Adds what `--claim LIST` says to `settings`: ids of guarantees separated by commas, "all", or
/// "offered". An id of a level raises the level. Replaces an earlier `--claim`.
/// Errors: an empty list, an id that is not known (with the known ones).
[[nodiscard]] Attempt<SettingsOverride> with_claims(SettingsOverride settings,
                                                    std::string_view list);

/// The level that an id stands for: fifo, causal or total.
[[nodiscard]] std::optional<Level> level_of(Guarantee id);

/// "fifo, causal, ...": every id of a guarantee, for messages.
[[nodiscard]] std::string known_guarantees();

}  // namespace causalcheck
