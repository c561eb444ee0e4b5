#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "adapters/adapters.h"
#include "harness/checked_backend.h"
#include "harness/scheduler.h"
#include "tests/plain_runtime.h"
#include "tests/steady_runtime.h"

namespace causalcheck {

inline constexpr Time kLimit = std::chrono::seconds(20);
inline constexpr std::uint32_t kRacers = 4;
// Few: each commit of some adapters is a sync of the disk.
inline constexpr std::uint64_t kSeeds = 5;

/// The backends to be tested, as the command line names them.
std::vector<std::string>& specs();

/// Payloads that something between here and the disk might trip over.
std::vector<std::string> awkward_payloads();

/// A test's name for a spec: its letters and digits.
std::string test_name(const testing::TestParamInfo<std::string>& info);

/// A commit that was acknowledged.
struct Committed {
  std::string payload{};
  std::optional<Slot> slot{};
};

/// One backend, made anew for each test and reset for a first run. Misuse of the interface fails
/// the test.
class Conformance : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    Result<std::unique_ptr<Backend>> made = make_backend(GetParam());
    ASSERT_TRUE(made.has_value()) << made.error().text;
    inner_ = *std::move(made);
    backend_ = std::make_unique<CheckedBackend>(*inner_);
    declared_ = backend_->declare();
    if (declared_.execution == Execution::kThreads) runtime_ = &steady_;
    reset("conformance-1");
  }
  void TearDown() override {
    if (!backend_) return;
    for (const Misuse& misuse : backend_->misuse()) ADD_FAILURE() << misuse.text;
  }

  void reset(const std::string& run, std::vector<std::string> topics = {"x", "y"}) {
    const Result<void> done = backend_->reset({run, std::move(topics)});
    ASSERT_TRUE(done.has_value()) << done.error().text;
  }
  std::unique_ptr<Session> open(ClientId client, const ResumeToken* resume = nullptr) {
    return open({client, client_label(client), 1}, *runtime_, resume);
  }
  std::unique_ptr<Session> open(ClientId client, Runtime& runtime) {
    return open({client, client_label(client), 1}, runtime, nullptr);
  }
  std::unique_ptr<Session> open(const ClientInfo& client, Runtime& runtime,
                                const ResumeToken* resume) {
    Result<std::unique_ptr<Session>> session = backend_->open(client, runtime, resume);
    if (session.has_error()) throw std::runtime_error(session.error().text);
    return *std::move(session);
  }
  Time soon(Runtime& runtime) const { return runtime.now() + kLimit; }

  Committed commit(Session& session, std::string payload, std::string_view topic = "x") {
    return commit(session, *runtime_, std::move(payload), topic);
  }
  Committed commit(Session& session, Runtime& runtime, std::string payload,
                   std::string_view topic) {
    const Result<Ack> ack = session.commit({topic, payload, false}, soon(runtime));
    EXPECT_TRUE(ack.has_value()) << ack.error().text;
    return {std::move(payload), ack.has_value() ? ack->slot : std::nullopt};
  }

  bool is_feed() const { return declared_.promises.reads == Reads::kFeed; }
  bool has_slots() const { return declared_.promises.slots != Slots::kNone; }

  // What a session reads next of `topic`: the freshest, or the first of what comes.
  std::optional<Entry> read(Session& session, std::string_view topic = "x") {
    if (!is_feed()) {
      const auto answer = session.poll(topic, soon(*runtime_));
      EXPECT_TRUE(answer.has_value()) << answer.error().text;
      return answer.has_value() ? *answer : std::nullopt;
    }
    const std::vector<Delivered> all = receive(session);
    EXPECT_LE(all.size(), 1U);
    if (all.empty()) return std::nullopt;
    EXPECT_EQ(all.back().topic, topic);
    return all.back().entry;
  }
  std::vector<Delivered> receive(Session& session) {
    // Virtual time costs nothing.
    const bool threads = declared_.execution == Execution::kThreads;
    const auto answer =
        session.receive(runtime_->now() + std::chrono::milliseconds(threads ? 200 : 2000));
    EXPECT_TRUE(answer.has_value()) << answer.error().text;
    return answer.has_value() ? *answer : std::vector<Delivered>();
  }
  std::vector<Entry> drain(std::string_view topic = "x") {
    std::vector<Entry> entries;
    for (const std::string& node : backend_->nodes()) {
      const auto answer = backend_->drain(topic, node, *runtime_);
      EXPECT_TRUE(answer.has_value()) << answer.error().text;
      if (answer.has_value()) entries = *answer;
    }
    return entries;
  }
  // What the drain must show: the commits, in the order of their slots.
  void expect_drained(std::vector<Committed> commits, std::string_view topic = "x") {
    const std::vector<Entry> entries = drain(topic);
    if (!has_slots() && !is_feed()) {
      ASSERT_FALSE(entries.empty());  // it shows what survived, which the checker judges
      return;
    }
    std::vector<Committed> shown;
    for (const Entry& entry : entries) {
      EXPECT_FALSE(entry.unreadable);
      shown.push_back({entry.payload, entry.slot});
    }
    const auto before = [](const Committed& a, const Committed& b) {
      return a.slot != b.slot ? a.slot < b.slot : a.payload < b.payload;
    };
    std::sort(commits.begin(), commits.end(), before);
    // Without slots there is no order to hold it to.
    if (!has_slots()) std::sort(shown.begin(), shown.end(), before);
    ASSERT_EQ(shown.size(), commits.size());
    for (std::size_t i = 0; i < shown.size(); ++i) {
      EXPECT_TRUE(shown[i].payload == commits[i].payload) << i;
      EXPECT_EQ(shown[i].slot, commits[i].slot) << i;
    }
  }

  // Runs `body` for each of `count` clients, all at once: as fibers under the scheduler with
  // `seed`, or as threads.
  void run_together(std::uint32_t count, std::uint64_t seed,
                    const std::function<void(std::uint32_t, Runtime&)>& body) {
    if (declared_.execution == Execution::kThreads) {
      std::vector<std::thread> threads;
      for (std::uint32_t i = 0; i < count; ++i) threads.emplace_back([&, i] { body(i, steady_); });
      for (std::thread& thread : threads) thread.join();
      return;
    }
    Choices choices(seed);
    const Strategy strategy;
    scheduler_.begin(choices, strategy);
    scheduler_.limit_steps(1'000'000);
    for (std::uint32_t i = 0; i < count; ++i) {
      scheduler_.spawn(i, "client",
                       [this, i, &body] { body(i, scheduler_.runtime_of(i, Time::zero())); });
    }
    scheduler_.run();
  }

  std::unique_ptr<Backend> inner_{};
  std::unique_ptr<CheckedBackend> backend_{};
  BackendDeclaration declared_{};
  PlainRuntime plain_{};
  SteadyRuntime steady_{};
  Runtime* runtime_ = &plain_;
  DeterministicScheduler scheduler_{};
};

}  // namespace causalcheck
