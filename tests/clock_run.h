#pragma once

#include <rapidcheck.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "checker/clocks/stamped_log.h"
#include "checker/clocks/vector_clock.h"

namespace causalcheck {

/// What one step of a made-up run does.
struct ClockStep {
  enum class Kind { kLocal, kSend, kReceive };
  Kind kind = Kind::kLocal;
  ProcessId process = 0;
  ProcessId peer = 0;       // the receiver of a send, the sender of a receive
  std::size_t message = 0;  // of a send and a receive; counts the run's sends
};

/// A run of processes that exchange messages, with what happened before what, worked out without
/// any clock: by following every edge.
struct ClockRun {
  std::size_t processes = 0;
  std::vector<ClockStep> steps{};
  std::vector<std::vector<bool>> before{};  // before[a][b]: a is b or happens before it

  /// How two steps stand to each other.
  [[nodiscard]] ClockOrder order(std::size_t a, std::size_t b) const {
    if (a == b) return ClockOrder::kEqual;
    if (before[a][b]) return ClockOrder::kBefore;
    return before[b][a] ? ClockOrder::kAfter : ClockOrder::kConcurrent;
  }
};

/// In which order a process takes what was sent to it.
enum class Links { kFifo, kAnyOrder };

/// A number from `min` to below `max`, all alike at any size.
template <class T>
rc::Gen<T> any_below(T min, T max) {
  return rc::gen::resize(rc::kNominalSize, rc::gen::inRange<T>(min, max));
}

/// What spells out a run: up to `length` steps, all kinds alike.
inline rc::Gen<std::vector<std::uint8_t>> any_choices(int length) {
  return rc::gen::resize(
      length, rc::gen::container<std::vector<std::uint8_t>>(any_below<std::uint8_t>(0, 240)));
}

/// The run that `choices` spell out; each takes one step. Shrinks well: fewer and smaller numbers
/// are shorter and simpler runs.
inline ClockRun run_of(std::size_t processes, const std::vector<std::uint8_t>& choices,
                       Links links) {
  ClockRun run;
  run.processes = processes;
  struct Waiting {
    std::size_t message = 0;
    ProcessId from = 0;
    ProcessId to = 0;
    std::size_t step = 0;
  };
  std::vector<Waiting> waiting;
  std::vector<std::optional<std::size_t>> last(processes);
  std::size_t sends = 0;
  for (const std::uint8_t choice : choices) {
    ClockStep step;
    step.process = static_cast<ProcessId>(choice % processes);
    const std::size_t rest = choice / processes;
    std::optional<std::size_t> sender;
    if (rest % 3 == 1) {
      step.kind = ClockStep::Kind::kSend;
      step.peer = static_cast<ProcessId>((step.process + 1 + rest / 3) % processes);
      step.message = sends++;
      waiting.push_back({step.message, step.process, step.peer, run.steps.size()});
    } else if (rest % 3 == 2) {
      std::vector<std::size_t> here;
      std::vector<bool> seen(processes, false);
      for (std::size_t i = 0; i < waiting.size(); ++i) {
        if (waiting[i].to != step.process) continue;
        if (links == Links::kFifo && seen[waiting[i].from]) continue;
        seen[waiting[i].from] = true;
        here.push_back(i);
      }
      if (!here.empty()) {
        const std::size_t place = here[(rest / 3) % here.size()];
        step.kind = ClockStep::Kind::kReceive;
        step.peer = waiting[place].from;
        step.message = waiting[place].message;
        sender = waiting[place].step;
        waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(place));
      }
    }
    const std::size_t now = run.steps.size();
    for (auto& row : run.before) row.push_back(false);
    run.before.emplace_back(now + 1, false);
    run.before[now][now] = true;
    for (const auto& source : {last[step.process], sender}) {
      if (!source) continue;
      for (std::size_t e = 0; e < now; ++e) {
        if (run.before[e][*source]) run.before[e][now] = true;
      }
    }
    last[step.process] = now;
    run.steps.push_back(step);
  }
  return run;
}

/// The clock of each step, by the textbook: every step counts, receives merge.
inline std::vector<VectorClock> clocks_of(const ClockRun& run) {
  std::vector<VectorClock> now(run.processes);
  std::vector<VectorClock> sent;
  std::vector<VectorClock> clocks;
  for (const ClockStep& step : run.steps) {
    VectorClock& own = now[step.process];
    if (step.kind == ClockStep::Kind::kReceive) own.merge(sent[step.message]);
    static_cast<void>(own.tick(step.process));
    if (step.kind == ClockStep::Kind::kSend) sent.push_back(own);
    clocks.push_back(own);
  }
  return clocks;
}

/// The run as a log: events by the order of its steps, or process after process, as logs that were
/// put together are. `index` tells where each step went.
struct LoggedRun {
  StampedLog log{};
  std::vector<StampedIndex> index{};  // per step
};

enum class LogOrder { kAsItHappened, kProcessByProcess };

inline LoggedRun log_of(const ClockRun& run, LogOrder order,
                        const std::vector<NameId>& writes = {}) {
  LoggedRun logged;
  logged.index.resize(run.steps.size());
  const std::vector<VectorClock> clocks = clocks_of(run);
  for (std::size_t p = 0; p < run.processes; ++p)
    logged.log.processes.push_back("p" + std::to_string(p));
  std::size_t messages = 0;
  for (const ClockStep& step : run.steps) {
    if (step.kind == ClockStep::Kind::kSend) ++messages;
  }
  for (std::size_t m = 0; m < messages; ++m) logged.log.names.push_back("m" + std::to_string(m));
  for (std::size_t r = 0; r < 4; ++r) logged.log.names.push_back("r" + std::to_string(r));
  const auto add = [&](std::size_t i) {
    const ClockStep& step = run.steps[i];
    StampedEvent event;
    event.process = step.process;
    if (step.kind == ClockStep::Kind::kSend) event.sends = static_cast<NameId>(step.message);
    if (step.kind == ClockStep::Kind::kReceive) event.receives = static_cast<NameId>(step.message);
    if (i < writes.size() && writes[i] < 4)
      event.writes = static_cast<NameId>(messages + writes[i]);
    const SparseClock clock(clocks[i]);
    logged.index[i] = static_cast<StampedIndex>(logged.log.events().size());
    logged.log.add(event, {clock.entries().begin(), clock.entries().end()}, "step");
  };
  if (order == LogOrder::kAsItHappened) {
    for (std::size_t i = 0; i < run.steps.size(); ++i) add(i);
  } else {
    // The last process first, so that its events stand before those that they know.
    for (std::size_t p = run.processes; p-- > 0;) {
      for (std::size_t i = 0; i < run.steps.size(); ++i) {
        if (run.steps[i].process == p) add(i);
      }
    }
  }
  return logged;
}

}  // namespace causalcheck
