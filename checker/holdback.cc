#include "checker/holdback.h"

#include <algorithm>
#include <deque>
#include <utility>

#include "checker/delivery_rules.h"
#include "checker/holdback_queue.h"

namespace causalcheck {
namespace {

// The broadcasts of one client that one reader is ever handed, numbered from 1 in the reader's own
// count; for a feed all of them, handed over or not.
struct Sequence {
  std::vector<std::uint32_t> numbers{};  // ascending; the sender's own numbers

  [[nodiscard]] std::uint32_t rank(std::uint32_t number) const {
    const auto end = std::upper_bound(numbers.begin(), numbers.end(), number);
    return static_cast<std::uint32_t>(end - numbers.begin());
  }
  [[nodiscard]] std::uint32_t number(std::uint32_t rank) const {
    return rank == 0 ? 0 : numbers[rank - 1];
  }
};

class Lens {
 public:
  explicit Lens(const History& history)
      : history_(history),
        feed_(history.declared.reads == Reads::kFeed),
        clients_(history.clients.size()),
        timeline_(timeline_of(history)) {}

  std::vector<CausalWait> look() {
    stamp_all();
    for (ClientId reader = 0; reader < clients_; ++reader) receive_as(reader);
    std::sort(waits_.begin(), waits_.end(), [](const CausalWait& a, const CausalWait& b) {
      return a.observed_at < b.observed_at;
    });
    return std::move(waits_);
  }

 private:
  [[nodiscard]] bool counts(MessageId message) const { return timeline_.messages[message].ok; }
  [[nodiscard]] std::span<const std::uint32_t> stamp_of(MessageId message) const {
    return std::span(stamps_).subspan(std::size_t{message} * clients_, clients_);
  }

  // Gives each message its number and its clock, and notes who is handed what for the first time.
  void stamp_all() {
    const std::size_t messages = history_.messages.size();
    stamps_.assign(messages * clients_, 0);
    numbers_.assign(messages, 0);
    sender_.assign(messages, kDrainClient);
    broadcasts_.resize(clients_);
    arrivals_.resize(clients_);
    std::vector<std::uint32_t> clocks(clients_ * clients_, 0);
    std::vector<std::vector<bool>> seen(clients_, std::vector<bool>(messages, false));
    for (std::uint32_t i = 0; i < timeline_.events.size(); ++i) {
      const Event& event = timeline_.events[i];
      const ClientId client = event.at.client;
      const auto clock = std::span(clocks).subspan(client * clients_, clients_);
      const auto stamp = std::span(stamps_).subspan(event.message * clients_, clients_);
      if (event.is_publish) {
        sender_[event.message] = client;
        if (counts(event.message)) {
          numbers_[event.message] = ++clock[client];
          broadcasts_[client].push_back(event.message);
        }
        std::copy(clock.begin(), clock.end(), stamp.begin());
      } else if (!seen[client][event.message]) {
        seen[client][event.message] = true;
        for (std::size_t c = 0; c < clients_; ++c) clock[c] = std::max(clock[c], stamp[c]);
        arrivals_[client].push_back(i);
      }
    }
  }

  // The causal receiver in the place of `reader`.
  void receive_as(ClientId reader) {
    const std::vector<Sequence> sequences = sequences_of(reader);
    const CausalRule rule;
    HoldBackQueue queue(rule);
    std::deque<std::vector<std::uint32_t>> clocks;  // of stamps in the queue, in the reader's count
    std::vector<std::size_t> wait_of(history_.messages.size(), kNone);
    for (const std::uint32_t index : arrivals_[reader]) {
      const Event& event = timeline_.events[index];
      const MessageId message = event.message;
      const ClientId sender = sender_[message];
      if (sender == reader || sender == kDrainClient) continue;
      std::vector<std::uint32_t>& clock = clocks.emplace_back(clients_);
      const auto stamp = stamp_of(message);
      for (ClientId c = 0; c < clients_; ++c) {
        // A process has its own broadcasts.
        clock[c] = c == reader ? 0 : sequences[c].rank(stamp[c]);
      }
      const std::uint32_t number = numbers_[message] > 0 ? clock[sender] : 0;
      if (const auto missing = queue.add({message, {sender, number, clock}})) {
        wait_of[message] = waits_.size();
        waits_.push_back(wait(event, reader, *missing, sequences[missing->process]));
      }
      while (const std::optional<Delivery> delivery = queue.next()) {
        if (!delivery->was_held) continue;
        CausalWait& over = waits_[wait_of[delivery->message]];
        over.released_at = event.at.number;
        over.released_by = message;
      }
    }
  }

  [[nodiscard]] CausalWait wait(const Event& event, ClientId reader, const Missing& missing,
                                const Sequence& sequence) const {
    CausalWait wait;
    wait.message = event.message;
    wait.reader = reader;
    wait.observed = event.operation;
    wait.observed_at = event.at.number;
    wait.process = missing.process;
    wait.needs = sequence.number(missing.needs);
    wait.has = sequence.number(missing.has);
    wait.missing = broadcasts_[missing.process][wait.needs - 1];
    return wait;
  }

  [[nodiscard]] std::vector<Sequence> sequences_of(ClientId reader) const {
    std::vector<Sequence> sequences(clients_);
    if (feed_) {
      for (ClientId c = 0; c < clients_; ++c) {
        for (std::uint32_t n = 1; n <= broadcasts_[c].size(); ++n)
          sequences[c].numbers.push_back(n);
      }
      return sequences;
    }
    for (const std::uint32_t index : arrivals_[reader]) {
      const MessageId message = timeline_.events[index].message;
      if (numbers_[message] > 0) sequences[sender_[message]].numbers.push_back(numbers_[message]);
    }
    for (Sequence& sequence : sequences)
      std::sort(sequence.numbers.begin(), sequence.numbers.end());
    return sequences;
  }

  static constexpr std::size_t kNone = ~std::size_t{0};

  const History& history_;
  const bool feed_;
  const std::size_t clients_;
  const Timeline timeline_;
  std::vector<std::uint32_t> stamps_{};  // by message, then client
  std::vector<std::uint32_t>
      numbers_{};                   // by message: its place among its sender's; 0: not counted
  std::vector<ClientId> sender_{};  // by message
  std::vector<std::vector<MessageId>> broadcasts_{};    // by client, in order
  std::vector<std::vector<std::uint32_t>> arrivals_{};  // by reader: events that are first copies
  std::vector<CausalWait> waits_{};
};

}  // namespace

std::vector<CausalWait> causal_waits(const History& history) { return Lens(history).look(); }

std::string to_string(const CausalWait& wait, const History& history) {
  const std::string& process = history.clients[wait.process];
  std::string text = history.messages[wait.message] + " waits for " +
                     history.messages[wait.missing] + ": needs " + process + " " +
                     std::to_string(wait.needs) + ", has " + process + " " +
                     std::to_string(wait.has);
  if (wait.released_at == kNever) return text + "; never released";
  return text + "; released by event " + std::to_string(wait.released_at);
}

std::string explain_waits(const std::vector<CausalWait>& waits, const History& history) {
  std::string text;
  for (const CausalWait& wait : waits) {
    text += history.clients[wait.reader] + ": " + to_string(wait, history) + "\n";
  }
  return text;
}

}  // namespace causalcheck
