#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/exec/child.h"
#include "adapters/exec/exec_protocol.h"

namespace causalcheck {

/// Requests to a child and the answers to them, which may come in any order. From many threads.
///
/// Whoever waits for an answer reads for all: one of them at a time, who hands every line that is
/// not his to whom it belongs. So there is no thread in between, and no answer without a limit.
///
/// A line that does not fit ends the child, and makes this call and all that wait throw
/// AdapterMisuse, with the line, what was expected and what came.
class ExecChannel {
 public:
  using Clock = Child::Clock;
  /// So long after a request's deadline an answer is waited for.
  static constexpr std::chrono::milliseconds kGrace{500};

  /// `spec` names the child in messages.
  ExecChannel(std::string spec, std::string command)
      : spec_(std::move(spec)), command_(std::move(command)) {}
  ~ExecChannel();
  ExecChannel(const ExecChannel&) = delete;
  ExecChannel& operator=(const ExecChannel&) = delete;

  /// Starts the child when none runs. True when it did. Errors: kUnavailable.
  [[nodiscard]] Result<bool> start();

  /// Sends what `write` makes of the call, and waits for the answer until `wait` and kGrace have
  /// passed. Errors: kUnavailable when it was not sent, kDeadline, kConnectionLost when the child
  /// ended; an answer whose outcome is not ok is an error too.
  template <class Write>
  [[nodiscard]] Result<ExecFrame> ask(std::uint64_t session, std::chrono::nanoseconds wait,
                                      Write write) {
    ExecCall call{next_id(), session, milliseconds_of(wait)};
    return exchange(call, write(call), Clock::now() + wait);
  }

  /// What was handed over to `session` unasked; waits for it until `wait` has passed.
  [[nodiscard]] Result<std::vector<Delivered>> take_delivered(std::uint64_t session,
                                                              std::chrono::nanoseconds wait);
  void add_session(std::uint64_t session);
  void remove_session(std::uint64_t session);

  /// "; the last it said on standard error:\n  ...", or nothing.
  [[nodiscard]] std::string last_words() const;
  /// The child was started, and has ended since.
  [[nodiscard]] bool ended() const {
    const std::lock_guard lock(mutex_);
    return child_ != nullptr && !alive_;
  }
  /// Ends the child in its own time, then for good.
  void stop();
  void trim_words() {
    if (child_ != nullptr) child_->trim_words();
  }

 private:
  struct Waiting {
    bool answered = false;
    ExecFrame frame{};
  };

  static std::int64_t milliseconds_of(std::chrono::nanoseconds wait);
  std::uint64_t next_id();
  [[nodiscard]] Result<ExecFrame> exchange(const ExecCall& call, const std::string& line,
                                           Clock::time_point deadline);
  template <class Done>
  void read_until(std::unique_lock<std::mutex>& lock, Clock::time_point deadline, Done done);
  void take_line(const std::string& line);
  void break_off(const std::string& line, const std::string& why);
  void lose_child();
  void throw_if_broken() const;

  const std::string spec_;
  const std::string command_;
  std::mutex writing_{};  // taken before `mutex_`, never the other way round
  mutable std::mutex mutex_{};
  std::condition_variable news_{};
  // Guarded by `mutex_`, but for the child's lines: those belong to the reader or the writer.
  std::unique_ptr<Child> child_{};
  bool alive_ = false;
  bool reading_ = false;
  std::uint64_t ids_ = 0;
  std::uint64_t lines_ = 0;
  std::map<std::uint64_t, Waiting> waiting_{};
  std::map<std::uint64_t, bool> given_up_{};  // ids whose answer may still come
  std::map<std::uint64_t, std::vector<Delivered>> delivered_{};
  std::string broken_{};
};

}  // namespace causalcheck
