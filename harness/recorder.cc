#include "harness/recorder.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <charconv>
#include <utility>

namespace causalcheck {

void Recorder::begin(const RecordedRun& run, Checker* checker, HoldReporter* holds) {
  const auto lock = guard();
  history_.clients = run.clients;
  history_.topics = run.topics;
  history_.nodes = run.nodes;
  history_.messages.clear();
  history_.payloads.clear();
  history_.operations.clear();
  history_.faults.clear();
  history_.leaves.clear();
  history_.declared = run.declared;
  history_.has_header = true;
  history_.payloads_checked = true;
  history_.faults_asked = run.faults_asked;
  tag_ = RunTag(run.id);
  filler_bytes_ = run.filler_bytes;
  slots_ = run.declared.slots != Slots::kNone;
  feed_ = run.declared.reads == Reads::kFeed;
  next_ = 1;
  events_ = 0;
  touched_the_past_ = false;
  messages_.clear();
  clients_.assign(run.clients.size(), {});
  for (auto& sights : sights_) sights.clear();
  if (sights_.size() < run.clients.size()) sights_.resize(run.clients.size());
  checker_ = checker;
  reporter_ = holds;
  holds_.clear();
  if (checker_ != nullptr) checker_->begin(history_);
}

ClientId Recorder::add_client(std::string label) {
  const auto lock = guard();
  history_.clients.push_back(std::move(label));
  clients_.emplace_back();
  if (sights_.size() < clients_.size()) sights_.emplace_back();
  return static_cast<ClientId>(clients_.size() - 1);
}

void Recorder::new_session(ClientId client) {
  const auto lock = guard();
  ++clients_[client].session;
}

void Recorder::leave(ClientId client) {
  const auto lock = guard();
  history_.leaves.push_back({client, next_++});
}

std::size_t Recorder::begin_fault(std::string kind, std::string target, Position call) {
  const auto lock = guard();
  history_.faults.push_back({std::move(kind), std::move(target), next_++, kNever, call});
  return history_.faults.size() - 1;
}

void Recorder::end_fault(std::size_t fault) {
  const auto lock = guard();
  history_.faults[fault].end = next_++;
}

OperationIndex Recorder::call(const Operation& operation) {
  const auto index = static_cast<OperationIndex>(history_.operations.size());
  history_.operations.push_back(operation);
  if (checker_ != nullptr) checker_->invoked(index);
  return index;
}

void Recorder::finish(OperationIndex operation) {
  history_.operations[operation].end = next_++;
  if (checker_ != nullptr) checker_->completed(operation);
}

void Recorder::append_returned(const Operation& operation) { finish(call(operation)); }

void Recorder::collect_holds() {
  if (reporter_ == nullptr) return;
  for (HoldEvent& event : reporter_->take_hold_events()) {
    holds_.push_back({std::move(event), next_ - 1});
  }
}

std::vector<std::string> Recorder::hold_lines() const {
  std::vector<std::string> lines;
  lines.reserve(holds_.size());
  for (const HoldAt& hold : holds_) lines.push_back(hold_line(hold.event, hold.position));
  return lines;
}

WriteCall Recorder::begin_write(ClientId client, TopicId topic, bool is_delete) {
  const auto lock = guard();
  ClientState& state = clients_[client];
  const std::uint32_t step = ++state.step;
  state.answered = false;
  ++events_;

  const auto message = static_cast<MessageId>(messages_.size());
  const std::string& label = history_.clients[client];
  history_.messages.push_back(event_symbol(label, step));
  if (payloads_.size() <= message) payloads_.resize(std::size_t{message} + 1);
  std::string& payload = payloads_[message];
  payload.clear();
  append_payload(payload, tag_, {message, label, step, is_delete}, filler_bytes_);

  Operation operation;
  operation.start = next_++;
  operation.client = client;
  operation.topic = topic;
  operation.message = message;
  operation.session = state.session;
  operation.kind = OperationKind::kWrite;
  operation.outcome = Outcome::kInfo;
  operation.is_delete = is_delete;
  messages_.push_back(
      {static_cast<OperationIndex>(history_.operations.size()), client, topic, true, false});
  return {call(operation), topic, is_delete, payload};
}

void Recorder::complete_write(OperationIndex index, const Result<Ack>& answer) {
  const auto lock = guard();
  Operation& operation = history_.operations[index];
  assert(operation.end == kNever && operation.is_write());
  if (answer.has_value()) {
    operation.outcome = Outcome::kOk;
    operation.slot = answer->slot.value_or(kNoSlot);
  } else {
    operation.outcome = outcome_of(answer.error().code);
    operation.undecodable = answer.error().code == ErrorCode::kUndecodable;
    messages_[operation.message].failed = operation.outcome == Outcome::kFail;
  }
  finish(index);
  collect_holds();
}

Operation Recorder::read_of(ClientId client, TopicId topic, Position start) const {
  Operation operation;
  operation.start = start;
  operation.client = client;
  operation.topic = topic;
  operation.session = clients_[client].session;
  operation.kind = OperationKind::kRead;
  operation.outcome = Outcome::kInfo;
  return operation;
}

OperationIndex Recorder::begin_read(ClientId client, TopicId topic) {
  const auto lock = guard();
  return call(read_of(client, topic, next_++));
}

Observed Recorder::complete_read(OperationIndex index, const Result<std::optional<Entry>>& answer) {
  const auto lock = guard();
  // A reference stays good: `fill` adds to other tables only.
  Operation& operation = history_.operations[index];
  assert(operation.end == kNever && !operation.is_write());
  Observed observed;
  if (answer.has_error()) {
    operation.outcome = outcome_of(answer.error().code);
    operation.undecodable = answer.error().code == ErrorCode::kUndecodable;
    observed.failed = true;
    observed.unknown = operation.outcome == Outcome::kInfo;
  } else {
    operation.outcome = Outcome::kOk;
    if (answer->has_value()) fill(operation, **answer);
    observed.slot = operation.slot;
  }
  finish(index);
  observe(operation, observed);
  return observed;
}

ReceiveCall Recorder::begin_receive(ClientId client) {
  const auto lock = guard();
  // Which topic it will be of is not known yet, and does not matter to the call of a feed's read.
  return {call(read_of(client, 0, next_++))};
}

Observed Recorder::complete_receive(const ReceiveCall& receive,
                                    const Result<std::vector<Delivered>>& answer) {
  const auto lock = guard();
  if (answer.has_error() || answer->empty()) return complete_empty(receive.operation, answer);
  Observed observed;
  observed.handed_over = static_cast<std::uint32_t>(answer->size());
  const ClientId client = history_.operations[receive.operation].client;
  OperationIndex index = receive.operation;
  for (const Delivered& delivered : *answer) {
    if (&delivered != answer->data()) index = call(read_of(client, 0, next_++));
    Operation& operation = history_.operations[index];
    const auto topic = std::find(history_.topics.begin(), history_.topics.end(), delivered.topic);
    if (topic == history_.topics.end()) {  // misuse; CheckedBackend says so
      operation.undecodable = true;
    } else {
      operation.topic = static_cast<TopicId>(topic - history_.topics.begin());
      operation.outcome = Outcome::kOk;
      fill(operation, delivered.entry);
    }
    finish(index);
    observe(history_.operations[index], observed);
  }
  collect_holds();
  return observed;
}

// A receive that brought nothing or failed.
Observed Recorder::complete_empty(OperationIndex first,
                                  const Result<std::vector<Delivered>>& answer) {
  Observed observed;
  Operation& operation = history_.operations[first];
  if (answer.has_error()) {
    operation.outcome = outcome_of(answer.error().code);
    operation.undecodable = answer.error().code == ErrorCode::kUndecodable;
    observed.failed = true;
    observed.unknown = operation.outcome == Outcome::kInfo;
  } else {
    operation.outcome = Outcome::kOk;
  }
  Operation other = operation;
  finish(first);
  for (other.topic = 1; other.topic < history_.topics.size(); ++other.topic) append_returned(other);
  collect_holds();
  return observed;
}

void Recorder::record_drain(TopicId topic, std::uint32_t node,
                            const Result<std::vector<Entry>>& entries) {
  const auto lock = guard();
  Operation line;
  line.topic = topic;
  line.node = history_.nodes[node].empty() ? 0 : node + 1;
  const auto append = [&](Operation operation) {
    operation.start = next_++;
    append_returned(operation);
  };
  if (entries.has_error()) {
    line.outcome = Outcome::kInfo;
    return append(line);
  }
  if (entries->empty()) return append(line);
  for (const Entry& entry : *entries) {
    Operation operation = line;
    if (entry.unreadable) {
      operation.outcome = Outcome::kInfo;
      operation.undecodable = true;
      operation.slot = entry.slot.value_or(kNoSlot);
    } else {
      fill(operation, entry);
    }
    append(operation);
  }
}

// Writes into `operation`, a read that ended ok, what `entry` says.
void Recorder::fill(Operation& operation, const Entry& entry) {
  operation.slot = entry.slot.value_or(kNoSlot);
  operation.is_delete = entry.is_delete;
  operation.message = identify(operation, entry);
}

// The message that `entry` shows. Byte for byte what was written under the number it claims: the
// usual case, and more than the checksum could prove. Else the payload is taken apart.
MessageId Recorder::identify(Operation& operation, const Entry& entry) {
  const std::optional<std::uint32_t> number = claimed_number(entry.payload);
  const bool known = number && *number < messages_.size() && messages_[*number].written;
  if (known && payloads_[*number] == entry.payload &&
      history_.operations[messages_[*number].write].is_delete == entry.is_delete) {
    return *number;
  }
  const DecodedPayload decoded = decode_payload(entry.payload, tag_);
  if (decoded.origin == PayloadOrigin::kUndecodable) {
    operation.outcome = Outcome::kInfo;
    operation.undecodable = true;
    operation.is_delete = false;
    return kNothing;
  }
  std::string name = event_symbol(decoded.fields.label, decoded.fields.step);
  if (decoded.origin == PayloadOrigin::kForeign) {
    operation.foreign = true;
    return message_named(name + " of run " + std::string(decoded.run));
  }
  const MessageId message = message_named(std::move(name));
  operation.payload = digest_index(payload_digest(entry.payload, entry.is_delete));
  if (messages_[message].written) {
    Operation& write = history_.operations[messages_[message].write];
    if (write.payload == 0) {
      write.payload = digest_index(payload_digest(payloads_[message], write.is_delete));
      touched_the_past_ = true;
    }
  }
  return message;
}

MessageId Recorder::message_named(std::string name) {
  const auto at = std::find(history_.messages.begin(), history_.messages.end(), name);
  if (at != history_.messages.end()) {
    return static_cast<MessageId>(at - history_.messages.begin());
  }
  history_.messages.push_back(std::move(name));
  messages_.emplace_back();
  return static_cast<MessageId>(messages_.size() - 1);
}

std::uint32_t Recorder::digest_index(std::string digest) {
  const auto at = std::find(history_.payloads.begin(), history_.payloads.end(), digest);
  const auto index = static_cast<std::uint32_t>(at - history_.payloads.begin());
  if (at == history_.payloads.end()) history_.payloads.push_back(std::move(digest));
  return index + 1;
}

// Counts the event, if it is one: the rules of docs/semantics.md, "What counts as seen".
void Recorder::observe(const Operation& operation, Observed& observed) {
  if (operation.outcome != Outcome::kOk || operation.message == kNothing || operation.foreign) {
    if (operation.undecodable) observed.failed = observed.unknown = true;
    return;
  }
  const MessageState& message = messages_[operation.message];
  if ((slots_ && operation.slot == kNoSlot) || !message.written || message.failed ||
      message.topic != operation.topic) {
    return;
  }
  ClientState& state = clients_[operation.client];
  if (!feed_ && state.answered && state.topic == operation.topic &&
      state.message == operation.message && state.slot == operation.slot) {
    return;
  }
  state.answered = true;
  state.topic = operation.topic;
  state.message = operation.message;
  state.slot = operation.slot;
  ++state.step;
  ++events_;
  if (!first_sight(operation.client, operation.message)) return;
  if (message.sender == operation.client) {
    ++observed.own;
  } else {
    ++observed.news;
  }
}

bool Recorder::first_sight(ClientId client, MessageId message) {
  std::vector<std::uint8_t>& sights = sights_[client];
  if (sights.size() <= message) sights.resize(2 * messages_.size(), 0);
  return std::exchange(sights[message], std::uint8_t{1}) == 0;
}

}  // namespace causalcheck
