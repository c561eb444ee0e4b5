#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "checker/shorthand.h"
#include "checker/shorthand_steps.h"

namespace causalcheck {
namespace {

using shorthand::FailedSoFar;
using shorthand::in_order_of_numbers;
using shorthand::kDefaultTopic;
using shorthand::StepCounter;

/// A call or a return, a start or an end, and the text that stands for it alone.
struct Mark {
  Position at = 0;
  bool is_end = false;
  OperationIndex operation = kNothing;
  std::string text{};
};

class Writer {
 public:
  explicit Writer(const History& history) : history_(history) { name_messages(); }

  std::string write() {
    std::vector<Mark> marks = marks_in_order();
    std::string line;
    for (std::size_t i = 0; i < marks.size(); ++i) {
      if (!line.empty()) line.push_back(' ');
      const Mark& mark = marks[i];
      if (mark.operation == kNothing) {
        line += mark.text;
      } else if (mark.is_end) {
        line += completion(mark.operation);
      } else {
        line += called(mark.operation);
        if (i + 1 < marks.size() && marks[i + 1].operation == mark.operation) {
          ++i;
        } else {
          line.push_back('(');
          open_.push_back(mark.operation);
        }
      }
    }
    return line;
  }

 private:
  /// A message goes by the symbol of its first publish, whatever its id is.
  void name_messages() {
    StepCounter steps(history_.declared.reads);
    FailedSoFar failed;
    std::set<std::string> symbols;
    for (const OperationIndex i : in_order_of_numbers(history_)) {
      const Operation& operation = history_.operations[i];
      if (operation.is_write()) {
        const std::string symbol =
            event_symbol(history_.clients[operation.client], steps.publish(operation.client));
        symbols.insert(symbol);
        if (operation.message == kNothing) continue;
        if (names_.emplace(operation.message, symbol).second) first_publishes_.insert(i);
        topics_.emplace(operation.message, operation.topic);
        failed.publish(history_.messages[operation.message], operation);
      } else if (operation.message != kNothing) {
        const std::string& id = history_.messages[operation.message];
        steps.observe(operation, id, failed.contains(id));
      }
    }
    for (MessageId m = 0; m < history_.messages.size(); ++m) {
      if (names_.count(m) != 0) continue;
      std::string name = history_.messages[m];
      while (symbols.count(name) != 0) name += "'";
      names_[m] = "#" + name + "#";
    }
  }

  std::vector<Mark> marks_in_order() const {
    std::vector<Mark> marks;
    for (OperationIndex i = 0; i < history_.operations.size(); ++i) {
      const Operation& operation = history_.operations[i];
      marks.push_back({operation.start, false, i, {}});
      if (operation.end != kNever) marks.push_back({operation.end, true, i, {}});
    }
    for (const FaultWindow& fault : history_.faults) {
      const std::string name = fault.kind + (fault.target.empty() ? "" : ":" + fault.target);
      marks.push_back({fault.start, false, kNothing, "[" + name});
      if (fault.end != kNever) marks.push_back({fault.end, true, kNothing, "]" + name});
    }
    for (const Leave& leave : history_.leaves) {
      marks.push_back({leave.at, true, kNothing, history_.clients[leave.client] + "."});
    }
    std::stable_sort(marks.begin(), marks.end(), [](const Mark& a, const Mark& b) {
      return std::pair(a.at, a.is_end) < std::pair(b.at, b.is_end);
    });
    return marks;
  }

  std::string called(OperationIndex index) const {
    const Operation& operation = history_.operations[index];
    std::string text;
    const std::string& topic = history_.topics[operation.topic];
    // A read without a topic is one of the topic its message was published on.
    const auto published = topics_.find(operation.message);
    const bool elsewhere = published != topics_.end() && published->second != operation.topic;
    if (topic != kDefaultTopic || elsewhere) text += topic + ":";
    text += operation.is_drain() ? "_" : history_.clients[operation.client];
    text += operation.is_write() ? "!" : "<";
    text += message(index);
    if (operation.slot != kNoSlot) text += "@" + std::to_string(operation.slot);
    if (operation.session != 1) text += "/" + std::to_string(operation.session);
    if (operation.payload != 0) text += "$" + history_.payloads[operation.payload - 1] + "$";
    if (operation.is_delete) text += "d";
    if (operation.foreign) text += "*";
    if (operation.undecodable) {
      text += "%";
    } else if (operation.outcome == Outcome::kFail) {
      text += "x";
    } else if (operation.outcome == Outcome::kInfo && operation.end != kNever) {
      text += "?";
    }
    return text;
  }

  std::string message(OperationIndex index) const {
    const Operation& operation = history_.operations[index];
    if (operation.message == kNothing) return operation.is_write() ? "" : "-";
    const std::string& name = names_.at(operation.message);
    if (!operation.is_write()) return name;
    return first_publishes_.count(index) != 0 ? "" : "#" + name + "#";
  }

  std::string completion(OperationIndex index) {
    const Operation& operation = history_.operations[index];
    std::size_t which = 1;
    for (auto open = open_.begin(); *open != index; ++open) {
      if (history_.operations[*open].client == operation.client) ++which;
    }
    open_.erase(std::find(open_.begin(), open_.end(), index));
    std::string text = (operation.is_drain() ? "_" : history_.clients[operation.client]) + ")";
    if (which != 1) text += std::to_string(which);
    return text;
  }

  const History& history_;
  std::map<MessageId, std::string> names_{};  // a symbol, or an id between hashes
  std::map<MessageId, TopicId> topics_{};     // of the first publish
  std::set<OperationIndex> first_publishes_{};
  std::vector<OperationIndex> open_{};  // called and not returned, in the order of calls
};

}  // namespace

std::string to_shorthand(const History& history) { return Writer(history).write(); }

}  // namespace causalcheck
