// The checker alone: events a second at level causal, cost per event by length, and memory.
// Prints one line per figure; docs/numbers.md is made from it.
#include <fmt/core.h>
#include <malloc.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "checker/checker.h"

namespace causalcheck {
namespace {

/// A correct log: every round one client publishes and every `readers` others observe it.
History synthetic(std::uint32_t clients, std::uint32_t readers, std::uint64_t events) {
  History history;
  history.declared.slots = Slots::kContiguous;
  history.declared.scope = Scope::kTopic;
  history.declared.claims.insert(Guarantee::kRealTime);
  history.topics = {"t"};
  for (ClientId c = 0; c < clients; ++c) history.clients.push_back(client_label(c));
  Position now = 0;
  history.operations.reserve(events);
  for (std::uint32_t round = 0; history.operations.size() + readers + 1 <= events; ++round) {
    const ClientId writer = round % clients;
    const MessageId id = round;
    history.messages.emplace_back("m" + std::to_string(round));
    Operation write{};
    write.start = ++now;
    write.end = ++now;
    write.slot = round;
    write.client = writer;
    write.message = id;
    write.kind = OperationKind::kWrite;
    history.operations.push_back(write);
    for (std::uint32_t r = 1; r <= readers; ++r) {
      Operation read = write;
      read.start = ++now;
      read.end = ++now;
      read.client = (writer + r) % clients;
      read.kind = OperationKind::kRead;
      history.operations.push_back(read);
    }
  }
  return history;
}

struct Figure {
  double ns_per_event = 0;
  double bytes = 0;
};

Figure measure(const History& history) {
  using Clock = std::chrono::steady_clock;
  malloc_trim(0);
  const auto before = mallinfo2();
  const auto start = Clock::now();
  Checker checker;
  checker.begin(history);
  for (OperationIndex i = 0; i < history.operations.size(); ++i) {
    checker.invoked(i);
    checker.completed(i);
  }
  const auto after = mallinfo2();
  const Report report = checker.finish();
  const std::chrono::duration<double, std::nano> took = Clock::now() - start;
  if (report[Guarantee::kCausal].answer != Answer::kHolds) std::abort();
  const auto in_use = [](const auto& info) {
    return static_cast<double>(info.uordblks + info.hblkhd);
  };
  return {took.count() / static_cast<double>(history.operations.size()),
          in_use(after) - in_use(before)};
}

void print(const char* what, std::uint32_t clients, std::uint32_t readers, std::uint64_t events) {
  const History history = synthetic(clients, readers, events);
  const std::uint64_t repeats = events < 100'000 ? 2'000'000 / events : 1;
  Figure best = measure(history);
  for (std::uint64_t i = 1; i < repeats; ++i) {
    const Figure again = measure(history);
    if (again.ns_per_event < best.ns_per_event) best = again;
  }
  fmt::print("{:<28} {:>9} events  {:6.1f} ns/event  {:6.2f} million events/s  {:8.2f} MiB\n", what,
             history.operations.size(), best.ns_per_event, 1e3 / best.ns_per_event,
             best.bytes / (1 << 20));
}

}  // namespace
}  // namespace causalcheck

int main() {
  using causalcheck::print;
  for (std::uint64_t events = 1'000; events <= 10'000'000; events *= 10) {
    print("causal, 3 clients", 3, 2, events);
  }
  print("causal, 100 clients", 100, 2, 1'000'000);
  print("causal, 100 clients, all read", 100, 99, 1'000'000);
  return 0;
}
