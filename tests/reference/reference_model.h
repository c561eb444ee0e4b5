#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "checker/history.h"

namespace causalcheck::reference {

/// What the write lines of a file say about one message id.
struct MessageFacts {
  bool written = false;     // some write line carries it
  bool failed = false;      // written, and every write line failed
  bool conflicted = false;  // two write lines that did not fail, or two payload digests
  Operation send{};         // the one write line that did not fail; set when usable()
  [[nodiscard]] bool usable() const { return written && !failed && !conflicted; }
};

/// A publish or an observation, as a node of the happens-before matrix.
struct Event {
  ClientId client = 0;
  Position number = 0;
  MessageId message = kNothing;
  bool publish = false;
  bool binds_later = true;  // false for a publish whose edge to later events is dropped
};

using Matrix = std::vector<std::vector<bool>>;

/// The transitive closure of `edges`, by the textbook's three loops.
Matrix closure_of(Matrix edges);

/// Something that counts as w in a P3 pair.
struct Counted {
  MessageId message = kNothing;
  Slot slot = kNoSlot;    // the one by which it counted
  bool observed = false;  // read, not only acknowledged
};

/// Whether the first message comes before the second, in some order of messages.
using MessageOrder = std::function<bool(MessageId, MessageId)>;

/// A history as docs/semantics.md look at it: outcomes made plain,
/// messages sorted out, happens-before as a matrix over all events. Nothing here is fast.
class Model {
 public:
  explicit Model(const History& history);

  const History& history;
  bool slots = false;
  bool feed = false;
  bool scope_all = false;

  std::vector<Operation> lines{};  // every operation, with the outcome that it counts with
  std::vector<MessageFacts> messages{};
  std::vector<Operation> acks{};     // ok writes of usable messages
  std::vector<Operation> reads{};    // clients' ok reads, whatever they showed
  std::vector<Operation> answers{};  // those of them that showed nothing or a usable message
  std::vector<Operation> durable{};  // ok drain lines with a usable message
  std::vector<Event> events{};
  Matrix edges{};  // P1 and P2
  Matrix closure{};

  /// Usable messages.
  [[nodiscard]] std::vector<MessageId> usable() const;
  [[nodiscard]] TopicId topic_of(MessageId message) const { return messages[message].send.topic; }
  /// Whether some write line, whatever its outcome, wrote the message to this topic.
  [[nodiscard]] bool written_to(MessageId message, TopicId topic) const;
  [[nodiscard]] std::size_t send_event(MessageId message) const;

  /// Happens before: a chain of P1 and P2 from send(k) to send(m). Irreflexive.
  [[nodiscard]] bool before(MessageId k, MessageId m) const;
  /// The order of level fifo: one sender, and ordered by P1 alone, or because the sender itself had
  /// observed k when it published m.
  [[nodiscard]] bool fifo_before(MessageId k, MessageId m) const;

  /// Whether the client had observed the message in a read that ended before `at`.
  [[nodiscard]] bool observed_before(ClientId client, MessageId message, Position at) const;
  [[nodiscard]] bool handed(ClientId client, MessageId message) const;
  /// Answers that P3 judges: all of a latest reader's, the first copies of a feed's; no empty ones.
  [[nodiscard]] std::vector<Operation> observations() const;
  /// Everything that counts as w when this client gets this answer, on any topic.
  [[nodiscard]] std::vector<Counted> counted_at(const Operation& read) const;
  /// Every k for which P3 claims send(k) < send(what `read` shows), when `order` is the level's.
  [[nodiscard]] std::vector<MessageId> claimed_before(const Operation& read,
                                                      const MessageOrder& order) const;

  [[nodiscard]] bool one_log(MessageId k, MessageId m) const {
    return scope_all || topic_of(k) == topic_of(m);
  }
  [[nodiscard]] bool is_drained(TopicId topic) const;
  [[nodiscard]] bool is_durable(MessageId message) const;
  /// An acknowledged write that the drain does not bear out.
  [[nodiscard]] bool lost(const Operation& ack) const;
  /// Lost, and in the drain at no slot at all.
  [[nodiscard]] bool lost_altogether(MessageId message) const;
  [[nodiscard]] std::optional<Slot> smallest_slot_shown(MessageId message) const;

 private:
  void sort_out_messages();
  void sort_out_lines();
  void build_events();
};

}  // namespace causalcheck::reference
