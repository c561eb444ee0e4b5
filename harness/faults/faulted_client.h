#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/backend.h"
#include "harness/faults/fault_kind.h"
#include "harness/runtime.h"

namespace causalcheck {

class FaultInjector;
struct FaultedClient;

/// What a client's session sees of time and chance while faults are about: a clock that may be off,
/// and steps at which a server may be struck.
class FaultyRuntime final : public Runtime {
 public:
  FaultyRuntime(FaultInjector& faults, FaultedClient& client) : faults_(faults), client_(client) {}
  [[nodiscard]] Time now() override;
  [[nodiscard]] Time wall_now() override;
  void sleep_until(Time time) override;
  void yield() override;
  [[nodiscard]] std::uint32_t choose(std::uint32_t n) override;

 private:
  FaultInjector& faults_;
  FaultedClient& client_;
};

/// How long what a fault does may last, by its parameter: from 16 us to 2 ms, in doublings.
inline Time fault_length(std::uint32_t parameter) {
  return std::chrono::microseconds(16) * (1U << (parameter & 7U));
}

/// A fault that was drawn; without a kind: none.
struct DrawnFault {
  std::optional<FaultKind> kind{};
  std::uint32_t parameter = 0;  // in [0, 256): how long, which way, which node
};

/// One client, or one incarnation of it, as the faults of a run see it. No part of any interface.
struct FaultedClient {
  FaultedClient(FaultInjector& faults, std::string name, std::uint32_t scheduled_as)
      : runtime(faults, *this), label(std::move(name)), index(scheduled_as) {}
  FaultedClient(const FaultedClient&) = delete;
  FaultedClient& operator=(const FaultedClient&) = delete;

  FaultyRuntime runtime;  // what its sessions get
  Runtime* raw = nullptr;
  std::string label;
  std::uint32_t index;  // of the client, for the scheduler

  // Its connection, in virtual time.
  Time cut_until{};
  bool requests_cut = false;
  bool answers_cut = false;
  Time flip_from{};
  Time flip_until{};
  Time flip_period{};
  Time paused_until{};

  Time skew{};
  bool skew_seen = true;

  DrawnFault strike{};  // waits for its moment
  std::uint32_t steps_to_strike = 0;

  /// What a feed handed over and the client was not given; it comes with the next answer.
  std::vector<Delivered> kept{};

  [[nodiscard]] bool loses_requests(Time now) const { return now < cut_until && requests_cut; }
  [[nodiscard]] bool loses_answers(Time now) const { return now < cut_until && answers_cut; }
  [[nodiscard]] bool is_down(Time now) const {
    return now < flip_until && (now - flip_from) / flip_period % 2 == 0;
  }
  void heal() { cut_until = flip_until = paused_until = skew = Time{}; }
};

}  // namespace causalcheck
