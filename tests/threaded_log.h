#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "harness/backend.h"

namespace causalcheck {

/// A backend on threads for tests: one log per topic in memory, behind a mutex. Right, unless it is
/// `racy`: then a commit finds its slot and takes it in two steps, and another commit may come
/// between them.
struct ThreadedLog final : Backend {
  bool racy = false;
  /// Runs in each commit before it takes effect, without the lock, with its number from 1.
  std::function<void(std::uint64_t)> before_commit{};

  std::mutex mutex{};
  std::map<std::string, std::vector<Entry>, std::less<>> logs{};  // guarded
  std::uint64_t commits = 0;                                      // guarded

  [[nodiscard]] BackendDeclaration declare() const override {
    BackendDeclaration declared;
    declared.promises.slots = Slots::kContiguous;
    declared.promises.level = Level::kTotal;
    declared.promises.retries = Retries::kNone;
    declared.promises.claims = {Guarantee::kReadYourWrites, Guarantee::kMonotonicReads,
                                Guarantee::kRealTime};
    declared.execution = Execution::kThreads;
    declared.concurrency = Concurrency::kReadDuringCommit;
    return declared;
  }

  [[nodiscard]] Result<void> reset(const RunInfo&) override {
    const std::lock_guard lock(mutex);
    logs.clear();
    commits = 0;
    return {};
  }

  struct LogSession final : Session {
    LogSession(ThreadedLog& b, Runtime& r) : backend(b), runtime(r) {}

    [[nodiscard]] Result<Ack> commit(const Message& message, Time) override {
      std::unique_lock lock(backend.mutex);
      const std::uint64_t number = ++backend.commits;
      if (backend.before_commit) {
        lock.unlock();
        backend.before_commit(number);
        lock.lock();
      }
      std::vector<Entry>& log = backend.logs[std::string(message.topic)];
      const std::size_t slot = log.size();
      if (backend.racy) {
        lock.unlock();
        runtime.yield();
        lock.lock();
      }
      if (log.size() <= slot) log.resize(slot + 1);
      log[slot] = {std::string(message.payload), static_cast<Slot>(slot), message.is_delete, false};
      return Ack{static_cast<Slot>(slot)};
    }

    [[nodiscard]] Result<std::optional<Entry>> poll(std::string_view topic, Time) override {
      runtime.yield();
      const std::lock_guard lock(backend.mutex);
      const auto found = backend.logs.find(topic);
      if (found == backend.logs.end() || found->second.empty()) return std::optional<Entry>();
      return std::optional<Entry>(found->second.back());
    }

    [[nodiscard]] Result<std::vector<Delivered>> receive(Time) override {
      return Error(ErrorCode::kRejected, "this log is polled");
    }

    ThreadedLog& backend;
    Runtime& runtime;
  };

  [[nodiscard]] Result<std::unique_ptr<Session>> open(const ClientInfo&, Runtime& runtime,
                                                      const ResumeToken*) override {
    return std::unique_ptr<Session>(std::make_unique<LogSession>(*this, runtime));
  }

  [[nodiscard]] Result<std::vector<Entry>> drain(std::string_view topic, std::string_view,
                                                 Runtime&) override {
    const std::lock_guard lock(mutex);
    const auto found = logs.find(topic);
    return found == logs.end() ? std::vector<Entry>() : found->second;
  }
};

}  // namespace causalcheck
