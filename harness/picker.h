#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "harness/choices.h"
#include "harness/id_set.h"
#include "harness/plan.h"
#include "harness/runtime.h"

namespace causalcheck {

/// Which fibers of a run may go on, and which of them the plan lets. A part of the scheduler.
///
/// Candidates are numbered so that 0 is the fiber that runs now, if it can go on; the others follow
/// by id. The number taken is a choice of the plan, so a saved plan replays it whatever made it.
class Picker {
 public:
  static constexpr std::uint32_t kNobody = std::numeric_limits<std::uint32_t>::max();
  /// The most virtual time that passes because of a stall: short enough that no deadline is missed.
  static constexpr Time kLongestStall = std::chrono::milliseconds(100);

  /// Forgets all fibers and clients and follows `strategy`, which must outlive the run.
  void begin(const Strategy& strategy);

  /// Makes `client` known; again is fine. Client numbers are small: they index an array.
  void know(std::uint32_t client);

  /// `fiber` of `client` can go on from now, or can no longer.
  void add(std::uint32_t fiber, std::uint32_t client);
  void remove(std::uint32_t fiber, std::uint32_t client);

  /// Counts one scheduling step that a fiber of `client` made, `now` being the time after it. The
  /// change points and the stall of the strategy happen here.
  void step(std::uint32_t client, Time now) {
    if (strategy_->kind != StrategyKind::kUniform) strategy_step(client, now);
  }

  [[nodiscard]] bool stalling() const { return stall_ == Stall::kOn; }
  /// True when `client` is stalled: its fibers that could go on are no candidates.
  [[nodiscard]] bool stalls(std::uint32_t client) const {
    return stalling() && client == strategy_->stalled_client;
  }
  /// During a stall, whether it goes on when the clock jumps to `time`.
  [[nodiscard]] bool stall_outlasts(Time time) const {
    return time <= stall_began_ + kLongestStall;
  }
  /// Lets the stalled client go on.
  void end_stall();

  /// The fiber that goes on; kNobody when there is no candidate. `current` is the running fiber if
  /// it is a candidate, else kNobody. Consumes a choice when there are two candidates or more.
  [[nodiscard]] std::uint32_t pick(Choices& choices, std::uint32_t current) const;

 private:
  enum class Stall : std::uint8_t { kAhead, kOn, kOver };
  struct Client {
    IdSet ready{};
    std::uint64_t rank = 0;  // kPriorities: the least goes first
  };

  void strategy_step(std::uint32_t client, Time now);
  void begin_stall(Time now);
  [[nodiscard]] std::uint32_t decide(Choices& choices) const;
  [[nodiscard]] std::uint32_t first_by_rank() const;
  void add_candidate(std::uint32_t fiber, std::uint32_t client);

  const Strategy* strategy_ = nullptr;
  IdSet ready_{};
  IdSet ready_clients_{};
  std::vector<Client> clients_{};  // by number; those beyond known_ are left over from other runs
  std::uint32_t known_ = 0;

  std::vector<std::uint32_t> change_points_{};  // ascending
  std::size_t next_change_ = 0;
  std::uint32_t steps_ = 0;

  Stall stall_ = Stall::kOver;
  Time stall_began_{};
  std::uint32_t own_steps_ = 0;
  std::uint32_t others_steps_ = 0;
  IdSet held_{};  // fibers of the stalled client that could go on
};

}  // namespace causalcheck
