#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "checker/history.h"

namespace causalcheck::shorthand {

/// The topic of an operation that names none.
inline constexpr std::string_view kDefaultTopic = "t";

/// Counts the steps of clients as docs/semantics.md does, event by event in order of their numbers.
class StepCounter {
 public:
  explicit StepCounter(Reads reads) : reads_(reads) {}

  /// The step of a publish of this client, which is its next event.
  std::uint32_t publish(ClientId client) {
    last_answer_.erase(client);
    return ++steps_[client];
  }

  /// A read of this client that showed `message`, which is known to have failed or not. Of latest
  /// reads, an answer equal to the client's latest event is that event again.
  void observe(const Operation& read, const std::string& message, bool failed) {
    if (failed) return;
    Answer answer{read.topic, message, read.slot};
    const auto last = last_answer_.find(read.client);
    if (reads_ == Reads::kLatest && last != last_answer_.end() && last->second == answer) return;
    last_answer_[read.client] = std::move(answer);
    ++steps_[read.client];
  }

 private:
  using Answer = std::tuple<TopicId, std::string, Slot>;
  Reads reads_;
  std::map<ClientId, std::uint32_t> steps_{};
  std::map<ClientId, Answer> last_answer_{};
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
