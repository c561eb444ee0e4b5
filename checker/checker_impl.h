#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "checker/checker.h"
#include "checker/timeline.h"

// Inside of the checker; nothing outside this folder includes it.
//
// How happened-before is kept. A *past* is one number per client: P[c] = u says that every event of
// c up to step u is in it, but for publishes of c that did not end ok (their P1 edge is dropped).
// Such a message m is in P exactly when somebody in P observed it: P[r] >= seen(m)[r] for some r,
// where seen(m)[r] is the step at which r first observed m. Both tables are per message. With them
// the same numbers are right whatever the outcome of a publish turns out to be; only the look-up
// asks for it.
namespace causalcheck {

class ClauseGraph;

/// The first failure of one guarantee, as little as is needed to describe it later (witness.cc).
struct Finding {
  Reason reason = Reason::kObservedAgainstOrder;
  OperationIndex operation = kNoOperation;  // that showed it
  OperationIndex other = kNoOperation;      // the one it is at odds with, when known at once
  MessageId cause = kNothing;               // k of a pair (k, w) that broke
  MessageId effect = kNothing;              // w
  ClientId client = kDrainClient;           // the reader, where no operation shows it
  TopicId topic = 0;
  std::vector<Clause> cycle{};  // kNoCommonOrder: broken clause first, then the chain
};

/// Entry-wise maximum of `width` numbers.
inline void merge(std::uint32_t* into, const std::uint32_t* from, std::uint32_t width) {
  for (std::uint32_t i = 0; i < width; ++i) into[i] = into[i] < from[i] ? from[i] : into[i];
}

class Checker::Impl {
 public:
  explicit Impl(Grounding grounding) : grounding_(grounding) {}

  void begin(const History& history);
  void invoked(OperationIndex operation);
  void completed(OperationIndex operation);
  const Violation* first_violation();
  Report finish();
  Report check_whole();

 private:
  // How much is known of outcomes while feeding.
  enum class Knowledge : std::uint8_t { kNothingYet, kCompletedOnes, kEverything };

  struct MessageState {
    OperationIndex send = kNoOperation;
    Position first_write = kNever;
    Slot first_slot = kNoSlot;  // the smallest any line showed
    Slot floor = kNoSlot;       // real-time: the largest slot of the topic known at the call
    ClientId sender = 0;
    std::uint32_t step = 0;
    TopicId topic = 0;
    std::uint32_t payload = 0;
    bool sent : 1 = false;     // a write line that did not fail (yet) was called
    bool written : 1 = false;  // any write line was called
    bool done : 1 = false;     // its outcome is known
    bool ok : 1 = false;
    bool failed : 1 = false;
    bool conflicted : 1 = false;
    bool observed : 1 = false;  // in an ok read, while it was open or later
    bool two_slots : 1 = false;
    bool durable : 1 = false;  // in the drain
    bool lost : 1 = false;
  };

  struct ClientState {
    std::uint32_t step = 0;
    // The answer that is the client's latest event, for repeats.
    bool answered = false;
    TopicId topic = 0;
    MessageId message = kNothing;
    Slot slot = kNoSlot;
    std::uint32_t open = 0;  // operations
    bool left = false;
  };

  // What one client knows of one topic, beside the vectors in reader_vectors_.
  struct ReaderState {
    Slot acked_slot = kNoSlot;    // largest slot of an own ack
    Slot read_slot = kNoSlot;     // largest slot read
    Slot counted_slot = kNoSlot;  // largest slot of what counts as w
    Position counted_send = 0;    // latest send among what counts as w (instrumentation)
    OperationIndex acked_op = kNoOperation;
    OperationIndex read_op = kNoOperation;
    OperationIndex counted_op = kNoOperation;
    MessageId previous = kNothing;  // the message that counted last
    bool acked = false;
    bool read = false;
    bool counted = false;        // something counts, or orders a message of this topic
    bool behind_writes = false;  // something observed on another topic follows a write of its
                                 // author to this one
    bool behind_reads = false;   // ... follows a message here that its author had observed
    bool asked = false;          // feed: the client read the topic
    std::uint32_t session = 0;
    Slot session_slot = kNoSlot;  // feed: largest slot handed over in the session
  };

  // Taken at the call of a latest read: what counts by then.
  struct OpenOperation {
    ReaderState reader{};
    Slot floor = kNoSlot;
  };

  // checker.cc
  void clear();
  void grow_messages();
  void grow_clients();
  void rebuild();
  void feed_in_order(const std::vector<OperationIndex>& calls, std::vector<OperationIndex> returns);
  void classify_known(const std::vector<OperationIndex>& operations);
  void feed_call(OperationIndex operation);
  void feed_return(OperationIndex operation);
  bool outcome_known(OperationIndex operation) const;
  Report contaminated_report(std::string why) const;
  [[nodiscard]] std::vector<OperationIndex> publishes_of(const Violation& violation) const;
  void fill(Report& report);
  [[nodiscard]] std::string inapplicable(Guarantee id) const;

  // witness.cc
  class Witness;
  [[nodiscard]] Violation describe(Guarantee guarantee, const Finding& finding) const;
  void describe_all();

  // online.cc
  void note_payload(OperationIndex operation);
  void call_write(OperationIndex operation);
  void call_read(OperationIndex operation);
  void return_write(OperationIndex operation);
  void return_read(OperationIndex operation);
  void return_drain(OperationIndex operation);
  void observe_latest(OperationIndex operation);
  void observe_feed(OperationIndex operation);
  void read_nothing(OperationIndex operation);
  bool step_observe(OperationIndex operation);
  void count(ClientId client, TopicId topic, MessageId message, Slot slot, OperationIndex operation,
             bool observed);
  void show_slot(OperationIndex operation);
  void check_real_time(OperationIndex operation, Slot slot, Slot floor);

  // final.cc
  void judge_orphans();
  void judge_drain();
  void judge_first_slots();
  void judge_effects_at_readers();
  void judge_effects_at_drain();
  void judge_delivery();
  void judge_identity_of_log();
  void judge_integrity();
  void judge_info_real_time();
  void judge_exercise(Report& report) const;

  // total_order.cc
  void judge_common_order();
  void note_agreed_order(const ClauseGraph& graph, TopicId topic);

  // Happened-before look-ups.
  [[nodiscard]] bool in_past(MessageId message, const std::uint32_t* past) const;
  [[nodiscard]] bool fifo_behind(MessageId message, const std::uint32_t* counted) const;
  [[nodiscard]] bool refuted_by_sender(MessageId message, const std::uint32_t* counted) const;
  [[nodiscard]] bool reads_behind(MessageId message, const std::uint32_t* counted) const;
  /// Feed: whether the declared level puts an acknowledged message in front of one that `client`
  /// was handed on its topic.
  [[nodiscard]] bool overtaken(MessageId message, ClientId client);
  std::uint32_t* deps(MessageId m) { return &deps_[std::size_t{m} * width_]; }
  std::uint32_t* seen(MessageId m) { return &seen_[std::size_t{m} * width_]; }
  [[nodiscard]] const std::uint32_t* deps(MessageId m) const {
    return &deps_[std::size_t{m} * width_];
  }
  [[nodiscard]] const std::uint32_t* seen(MessageId m) const {
    return &seen_[std::size_t{m} * width_];
  }
  std::uint32_t* past(ClientId c) { return &past_[std::size_t{c} * width_]; }
  std::size_t reader_index(ClientId c, TopicId t) const { return std::size_t{c} * topics_ + t; }
  ReaderState& reader(ClientId c, TopicId t) { return readers_[reader_index(c, t)]; }
  // Four vectors per reader: implied, counted, implied by own acks, implied by own reads. A feed
  // with scope `all` keeps the first two for all topics in one place, and in the last two what was
  // handed over on each topic.
  enum Vector : std::uint32_t {
    kImplied,
    kCounted,
    kByAcks,
    kByReads,
    kVectors,
    kCountedHere = kByAcks,
    kImpliedHere = kByReads
  };
  std::uint32_t* vec(ClientId c, TopicId t, Vector which) {
    return &reader_vectors_[(reader_index(c, t) * kVectors + which) * width_];
  }
  // Across topics (latest, scope all): per topic one vector, then one word each of the author's
  // largest own step there, whether a message there is in the past, and whether the author itself
  // observed one.
  std::size_t cross_width() const { return std::size_t{topics_} * (width_ + 3); }
  std::uint32_t* cross(MessageId m) { return &cross_[std::size_t{m} * cross_width()]; }
  std::uint32_t* cross_of(ClientId c) { return &cross_clients_[std::size_t{c} * cross_width()]; }

  // Scope of a feed's P3: the reader state that stands for `topic`.
  [[nodiscard]] TopicId scope_of(TopicId topic) const { return one_scope_ ? 0 : topic; }
  [[nodiscard]] bool usable(MessageId m, TopicId topic) const;

  void found(Guarantee guarantee, Finding finding);
  void judged(Guarantee guarantee, std::uint64_t times = 1) {
    judgements_[static_cast<std::size_t>(guarantee)].judged += times;
  }
  [[nodiscard]] bool broken(Guarantee guarantee) const {
    return judgements_[static_cast<std::size_t>(guarantee)].broken > 0;
  }

  const Operation& op(OperationIndex i) const { return history_->operations[i]; }

  Grounding grounding_;
  const History* history_ = nullptr;
  Knowledge knowledge_ = Knowledge::kNothingYet;

  // Modes, from the declaration.
  bool slots_ = false;
  bool feed_ = false;
  bool cross_mode_ = false;
  bool one_scope_ = false;   // feed with scope all
  std::uint32_t width_ = 0;  // numbers per past; at least the number of clients
  std::uint32_t topics_ = 0;

  std::vector<MessageState> messages_{};
  std::vector<std::uint32_t> deps_{};
  std::vector<std::uint32_t> seen_{};
  std::vector<std::uint32_t> cross_{};
  std::vector<ClientState> clients_{};
  std::vector<std::uint32_t> past_{};
  std::vector<std::uint32_t> cross_clients_{};
  std::vector<ReaderState> readers_{};
  std::vector<std::uint32_t> reader_vectors_{};
  std::vector<Slot> floors_{};  // per topic: the largest slot known, for real-time
  // Slot to message, per topic: dense for small slots, hashed for the rest.
  std::vector<std::vector<MessageId>> slot_table_{};
  std::vector<std::unordered_map<Slot, MessageId>> slot_map_{};
  std::unordered_map<std::uint64_t, Slot> old_sessions_{};

  // Open operations. `ticket_[op]` is the place of its OpenOperation.
  std::vector<std::uint32_t> ticket_{};
  std::vector<OpenOperation> open_{};
  std::vector<std::uint32_t> open_vectors_{};
  std::vector<std::uint32_t> free_tickets_{};
  std::uint32_t open_count_ = 0;

  std::vector<std::vector<OperationIndex>> drained_{};  // drain lines per topic
  std::vector<OperationIndex> orphans_{};               // reads of what nobody wrote (so far)
  std::vector<OperationIndex> last_ok_read_{};          // feed: per reader and topic, by end
  // Feed at level total: per group of clients and message, a bit for each client that was handed,
  // on the message's topic, something that the agreed order puts after it. Empty for a group that
  // lacks nothing.
  static constexpr ClientId kClientsAtOnce = 64;
  std::vector<std::vector<std::uint64_t>> agreed_before_{};
  bool foreign_ = false;
  std::string contaminated_{};
  bool dirty_ = false;
  std::vector<bool> called_{};    // per operation: fed by `invoked`
  std::vector<bool> returned_{};  // ... and by `completed`

  Counts counts_{};
  std::array<Judgement, kGuaranteeCount> judgements_{};
  std::array<std::optional<Finding>, kGuaranteeCount> findings_{};
  std::vector<Guarantee> found_order_{};
  std::optional<Violation> first_{};
  std::vector<OperationIndex> rests_on_{};  // the publishes first_ speaks of
};

}  // namespace causalcheck
