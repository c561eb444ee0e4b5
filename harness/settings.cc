#include "harness/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace causalcheck {
namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

std::optional<Level> highest_level(const GuaranteeSet& set) {
  std::optional<Level> highest;
  for (const Guarantee id : all_guarantees()) {
    const std::optional<Level> level = level_of(id);
    if (level && set.contains(id)) highest = std::max(level, highest);
  }
  return highest;
}

}  // namespace

std::optional<Level> level_of(Guarantee id) {
  switch (id) {
    case Guarantee::kFifo:
      return Level::kFifo;
    case Guarantee::kCausal:
      return Level::kCausal;
    case Guarantee::kTotal:
      return Level::kTotal;
    default:
      return std::nullopt;
  }
}

std::string known_guarantees() {
  std::string known;
  for (const Guarantee id : all_guarantees()) {
    if (!known.empty()) known += ", ";
    known += to_string(id);
  }
  return known;
}

Declaration apply(const SettingsOverride& settings, Declaration declared) {
  if (settings.reads) declared.reads = *settings.reads;
  if (settings.slots) declared.slots = *settings.slots;
  if (settings.scope) declared.scope = *settings.scope;
  if (settings.retries) declared.retries = *settings.retries;
  if (settings.claims || settings.claim_offered) {
    declared.claims = settings.claims.value_or(GuaranteeSet{});
    if (settings.claim_offered) {
      for (const Guarantee id : all_guarantees()) {
        if (declared.offers.contains(id) && !level_of(id)) declared.claims.insert(id);
      }
      declared.level = highest_level(declared.offers).value_or(declared.level);
    }
  }
  if (settings.level) declared.level = *settings.level;
  if (settings.level_at_least) declared.level = std::max(declared.level, *settings.level_at_least);
  return declared;
}

SettingsOverride settings_of(const Declaration& declared) {
  SettingsOverride settings;
  settings.reads = declared.reads;
  settings.slots = declared.slots;
  settings.level = declared.level;
  settings.scope = declared.scope;
  if (declared.retries != Retries::kUndeclared) settings.retries = declared.retries;
  settings.claims = declared.claims;
  return settings;
}

Attempt<SettingsOverride> with_claims(SettingsOverride settings, std::string_view list) {
  settings.claims.emplace();
  settings.claim_offered = false;
  settings.level_at_least.reset();
  const auto claim = [&settings](Guarantee id) {
    if (const std::optional<Level> level = level_of(id)) {
      settings.level_at_least = std::max(settings.level_at_least, level);
    } else {
      settings.claims->insert(id);
    }
  };
  while (true) {
    const std::size_t comma = list.find(',');
    const std::string_view word = trimmed(list.substr(0, comma));
    if (word == "offered") {
      settings.claim_offered = true;
    } else if (word == "all") {
      for (const Guarantee id : all_guarantees()) claim(id);
    } else if (const std::optional<Guarantee> id = parse_guarantee(word)) {
      claim(*id);
    } else {
      return Refusal::because(
          fmt::format("no guarantee is called \"{}\"; known are {}, and \"offered\" and \"all\"",
                      word, known_guarantees()));
    }
    if (comma == std::string_view::npos) return settings;
    list.remove_prefix(comma + 1);
  }
}

}  // namespace causalcheck
