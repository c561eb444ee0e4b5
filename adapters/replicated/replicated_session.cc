#include "adapters/replicated/replicated_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>

#include "harness/backoff.h"
#include "harness/call_errors.h"

namespace causalcheck {
namespace {

// Beyond the lag, how long a read waits for a replica to catch up before it gives up.
constexpr Time kCatchUp = std::chrono::milliseconds(5);

}  // namespace

Result<ReplicatedPlace> parse_place(const ResumeToken& token) {
  const char* const end = token.bytes.data() + token.bytes.size();
  ReplicatedPlace place;
  const auto seen = std::from_chars(token.bytes.data(), end, place.seen);
  if (seen.ec == std::errc() && seen.ptr != end && *seen.ptr == ':') {
    const auto cursor = std::from_chars(seen.ptr + 1, end, place.cursor);
    if (cursor.ec == std::errc() && cursor.ptr == end) return place;
  }
  return Error(ErrorCode::kRejected,
               fmt::format("'{}' is no resume token of a replicated store", token.bytes));
}

ReplicatedSession::ReplicatedSession(ReplicaGroup& group, const ReplicatedSettings& settings,
                                     const std::vector<std::string>& topics, ClientId client,
                                     Runtime& runtime, ReplicatedPlace place)
    : group_(group),
      settings_(settings),
      topics_(topics),
      home_(group.size() == 1 ? 0 : 1 + static_cast<ReplicaId>(client) % (group.size() - 1)),
      runtime_(runtime),
      place_(place),
      leader_(group.leader()) {}

std::optional<std::uint32_t> ReplicatedSession::find(std::string_view topic) const {
  for (std::uint32_t i = 0; i < topics_.size(); ++i) {
    if (topics_[i] == topic) return i;
  }
  return std::nullopt;
}

// False when the replica still stands still at `deadline`.
bool ReplicatedSession::wait_for(ReplicaId id, Time deadline) {
  Backoff backoff;
  while (!group_.answers(id)) {
    if (!backoff.sleep(runtime_, deadline)) return false;
  }
  advance();
  return true;
}

// One that leads as far as it knows. Errors: nothing was done yet.
Result<ReplicaId> ReplicatedSession::find_leader(Time deadline) {
  advance();
  // Others have left a leader that was deposed; whether this session has heard of it is chance.
  if (leader_ != group_.leader() && runtime_.choose(2) == 0) leader_ = group_.leader();
  if (!wait_for(leader_, deadline)) {
    return Error(ErrorCode::kUnavailable, "not sent: the leader did not answer");
  }
  if (!group_.leads(leader_)) {
    leader_ = group_.leader();
    if (!wait_for(leader_, deadline)) {
      return Error(ErrorCode::kUnavailable, "not sent: the leader did not answer");
    }
  }
  if (!group_.may_lead(leader_)) {
    leader_ = group_.leader();
    return Error(ErrorCode::kUnavailable, "refused: the leader has no majority in reach");
  }
  return leader_;
}

Result<Ack> ReplicatedSession::commit(const Message& message, Time deadline) {
  const std::optional<std::uint32_t> topic = find(message.topic);
  if (!topic) {
    return not_a_topic(message.topic);
  }
  runtime_.yield();
  if (runtime_.now() >= deadline) return Error(ErrorCode::kUnavailable, "no time left to send it");
  const Result<ReplicaId> leader = find_leader(deadline);
  if (leader.has_error()) return leader.error();
  const Appended appended =
      group_.append(*leader, *topic, message.payload, message.is_delete, runtime_);
  runtime_.yield();
  Backoff backoff;
  while (true) {
    advance();
    if (group_.answers(*leader)) {
      const Fate fate = group_.fate(appended);
      if (fate == Fate::kUnknown) {
        leader_ = group_.leader();
        return Error(ErrorCode::kConnectionLost, "the leader is gone, and its answer with it");
      }
      if (fate == Fate::kAcknowledged) break;
      const Time at = group_.acknowledged_at(appended);
      if (at < deadline) {
        runtime_.sleep_until(at);
        continue;
      }
    }
    if (!backoff.sleep(runtime_, deadline)) {
      return Error(ErrorCode::kDeadline, "no acknowledgement in time");
    }
  }
  place_.seen = std::max(place_.seen, appended.position + 1);
  return Ack{appended.slot};
}

// Who answers a read. Errors: kUnavailable.
Result<ReplicaId> ReplicatedSession::pick_replica(Time deadline) {
  if (settings_.read_from == ReadFrom::kLeader) return find_leader(deadline);
  advance();
  ReplicaId id = home_;
  if (settings_.read_from == ReadFrom::kAny) {
    id = (group_.leader() + runtime_.choose(group_.size())) % group_.size();
  }
  if (!wait_for(id, deadline)) {
    return Error(ErrorCode::kUnavailable, "the replica did not answer");
  }
  return id;
}

Result<std::optional<Entry>> ReplicatedSession::poll(std::string_view topic, Time deadline) {
  if (settings_.reads != Reads::kLatest) return wrong_reads("poll", "feed", "store");
  const std::optional<std::uint32_t> index = find(topic);
  if (!index) {
    return not_a_topic(topic);
  }
  runtime_.yield();
  const Result<ReplicaId> id = pick_replica(deadline);
  if (id.has_error()) return id.error();
  if (settings_.token == SessionToken::kYes) {
    const Time limit = std::min(deadline, runtime_.now() + settings_.lag_high + kCatchUp);
    Backoff backoff;
    while (group_.visible(*id) < place_.seen || !group_.answers(*id)) {
      if (!backoff.sleep(runtime_, limit)) {
        return Error(ErrorCode::kUnavailable, "the replica has not caught up with this session");
      }
      advance();
    }
  }
  const std::size_t length = group_.visible(*id);
  place_.seen = std::max(place_.seen, length);
  const ReplicatedRecord* const record = group_.last_of(*id, *index, length);
  if (record == nullptr) return std::optional<Entry>();
  return std::optional<Entry>(Entry{record->payload, record->slot, record->is_delete, false});
}

Result<std::vector<Delivered>> ReplicatedSession::receive(Time deadline) {
  if (settings_.reads != Reads::kFeed) return wrong_reads("receive", "latest", "store");
  runtime_.yield();
  std::vector<Delivered> batch;
  const Result<ReplicaId> id = pick_replica(deadline);
  if (id.has_error()) return id.error();
  Backoff backoff;
  while (true) {
    if (group_.answers(*id)) {
      const std::size_t length = group_.visible(*id);
      for (; place_.cursor < length; ++place_.cursor) {
        const ReplicatedRecord& record = group_.record(*id, place_.cursor);
        batch.push_back(
            {topics_[record.topic], {record.payload, record.slot, record.is_delete, false}});
      }
      if (!batch.empty()) return batch;
    }
    if (runtime_.now() >= deadline) return batch;
    // An arrival that is due is only waiting for the replica to hear of it.
    const Time next = std::max(group_.next_arrival(*id), runtime_.now() + Time(1));
    if (!backoff.sleep(runtime_, std::min(next, deadline))) return batch;
    advance();
  }
}

Result<ResumeToken> ReplicatedSession::close() {
  return ResumeToken{fmt::format("{}:{}", place_.seen, place_.cursor)};
}

}  // namespace causalcheck
