#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "harness/checked_backend.h"

namespace causalcheck {

/// The problems of one call, gathered while its answer is looked at.
class Problems {
 public:
  void add(std::string text) { texts_.push_back(std::move(text)); }
  void check_slot(const std::optional<Slot>& slot, Slots declared, std::string_view what);
  void check_time(Time answered, Time deadline);
  [[nodiscard]] bool empty() const { return texts_.empty(); }
  /// "<call> answered <answer>: <problem>; <problem>".
  [[nodiscard]] std::string text(std::string_view call, std::string_view answer) const;

 private:
  std::vector<std::string> texts_{};
};

/// An entry as diagnostics show it: slot, kind, and the beginning of the payload.
std::string describe(const Entry& entry);
/// The same for what a read found: "nothing" when there was none.
inline std::string or_nothing(const std::optional<Entry>& entry) {
  return entry ? describe(*entry) : "nothing";
}
std::string describe(const Error& error);

/// One session behind a CheckedBackend. See there.
class CheckedSession final : public Session {
 public:
  CheckedSession(CheckedBackend& backend, std::unique_ptr<Session> inner, std::string label,
                 Runtime& runtime);
  ~CheckedSession() override;

  [[nodiscard]] Result<Ack> commit(const Message& message, Time deadline) override;
  [[nodiscard]] Result<std::optional<Entry>> poll(std::string_view topic, Time deadline) override;
  [[nodiscard]] Result<std::vector<Delivered>> receive(Time deadline) override;
  [[nodiscard]] Result<ResumeToken> close() override;

 private:
  /// Counts a call while it is open.
  class Open {
   public:
    Open(CheckedSession& session, std::atomic<std::uint32_t>& count);
    ~Open();
    Open(const Open&) = delete;
    Open& operator=(const Open&) = delete;

   private:
    std::atomic<std::uint32_t>& count_;
    const bool threads_;
  };

  void assert_allowed() const;

  CheckedBackend& backend_;
  std::unique_ptr<Session> inner_;
  const std::string label_;
  Runtime& runtime_;
  const BackendDeclaration& declared_;
  std::atomic<std::uint32_t> commits_open_{0};
  std::atomic<std::uint32_t> reads_open_{0};
  bool closed_ = false;
};

}  // namespace causalcheck
