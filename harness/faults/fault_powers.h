#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/backend.h"
#include "harness/faults/fault_kind.h"
#include "harness/faults/link_faults.h"
#include "harness/object_store.h"
#include "harness/refusal.h"

namespace causalcheck {

/// What a backend offers to those who want to be unkind to it. Null where it lacks a power.
struct FaultPowers {
  Crashable* crash = nullptr;
  PowerLosable* power = nullptr;
  Pausable* pause = nullptr;
  Partitionable* partition = nullptr;
  StoreBacked* store = nullptr;
  Linked* links = nullptr;
  BackendDeclaration declared{};
};

/// The powers of `backend`, which must outlive the answer.
[[nodiscard]] FaultPowers powers_of(Backend& backend);

/// The kinds that a backend with these powers can undergo.
[[nodiscard]] FaultSet can_undergo(const FaultPowers& powers);

/// What `kind` needs of a backend that this one lacks; empty when nothing.
[[nodiscard]] std::string_view lacks_for(FaultKind kind, const FaultPowers& powers);

/// The kinds that `words` asks for of `backend`: "none", "light", "heavy", or names with commas
/// between them. Of a profile what the backend cannot undergo is left out.
/// Errors: a word that is none of these; a named kind that the backend cannot undergo.
[[nodiscard]] Attempt<std::vector<std::string>> choose_faults(std::string_view words,
                                                              Backend& backend);

}  // namespace causalcheck
