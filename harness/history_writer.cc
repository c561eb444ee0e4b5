#include <algorithm>
#include <charconv>
#include <numeric>

#include "harness/history_file.h"
#include "harness/history_header.h"
#include "harness/json_text.h"
#include "harness/operation_line.h"

namespace causalcheck {
namespace {

/// Where the unknown members of a list's lines are looked up, by ascending index.
const std::string* extras_of(const std::vector<LineExtras>& extras, std::size_t index) {
  const auto found = std::lower_bound(
      extras.begin(), extras.end(), index,
      [](const LineExtras& line, std::size_t wanted) { return line.index < wanted; });
  return found == extras.end() || found->index != index ? nullptr : &found->members;
}

/// The indices of `items` in order of start, equal ones as they came.
template <class Item, class Start>
std::vector<std::size_t> by_start(const std::vector<Item>& items, Start start) {
  std::vector<std::size_t> order(items.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto less = [&](std::size_t a, std::size_t b) { return start(items[a]) < start(items[b]); };
  if (!std::is_sorted(order.begin(), order.end(), less)) {
    std::stable_sort(order.begin(), order.end(), less);
  }
  return order;
}

class Writer {
 public:
  explicit Writer(const HistoryFile& file) : file_(file), history_(file.history) {
    constexpr std::size_t kLineBytes = 128;
    out_.reserve(kLineBytes * (history_.operations.size() + history_.faults.size() + 8));
  }

  std::string write() && {
    if (history_.has_header) {
      out_ += header_line(file_);
      out_.push_back('\n');
    }
    write_run();
    for (const std::string& line : file_.other_lines) {
      out_ += line;
      out_.push_back('\n');
    }
    for (std::size_t i = 0; i < history_.operations.size(); ++i) {
      if (history_.operations[i].is_drain()) write_operation(i);
    }
    return std::move(out_);
  }

 private:
  /// Operations, faults and leaves, merged; at one position faults come first, leaves last.
  void write_run() {
    const auto faults =
        by_start(history_.faults, [](const FaultWindow& window) { return window.start; });
    const auto leaves = by_start(history_.leaves, [](const Leave& leave) { return leave.at; });
    auto fault = faults.begin();
    auto leave = leaves.begin();
    const auto write_up_to = [&](Position position) {
      while (fault != faults.end() || leave != leaves.end()) {
        const Position next_fault = fault == faults.end() ? kNever : history_.faults[*fault].start;
        const Position next_leave = leave == leaves.end() ? kNever : history_.leaves[*leave].at;
        if (next_fault <= position && next_fault <= next_leave && fault != faults.end()) {
          write_fault(*fault++);
        } else if (next_leave < position && leave != leaves.end()) {
          write_leave(*leave++);
        } else {
          return;
        }
      }
    };
    for (const std::size_t index : by_start(
             history_.operations, [](const Operation& operation) { return operation.start; })) {
      const Operation& operation = history_.operations[index];
      if (operation.is_drain()) continue;
      write_up_to(operation.start);
      write_operation(index);
    }
    write_up_to(kNever);
  }

  void write_operation(std::size_t index) {
    const Operation& operation = history_.operations[index];
    out_ += "{\"client\":";
    append_json_string(out_, operation.is_drain()
                                 ? kDrainName
                                 : std::string_view(history_.clients[operation.client]));
    out_ += operation.is_write() ? ",\"op\":\"write\",\"topic\":" : ",\"op\":\"read\",\"topic\":";
    append_json_string(out_, history_.topics[operation.topic]);
    out_ += ",\"msg\":";
    if (operation.message == kNothing) {
      out_ += "null";
    } else {
      append_json_string(out_, history_.messages[operation.message]);
    }
    out_ += ",\"slot\":";
    if (operation.slot == kNoSlot) {
      out_ += "null";
    } else {
      append_number(static_cast<std::uint64_t>(operation.slot));
    }
    out_ += outcome_text(operation);
    append_number(operation.start);
    if (operation.end != kNever) append_member(",\"end\":", operation.end);
    if (operation.session != 1) append_member(",\"session\":", operation.session);
    if (operation.node != 0) append_member(",\"node\":", history_.nodes[operation.node - 1]);
    if (operation.payload != 0) {
      append_member(",\"payload_sha\":", history_.payloads[operation.payload - 1]);
    }
    if (operation.is_delete) out_ += ",\"delete\":true";
    if (operation.undecodable) out_ += ",\"undecodable\":true";
    if (operation.foreign) out_ += ",\"foreign\":true";
    finish_line(extras_of(file_.operation_extras, index));
  }

  /// What did not return ended info, whatever it was taken for while it was open.
  static std::string_view outcome_text(const Operation& operation) {
    switch (operation.end == kNever ? Outcome::kInfo : operation.outcome) {
      case Outcome::kOk:
        return ",\"outcome\":\"ok\",\"start\":";
      case Outcome::kFail:
        return ",\"outcome\":\"fail\",\"start\":";
      case Outcome::kInfo:
        break;
    }
    return ",\"outcome\":\"info\",\"start\":";
  }

  void write_fault(std::size_t index) {
    const FaultWindow& window = history_.faults[index];
    append_member("{\"fault\":", window.kind);
    append_member(",\"target\":", window.target);
    append_member(",\"start\":", window.start);
    if (window.end != kNever) append_member(",\"end\":", window.end);
    if (window.call != 0) append_member(",\"call\":", window.call);
    finish_line(extras_of(file_.fault_extras, index));
  }

  void write_leave(std::size_t index) {
    const Leave& leave = history_.leaves[index];
    append_member("{\"leaves\":", history_.clients[leave.client]);
    append_member(",\"start\":", leave.at);
    finish_line(extras_of(file_.leave_extras, index));
  }

  void append_member(std::string_view key, const std::string& text) {
    out_ += key;
    append_json_string(out_, text);
  }

  void append_member(std::string_view key, std::uint64_t number) {
    out_ += key;
    append_number(number);
  }

  void append_number(std::uint64_t number) {
    char digits[20];
    const auto end = std::to_chars(std::begin(digits), std::end(digits), number).ptr;
    out_.append(std::begin(digits), end);
  }

  void finish_line(const std::string* extras) {
    if (extras != nullptr) {
      out_.push_back(',');
      out_ += *extras;
    }
    out_ += "}\n";
  }

  const HistoryFile& file_;
  const History& history_;
  std::string out_{};
};

}  // namespace

std::string to_jsonl(const HistoryFile& file) { return Writer(file).write(); }

}  // namespace causalcheck
