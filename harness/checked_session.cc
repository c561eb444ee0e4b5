#include "harness/checked_session.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cassert>
#include <utility>

namespace causalcheck {
namespace {

constexpr std::size_t kPayloadShown = 40;

std::string describe_payload(std::string_view payload) {
  std::string shown;
  for (const char c : payload.substr(0, kPayloadShown)) {
    const auto byte = static_cast<unsigned char>(c);
    shown += byte >= 0x20 && byte < 0x7F ? std::string(1, c) : fmt::format("\\x{:02X}", byte);
  }
  return fmt::format("'{}'{}", shown, payload.size() > kPayloadShown ? "..." : "");
}

std::string milliseconds(Time time) {
  return fmt::format("{} ms", std::chrono::duration_cast<std::chrono::milliseconds>(time).count());
}

}  // namespace

std::string describe(const Error& error) {
  return fmt::format("error {} ({})", to_string(error.code), error.text);
}

std::string describe(const Entry& entry) {
  return fmt::format("{}{} at slot {}", entry.is_delete ? "delete " : "",
                     entry.unreadable ? "unreadable" : describe_payload(entry.payload),
                     entry.slot ? std::to_string(*entry.slot) : "none");
}

void Problems::check_slot(const std::optional<Slot>& slot, Slots declared, std::string_view what) {
  if (declared == Slots::kNone) {
    if (slot) add(fmt::format("{} has slot {}, and the backend declares no slots", what, *slot));
  } else if (!slot) {
    add(fmt::format("{} has no slot, and the backend declares slots: {}", what,
                    to_string(declared)));
  } else if (*slot < 0) {
    add(fmt::format("{} has the negative slot {}", what, *slot));
  }
}

void Problems::check_time(Time answered, Time deadline) {
  // Written so that a deadline of Time::max() does not overflow.
  if (answered - CheckedBackend::kGrace <= deadline) return;
  add(fmt::format("the answer came {} after the deadline", milliseconds(answered - deadline)));
}

std::string Problems::text(std::string_view call, std::string_view answer) const {
  return fmt::format("{} answered {}: {}", call, answer, fmt::join(texts_, "; "));
}

CheckedSession::Open::Open(CheckedSession& session, std::atomic<std::uint32_t>& count)
    : count_(count), threads_(session.declared_.execution == Execution::kThreads) {
  // Fibers share one thread, and an atomic increment would be most of what the wrapper costs.
  if (threads_) {
    count_.fetch_add(1, std::memory_order_relaxed);
  } else {
    count_.store(count_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  session.assert_allowed();
}

CheckedSession::Open::~Open() {
  if (threads_) {
    count_.fetch_sub(1, std::memory_order_relaxed);
  } else {
    count_.store(count_.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
  }
}

void CheckedSession::assert_allowed() const {
  assert(!closed_);
  [[maybe_unused]] const std::uint32_t commits = commits_open_.load(std::memory_order_relaxed);
  [[maybe_unused]] const std::uint32_t reads = reads_open_.load(std::memory_order_relaxed);
  assert(reads <= 1);
  assert(declared_.concurrency == Concurrency::kPipelined || commits <= 1);
  assert(declared_.concurrency != Concurrency::kNone || commits + reads <= 1);
}

CheckedSession::CheckedSession(CheckedBackend& backend, std::unique_ptr<Session> inner,
                               std::string label, Runtime& runtime)
    : backend_(backend),
      inner_(std::move(inner)),
      label_(std::move(label)),
      runtime_(runtime),
      declared_(backend.declared_) {
  const std::lock_guard lock(backend_.notebook_.mutex);
  ++backend_.notebook_.sessions_open;
}

CheckedSession::~CheckedSession() {
  assert(commits_open_.load(std::memory_order_relaxed) == 0);
  assert(reads_open_.load(std::memory_order_relaxed) == 0);
  const std::lock_guard lock(backend_.notebook_.mutex);
  --backend_.notebook_.sessions_open;
}

Result<Ack> CheckedSession::commit(const Message& message, Time deadline) {
  const Open open(*this, commits_open_);
  Result<Ack> answer = inner_->commit(message, deadline);
  Problems problems;
  problems.check_time(runtime_.now(), deadline);
  if (answer.has_value()) problems.check_slot(answer->slot, declared_.promises.slots, "the ack");
  if (!problems.empty()) {
    const std::string shown = answer.has_error() ? describe(answer.error())
                              : answer->slot     ? fmt::format("slot {}", *answer->slot)
                                                 : "no slot";
    backend_.notebook_.note(problems.text(
        fmt::format("{}.commit({}, {})", label_, message.topic, describe_payload(message.payload)),
        shown));
  }
  return answer;
}

Result<std::optional<Entry>> CheckedSession::poll(std::string_view topic, Time deadline) {
  const Open open(*this, reads_open_);
  Result<std::optional<Entry>> answer = inner_->poll(topic, deadline);
  Problems problems;
  problems.check_time(runtime_.now(), deadline);
  if (answer.has_value()) {
    if (declared_.promises.reads == Reads::kFeed) {
      problems.add("a poll of a backend that declares reads: feed must be an error");
    }
    if (answer->has_value()) {
      problems.check_slot((*answer)->slot, declared_.promises.slots, "the entry");
      if ((*answer)->unreadable) problems.add("only a drain may show unreadable entries");
    }
  }
  if (!problems.empty()) {
    const std::string shown = answer.has_error()    ? describe(answer.error())
                              : answer->has_value() ? describe(**answer)
                                                    : "nothing";
    backend_.notebook_.note(problems.text(fmt::format("{}.poll({})", label_, topic), shown));
  }
  return answer;
}

Result<std::vector<Delivered>> CheckedSession::receive(Time deadline) {
  const Open open(*this, reads_open_);
  Result<std::vector<Delivered>> answer = inner_->receive(deadline);
  Problems problems;
  problems.check_time(runtime_.now(), deadline);
  if (answer.has_value()) {
    if (declared_.promises.reads == Reads::kLatest) {
      problems.add("a receive of a backend that declares reads: latest must be an error");
    }
    const std::vector<std::string>& topics = backend_.topics_;
    for (const Delivered& delivered : *answer) {
      if (std::find(topics.begin(), topics.end(), delivered.topic) == topics.end()) {
        problems.add(fmt::format("'{}' is no topic of this run", delivered.topic));
      }
      problems.check_slot(delivered.entry.slot, declared_.promises.slots, "an entry");
      if (delivered.entry.unreadable) problems.add("only a drain may show unreadable entries");
    }
  }
  if (!problems.empty()) {
    std::string shown;
    if (answer.has_error()) {
      shown = describe(answer.error());
    } else {
      shown = fmt::format("{} messages", answer->size());
      for (const Delivered& delivered : *answer) {
        shown += fmt::format(", {}: {}", delivered.topic, describe(delivered.entry));
      }
    }
    backend_.notebook_.note(problems.text(fmt::format("{}.receive()", label_), shown));
  }
  return answer;
}

Result<ResumeToken> CheckedSession::close() {
  assert(!closed_);
  assert(commits_open_.load(std::memory_order_relaxed) == 0);
  assert(reads_open_.load(std::memory_order_relaxed) == 0);
  closed_ = true;
  return inner_->close();
}

}  // namespace causalcheck
