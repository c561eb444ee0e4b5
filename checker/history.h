#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "checker/declaration.h"

namespace causalcheck {

/// Indices into the tables of a History. Dense from 0.
using ClientId = std::uint32_t;
using TopicId = std::uint32_t;
using MessageId = std::uint32_t;
using OperationIndex = std::uint32_t;

/// A place in the one global instrumentation order, from 1. Equal positions do not precede each
/// other.
using Position = std::uint64_t;

/// A position the backend gave a message in its topic's log. Zero or larger when known.
using Slot = std::int64_t;

inline constexpr ClientId kDrainClient = std::numeric_limits<ClientId>::max();
/// A read that found nothing, or an operation whose message nobody could tell.
inline constexpr MessageId kNothing = std::numeric_limits<MessageId>::max();
inline constexpr Slot kNoSlot = -1;
/// The end of an operation that has not returned (yet, or never).
inline constexpr Position kNever = std::numeric_limits<Position>::max();

/// What a client may conclude about an operation. docs/semantics.md, "Outcomes".
enum class Outcome : std::uint8_t {
  kOk,    // it happened
  kFail,  // it certainly did not happen
  kInfo,  // unknown: it may have happened, may happen later, may never
};

enum class OperationKind : std::uint8_t { kWrite, kRead };

/// One operation of a recorded history: a call and its return.
///
/// A write takes its event number at `start`, before the backend is called; a read at `end`, after
/// the answer is in hand. While `end` is kNever the outcome is open; at the end of a history such
/// an operation counts as kInfo, whatever `outcome` says.
struct Operation {
  Position start = 0;
  Position end = kNever;
  Slot slot = kNoSlot;
  ClientId client = kDrainClient;  // kDrainClient: a line of the durable log read at the end
  TopicId topic = 0;
  MessageId message = kNothing;
  std::uint32_t session = 1;
  std::uint32_t node = 0;     // index into History::nodes plus 1; 0 when not told
  std::uint32_t payload = 0;  // index into History::payloads plus 1; 0 when not told
  OperationKind kind = OperationKind::kRead;
  Outcome outcome = Outcome::kOk;
  bool is_delete = false;    // the message is a delete; a delete is a message like any other
  bool undecodable = false;  // an answer came and could not be decoded; the outcome is kInfo
  bool foreign = false;      // the payload bears the id of another run

  [[nodiscard]] bool is_drain() const { return client == kDrainClient; }
  [[nodiscard]] bool is_write() const { return kind == OperationKind::kWrite; }
  bool operator==(const Operation&) const = default;
};

/// A window in which a fault of ours took effect. `end` is kNever while it lasts.
struct FaultWindow {
  std::string kind{};    // one of docs/semantics.md's fault names
  std::string target{};  // a client's label, a node, or empty: everything
  Position start = 0;
  Position end = kNever;
  Position call = 0;  // the start of the operation it acted on; 0: not on a single one
  bool operator==(const FaultWindow&) const = default;
};

/// A client that left for good.
struct Leave {
  ClientId client = 0;
  Position at = 0;
  bool operator==(const Leave&) const = default;
};

/// What one run recorded, or a file told. Operations refer to the tables by index.
///
/// Clients are told apart by label: "A~2" is the second incarnation of A and another client as far
/// as order is concerned. Order of `operations` is free; the recorder appends by `start`.
struct History {
  std::vector<std::string> clients{};
  std::vector<std::string> topics{};
  std::vector<std::string> messages{};
  std::vector<std::string> nodes{};
  std::vector<std::string> payloads{};  // digests
  std::vector<Operation> operations{};
  std::vector<FaultWindow> faults{};
  std::vector<Leave> leaves{};
  Declaration declared{};
  bool has_header = false;        // then a missing drain means that the run was cut off
  bool payloads_checked = false;  // payloads carry the run's id and a checksum
  bool faults_asked = false;      // faults were asked for in this run
  bool operator==(const History&) const = default;
};

/// "A~2" split into its base label and incarnation; "A" is incarnation 1.
struct Incarnation {
  std::string_view base{};
  std::uint32_t number = 1;
};
Incarnation incarnation_of(std::string_view label);

/// The label of the client with this index: A, B, ... Z, AA, AB, ...
std::string client_label(ClientId index);

/// The name of a client's event: "C2"; with a dot where the label does not end in a letter:
/// "A~2.1".
std::string event_symbol(std::string_view label, std::uint32_t step);

}  // namespace causalcheck
