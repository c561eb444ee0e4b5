#pragma once

#include <chrono>
#include <cstdint>

namespace causalcheck {

/// Time since the start of the run. Virtual under the deterministic scheduler.
using Time = std::chrono::nanoseconds;

/// A backend's only source of time and chance.
///
/// Under the deterministic scheduler all fibers of a run share one thread, and every call but `now`
/// may let others run. A backend that calls `yield` between its own steps gets real interleavings
/// inside its operations. Nothing may hold a mutex or be inside a catch handler across such a call.
class Runtime {
 public:
  Runtime() = default;
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;
  virtual ~Runtime() = default;

  /// Time since the start of the run; never steps back.
  [[nodiscard]] virtual Time now() = 0;
  /// The wall clock of the client this runtime was given to: off by what the plan says. Orders
  /// nothing.
  [[nodiscard]] virtual Time wall_now() = 0;
  /// Returns when `now() >= time`.
  virtual void sleep_until(Time time) = 0;
  /// Lets another client go on, or not, as the plan chooses.
  virtual void yield() = 0;
  /// A number in [0, n), from the plan. n of 0 or 1 answers 0 and consumes nothing.
  [[nodiscard]] virtual std::uint32_t choose(std::uint32_t n) = 0;
};

}  // namespace causalcheck
