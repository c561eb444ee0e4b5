#pragma once

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/backend.h"

namespace causalcheck {

/// What is wrong with a SickBackend.
enum class Defect : std::uint8_t {
  kNone,
  kOffersUnclaimed,
  kAnswersBeforeTheFirst,
  kAnswersBothReads,
  kCutsAtNul,
  kCountsSlotsOverTopics,
  kWritesOnOpen,
  kForgetsDeletes,
  kIgnoresCase,
  kKeepsDataOverResets,
  kSharesOneWorld,
  kIgnoresTheToken,
  kKeepsPositionsOfTheDead,
  kHoldsALock,
  kTwoWinners,
  kNeverYields,
  kLags,
  kSkipsInTheFeed,
  kReordersThePipeline,
  kRollsItsOwnDice,
  kDeniesWhatItDid,
  kFailsOnTimeout,
  kCrashDoesNothing,
  kPowerLossDoesNothing,
  kPauseDoesNothing,
  kCutDoesNothing,
};

/// A log in memory on two nodes, with every power there is, that has at most one defect.
class SickBackend final : public Backend,
                          public Crashable,
                          public PowerLosable,
                          public Pausable,
                          public Partitionable {
 public:
  using Log = std::vector<Entry>;
  /// The logs of both nodes, by node and topic.
  using World = std::map<std::pair<std::string, std::string>, Log>;

  SickBackend(Defect defect, Reads reads, Concurrency concurrency, std::shared_ptr<World> world)
      : defect_(defect), world_(std::move(world)) {
    declared_.promises.slots = Slots::kContiguous;
    declared_.promises.level = Level::kTotal;
    declared_.promises.reads = reads;
    declared_.promises.claims = {Guarantee::kReadYourWrites, Guarantee::kMonotonicReads};
    declared_.concurrency = concurrency;
    declared_.interleaves = true;
    if (is(Defect::kOffersUnclaimed)) declared_.promises.offers.insert(Guarantee::kRealTime);
  }

  [[nodiscard]] BackendDeclaration declare() const override { return declared_; }
  [[nodiscard]] std::vector<std::string> nodes() const override { return {"n1", "n2"}; }

  [[nodiscard]] Result<void> reset(const RunInfo& run) override {
    topics_ = run.topics;
    if (!is(Defect::kKeepsDataOverResets)) world_->clear();
    seen_.clear();
    cut_ = false;
    lock_ = nullptr;
    return {};
  }

  [[nodiscard]] Result<std::unique_ptr<Session>> open(const ClientInfo& client, Runtime& runtime,
                                                      const ResumeToken* resume) override {
    auto session = std::make_unique<SickSession>(*this, runtime, topics_);
    if (resume != nullptr && is(Defect::kIgnoresTheToken)) session->is_blind = true;
    if (resume != nullptr && !is(Defect::kIgnoresTheToken)) session->take(resume->bytes);
    const std::string base = client.label.substr(0, client.label.find('~'));
    const bool was_here = !seen_.insert(base).second;
    if (is(Defect::kKeepsPositionsOfTheDead) && was_here) session->is_blind = true;
    if (is(Defect::kWritesOnOpen)) log("n2", "x").push_back({"hello", Slot{0}, false, false});
    return std::unique_ptr<Session>(std::move(session));
  }

  [[nodiscard]] Result<std::vector<Entry>> drain(std::string_view topic, std::string_view node,
                                                 Runtime&) override {
    return log(node, topic);
  }

  [[nodiscard]] Result<void> crash_and_restart(std::string_view, Runtime&) override {
    if (!is(Defect::kCrashDoesNothing)) ++boots_;
    return {};
  }
  [[nodiscard]] Result<void> lose_power(std::string_view, Runtime&) override {
    if (!is(Defect::kPowerLossDoesNothing)) ++boots_;
    return {};
  }
  [[nodiscard]] Result<void> pause(std::string_view) override {
    paused_ = !is(Defect::kPauseDoesNothing);
    return {};
  }
  [[nodiscard]] Result<void> resume(std::string_view) override {
    paused_ = false;
    return {};
  }
  [[nodiscard]] Result<void> cut(std::string_view) override {
    cut_ = !is(Defect::kCutDoesNothing);
    return {};
  }
  [[nodiscard]] Result<void> heal(std::string_view) override {
    cut_ = false;
    for (const std::string& topic : topics_) log("n2", topic) = log("n1", topic);
    return {};
  }

 private:
  class SickSession final : public Session {
   public:
    SickSession(SickBackend& backend, Runtime& runtime, const std::vector<std::string>& topics)
        : backend_(backend), runtime_(runtime) {
      for (const std::string& topic : topics) next_[topic] = 0;
    }
    ~SickSession() override {
      if (backend_.lock_ == this) backend_.lock_ = nullptr;
    }

    [[nodiscard]] Result<Ack> commit(const Message& message, Time deadline) override {
      SickBackend& b = backend_;
      if (runtime_.now() >= deadline) {
        if (b.is(Defect::kDeniesWhatItDid)) b.append(message);
        return Error(ErrorCode::kUnavailable, "no time left");
      }
      while (b.paused_ || (b.lock_ != nullptr && b.lock_ != this)) {
        if (runtime_.now() >= deadline) return Error(ErrorCode::kDeadline, "nobody answered");
        runtime_.sleep_until(runtime_.now() + std::chrono::milliseconds(1));
      }
      if (b.is(Defect::kHoldsALock)) b.lock_ = this;
      if (b.is(Defect::kRollsItsOwnDice) && ++b.dice_ % 4 == 0) pause();
      if (b.is(Defect::kReordersThePipeline)) pause();
      const std::uint64_t boots = b.boots_;
      Slot slot = 0;
      if (b.is(Defect::kTwoWinners)) {
        const std::size_t free = b.log("n1", message.topic).size();
        pause();
        slot = b.put(message, free);
      } else {
        slot = b.append(message);
      }
      pause();
      if (boots != b.boots_) return Error(ErrorCode::kConnectionLost, "the server went away");
      if (runtime_.now() > deadline) {
        return Error(b.is(Defect::kFailsOnTimeout) ? ErrorCode::kRejected : ErrorCode::kDeadline,
                     "no answer in time");
      }
      return Ack{slot};
    }

    [[nodiscard]] Result<std::optional<Entry>> poll(std::string_view topic, Time) override {
      if (backend_.is_feed() && !backend_.is(Defect::kAnswersBothReads)) {
        return Error(ErrorCode::kRejected, "this is a feed");
      }
      pause();
      const Log& log = backend_.log("n1", topic);
      std::size_t size = is_blind ? 0 : log.size();
      if (backend_.is(Defect::kLags) && size > 0 && ++backend_.dice_ % 2 == 0) --size;
      if (size == 0 && backend_.is(Defect::kAnswersBeforeTheFirst)) {
        return std::optional<Entry>(Entry{"", Slot{0}, false, false});
      }
      if (size == 0) return std::optional<Entry>();
      return std::optional<Entry>(log[size - 1]);
    }

    [[nodiscard]] Result<std::vector<Delivered>> receive(Time deadline) override {
      if (!backend_.is_feed() && !backend_.is(Defect::kAnswersBothReads)) {
        return Error(ErrorCode::kRejected, "this is no feed");
      }
      while (true) {
        pause();
        std::vector<Delivered> batch;
        for (auto& [topic, next] : next_) {
          const Log& log = backend_.log("n1", topic);
          if (backend_.is(Defect::kSkipsInTheFeed) && next == 2 && log.size() > 3) ++next;
          for (; next < log.size(); ++next) batch.push_back({topic, log[next]});
        }
        if (!batch.empty() || runtime_.now() >= deadline) return batch;
        runtime_.sleep_until(std::min(deadline, runtime_.now() + std::chrono::milliseconds(1)));
      }
    }

    [[nodiscard]] Result<ResumeToken> close() override {
      std::string bytes;
      for (const auto& [topic, next] : next_) bytes += std::to_string(next) + ",";
      return ResumeToken{bytes};
    }
    void take(const std::string& bytes) {
      std::size_t at = 0;
      for (auto& [topic, next] : next_) {
        next = std::stoul(bytes.substr(at));
        at = bytes.find(',', at) + 1;
      }
    }

    bool is_blind = false;

   private:
    void pause() {
      if (!backend_.is(Defect::kNeverYields)) runtime_.yield();
    }

    SickBackend& backend_;
    Runtime& runtime_;
    std::map<std::string, std::size_t> next_{};
  };

  [[nodiscard]] bool is(Defect defect) const { return defect_ == defect; }
  [[nodiscard]] bool is_feed() const { return declared_.promises.reads == Reads::kFeed; }

  Log& log(std::string_view node, std::string_view topic) {
    std::string name(topic);
    if (is(Defect::kIgnoresCase)) {
      for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    return (*world_)[{std::string(node), name}];
  }
  Slot append(const Message& message) { return put(message, log("n1", message.topic).size()); }
  Slot put(const Message& message, std::size_t at) {
    Entry entry{std::string(message.payload), static_cast<Slot>(at), message.is_delete, false};
    if (is(Defect::kForgetsDeletes)) entry.is_delete = false;
    if (is(Defect::kCutsAtNul)) entry.payload = entry.payload.c_str();
    if (is(Defect::kCountsSlotsOverTopics)) entry.slot = static_cast<Slot>(dice_++);
    for (const char* node : {"n1", "n2"}) {
      if (cut_ && std::string_view(node) == "n2") continue;
      Log& into = log(node, message.topic);
      if (into.size() <= at) into.resize(at + 1);
      into[at] = entry;
    }
    return *entry.slot;
  }

  const Defect defect_;
  std::shared_ptr<World> world_;
  BackendDeclaration declared_{};
  std::vector<std::string> topics_{};
  std::set<std::string> seen_{};
  std::uint64_t boots_ = 0;
  std::uint64_t dice_ = 0;  // goes on over resets
  bool paused_ = false;
  bool cut_ = false;
  const Session* lock_ = nullptr;
};

}  // namespace causalcheck
