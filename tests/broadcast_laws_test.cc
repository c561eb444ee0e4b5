// Random runs of bare hold-back queues, each recorded as a history and judged by the checker.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "checker/checker.h"
#include "checker/delivery_rules.h"
#include "checker/explain.h"
#include "checker/holdback.h"
#include "checker/holdback_queue.h"
#include "harness/choices.h"

namespace causalcheck {
namespace {

// A group whose processes broadcast and take in arrivals in whatever order the choices say.
class RandomRun {
 public:
  RandomRun(const DeliveryRule& rule, std::uint32_t processes, Choices& choices)
      : choices_(choices), inboxes_(processes) {
    history_.topics = {"t"};
    history_.declared.reads = Reads::kFeed;
    history_.declared.claims = {};
    history_.has_header = true;
    for (std::uint32_t p = 0; p < processes; ++p) {
      history_.clients.push_back(client_label(p));
      queues_.push_back(std::make_unique<HoldBackQueue>(rule));
      queues_.back()->count(processes - 1, 0);
    }
  }

  History make(std::uint32_t steps) {
    for (std::uint32_t i = 0; i < steps; ++i) {
      const ProcessId process = choices_.next(processes());
      if (inboxes_[process].empty() || choices_.next(3) == 0) {
        broadcast(process);
      } else {
        take_in(process);
      }
    }
    for (ProcessId process = 0; process < processes(); ++process) {
      while (!inboxes_[process].empty()) take_in(process);
      record(process, OperationKind::kRead, kNothing);
    }
    for (MessageId m = 0; m < broadcasts_.size(); ++m) {
      record(kDrainClient, OperationKind::kRead, m);
    }
    if (broadcasts_.empty()) record(kDrainClient, OperationKind::kRead, kNothing);
    return history_;
  }

 private:
  struct Broadcast {
    ProcessId sender = 0;
    std::vector<std::uint32_t> clock{};
  };

  [[nodiscard]] std::uint32_t processes() const {
    return static_cast<std::uint32_t>(inboxes_.size());
  }

  void broadcast(ProcessId process) {
    HoldBackQueue& queue = *queues_[process];
    queue.count(process, queue.clock()[process] + 1);
    const auto message = static_cast<MessageId>(broadcasts_.size());
    broadcasts_.push_back({process, {queue.clock().begin(), queue.clock().end()}});
    history_.messages.push_back(history_.clients[process] + "-" + std::to_string(message));
    record(process, OperationKind::kWrite, message);
    for (ProcessId other = 0; other < processes(); ++other) {
      if (other != process) inboxes_[other].push_back(message);
    }
  }

  void take_in(ProcessId process) {
    std::vector<MessageId>& inbox = inboxes_[process];
    const std::uint32_t at = choices_.next(static_cast<std::uint32_t>(inbox.size()));
    const MessageId message = inbox[at];
    inbox.erase(inbox.begin() + at);
    const Broadcast& broadcast = broadcasts_[message];
    queues_[process]->add(
        {message, {broadcast.sender, broadcast.clock[broadcast.sender], broadcast.clock}});
    while (const auto delivery = queues_[process]->next()) {
      record(process, OperationKind::kRead, delivery->message);
    }
  }

  void record(ClientId client, OperationKind kind, MessageId message) {
    Operation operation;
    operation.start = next_++;
    operation.end = next_++;
    operation.client = client;
    operation.kind = kind;
    operation.message = message;
    history_.operations.push_back(operation);
  }

  Choices& choices_;
  std::vector<std::vector<MessageId>> inboxes_;
  std::vector<std::unique_ptr<HoldBackQueue>> queues_{};
  std::deque<Broadcast> broadcasts_{};
  History history_{};
  Position next_ = 1;
};

History random_run(const DeliveryRule& rule, std::uint64_t seed, std::uint32_t processes,
                   std::uint32_t steps) {
  Choices choices(seed);
  return RandomRun(rule, processes, choices).make(steps);
}

History random_run(const DeliveryRule& rule) {
  const auto processes = *rc::gen::inRange<std::uint32_t>(1, 6);
  const auto steps = *rc::gen::inRange<std::uint32_t>(0, 60);
  Choices choices(*rc::gen::container<std::vector<std::uint32_t>>(
      3 * std::size_t{steps}, rc::gen::inRange<std::uint32_t>(0, 1000)));
  return RandomRun(rule, processes, choices).make(steps);
}

RC_GTEST_PROP(BroadcastLaw, CausalDeliveryNeverBreaksCausal, ()) {
  const History history = random_run(CausalRule());
  const Report report = check(history);
  RC_LOG(explain(report, history));
  RC_ASSERT(report[Guarantee::kCausal].answer == Answer::kHolds);
  RC_ASSERT(report[Guarantee::kFifo].answer == Answer::kHolds);
  RC_ASSERT(report[Guarantee::kDelivery].answer == Answer::kHolds);
  RC_ASSERT(causal_waits(history).empty());
}

RC_GTEST_PROP(BroadcastLaw, FifoDeliveryNeverBreaksFifo, ()) {
  History history = random_run(FifoRule());
  history.declared.level = Level::kFifo;
  RC_ASSERT(check(history)[Guarantee::kFifo].answer == Answer::kHolds);
}

RC_GTEST_PROP(BroadcastLaw, ACausalReceiverWouldHaveWaitedExactlyWhereCausalBreaks, ()) {
  const History history = random_run(ImmediateRule());
  const bool breaks = check(history)[Guarantee::kCausal].answer == Answer::kBreaks;
  RC_TAG(breaks ? "breaks" : "holds");
  RC_ASSERT(causal_waits(history).empty() == !breaks);
}

// The causal rule without the check for the sender's very next message.
class OthersOnlyRule final : public DeliveryRule {
 public:
  [[nodiscard]] std::optional<Missing> first_missing(
      const Stamp& stamp, std::span<const std::uint32_t> delivered) const override {
    for (ProcessId process = 0; process < stamp.clock.size(); ++process) {
      if (process == stamp.sender || stamp.clock[process] <= delivered[process]) continue;
      return Missing{process, stamp.clock[process], delivered[process]};
    }
    return std::nullopt;
  }
};

// The first of 100 random runs in which `rule` breaks `id`.
std::uint64_t runs_until(const DeliveryRule& rule, Guarantee id) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    if (check(random_run(rule, seed, 3, 60))[id].answer == Answer::kBreaks) return seed;
  }
  return 0;
}

TEST(BroadcastLaw, DroppingTheCheckOfOthersIsFoundAndLeavesFifo) {
  EXPECT_NE(runs_until(FifoRule(), Guarantee::kCausal), 0U);
  EXPECT_EQ(runs_until(FifoRule(), Guarantee::kFifo), 0U);
}

TEST(BroadcastLaw, DroppingTheCheckOfTheSenderIsFound) {
  EXPECT_NE(runs_until(OthersOnlyRule(), Guarantee::kFifo), 0U);
}

TEST(BroadcastLaw, BothHalvesTogetherAreNotAccused) {
  EXPECT_EQ(runs_until(CausalRule(), Guarantee::kFifo), 0U);
  EXPECT_EQ(runs_until(CausalRule(), Guarantee::kCausal), 0U);
  EXPECT_EQ(runs_until(CausalRule(), Guarantee::kDelivery), 0U);
}

}  // namespace
}  // namespace causalcheck
