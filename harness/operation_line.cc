#include "harness/operation_line.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "harness/json_strict.h"

namespace causalcheck {
namespace ondemand = simdjson::ondemand;
namespace {

enum class Key : std::uint8_t {
  kClient,
  kOp,
  kTopic,
  kMessage,
  kSlot,
  kOutcome,
  kStart,
  kEnd,
  kSession,
  kNode,
  kPayload,
  kDelete,
  kUndecodable,
  kForeign,
  kTransaction,
  kUnknown,
};

constexpr std::string_view name_of(Key key) {
  constexpr std::string_view kNames[] = {
      "client",  "op",   "topic",       "msg",    "slot",        "outcome", "start", "end",
      "session", "node", "payload_sha", "delete", "undecodable", "foreign", "txn",   ""};
  return kNames[static_cast<std::size_t>(key)];
}

Key key_of(std::string_view name) {
  switch (name.size()) {
    case 2:
      return name == "op" ? Key::kOp : Key::kUnknown;
    case 3:
      if (name == "msg") return Key::kMessage;
      if (name == "end") return Key::kEnd;
      return name == "txn" ? Key::kTransaction : Key::kUnknown;
    case 4:
      if (name == "slot") return Key::kSlot;
      return name == "node" ? Key::kNode : Key::kUnknown;
    case 5:
      if (name == "topic") return Key::kTopic;
      return name == "start" ? Key::kStart : Key::kUnknown;
    case 6:
      if (name == "client") return Key::kClient;
      return name == "delete" ? Key::kDelete : Key::kUnknown;
    case 7:
      if (name == "outcome") return Key::kOutcome;
      if (name == "session") return Key::kSession;
      return name == "foreign" ? Key::kForeign : Key::kUnknown;
    case 11:
      if (name == "payload_sha") return Key::kPayload;
      return name == "undecodable" ? Key::kUndecodable : Key::kUnknown;
    default:
      return Key::kUnknown;
  }
}

/// Which keys a line had.
class KeySet {
 public:
  [[nodiscard]] bool contains(Key key) const {
    return (bits_ >> static_cast<unsigned>(key) & 1U) != 0;
  }
  void insert(Key key) { bits_ |= 1U << static_cast<unsigned>(key); }

 private:
  std::uint32_t bits_ = 0;
};

LineProblem problem(Key key, std::string expected) { return {name_of(key), std::move(expected)}; }

std::string_view expected_of(Key key) {
  switch (key) {
    case Key::kClient:
      return "the name of a client (a string that is not empty)";
    case Key::kOp:
      return "\"read\" or \"write\"";
    case Key::kTopic:
      return "the name of a topic (a string that is not empty)";
    case Key::kMessage:
      return "the id of a message (a string that is not empty) or null";
    case Key::kSlot:
      return "a whole number from 0 to 2^63-2, or null";
    case Key::kOutcome:
      return "\"ok\", \"fail\" or \"info\"";
    case Key::kStart:
      return kPositionExpected;
    case Key::kEnd:
      return "a whole number from 1 to 2^62, left out when the operation never returned";
    case Key::kSession:
      return "a whole number from 1 to 4294967295";
    case Key::kNode:
      return "the name of a node (a string that is not empty)";
    case Key::kPayload:
      return "a digest (a string that is not empty)";
    case Key::kDelete:
    case Key::kUndecodable:
    case Key::kForeign:
      return "true or false";
    case Key::kTransaction:
      return "left out: transactions are reserved and not read for now";
    case Key::kUnknown:
      break;
  }
  return "";
}

bool is_null(ondemand::value& value) {
  bool null = false;
  return value.is_null().get(null) == simdjson::SUCCESS && null;
}

/// The readers of one value answer whether it was what it had to be.
bool read_name(ondemand::value& value, std::string_view& into) {
  return value.get_string().get(into) == simdjson::SUCCESS && !into.empty();
}

bool read_number(ondemand::value& value, std::uint64_t low, std::uint64_t high,
                 std::uint64_t& into) {
  return value.get_uint64().get(into) == simdjson::SUCCESS && into >= low && into <= high;
}

bool read_kind(ondemand::value& value, OperationKind& into) {
  std::string_view text;
  if (!read_name(value, text)) return false;
  into = text == "write" ? OperationKind::kWrite : OperationKind::kRead;
  return text == "write" || text == "read";
}

bool read_outcome(ondemand::value& value, Outcome& into) {
  std::string_view text;
  if (!read_name(value, text)) return false;
  if (text == "ok") {
    into = Outcome::kOk;
  } else if (text == "info") {
    into = Outcome::kInfo;
  } else {
    into = Outcome::kFail;
    return text == "fail";
  }
  return true;
}

bool read_slot(ondemand::value& value, Slot& into) {
  if (is_null(value)) return true;
  std::uint64_t slot = 0;
  if (!read_number(value, 0, static_cast<std::uint64_t>(kSlotMax), slot)) return false;
  into = static_cast<Slot>(slot);
  return true;
}

bool read_session(ondemand::value& value, std::uint32_t& into) {
  std::uint64_t session = 0;
  if (!read_number(value, 1, std::numeric_limits<std::uint32_t>::max(), session)) return false;
  into = static_cast<std::uint32_t>(session);
  return true;
}

bool read_flag(ondemand::value& value, bool& into) {
  return value.get_bool().get(into) == simdjson::SUCCESS;
}

bool read_member(Key key, ondemand::value& value, OperationLine& line) {
  Operation& operation = line.operation;
  switch (key) {
    case Key::kClient:
      return read_name(value, line.client);
    case Key::kOp:
      return read_kind(value, operation.kind);
    case Key::kTopic:
      return read_name(value, line.topic);
    case Key::kMessage:
      return is_null(value) || read_name(value, line.message);
    case Key::kSlot:
      return read_slot(value, operation.slot);
    case Key::kOutcome:
      return read_outcome(value, operation.outcome);
    case Key::kStart:
      return read_number(value, 1, kPositionMax, operation.start);
    case Key::kEnd:
      return is_null(value) || read_number(value, 1, kPositionMax, operation.end);
    case Key::kSession:
      return read_session(value, operation.session);
    case Key::kNode:
      return read_name(value, line.node);
    case Key::kPayload:
      return read_name(value, line.payload);
    case Key::kDelete:
      return read_flag(value, operation.is_delete);
    case Key::kUndecodable:
      return read_flag(value, operation.undecodable);
    case Key::kForeign:
      return read_flag(value, operation.foreign);
    case Key::kTransaction:
    case Key::kUnknown:
      return false;
  }
  return false;
}

/// What two members together must not say.
std::optional<LineProblem> contradiction(const OperationLine& line) {
  const Operation& operation = line.operation;
  if (operation.is_write() && line.client == kDrainName) {
    return problem(Key::kOp, "\"read\" on a line of the drain");
  }
  if (operation.is_write() && line.message.empty()) {
    return problem(Key::kMessage, "the id of a message: a write writes something");
  }
  if (operation.end < operation.start) {
    return problem(Key::kEnd, fmt::format("no smaller than \"start\", {}", operation.start));
  }
  if (operation.end == kNever && operation.outcome != Outcome::kInfo) {
    return problem(Key::kOutcome, "\"info\": an operation without \"end\" never returned");
  }
  if (operation.undecodable && operation.outcome != Outcome::kInfo) {
    return problem(Key::kOutcome, "\"info\": the answer was undecodable");
  }
  if (!operation.is_write() && operation.outcome == Outcome::kOk && line.message.empty() &&
      operation.slot != kNoSlot) {
    return problem(Key::kSlot, "null where an ok read found nothing");
  }
  return std::nullopt;
}

}  // namespace

class OperationLineReader::Impl {
 public:
  std::optional<LineProblem> read(std::string_view text, OperationLine& line) {
    line.operation = Operation{};
    line.client = line.topic = line.message = line.node = line.payload = {};
    line.extras.clear();
    unknown_.clear();

    ondemand::document document;
    ondemand::object object;
    if (parser_.iterate(padded(text)).get(document)) return LineProblem{};
    if (document.get_object().get(object)) return LineProblem{};
    KeySet seen;
    for (auto item : object) {
      ondemand::field field;
      if (std::move(item).get(field)) return LineProblem{};
      const char* const key_text = field.key().raw() - 1;
      std::string_view name;
      if (field.unescaped_key().get(name)) return LineProblem{};
      const Key key = key_of(name);
      if (key == Key::kUnknown) {
        if (!keep(key_text, name, field.value(), document, line.extras)) return LineProblem{};
        continue;
      }
      if (seen.contains(key)) return LineProblem{};
      seen.insert(key);
      if (!read_member(key, field.value(), line)) {
        return problem(key, std::string(expected_of(key)));
      }
    }
    if (!is_at_end(document) || !unknown_are_distinct() || !seen.contains(Key::kOp)) {
      return LineProblem{};
    }
    for (const Key key : {Key::kClient, Key::kTopic, Key::kMessage, Key::kOutcome, Key::kStart}) {
      if (!seen.contains(key)) return problem(key, std::string(expected_of(key)));
    }
    return contradiction(line);
  }

 private:
  /// Keeps a member that is not known; false when its value is no JSON.
  bool keep(const char* key_text, std::string_view name, ondemand::value& value,
            ondemand::document& document, std::string& extras) {
    JsonText kept;
    if (whole_text(value, document).get(kept)) return false;
    if (!extras.empty()) extras.push_back(',');
    extras.append(key_text, kept.text.data() + kept.text.size());
    unknown_.push_back(name);
    return true;
  }

  bool unknown_are_distinct() {
    if (unknown_.size() < 2) return true;
    std::sort(unknown_.begin(), unknown_.end());
    return std::adjacent_find(unknown_.begin(), unknown_.end()) == unknown_.end();
  }

  ondemand::parser parser_{};
  std::vector<std::string_view> unknown_{};  // names of this line's unknown members
};

OperationLineReader::OperationLineReader() : impl_(std::make_unique<Impl>()) {}
OperationLineReader::~OperationLineReader() = default;

std::optional<LineProblem> OperationLineReader::read(std::string_view line) {
  return impl_->read(line, line_);
}

}  // namespace causalcheck
