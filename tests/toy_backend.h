#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/backend.h"

namespace causalcheck {

/// A backend for tests: one log per topic in memory, right unless a hook makes it wrong.
struct ToyBackend : Backend {
  BackendDeclaration declared{};

  /// Each is asked before the call takes effect, with the number of the call from 1; an error keeps
  /// it from taking effect.
  std::function<std::optional<Error>(std::uint64_t)> refuse_open{};
  std::function<std::optional<Error>(std::uint64_t)> refuse_commit{};
  std::function<std::optional<Error>(std::uint64_t)> refuse_read{};
  std::function<std::optional<Error>(std::uint64_t)> refuse_drain{};
  /// Asked after a commit took effect; an error takes the place of the acknowledgement.
  std::function<std::optional<Error>(std::uint64_t)> lose_answer{};
  /// How many of the newest messages a read does not see, by number of the read.
  std::function<std::size_t(std::uint64_t)> lag{};
  /// Changes what is about to be stored.
  std::function<void(std::uint64_t, Entry&)> spoil{};
  /// Changes what a poll is about to answer, by number of the read.
  std::function<void(std::uint64_t, std::optional<Entry>&)> spoil_read{};
  bool yields = true;
  std::vector<std::string> node_names{std::string()};

  std::vector<RunInfo> resets{};
  std::vector<ClientInfo> opens{};
  std::vector<bool> resumed{};
  std::vector<std::vector<Entry>> logs{};
  std::uint64_t commits = 0;
  std::uint64_t reads = 0;
  std::uint64_t drains = 0;
  std::uint32_t calls_open = 0;
  std::uint32_t calls_open_max = 0;
  std::uint32_t commits_open = 0;
  std::uint32_t commits_open_max = 0;

  ToyBackend() {
    declared.promises.slots = Slots::kContiguous;
    declared.promises.level = Level::kTotal;
    declared.promises.retries = Retries::kNone;
    declared.concurrency = Concurrency::kReadDuringCommit;
    declared.interleaves = true;
  }

  [[nodiscard]] BackendDeclaration declare() const override { return declared; }
  [[nodiscard]] std::vector<std::string> nodes() const override { return node_names; }

  [[nodiscard]] Result<void> reset(const RunInfo& run) override {
    resets.push_back(run);
    logs.assign(run.topics.size(), {});
    commits = reads = drains = 0;
    opens.clear();
    resumed.clear();
    calls_open_max = commits_open_max = 0;
    return {};
  }

  [[nodiscard]] std::size_t topic(std::string_view name) const {
    const auto& topics = resets.back().topics;
    std::size_t i = 0;
    while (i < topics.size() && topics[i] != name) ++i;
    return i;
  }

  struct Call {
    explicit Call(ToyBackend& b) : Call(b, b.calls_open, b.calls_open_max) {}
    Call(ToyBackend&, std::uint32_t& o, std::uint32_t& most) : open(o) {
      most = std::max(most, ++open);
    }
    ~Call() { --open; }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;
    std::uint32_t& open;
  };

  struct ToySession final : Session {
    ToySession(ToyBackend& b, Runtime& r) : backend(b), runtime(r), next(b.logs.size(), 0) {}

    void pause() {
      if (backend.yields) runtime.yield();
    }

    [[nodiscard]] Result<Ack> commit(const Message& message, Time) override {
      const Call call(backend);
      const Call commit(backend, backend.commits_open, backend.commits_open_max);
      const std::uint64_t number = ++backend.commits;
      // Pipelined commits take effect in the order of their calls.
      if (backend.declared.concurrency != Concurrency::kPipelined) pause();
      if (backend.refuse_commit) {
        if (auto error = backend.refuse_commit(number)) return *std::move(error);
      }
      std::vector<Entry>& log = backend.logs[backend.topic(message.topic)];
      Entry entry{std::string(message.payload), static_cast<Slot>(log.size()), message.is_delete,
                  false};
      if (backend.spoil) backend.spoil(number, entry);
      log.push_back(std::move(entry));
      const Slot slot = static_cast<Slot>(log.size()) - 1;
      pause();
      if (backend.lose_answer) {
        if (auto error = backend.lose_answer(number)) return *std::move(error);
      }
      return Ack{slot};
    }

    [[nodiscard]] Result<std::optional<Entry>> poll(std::string_view topic, Time) override {
      const Call call(backend);
      const std::uint64_t number = ++backend.reads;
      pause();
      if (backend.refuse_read) {
        if (auto error = backend.refuse_read(number)) return *std::move(error);
      }
      const std::vector<Entry>& log = backend.logs[backend.topic(topic)];
      const std::size_t behind = backend.lag ? backend.lag(number) : 0;
      std::optional<Entry> answer;
      if (log.size() > behind) answer = log[log.size() - 1 - behind];
      if (backend.spoil_read) backend.spoil_read(number, answer);
      return answer;
    }

    [[nodiscard]] Result<std::vector<Delivered>> receive(Time deadline) override {
      const Call call(backend);
      const std::uint64_t number = ++backend.reads;
      pause();
      if (backend.refuse_read) {
        if (auto error = backend.refuse_read(number)) return *std::move(error);
      }
      std::vector<Delivered> batch;
      for (std::size_t i = 0; i < next.size(); ++i) {
        for (; next[i] < backend.logs[i].size(); ++next[i]) {
          batch.push_back({backend.resets.back().topics[i], backend.logs[i][next[i]]});
        }
      }
      if (batch.empty()) runtime.sleep_until(deadline);
      return batch;
    }

    [[nodiscard]] Result<ResumeToken> close() override {
      std::string bytes;
      for (const std::size_t position : next) bytes += std::to_string(position) + ",";
      return ResumeToken{bytes};
    }

    ToyBackend& backend;
    Runtime& runtime;
    std::vector<std::size_t> next;
  };

  [[nodiscard]] Result<std::unique_ptr<Session>> open(const ClientInfo& client, Runtime& runtime,
                                                      const ResumeToken* resume) override {
    opens.push_back(client);
    resumed.push_back(resume != nullptr);
    if (refuse_open) {
      if (auto error = refuse_open(opens.size())) return *std::move(error);
    }
    auto session = std::make_unique<ToySession>(*this, runtime);
    if (resume != nullptr) {
      std::size_t at = 0;
      for (std::size_t& position : session->next) {
        position = std::stoul(resume->bytes.substr(at));
        at = resume->bytes.find(',', at) + 1;
      }
    }
    return std::unique_ptr<Session>(std::move(session));
  }

  [[nodiscard]] Result<std::vector<Entry>> drain(std::string_view name, std::string_view,
                                                 Runtime& runtime) override {
    if (yields) runtime.yield();
    if (refuse_drain) {
      if (auto error = refuse_drain(++drains)) return *std::move(error);
    }
    return logs[topic(name)];
  }
};

}  // namespace causalcheck
