#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "checker/history.h"
#include "tests/reference/chance.h"

namespace causalcheck::reference {

/// What is wrong with the simulated backend, if anything.
enum class Flaw : std::uint8_t {
  kNone,       // every read sees everything
  kLag,        // every client sees a growing prefix of one order, its own acks included: causal
  kStale,      // a read sees any prefix of its topic; a feed jumps about
  kPaths,      // each topic (latest) or message (feed) travels at its own pace
  kLossy,      // acknowledged commits get lost, and their slots may be taken again
  kScrambled,  // slots are handed out in any order
};

/// One thing in a topic's log.
struct Entry {
  MessageId message = kNothing;
  TopicId topic = 0;
  Slot slot = kNoSlot;
};

/// A few logs and the view that each client has of them: just plausible enough that the histories
/// recorded against it break and keep each guarantee in many ways.
class RandomBackend {
 public:
  RandomBackend(const Declaration& declared, Flaw flaw, bool hands_back_own)
      : declared_(declared), flaw_(flaw), hands_back_own_(hands_back_own) {}

  /// The message takes effect; gives the slot it got. A flaw may lose it on the way.
  Slot apply(ClientId author, TopicId topic, MessageId message, Chance& chance);
  /// A lossy backend may forget something that it has shown already.
  void lose_something(Chance& chance);
  /// The author has the acknowledgement in hand.
  void acknowledge(ClientId author, MessageId message);
  /// What the client's read of `topic` brings; nothing found: nullopt. A feed with scope `all` may
  /// bring another topic's message.
  std::optional<Entry> read(ClientId client, TopicId topic, Chance& chance);
  /// The client's feed starts over.
  void rewind(ClientId client);
  /// What is durable on a topic, as a drain would list it.
  std::vector<Entry> drain(TopicId topic) const;

 private:
  Slot next_slot(TopicId topic, Chance& chance);
  std::optional<Entry> poll(ClientId client, TopicId topic, Chance& chance);
  std::optional<Entry> receive(ClientId client, TopicId topic, Chance& chance);

  Declaration declared_;
  Flaw flaw_;
  bool hands_back_own_;
  std::vector<Entry> log_{};  // of all topics, in the order of taking effect
  std::map<MessageId, ClientId> authors_{};
  std::map<TopicId, std::set<Slot>> slots_{};
  std::map<ClientId, std::size_t> seen_{};                         // kLag: how much of the log
  std::map<std::pair<ClientId, TopicId>, std::size_t> seen_of_{};  // kPaths, latest
  std::map<ClientId, std::set<std::size_t>> received_{};           // feed: indices handed over
};

}  // namespace causalcheck::reference
