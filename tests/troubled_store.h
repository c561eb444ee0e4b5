#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adapters/adapters.h"
#include "harness/backend.h"

namespace causalcheck {

/// The backend that a spec names, whose replicas die, stop and are cut off while it works.
///
/// Before a call of a session one replica may be struck, or the one that was struck before may come
/// back; when the choices run out nothing happens. At the drain all are back.
class TroubledStore final : public Backend {
 public:
  explicit TroubledStore(const std::string& spec) : inner_(make_backend(spec).value()) {
    crashes_ = dynamic_cast<Crashable*>(inner_.get());
    pauses_ = dynamic_cast<Pausable*>(inner_.get());
    cuts_ = dynamic_cast<Partitionable*>(inner_.get());
    names_ = inner_->nodes();
  }

  [[nodiscard]] BackendDeclaration declare() const override { return inner_->declare(); }
  [[nodiscard]] std::vector<std::string> nodes() const override { return names_; }
  [[nodiscard]] Result<void> reset(const RunInfo& run) override {
    struck_.reset();
    return inner_->reset(run);
  }
  [[nodiscard]] Result<std::unique_ptr<Session>> open(const ClientInfo& client, Runtime& runtime,
                                                      const ResumeToken* resume) override {
    Result<std::unique_ptr<Session>> session = inner_->open(client, runtime, resume);
    if (session.has_error()) return session;
    return std::unique_ptr<Session>(
        std::make_unique<TroubledSession>(*this, *std::move(session), runtime));
  }
  [[nodiscard]] Result<std::vector<Entry>> drain(std::string_view topic, std::string_view node,
                                                 Runtime& runtime) override {
    end_trouble();
    return inner_->drain(topic, node, runtime);
  }

  [[nodiscard]] std::uint64_t strikes() const { return strikes_; }

 private:
  enum class Blow : std::uint8_t { kPause, kCut };

  class TroubledSession final : public Session {
   public:
    TroubledSession(TroubledStore& store, std::unique_ptr<Session> inner, Runtime& runtime)
        : store_(store), inner_(std::move(inner)), runtime_(runtime) {}
    Result<Ack> commit(const Message& message, Time deadline) override {
      store_.trouble(runtime_);
      return inner_->commit(message, short_of(deadline));
    }
    Result<std::optional<Entry>> poll(std::string_view topic, Time deadline) override {
      store_.trouble(runtime_);
      return inner_->poll(topic, short_of(deadline));
    }
    Result<std::vector<Delivered>> receive(Time deadline) override {
      // Who waits long makes its last reads: by then the trouble is over.
      if (deadline - runtime_.now() > std::chrono::milliseconds(10)) {
        store_.end_trouble();
      } else {
        store_.trouble(runtime_);
      }
      return inner_->receive(deadline);
    }
    Result<ResumeToken> close() override { return inner_->close(); }

   private:
    // Clients give up before everybody waits for a replica that stands still.
    Time short_of(Time deadline) {
      return std::min(deadline, runtime_.now() + std::chrono::milliseconds(2));
    }
    TroubledStore& store_;
    std::unique_ptr<Session> inner_;
    Runtime& runtime_;
  };

  void trouble(Runtime& runtime) {
    const std::uint32_t drawn = runtime.choose(30);
    if (struck_) {
      if (drawn > 20) end_trouble();
    } else if (drawn > 26) {
      const std::uint32_t replica = runtime.choose(static_cast<std::uint32_t>(names_.size()));
      strike(drawn, names_[replica], runtime);
    }
  }
  void strike(std::uint32_t drawn, const std::string& name, Runtime& runtime) {
    ++strikes_;
    if (drawn == 27) return must(crashes_->crash_and_restart(name, runtime));
    const Blow blow = drawn == 28 ? Blow::kPause : Blow::kCut;
    struck_.emplace(blow, name);
    must(blow == Blow::kPause ? pauses_->pause(name) : cuts_->cut(name));
  }
  void end_trouble() {
    if (!struck_) return;
    must(struck_->first == Blow::kPause ? pauses_->resume(struck_->second)
                                        : cuts_->heal(struck_->second));
    struck_.reset();
  }
  static void must(const Result<void>& done) {
    if (done.has_error()) throw std::runtime_error(done.error().text);
  }

  std::unique_ptr<Backend> inner_;
  Crashable* crashes_ = nullptr;
  Pausable* pauses_ = nullptr;
  Partitionable* cuts_ = nullptr;
  std::vector<std::string> names_{};
  std::optional<std::pair<Blow, std::string>> struck_{};
  std::uint64_t strikes_ = 0;
};

}  // namespace causalcheck
