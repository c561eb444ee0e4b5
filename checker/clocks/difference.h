#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "checker/clocks/vector_clock.h"

namespace causalcheck {

/// What a message carries instead of a whole clock: the entries that changed since the last message
/// from the same sender to the same receiver.
struct ClockDifference {
  /// The count of this sender's messages to this receiver, from 1.
  std::uint64_t sequence = 0;
  /// By ascending identity; each with its new value.
  std::vector<ClockEntry> entries{};
  bool operator==(const ClockDifference&) const = default;
};

/// A process's clock that says to each destination only what is new (Singhal and Kshemkalyani
/// 1992): two counters per process stand in for a copy of the last clock sent to each.
///
/// Right only on links that neither lose nor reorder: DifferenceDecoder notices when one does.
/// Linear in the number of processes per message, at both ends.
class DifferenceEncoder {
 public:
  explicit DifferenceEncoder(ProcessId self) : self_(self) {}

  [[nodiscard]] const VectorClock& clock() const { return clock_; }
  /// An event of this process.
  [[nodiscard]] ClockStatus tick();
  /// Learns what a message brought: the sender's whole clock, as its decoder tells.
  void merge(const VectorClock& other);
  /// What a message to `destination` carries, now. Counts it as sent.
  [[nodiscard]] ClockDifference send_to(ProcessId destination);

 private:
  struct Sent {
    std::uint64_t change = 0;  // changes_ when the last message to it left
    std::uint64_t sequence = 0;
  };
  ProcessId self_;
  VectorClock clock_{};
  // The paper stamps changes with the process's own entry; a count of its own also tells apart two
  // changes between which the process did nothing.
  std::uint64_t changes_ = 0;
  std::vector<std::uint64_t> changed_at_{};  // per entry: changes_ when it last grew
  std::vector<Sent> sent_{};                 // per destination
};

/// The receiver's side for one sender: puts the sender's whole clock together again.
class DifferenceDecoder {
 public:
  /// The clock that the sender had; nullopt, and nothing changed, when `difference` is not the very
  /// next one, is out of order in itself, takes an entry back, or holds a value or an identity that
  /// no clock may. Then whole clocks have to be asked for: what was missed cannot be made up.
  [[nodiscard]] std::optional<VectorClock> receive(const ClockDifference& difference,
                                                   std::size_t identities_max = kIdentitiesMax);

 private:
  VectorClock clock_{};
  std::uint64_t sequence_ = 0;
};

}  // namespace causalcheck
