#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "checker/history.h"

namespace causalcheck::shorthand {

/// The topic of an operation that names none.
inline constexpr std::string_view kDefaultTopic = "t";

/// "B1"; for an incarnation "A~2.1".
std::string symbol_of(std::string_view label, std::uint32_t step);

/// Counts the steps of clients as docs/semantics.md does, event by event in order of their numbers.
class StepCounter {
 public:
  explicit StepCounter(Reads reads) : reads_(reads) {}

  /// The step of a publish of this client, which is its next event.
  std::uint32_t publish(ClientId client) { return ++steps_[client]; }

  /// A read of this client that showed `message`, which is known to have failed or not.
  void observe(const Operation& read, const std::string& message, bool failed) {
    if (failed) return;
    std::pair<std::string, Slot> answer{message, read.slot};
    auto& last = last_answer_[{read.client, read.topic}];
    if (reads_ == Reads::kLatest && last == answer) return;
    last = std::move(answer);
    ++steps_[read.client];
  }

  /// A read of this client that found nothing.
  void found_nothing(const Operation& read) { last_answer_.erase({read.client, read.topic}); }

 private:
  Reads reads_;
  std::map<ClientId, std::uint32_t> steps_{};
  std::map<std::pair<ClientId, TopicId>, std::pair<std::string, Slot>> last_answer_{};
};

/// The messages whose publishes, as far as they were told, all failed.
class FailedSoFar {
 public:
  void publish(const std::string& message, const Operation& write) {
    const bool failed = write.outcome == Outcome::kFail && write.end != kNever;
    (failed ? failed_ : written_).insert(message);
  }
  [[nodiscard]] bool contains(const std::string& message) const {
    return failed_.count(message) != 0 && written_.count(message) == 0;
  }

 private:
  std::set<std::string> failed_{};
  std::set<std::string> written_{};
};

/// Operations whose call (publish) or return (read) is an event or an answer, in order of numbers.
std::vector<OperationIndex> in_order_of_numbers(const History& history);

}  // namespace causalcheck::shorthand
