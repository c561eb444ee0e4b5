#include "harness/faults/fault_powers.h"

#include <fmt/format.h>

namespace causalcheck {
namespace {

constexpr FaultSet kLight{FaultKind::kDelay, FaultKind::kDropAnswer, FaultKind::kSkew};

Attempt<void> add_kind(std::string_view word, const FaultPowers& powers, FaultSet& kinds) {
  const auto kind = parse_fault_kind(word);
  if (!kind) {
    return Refusal::because(
        fmt::format("there is no fault \"{}\"; known are none, light, heavy, or a list of {}", word,
                    to_string(all_faults())));
  }
  if (const std::string_view lacks = lacks_for(*kind, powers); !lacks.empty()) {
    return Refusal::because(fmt::format("this backend cannot undergo {}: {}; it can undergo {}",
                                        word, lacks, to_string(can_undergo(powers))));
  }
  kinds.insert(*kind);
  return {};
}

}  // namespace

FaultPowers powers_of(Backend& backend) {
  FaultPowers powers;
  powers.crash = dynamic_cast<Crashable*>(&backend);
  powers.power = dynamic_cast<PowerLosable*>(&backend);
  powers.pause = dynamic_cast<Pausable*>(&backend);
  powers.partition = dynamic_cast<Partitionable*>(&backend);
  powers.store = dynamic_cast<StoreBacked*>(&backend);
  powers.links = dynamic_cast<Linked*>(&backend);
  powers.declared = backend.declare();
  return powers;
}

std::string_view lacks_for(FaultKind kind, const FaultPowers& powers) {
  switch (kind) {
    case FaultKind::kCrash:
      return powers.crash == nullptr ? "it has no server that could crash" : "";
    case FaultKind::kPowerLoss:
      return powers.power == nullptr ? "nothing knows what it has synced" : "";
    case FaultKind::kSkew:
      return powers.declared.reads_clock ? "" : "it does not read the wall clock";
    case FaultKind::kDuplicate: {
      const Declaration& promises = powers.declared.promises;
      // A second copy in a register may bury the reply to the first: no backend can keep causal
      // order then.
      const bool allows =
          promises.retries == Retries::kAtLeastOnce && promises.reads == Reads::kFeed;
      if (powers.store != nullptr || powers.links != nullptr || allows) return "";
      return "it is no object store, has no links, and is no feed that declares retries: "
             "at-least-once";
    }
    default:
      return "";
  }
}

FaultSet can_undergo(const FaultPowers& powers) {
  FaultSet kinds;
  const FaultSet all = all_faults();
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    if (lacks_for(all.nth(i), powers).empty()) kinds.insert(all.nth(i));
  }
  return kinds;
}

Attempt<std::vector<std::string>> choose_faults(std::string_view words, Backend& backend) {
  const FaultPowers powers = powers_of(backend);
  if (words == "none") return std::vector<std::string>();
  if (words == "light") return names_of(kLight & can_undergo(powers));
  if (words == "heavy") return names_of(can_undergo(powers));
  FaultSet kinds;
  while (true) {
    const std::size_t comma = words.find(',');
    if (const auto added = add_kind(words.substr(0, comma), powers, kinds); !added) {
      return added.error();
    }
    if (comma == std::string_view::npos) return names_of(kinds);
    words.remove_prefix(comma + 1);
  }
}

}  // namespace causalcheck
