#pragma once

#include <cstddef>
#include <vector>

#include "checker/clocks/vector_clock.h"

namespace causalcheck {

/// A message by its sender and the sender's own entry when it was sent.
struct StampedMessage {
  ProcessId sender = 0;
  Tick tick = 0;
  auto operator<=>(const StampedMessage&) const = default;
};

/// What one process knows of what each process knows (Wuu and Bernstein 1984, Sarin and Lynch
/// 1987).
///
/// Row q is the latest clock of process q that this process has heard of; its own row is its clock.
/// The smallest entry of a column is what everybody is known to have heard of. Quadratic in the
/// number of processes, in memory and per message.
class MatrixClock {
 public:
  MatrixClock(ProcessId self, std::size_t processes);

  [[nodiscard]] std::size_t processes() const { return rows_.size(); }
  [[nodiscard]] const VectorClock& clock() const { return rows_[self_]; }
  /// What `process` is known to know.
  [[nodiscard]] const VectorClock& known_of(ProcessId process) const { return rows_[process]; }

  /// An event of this process: a message about to be sent carries a copy of the whole matrix.
  [[nodiscard]] ClockStatus tick();
  /// Learns what a message of `other`'s process brought. Both must speak of as many processes.
  void merge(const MatrixClock& other);

  /// The latest event of `process` that every process is known to have heard of.
  [[nodiscard]] Tick known_to_all(ProcessId process) const;
  /// True when every process is known to have heard of the message: it may be forgotten.
  [[nodiscard]] bool is_stable(const StampedMessage& message) const {
    return message.tick <= known_to_all(message.sender);
  }

 private:
  ProcessId self_;
  std::vector<VectorClock> rows_{};
};

/// The messages one process keeps because somebody may not have them yet.
class UnstableMessages {
 public:
  /// Keeps a message sent or received. One that is kept already is kept once.
  void keep(const StampedMessage& message);
  /// Forgets what is stable by now and returns it, by sender, then by tick.
  std::vector<StampedMessage> forget_stable(const MatrixClock& clock);
  /// By sender, then by tick.
  [[nodiscard]] const std::vector<StampedMessage>& kept() const { return kept_; }

 private:
  std::vector<StampedMessage> kept_{};
};

}  // namespace causalcheck
