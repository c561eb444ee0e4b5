#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/result.h"

namespace causalcheck {

/// A program that runs beside this one and is talked to in lines: what is written to it is its
/// standard input, what it prints is read line by line, and what it says on standard error is kept.
///
/// It runs in a process group of its own, which ends with this object whatever it does. Only one
/// thread reads at a time, and only one writes. Nothing waits beyond its deadline.
class Child {
 public:
  using Clock = std::chrono::steady_clock;
  /// A longer line does not fit, so that a child that prints without end takes no memory.
  static constexpr std::size_t kLineBytesMax = 64U << 20U;

  /// Runs `command` by /bin/sh. Errors: kUnavailable, with the system's reason.
  [[nodiscard]] static Result<std::unique_ptr<Child>> start(const std::string& command);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// What became of a wait.
  enum class Got { kLine, kTooLate, kEnd };

  /// Writes `bytes`. False when the child takes no more: it ended, or did not read by `deadline`.
  [[nodiscard]] bool write(std::string_view bytes, Clock::time_point deadline);
  /// Reads the next line into `line`, without its end; kTooLate when none came by `deadline`, kEnd
  /// when none will come. An unfinished last line is a line.
  [[nodiscard]] Got read_line(std::string& line, Clock::time_point deadline);

  /// The end of what it printed on standard error: a few lines, for people.
  [[nodiscard]] std::string last_words() const;
  /// Closes its input, gives it until `deadline` to end, and ends what is left of its group.
  /// "ended with exit code 1", "was ended by signal 9", "was ended by us".
  std::string end(Clock::time_point deadline);
  /// How much it may say on standard error before what came first is forgotten: call now and then.
  void trim_words();

 private:
  class Process;
  Child();

  std::unique_ptr<Process> process_;
  int input_ = -1;   // a socket
  int output_ = -1;  // a pipe
  int words_ = -1;   // a file without a name
  std::string buffer_{};
  std::size_t scanned_ = 0;
  bool ended_ = false;
  std::string how_{};  // once it was ended
};

}  // namespace causalcheck
