#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <thread>

#include "adapters/memory/memory_store.h"
#include "harness/checked_backend.h"
#include "harness/doctor/steady_runtime.h"
#include "harness/object_log.h"

namespace causalcheck {
namespace {

constexpr Time kFar = std::chrono::hours(1);
constexpr int kCommits = 50;

// Two sessions, each with three threads that commit and one that reads: what a pipelined session of
// a backend on threads has to bear. The thread sanitizer looks on.
TEST(ObjectLogOnThreads, TakesCommitsAndReadsOfManyThreads) {
  ObjectLog log(std::make_unique<MemoryStore>(Execution::kThreads),
                {Reads::kLatest, Execution::kThreads});
  CheckedBackend checked(log);
  ASSERT_TRUE(checked.reset({"run", {"x", "y"}}).has_value());
  EXPECT_EQ(checked.declare().execution, Execution::kThreads);
  SteadyRuntime runtime;
  std::vector<std::unique_ptr<Session>> sessions;
  for (ClientId client = 0; client < 2; ++client) {
    sessions.push_back(*checked.open({client, client_label(client), 1}, runtime, nullptr));
  }
  std::vector<std::thread> threads;
  for (const auto& owned : sessions) {
    Session& session = *owned;
    for (int writer = 0; writer < 3; ++writer) {
      threads.emplace_back([&session] {
        for (int i = 0; i < kCommits; ++i) {
          EXPECT_TRUE(session.commit({i % 2 == 0 ? "x" : "y", "m", false}, kFar).has_value());
        }
      });
    }
    threads.emplace_back([&session] {
      Slot last = -1;
      while (last < 3 * kCommits - 1) {
        const auto answer = session.poll("x", kFar);
        ASSERT_TRUE(answer.has_value());
        if (!answer->has_value()) continue;
        EXPECT_GE(*(*answer)->slot, last);
        last = *(*answer)->slot;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  sessions.clear();
  for (const char* topic : {"x", "y"}) {
    const std::vector<Entry> entries = checked.drain(topic, "", runtime).value();
    ASSERT_EQ(entries.size(), 3U * kCommits);
    for (std::size_t i = 0; i < entries.size(); ++i) {
      EXPECT_EQ(entries[i].slot, static_cast<Slot>(i));
    }
  }
  EXPECT_TRUE(checked.misuse().empty());
}

}  // namespace
}  // namespace causalcheck
