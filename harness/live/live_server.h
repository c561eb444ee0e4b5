#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "harness/live/live_run.h"
#include "harness/refusal.h"

namespace causalcheck {

/// What a page asks for: a run of the backend from a seed, or one of the scenarios.
struct LiveRequest {
  std::uint64_t seed = 1;
  std::string scenario{};  // one of LiveOptions::scenarios; empty: a run from the seed
  std::vector<std::string> faults{};
};

/// What a live server shows, and to whom.
struct LiveOptions {
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;  // 0: one that is free
  std::string title{};     // the backend
  std::vector<std::string> scenarios{};
  std::vector<std::string> faults{};  // kinds that can be switched on
  std::uint64_t first_seed = 1;
  /// Makes a run. Called on the server's one thread; nothing else is served meanwhile.
  std::function<Attempt<LiveRun>(const LiveRequest&)> make{};
  /// Keeps a run that was watched to its end as an artifact; gives the folder.
  std::function<Attempt<std::string>(const LiveRequest&, const LiveRun&)> save{};
  /// Called once it listens, with the address of the page.
  std::function<void(const std::string&)> ready{};
};

/// Serves one page over HTTP, and runs over the page's WebSocket, until SIGINT or SIGTERM.
///
/// Each connection has a run of its own, whose records it is sent one by one, at its own pace, and
/// commands: pause, step, speed, seed, scenario, faults, save. Requests are answered only when
/// their Host is the address served, and a WebSocket is opened only for a page of ours, by its
/// Origin: a page of another site that a visitor has open can neither read nor steer it. What comes
/// in is limited in size, number and time.
///
/// Errors: the address is none, or cannot be listened on.
[[nodiscard]] Attempt<void> serve_live(const LiveOptions& options);

}  // namespace causalcheck
