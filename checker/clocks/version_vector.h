#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "checker/clocks/vector_clock.h"

namespace causalcheck {

/// One value of an object, with the version vector that it was written with (Parker et al. 1983):
/// how many updates of this object, by each replica, it takes into account. It counts updates of
/// one object; a vector clock counts events of a process. Two versions of one object conflict
/// exactly when their vectors are concurrent; of versions of two objects the vectors say nothing.
struct Version {
  VectorClock vector{};
  std::string value{};
  bool operator==(const Version&) const = default;
};

/// An object at one replica: the versions of it that no other one here supersedes.
class VersionedObject {
 public:
  /// An update at `replica`, the one that holds this object: it supersedes every version here, so
  /// that it also resolves a conflict. nullopt, and nothing changed, when an entry would exceed
  /// kTickMax.
  ///
  /// A known limit of version vectors: a client that writes without having read what is here
  /// supersedes it too. To keep both takes a dot beside the vector (Preguica et al. 2012).
  [[nodiscard]] std::optional<Version> write(ProcessId replica, std::string value);
  /// What another replica sends: kept unless some version here covers it.
  void receive(const Version& version);

  /// More than one: a conflict that a reader has to resolve. In order of arrival.
  [[nodiscard]] std::span<const Version> versions() const { return versions_; }
  /// The merge of all vectors: every update that this replica has heard of.
  [[nodiscard]] VectorClock known() const;

 private:
  std::vector<Version> versions_{};
};

}  // namespace causalcheck
