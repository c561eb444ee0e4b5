#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "harness/event_clash.h"
#include "harness/files.h"
#include "harness/history_file.h"
#include "harness/history_header.h"
#include "harness/json_fields.h"
#include "harness/json_text.h"
#include "harness/operation_line.h"
#include "harness/string_table.h"

namespace causalcheck {
namespace {

constexpr std::size_t kPadding = 64;       // what the JSON parser may read beyond a line
constexpr std::size_t kLineBytesMin = 80;  // no operation is shorter than about this
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// The kinds of line beside operations and the header, by the member that tells them.
enum class LineKind { kOperation, kHeader, kFault, kLeave, kOther, kUnknown };

/// A line is of the first of these kinds whose member it has; the other members are then unknown
/// ones and kept. "op" comes first so that an operation may carry a "note" or a "fault".
constexpr std::array<std::pair<std::string_view, LineKind>, 7> kKinds{{
    {"op", LineKind::kOperation},
    {"format", LineKind::kHeader},
    {"fault", LineKind::kFault},
    {"leaves", LineKind::kLeave},
    {"held", LineKind::kOther},
    {"released", LineKind::kOther},
    {"note", LineKind::kOther},
}};

LineKind kind_of(const std::vector<JsonField>& fields) {
  for (const auto& [key, kind] : kKinds) {
    if (find_field(fields, key) != nullptr) return kind;
  }
  // An operation that lacks "op" is told so.
  for (const std::string_view key : {"client", "outcome", "msg"}) {
    if (find_field(fields, key) != nullptr) return LineKind::kOperation;
  }
  return LineKind::kUnknown;
}

Refusal unfit(const std::vector<JsonField>& fields, std::string_view key,
              std::string_view expected) {
  const JsonField* const field = find_field(fields, key);
  if (field == nullptr) {
    return Refusal::because(fmt::format("\"{}\" is missing: it must be {}", key, expected));
  }
  return Refusal::because(
      fmt::format("\"{}\" must be {}, found {}", key, expected, shown(field->text)));
}

class Reader {
 public:
  explicit Reader(std::string text) : text_(std::move(text)), size_(text_.size()) {
    text_.append(kPadding, '\0');
    file_.history.operations.reserve(size_ / kLineBytesMin + 1);
    line_of_operation_.reserve(size_ / kLineBytesMin + 1);
  }

  Attempt<HistoryFile> read() {
    std::size_t at = 0;
    if (all().substr(0, kByteOrderMark.size()) == kByteOrderMark) at = kByteOrderMark.size();
    while (at < size_) {
      ++line_number_;
      const std::string_view rest = all().substr(at);
      const std::size_t length = std::min(rest.find('\n'), rest.size());
      at += length + 1;
      if (const auto read = read_line(rest.substr(0, length)); !read) {
        return Refusal::because(fmt::format("line {}: {}", line_number_, read.error().text));
      }
    }
    return finished();
  }

 private:
  [[nodiscard]] std::string_view all() const { return std::string_view(text_).substr(0, size_); }

  Attempt<void> read_line(std::string_view line) {
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (line.find_first_not_of(" \t") == std::string_view::npos) return {};
    const std::optional<LineProblem> problem = operations_.read(line);
    auto read = problem ? read_other(line, *problem) : add_operation(operations_.line());
    any_line_ = true;
    return read;
  }

  Attempt<void> add_operation(const OperationLine& line) {
    History& history = file_.history;
    if (history.operations.size() >= std::numeric_limits<OperationIndex>::max() - 1) {
      return Refusal::because("is one operation too many: no more than 4294967294 can be judged");
    }
    Operation operation = line.operation;
    if (line.client != kDrainName) operation.client = clients_.index_of(line.client);
    operation.topic = topics_.index_of(line.topic);
    operation.message = line.message.empty() ? kNothing : messages_.index_of(line.message);
    if (!line.node.empty()) operation.node = nodes_.index_of(line.node) + 1;
    if (!line.payload.empty()) operation.payload = payloads_.index_of(line.payload) + 1;
    if (!line.extras.empty()) {
      file_.operation_extras.push_back({history.operations.size(), line.extras});
    }
    shows_slots_ = shows_slots_ || operation.slot != kNoSlot;
    history.operations.push_back(operation);
    line_of_operation_.push_back(static_cast<std::uint32_t>(line_number_));
    return {};
  }

  /// A line that is no operation, or one that does not fit.
  Attempt<void> read_other(std::string_view line, const LineProblem& problem) {
    const auto fields = fields_.split(line);
    if (!fields) return fields.error();
    switch (kind_of(*fields)) {
      case LineKind::kOperation:
        if (problem.key.empty()) return unfit(*fields, "op", "\"read\" or \"write\"");
        return unfit(*fields, problem.key, problem.expected);
      case LineKind::kHeader:
        return read_header(*fields);
      case LineKind::kFault:
        return read_fault(*fields);
      case LineKind::kLeave:
        return read_leave(*fields);
      case LineKind::kOther:
        file_.other_lines.emplace_back(line);
        return {};
      case LineKind::kUnknown:
        break;
    }
    return Refusal::because(fmt::format(
        "is of no known kind, found {}; an operation has \"op\", other lines have \"fault\", "
        "\"held\", \"released\", \"leaves\" or \"note\", and the header has \"format\"",
        shown(line)));
  }

  Attempt<void> read_header(const std::vector<JsonField>& fields) {
    if (file_.history.has_header) {
      return Refusal::because(
          fmt::format("is a second header, the first is on line {}", header_line_));
    }
    if (any_line_) return Refusal::because("is a header, which must be the first line");
    auto parsed = parse_header(fields_, fields);
    if (!parsed) return parsed.error();
    header_line_ = line_number_;
    file_.header = std::move(parsed->header);
    History& history = file_.history;
    history.has_header = true;
    history.declared = parsed->declared;
    history.payloads_checked = parsed->payloads_checked;
    history.faults_asked = !file_.header.faults.empty();
    for (const std::string& client : parsed->clients) clients_.index_of(client);
    return {};
  }

  /// A position that is there and fits, or nothing.
  std::optional<Position> position(const std::vector<JsonField>& fields, std::string_view key) {
    const JsonField* const field = find_field(fields, key);
    if (field == nullptr) return std::nullopt;
    const std::optional<std::uint64_t> value = fields_.whole_number(field->text);
    if (!value || *value < 1 || *value > kPositionMax) return std::nullopt;
    return value;
  }

  std::optional<std::string> string(const std::vector<JsonField>& fields, std::string_view key) {
    const JsonField* const field = find_field(fields, key);
    return field == nullptr ? std::nullopt : fields_.string(field->text);
  }

  Attempt<void> read_fault(const std::vector<JsonField>& fields) {
    FaultWindow window;
    window.kind = string(fields, "fault").value_or("");
    if (window.kind.empty()) return unfit(fields, "fault", "a kind of fault (a string)");
    if (find_field(fields, "target") != nullptr) {
      const std::optional<std::string> target = string(fields, "target");
      if (!target) return unfit(fields, "target", "a client, a node, or \"\" for everything");
      window.target = *target;
    }
    const std::optional<Position> start = position(fields, "start");
    if (!start) return unfit(fields, "start", kPositionExpected);
    window.start = *start;
    if (find_field(fields, "end") != nullptr) {
      const std::optional<Position> end = position(fields, "end");
      if (!end) return unfit(fields, "end", kPositionExpected);
      if (*end < window.start) {
        return unfit(fields, "end", fmt::format("no smaller than \"start\", {}", window.start));
      }
      window.end = *end;
    }
    if (find_field(fields, "call") != nullptr) {
      const std::optional<Position> call = position(fields, "call");
      if (!call) return unfit(fields, "call", kPositionExpected);
      window.call = *call;
    }
    keep_extras(file_.fault_extras, file_.history.faults.size(),
                members_besides(fields, {"fault", "target", "start", "end", "call"}));
    file_.history.faults.push_back(std::move(window));
    return {};
  }

  Attempt<void> read_leave(const std::vector<JsonField>& fields) {
    const std::string client = string(fields, "leaves").value_or("");
    if (client.empty() || client == kDrainName) {
      return unfit(fields, "leaves", "the name of a client (a string that is not empty)");
    }
    const std::optional<Position> start = position(fields, "start");
    if (!start) return unfit(fields, "start", kPositionExpected);
    keep_extras(file_.leave_extras, file_.history.leaves.size(),
                members_besides(fields, {"leaves", "start"}));
    file_.history.leaves.push_back({clients_.index_of(client), *start});
    return {};
  }

  static void keep_extras(std::vector<LineExtras>& list, std::size_t index, std::string members) {
    if (!members.empty()) list.push_back({index, std::move(members)});
  }

  Attempt<HistoryFile> finished() {
    History& history = file_.history;
    if (!history.has_header && shows_slots_) history.declared.slots = Slots::kSparse;
    if (const auto clash = first_event_clash(history)) {
      return Refusal::because(fmt::format(
          "line {}: client {} already has an event at position {}; two events of one client (the "
          "start of a write, the end of an ok read) must have different positions",
          line_of_operation_[clash->operation], shown(history.clients[clash->client]),
          clash->position));
    }
    return std::move(file_);
  }

  std::string text_;
  std::size_t size_;
  HistoryFile file_{};
  StringTable clients_{file_.history.clients};
  StringTable topics_{file_.history.topics};
  StringTable messages_{file_.history.messages};
  StringTable nodes_{file_.history.nodes};
  StringTable payloads_{file_.history.payloads};
  OperationLineReader operations_{};
  JsonFieldReader fields_{};
  std::vector<std::uint32_t> line_of_operation_{};
  std::size_t line_number_ = 0;
  std::size_t header_line_ = 0;
  bool any_line_ = false;
  bool shows_slots_ = false;
};

}  // namespace

Attempt<HistoryFile> parse_history(std::string text) { return Reader(std::move(text)).read(); }

Attempt<HistoryFile> read_history(const std::string& path) {
  auto text = read_file(path);
  if (!text) return text.error();
  auto file = parse_history(*std::move(text));
  if (!file)
    return Refusal::because((path == "-" ? "standard input" : path) + ", " + file.error().text);
  return file;
}

}  // namespace causalcheck
