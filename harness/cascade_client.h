#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "checker/history.h"
#include "harness/backend.h"
#include "harness/choices.h"
#include "harness/runtime.h"
#include "harness/scheduler.h"

namespace causalcheck {

struct CascadeClient;

/// One fiber of a client.
struct CascadeWorker {
  CascadeClient* client = nullptr;
  FiberId fiber = 0;
  bool idle = false;  // parked until somebody has something to do for it
};

/// Why a client would look at a topic.
struct CascadeView {
  bool looks = true;         // whatever there is
  Slot announced = kNoSlot;  // the largest slot acknowledged since it last began to look
  Slot read = kNoSlot;       // the largest it has read
  [[nodiscard]] bool wants() const { return looks || announced > read; }
  void begin_look() {
    looks = false;
    announced = kNoSlot;
  }
};

/// One client of a run, as the cascade drives it. No part of any interface.
struct CascadeClient {
  // Who it is. `id` and `label` change with each restart.
  std::uint32_t index = 0;
  ClientId id = 0;
  std::string base{};
  std::uint32_t incarnation = 1;
  Runtime* runtime = nullptr;
  Choices* choices = nullptr;

  // Its connection. Null while it is being replaced. Sessions that a restart left with open calls
  // live on in `retired` until the run is over.
  std::unique_ptr<Session> session{};
  std::vector<std::unique_ptr<Session>> retired{};
  std::optional<ResumeToken> token{};
  std::uint32_t calls_open = 0;  // of this session
  std::uint32_t epoch = 0;  // counts restarts: what was called before one is not answered after
  bool reconnects = false;  // as soon as no call is open
  bool leaves = false;      // as soon as no call is open

  // What it does.
  bool reads = true;
  bool writes = true;
  bool joins_late = false;
  bool offline = false;
  bool flushing = false;   // publishes that it buffered go out first
  bool gone = false;       // left, or could not connect
  std::uint32_t owed = 0;  // publishes to make
  std::uint32_t errors_in_row = 0;
  TopicId next_topic = 0;
  std::vector<CascadeView> views{};  // by topic
  bool waits_for_all = false;

  CascadeWorker main{};
  std::deque<CascadeWorker> committers{};  // the first `committers_used` are of this run
  std::uint32_t committers_used = 0;

  [[nodiscard]] bool may_call() const {
    return session != nullptr && !reconnects && !leaves && !offline && !gone;
  }
  void look_everywhere() {
    for (CascadeView& view : views) view.looks = true;
  }
  [[nodiscard]] bool may_publish() const { return may_call() && !flushing; }
};

}  // namespace causalcheck
