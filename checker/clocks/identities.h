#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "checker/clocks/vector_clock.h"

namespace causalcheck {

/// One stamping identity: a process from one start to the next.
struct Identity {
  std::string label{};  // "A", and "A~2" after its first restart
  bool live = true;
  Tick last = 0;  // of a dead one: its own entry when it ended
  /// When its entry left the clocks: the epoch that began then. 0: it has not.
  std::uint64_t retired_in = 0;
  bool operator==(const Identity&) const = default;
};

/// Who may stamp, and whose entry the clocks may drop.
///
/// A process that lost its state must not go on counting under its old name: it would stamp two
/// events alike. It comes back as a fresh identity. The entry of the dead one stays in all clocks
/// until every live process has seen its last value; then it says nothing any more and is retired.
///
/// Each retirement begins an epoch. A clock is read by the epoch that it was stamped in: an entry
/// that is missing means the last value if its identity was retired by then, and 0 if not. Without
/// the epoch a clock from before would seem to know events that it never heard of.
class Identities {
 public:
  explicit Identities(std::size_t stamping_max = kIdentitiesMax) : stamping_max_(stamping_max) {}

  /// Starts a process, or starts it again: a fresh identity, "A" and then "A~2", "A~3".
  /// Whoever ran under that name before must have ended. nullopt when as many identities as allowed
  /// are in the clocks already, live and dead ones: retire some first.
  [[nodiscard]] std::optional<ProcessId> start(std::string_view name);
  /// The identity's process is gone for good; `last` is its own entry at the end, the largest value
  /// that anybody can ever hold of it.
  void ended(ProcessId identity, Tick last);
  /// A live process holds this clock, stamped in the current epoch. Clocks only grow: what was told
  /// before stays true.
  void saw(ProcessId observer, const VectorClock& clock);

  /// The dead identities whose last value every live process has seen, and which are still in the
  /// clocks. None while nobody lives.
  [[nodiscard]] std::vector<ProcessId> retirable() const;
  /// Retires all of them at once; returns them. A new epoch begins if there are any.
  std::vector<ProcessId> retire();

  [[nodiscard]] std::uint64_t epoch() const { return epoch_; }
  [[nodiscard]] const std::vector<Identity>& all() const { return identities_; }
  /// Live and dead ones that are still in the clocks.
  [[nodiscard]] std::size_t stamping() const;

  /// `clock` without the entries of retired identities: what goes on a message in this epoch.
  [[nodiscard]] SparseClock without_retired(const VectorClock& clock) const;
  /// The whole clock again, of one that was stamped in `epoch`. nullopt when the clock cannot be
  /// from that epoch: a future one, an identity that is not known or was retired by then, or a
  /// value beyond the last one of a dead identity.
  [[nodiscard]] std::optional<VectorClock> with_retired(const SparseClock& clock,
                                                        std::uint64_t epoch) const;

 private:
  std::size_t stamping_max_;
  std::uint64_t epoch_ = 0;
  std::vector<Identity> identities_{};
  std::vector<VectorClock> seen_{};  // per identity
};

}  // namespace causalcheck
