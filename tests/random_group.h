#pragma once

#include <cstdint>
#include <vector>

#include "checker/delivery_queue.h"

namespace causalcheck {

/// One broadcast of a random group, with its whole causal past as a set: what the clocks stand for.
struct RandomBroadcast {
  ProcessId sender = 0;
  std::uint32_t number = 0;
  std::vector<std::uint32_t> clock{};
  std::uint64_t past = 0;  // bit i: broadcast i happened before it
  [[nodiscard]] Stamp stamp() const { return {sender, number, clock}; }
};

/// The broadcasts that `decisions` lead `processes` processes to make, at most 64. Each process
/// delivers in causal order, by sets and without any clock.
inline std::vector<RandomBroadcast> random_broadcasts(std::uint32_t processes,
                                                      const std::vector<std::uint32_t>& decisions) {
  std::vector<RandomBroadcast> broadcasts;
  std::vector<std::uint64_t> delivered(processes, 0);
  for (std::uint32_t decision : decisions) {
    if (broadcasts.size() == 64) break;
    const ProcessId process = decision % processes;
    decision /= processes;
    std::vector<std::size_t> eligible;
    for (std::size_t i = 0; i < broadcasts.size(); ++i) {
      const bool is_new = (delivered[process] >> i & 1U) == 0;
      if (is_new && (broadcasts[i].past & ~delivered[process]) == 0) eligible.push_back(i);
    }
    if (decision % 2 == 0 && !eligible.empty()) {
      delivered[process] |= std::uint64_t{1} << eligible[decision / 2 % eligible.size()];
      continue;
    }
    RandomBroadcast broadcast;
    broadcast.sender = process;
    broadcast.past = delivered[process];
    broadcast.clock.assign(processes, 0);
    for (std::size_t i = 0; i < broadcasts.size(); ++i) {
      if ((broadcast.past >> i & 1U) != 0) ++broadcast.clock[broadcasts[i].sender];
    }
    broadcast.number = ++broadcast.clock[process];
    delivered[process] |= std::uint64_t{1} << broadcasts.size();
    broadcasts.push_back(broadcast);
  }
  return broadcasts;
}

}  // namespace causalcheck
