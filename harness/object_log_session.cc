#include "harness/object_log_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "harness/backoff.h"
#include "harness/call_errors.h"
#include "harness/path_escape.h"

namespace causalcheck {
namespace {

// A receive hands over at most this many messages of one topic, so that a busy topic does not keep
// the others waiting.
constexpr std::size_t kBatchPerTopic = 32;

// A poll passes at most this many malformed objects in a row: a store of which nothing can be read
// has no last object either.
constexpr std::uint64_t kMalformedMax = 16;

}  // namespace

ObjectLogSession::ObjectLogSession(ObjectStore& store, ObjectLogOptions options, Runtime& runtime,
                                   const std::vector<std::string>& topics,
                                   const std::vector<std::string>& folders)
    : store_(store),
      options_(options),
      runtime_(runtime),
      topics_(topics),
      turns_(options.execution) {
  places_.reserve(folders.size());
  for (const std::string& folder : folders) places_.push_back(std::make_unique<Place>(folder));
}

ObjectLogSession::Place* ObjectLogSession::find(std::string_view topic) {
  const auto found = std::find(topics_.begin(), topics_.end(), topic);
  if (found == topics_.end()) return nullptr;
  return places_[static_cast<std::size_t>(found - topics_.begin())].get();
}

Result<bool> ObjectLogSession::look(const SlotKey& key, Entry& entry, Time deadline) {
  runtime_.yield();
  if (runtime_.now() >= deadline) {
    return Error(ErrorCode::kDeadline, fmt::format("no time left to look at slot {}", key.slot()));
  }
  Result<bool> got = store_.get_into(key.text(), content_, runtime_, deadline);
  if (got.has_error() || !*got) return got;
  const std::optional<ObjectTrailer> trailer = read_trailer(content_);
  if (!trailer) {
    return Error(ErrorCode::kUndecodable,
                 fmt::format("the object of slot {} is cut or malformed", key.slot()));
  }
  content_.resize(trailer->payload_bytes);
  entry.payload.swap(content_);
  entry.is_delete = trailer->is_delete;
  entry.slot = static_cast<Slot>(key.slot());
  return true;
}

Result<Ack> ObjectLogSession::commit(const Message& message, Time deadline) {
  Place* place = find(message.topic);
  if (place == nullptr) return not_a_topic(message.topic);
  const std::optional<TurnQueue::Turn> turn = turns_.wait(runtime_, deadline);
  if (!turn) {
    return Error(ErrorCode::kUnavailable,
                 "not sent: an earlier commit of this session was still open");
  }
  const std::string_view content = writer_.encode(message.payload, message.is_delete);
  SlotKey& key = place->write;
  const std::uint64_t known = place->read_next.load(std::memory_order_relaxed);
  if (known > key.slot()) key.move_to(known);
  while (true) {
    runtime_.yield();
    if (runtime_.now() >= deadline) {
      return Error(ErrorCode::kUnavailable,
                   fmt::format("not written: no time left to try slot {}", key.slot()));
    }
    const Result<Created> answer = store_.create_if_absent(key.text(), content, runtime_, deadline);
    // An ambiguous create leaves the key where it is: the next message finds out who has the slot.
    if (answer.has_error()) return answer.error();
    const auto slot = static_cast<Slot>(key.slot());
    key.move_on();
    if (*answer == Created::kCreated) return Ack{slot};
  }
}

Result<std::optional<Entry>> ObjectLogSession::poll(std::string_view topic, Time deadline) {
  if (options_.reads != Reads::kLatest) return wrong_reads("poll", "feed");
  Place* place = find(topic);
  if (place == nullptr) return not_a_topic(topic);
  // A malformed object is passed when one follows it. As the last one it is no answer, and never
  // stands for the one before: `read` stays there and the next poll looks again.
  std::optional<SlotKey> ahead;
  Error malformed;
  while (true) {
    Result<bool> found = look(ahead ? *ahead : place->read, place->last, deadline);
    if (found.has_error()) {
      if (found.error().code != ErrorCode::kUndecodable) return std::move(found).error();
      if (!ahead) ahead = place->read;
      if (ahead->slot() - place->read.slot() == kMalformedMax) return std::move(found).error();
      ahead->move_on();
      malformed = std::move(found).error();
      continue;
    }
    if (!*found) break;
    if (ahead) place->read = *std::exchange(ahead, std::nullopt);
    place->read.move_on();
    place->read_next.store(place->read.slot(), std::memory_order_relaxed);
  }
  if (ahead) return malformed;
  if (!place->last.slot) return std::optional<Entry>();
  return std::optional<Entry>(place->last);
}

ObjectLogSession::Swept ObjectLogSession::sweep(Time deadline) {
  Swept swept;
  for (std::size_t topic = 0; topic < places_.size(); ++topic) {
    Place& place = *places_[topic];
    for (std::size_t i = 0; i < kBatchPerTopic; ++i) {
      Entry entry;
      Result<bool> found = look(place.read, entry, deadline);
      // A feed has no gaps: what cannot be read holds up what comes after it, on its topic.
      if (found.has_error() && !swept.problem) swept.problem = std::move(found).error();
      if (found.has_error() || !*found) break;
      swept.batch.push_back({topics_[topic], std::move(entry)});
      place.read.move_on();
      place.read_next.store(place.read.slot(), std::memory_order_relaxed);
    }
  }
  return swept;
}

Result<std::vector<Delivered>> ObjectLogSession::receive(Time deadline) {
  if (options_.reads != Reads::kFeed) return wrong_reads("receive", "latest");
  Backoff backoff;
  while (true) {
    Swept swept = sweep(deadline);
    // A problem of one topic does not hold up the others, and comes again with the next call.
    if (!swept.batch.empty()) return std::move(swept.batch);
    if (swept.problem) return *std::move(swept.problem);
    if (!backoff.sleep(runtime_, deadline) || runtime_.now() >= deadline) return swept.batch;
  }
}

Result<ResumeToken> ObjectLogSession::close() {
  ResumeToken token;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    if (i > 0) token.bytes += '&';
    token.bytes += escape_component(topics_[i]);
    token.bytes += '=';
    token.bytes += std::to_string(places_[i]->read.slot());
  }
  return token;
}

Result<void> ObjectLogSession::resume(const ResumeToken& token) {
  const Error malformed(ErrorCode::kRejected,
                        fmt::format("'{}' is no resume token of an object log", token.bytes));
  std::optional<std::string_view> rest;
  if (!token.bytes.empty()) rest = token.bytes;
  while (rest) {
    const std::string_view pair = rest->substr(0, rest->find('&'));
    if (pair.size() == rest->size()) {
      rest.reset();
    } else {
      rest->remove_prefix(pair.size() + 1);
    }
    const std::size_t equals = pair.find('=');
    if (equals == std::string_view::npos) return malformed;
    const std::optional<std::string> topic = unescape_component(pair.substr(0, equals));
    const std::string_view digits = pair.substr(equals + 1);
    std::uint64_t next = 0;
    const char* end = digits.data() + digits.size();
    const auto [stop, error] = std::from_chars(digits.data(), end, next);
    Place* place = topic ? find(*topic) : nullptr;
    if (place == nullptr || error != std::errc() || stop != end) return malformed;
    place->write.move_to(next);
    // A poll needs the content of the last entry too, so it starts from there.
    const bool polls = options_.reads == Reads::kLatest;
    place->read.move_to(polls && next > 0 ? next - 1 : next);
    place->read_next.store(place->read.slot(), std::memory_order_relaxed);
  }
  return {};
}

}  // namespace causalcheck
