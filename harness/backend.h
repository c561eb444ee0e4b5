#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "checker/declaration.h"
#include "checker/history.h"
#include "harness/result.h"
#include "harness/runtime.h"

namespace causalcheck {

/// Whether a backend can be driven by the deterministic scheduler (it takes all its time and chance
/// from its Runtime, and blocks on nothing another client holds) or needs real threads.
enum class Execution : std::uint8_t { kDeterministic, kThreads };

/// How many calls one session takes at once.
enum class Concurrency : std::uint8_t {
  kNone,              // one call at a time
  kReadDuringCommit,  // a read while one commit is open
  kPipelined,         // several commits, which take effect in the order of their calls, and a read
};

/// Everything a backend says of itself: what it promises, and how it wants to be driven.
struct BackendDeclaration {
  Declaration promises{};
  Execution execution = Execution::kDeterministic;
  Concurrency concurrency = Concurrency::kNone;
  /// True when the backend yields inside its operations; a campaign in which it then never switched
  /// inside an operation is `unknown`.
  bool interleaves = false;
  /// True when it reads the wall clock (Runtime::wall_now) for anything: only then can a clock that
  /// is off do anything to it.
  bool reads_clock = false;
  /// How long after the last commit a feed may still have something to hand over: the last reads of
  /// a run wait at least this long for it.
  Time lag_max{};
  /// What limits a test of it, if anything does: a sentence for the summary.
  std::string limit{};
};

/// Thrown by an adapter, out of any of its calls, when what it talks to does not keep to their
/// protocol, so that no answer means anything any more. Ends the run as a misuse of the interface.
class AdapterMisuse : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Everything that is judged of a backend which promises `promises`: what every backend owes, the
/// levels up to its own, its claims. What `offers` is where the settings give all of it.
inline GuaranteeSet all_judged(const Declaration& promises) {
  GuaranteeSet judged;
  for (const Guarantee id : all_guarantees()) {
    if (is_claimed(promises, id)) judged.insert(id);
  }
  return judged;
}

/// The run a backend is reset for.
struct RunInfo {
  std::string id{};  // unique per run and process; part of every name the run creates
  std::vector<std::string> topics{};
};

/// Who opens a session.
struct ClientInfo {
  ClientId id = 0;
  std::string label{};            // "A", or "A~2" for a client that lost its state
  std::uint32_t incarnation = 1;  // of that label's base
};

/// What a client publishes. The payload is opaque bytes to the backend.
struct Message {
  std::string_view topic{};
  std::string_view payload{};
  bool is_delete = false;
};

/// An acknowledged commit.
struct Ack {
  std::optional<Slot> slot{};
};

/// A stored message as a read or the drain shows it.
struct Entry {
  std::string payload{};
  std::optional<Slot> slot{};
  bool is_delete = false;
  /// The entry is there (at `slot`, when told) and its content could not be read. Drain only.
  bool unreadable = false;
};

/// One message a feed hands over.
struct Delivered {
  std::string topic{};
  Entry entry{};
};

/// What a reconnecting client carries: the position it had reached, in the backend's own words.
struct ResumeToken {
  std::string bytes{};
};

/// A storage backend as one connection of one client sees it.
///
/// Called from the client's own fibers or threads; at most as many calls at once as the declared
/// Concurrency says. A session never retries silently and never reorders: a hidden retry turns a
/// maybe into a yes that the history does not show. Every call returns by `deadline` (a Time of the
/// session's Runtime) or soon after.
class Session {
 public:
  Session() = default;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  virtual ~Session() = default;

  /// Appends `message` to its topic; returns when the backend has acknowledged it.
  /// Errors: kRejected, kUnavailable (it did not happen); all others (it may have).
  [[nodiscard]] virtual Result<Ack> commit(const Message& message, Time deadline) = 0;

  /// Reads the freshest message of `topic`; nullopt when there is none. For `reads: latest`.
  /// Errors: any; a read that fails changes nothing. kUndecodable when what was found is no answer.
  [[nodiscard]] virtual Result<std::optional<Entry>> poll(std::string_view topic,
                                                          Time deadline) = 0;

  /// The next messages of all the run's topics, in the order this client sees them; waits until
  /// something comes, and returns nothing at `deadline`. For `reads: feed`.
  /// Errors: any; what a failed call held is handed over again later.
  [[nodiscard]] virtual Result<std::vector<Delivered>> receive(Time deadline) = 0;

  /// Ends the session. The token lets the same client go on where it was.
  [[nodiscard]] virtual Result<ResumeToken> close() { return ResumeToken{}; }
};

/// A storage backend under test. One object serves many runs, one after another; `reset` separates
/// them. A new one is made for each job.
class Backend {
 public:
  Backend() = default;
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;
  virtual ~Backend() = default;

  /// What it promises under its current settings. Constant over its life.
  [[nodiscard]] virtual BackendDeclaration declare() const = 0;

  /// Makes a fresh namespace for `run`. Never removes what this object did not create itself.
  /// All sessions of the run before are gone. Errors: any; the campaign stops with exit code 4.
  [[nodiscard]] virtual Result<void> reset(const RunInfo& run) = 0;

  /// Opens a session for `client`. Changes no data. `resume` is what the same client's previous
  /// session left behind, or null: a client that restarted comes without. `runtime` outlives the
  /// session.
  [[nodiscard]] virtual Result<std::unique_ptr<Session>> open(const ClientInfo& client,
                                                              Runtime& runtime,
                                                              const ResumeToken* resume) = 0;

  /// The nodes whose durable logs can be read apart; one with an empty name when there is but one.
  [[nodiscard]] virtual std::vector<std::string> nodes() const { return {std::string()}; }

  /// Lists the durable log of `topic` at `node` as readers would find it, in slot order: the whole
  /// log with slots or for a feed; what survived of the topic without slots and with latest reads.
  /// Called when no session is busy. Errors: any; the topic then counts as not drained.
  [[nodiscard]] virtual Result<std::vector<Entry>> drain(std::string_view topic,
                                                         std::string_view node,
                                                         Runtime& runtime) = 0;
};

// The optional powers. Faults use them while operations are in flight: a call may come from inside
// the `yield` or `sleep_until` of an operation of the same backend, so none of them may wait for
// open operations to end. `node` is one of Backend::nodes.

/// Optional power: a backend that can lose its volatile state on purpose.
class Crashable {
 public:
  virtual ~Crashable() = default;
  /// Stops at once without a clean shutdown and starts again with what it had made durable.
  [[nodiscard]] virtual Result<void> crash_and_restart(std::string_view node, Runtime& runtime) = 0;
};

/// Optional power: a backend that can lose its power: a crash, and what was never synced is gone,
/// possibly torn.
class PowerLosable {
 public:
  virtual ~PowerLosable() = default;
  /// Stops at once and starts again with what had been synced. What was written and not synced
  /// survives in part, as `runtime` chooses.
  [[nodiscard]] virtual Result<void> lose_power(std::string_view node, Runtime& runtime) = 0;
};

/// Optional power: a backend whose nodes can be stopped for a while.
class Pausable {
 public:
  virtual ~Pausable() = default;
  [[nodiscard]] virtual Result<void> pause(std::string_view node) = 0;
  [[nodiscard]] virtual Result<void> resume(std::string_view node) = 0;
};

/// Optional power: a backend whose nodes can be cut off from each other.
class Partitionable {
 public:
  virtual ~Partitionable() = default;
  [[nodiscard]] virtual Result<void> cut(std::string_view node) = 0;
  [[nodiscard]] virtual Result<void> heal(std::string_view node) = 0;
};

}  // namespace causalcheck
