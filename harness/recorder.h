#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "checker/checker.h"
#include "checker/history.h"
#include "harness/backend.h"
#include "harness/hold_events.h"
#include "harness/payload.h"
#include "harness/result.h"

namespace causalcheck {

/// What a recorder has to know of a run before it begins.
struct RecordedRun {
  std::uint64_t id = 0;  // stands in every payload
  std::vector<std::string> clients{};
  std::vector<std::string> topics{};
  std::vector<std::string> nodes{};  // as Backend::nodes says
  Declaration declared{};            // what is judged
  bool faults_asked = false;
  std::uint32_t filler_bytes = 0;
};

/// A publish that was recorded and now has to be made.
struct WriteCall {
  OperationIndex operation = 0;
  TopicId topic = 0;
  bool is_delete = false;
  std::string_view payload{};  // valid until the next `begin`
};

/// A receive that is under way.
struct ReceiveCall {
  OperationIndex operation = 0;
};

/// What an answer to a read taught its reader.
struct Observed {
  std::uint32_t news = 0;         // messages of other clients that it had never observed before
  std::uint32_t own = 0;          // own ones, likewise
  std::uint32_t handed_over = 0;  // all that a receive brought, copies and all
  Slot slot = kNoSlot;            // of what a poll showed
  bool failed = false;            // no answer
  bool unknown = false;           // the operation ended info
};

/// Records one run: keeps its History and the one order of all calls and returns.
///
/// A publish takes its position before the backend is called, a read after the answer is in hand.
/// Each message is named after its publish event, the client's label and step ("C2"), and each
/// client's steps are counted as the checker counts them; only where a failed message is read while
/// its outcome is still open can the two differ, and names stay unique even then.
///
/// With kManyThreads every function may be called from any thread at any time, one call after
/// another of each operation; else from one thread. Buffers are kept from run to run.
class Recorder {
 public:
  enum class Calls : std::uint8_t { kOneThread, kManyThreads };
  explicit Recorder(Calls calls = Calls::kOneThread) : threads_(calls == Calls::kManyThreads) {}
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  /// Forgets the run before and starts one. `checker`, if any, is fed from here on, and `holds`
  /// asked after each commit and receive.
  void begin(const RecordedRun& run, Checker* checker, HoldReporter* holds = nullptr);

  /// A client that restarted without its state: another client from here on.
  ClientId add_client(std::string label);
  /// The client's later operations belong to a new session.
  void new_session(ClientId client);
  /// The client left for good.
  void leave(ClientId client);

  /// A fault of ours takes effect on `target` from here on: a client's label, a node, or empty for
  /// everything. `call` is the start of the operation it acts on; 0: not on a single one. Returns
  /// the number by which `end_fault` ends it; until then it lasts.
  std::size_t begin_fault(std::string kind, std::string target, Position call = 0);
  void end_fault(std::size_t fault);

  /// Records the call of a publish, before it is made: makes its message and its payload.
  WriteCall begin_write(ClientId client, TopicId topic, bool is_delete);
  /// Records the return. An operation that is never completed ended info.
  void complete_write(OperationIndex operation, const Result<Ack>& answer);

  OperationIndex begin_read(ClientId client, TopicId topic);
  Observed complete_read(OperationIndex operation, const Result<std::optional<Entry>>& answer);

  /// A receive that hands over n messages is n reads, each at its own position: the first is called
  /// where the receive was, each later one where the one before it returned. One that brings
  /// nothing, or fails, is one such read of each topic, all called where the receive was; those of
  /// the second topic and on enter the history, and reach the checker, at the return only, and
  /// count as overlaps only what was still open there.
  ReceiveCall begin_receive(ClientId client);
  Observed complete_receive(const ReceiveCall& call, const Result<std::vector<Delivered>>& answer);

  /// Records what `topic` holds at node `node` (an index into RecordedRun::nodes) at the end: a
  /// line for each entry, info for one that is unreadable; one line without a message when it is
  /// empty; one info line when it could not be listed.
  void record_drain(TopicId topic, std::uint32_t node, const Result<std::vector<Entry>>& entries);

  /// Events so far: publishes, and observations other than repeats.
  [[nodiscard]] std::uint64_t events() const { return events_; }
  /// What was recorded so far. Not while others record.
  [[nodiscard]] const History& history() const { return history_; }
  /// What the backend said of messages that had to wait, as lines of a history file.
  [[nodiscard]] std::vector<std::string> hold_lines() const;
  /// True when something was recorded that the incremental checker has not seen as it stands now: a
  /// payload that differs from what was written, noticed after the write. Judge the whole again.
  [[nodiscard]] bool touched_the_past() const { return touched_the_past_; }

 private:
  struct MessageState {
    OperationIndex write = 0;
    ClientId sender = 0;
    TopicId topic = 0;
    bool written = false;  // by this run, not just seen
    bool failed = false;
  };
  struct ClientState {
    std::uint32_t step = 0;
    std::uint32_t session = 1;
    // The answer that is the client's latest event, for repeats.
    bool answered = false;
    TopicId topic = 0;
    MessageId message = kNothing;
    Slot slot = kNoSlot;
  };

  struct HoldAt {
    HoldEvent event{};
    Position position = 0;  // of the latest event by then
  };

  [[nodiscard]] std::unique_lock<std::mutex> guard() {
    return threads_ ? std::unique_lock(mutex_) : std::unique_lock<std::mutex>();
  }
  OperationIndex call(const Operation& operation);
  void finish(OperationIndex operation);
  void append_returned(const Operation& operation);
  void collect_holds();
  Observed complete_empty(OperationIndex first, const Result<std::vector<Delivered>>& answer);
  void fill(Operation& operation, const Entry& entry);
  MessageId identify(Operation& operation, const Entry& entry);
  MessageId message_named(std::string name);
  std::uint32_t digest_index(std::string digest);
  void observe(const Operation& operation, Observed& observed);
  bool first_sight(ClientId client, MessageId message);
  Operation read_of(ClientId client, TopicId topic, Position start) const;

  const bool threads_;
  std::mutex mutex_{};
  Checker* checker_ = nullptr;
  HoldReporter* reporter_ = nullptr;
  std::vector<HoldAt> holds_{};
  RunTag tag_{};
  std::uint32_t filler_bytes_ = 0;
  bool slots_ = false;
  bool feed_ = false;
  History history_{};
  Position next_ = 1;
  std::uint64_t events_ = 0;
  bool touched_the_past_ = false;
  std::vector<MessageState> messages_{};
  std::vector<ClientState> clients_{};
  std::deque<std::string> payloads_{};  // by message; never shrinks, and its strings stay put
  std::vector<std::vector<std::uint8_t>> sights_{};  // by client and message: it observed it
};

}  // namespace causalcheck
