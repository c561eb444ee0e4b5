#include "adapters/exec/child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/process/v2/process.hpp>
#include <boost/process/v2/stdio.hpp>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

namespace causalcheck {
namespace {

namespace process = boost::process::v2;

constexpr std::size_t kReadBytes = 64U << 10U;
constexpr off_t kWordsBytesMax = 1 << 20;
constexpr std::size_t kLastWordsBytes = 2000;
constexpr int kLookMilliseconds = 2;

void close_all(std::initializer_list<int> descriptors) {
  for (const int descriptor : descriptors) {
    if (descriptor >= 0) ::close(descriptor);
  }
}

/// The child leads a process group, so that what it starts ends with it, and a Ctrl-C is ours.
struct OwnGroup {
  template <class Launcher, class Path>
  boost::system::error_code on_exec_setup(Launcher&, const Path&, const char* const*) {
    if (::setpgid(0, 0) == 0) return {};
    return {errno, boost::system::system_category()};
  }
};

int milliseconds_until(Child::Clock::time_point deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Child::Clock::now());
  return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 60'000));
}

}  // namespace

class Child::Process {
 public:
  Process(const std::string& command, int input, int output, int words)
      : process_(context_, "/bin/sh", {"-c", command}, process::process_stdio{input, output, words},
                 OwnGroup()),
        group_(process_.id()) {}

  [[nodiscard]] bool running() {
    boost::system::error_code ignored;
    return process_.running(ignored);
  }
  // Ends the whole group, also what the child left behind.
  void kill() {
    ::kill(-group_, SIGKILL);
    boost::system::error_code ignored;
    process_.wait(ignored);
  }
  [[nodiscard]] std::string how() const {
    const int status = process_.native_exit_code();
    if (WIFSIGNALED(status)) return fmt::format("was ended by signal {}", WTERMSIG(status));
    return fmt::format("ended with exit code {}", WEXITSTATUS(status));
  }

 private:
  boost::asio::io_context context_{};
  process::process process_;
  const pid_t group_;
};

Child::Child() = default;

Child::~Child() {
  end(Clock::now());
  close_all({input_, output_, words_});
}

Result<std::unique_ptr<Child>> Child::start(const std::string& command) {
  int input[2] = {-1, -1};
  int output[2] = {-1, -1};
  std::unique_ptr<Child> child(new Child());
  const auto failed = [&](const std::string& why) {
    close_all({input[0], input[1], output[0], output[1]});
    return Error(ErrorCode::kUnavailable, fmt::format("'{}' could not be run: {}", command, why));
  };
  // A socket, because writing to a pipe that nobody reads ends the writer.
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, input) != 0 ||
      ::pipe2(output, O_CLOEXEC) != 0) {
    return failed(std::strerror(errno));
  }
  child->words_ = ::memfd_create("stderr", MFD_CLOEXEC);
  if (child->words_ < 0) return failed(std::strerror(errno));
  ::fcntl(child->words_, F_SETFL, O_APPEND);
  try {
    child->process_ = std::make_unique<Process>(command, input[1], output[1], child->words_);
  } catch (const boost::system::system_error& error) {
    return failed(error.what());
  }
  close_all({input[1], output[1]});
  child->input_ = input[0];
  child->output_ = output[0];
  return child;
}

bool Child::write(std::string_view bytes, Clock::time_point deadline) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(input_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      pollfd waiting{input_, POLLOUT, 0};
      if (::poll(&waiting, 1, milliseconds_until(deadline)) == 0) return false;
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

Child::Got Child::read_line(std::string& line, Clock::time_point deadline) {
  while (true) {
    const std::size_t at = buffer_.find('\n', scanned_);
    if (at != std::string::npos) {
      line.assign(buffer_, 0, at);
      buffer_.erase(0, at + 1);
      scanned_ = 0;
      return Got::kLine;
    }
    scanned_ = buffer_.size();
    if (ended_) {
      if (buffer_.empty()) return Got::kEnd;
      line = std::exchange(buffer_, {});
      scanned_ = 0;
      return Got::kLine;
    }
    if (buffer_.size() > kLineBytesMax) {
      line = std::exchange(buffer_, {});
      scanned_ = 0;
      ended_ = true;
      return Got::kLine;
    }
    pollfd waiting{output_, POLLIN, 0};
    const int ready = ::poll(&waiting, 1, milliseconds_until(deadline));
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0) {
      if (Clock::now() >= deadline) return Got::kTooLate;
      continue;
    }
    const std::size_t size = buffer_.size();
    buffer_.resize(size + kReadBytes);
    const ssize_t got = ::read(output_, buffer_.data() + size, kReadBytes);
    buffer_.resize(size + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN)) ended_ = true;
  }
}

std::string Child::last_words() const {
  const off_t end = ::lseek(words_, 0, SEEK_END);
  const off_t begin = std::max<off_t>(0, end - static_cast<off_t>(kLastWordsBytes));
  std::string words(static_cast<std::size_t>(end - begin), '\0');
  const ssize_t got = ::pread(words_, words.data(), words.size(), begin);
  words.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  // Whole lines, if there is more than one.
  if (begin > 0 && words.find('\n') != std::string::npos) words.erase(0, words.find('\n') + 1);
  while (!words.empty() && words.back() == '\n') words.pop_back();
  return words;
}

void Child::trim_words() {
  if (::lseek(words_, 0, SEEK_END) <= kWordsBytesMax) return;
  static_cast<void>(::ftruncate(words_, 0));
}

std::string Child::end(Clock::time_point deadline) {
  if (process_ == nullptr || !how_.empty()) return how_;
  ::shutdown(input_, SHUT_WR);
  bool running = process_->running();
  while (running && Clock::now() < deadline) {
    ::poll(nullptr, 0, kLookMilliseconds);
    running = process_->running();
  }
  process_->kill();
  how_ = running ? "did not end by itself" : process_->how();
  return how_;
}

}  // namespace causalcheck
