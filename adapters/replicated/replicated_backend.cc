#include "adapters/replicated/replicated_backend.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "adapters/replicated/replicated_session.h"

namespace causalcheck {
namespace {

std::vector<std::string> names_of(std::uint32_t replicas) {
  std::vector<std::string> names;
  for (std::uint32_t i = 0; i < replicas; ++i) names.push_back(fmt::format("n{}", i));
  return names;
}

}  // namespace

ReplicatedBackend::ReplicatedBackend(const ReplicatedSettings& settings)
    : settings_(settings), names_(names_of(settings.replicas)), group_(settings) {}

BackendDeclaration ReplicatedBackend::declare() const {
  BackendDeclaration declared;
  declared.promises = promises_of(settings_);
  declared.concurrency = Concurrency::kReadDuringCommit;
  declared.interleaves = true;
  // Who comes back hears of the view, and then is sent what it lacks.
  declared.lag_max = 3 * settings_.lag_high + std::chrono::milliseconds(1);
  return declared;
}

Result<void> ReplicatedBackend::reset(const RunInfo& run) {
  topics_ = run.topics;
  group_.reset();
  return {};
}

Result<std::unique_ptr<Session>> ReplicatedBackend::open(const ClientInfo& client, Runtime& runtime,
                                                         const ResumeToken* resume) {
  ReplicatedPlace place;
  if (resume != nullptr) {
    const Result<ReplicatedPlace> parsed = parse_place(*resume);
    if (parsed.has_error()) return parsed.error();
    place = *parsed;
  }
  return std::unique_ptr<Session>(
      std::make_unique<ReplicatedSession>(group_, settings_, topics_, client.id, runtime, place));
}

Result<std::vector<Entry>> ReplicatedBackend::drain(std::string_view topic, std::string_view node,
                                                    Runtime&) {
  const Result<ReplicaId> id = find(node);
  if (id.has_error()) return id.error();
  const auto index = std::find(topics_.begin(), topics_.end(), topic) - topics_.begin();
  group_.settle();
  std::vector<Entry> entries;
  const std::size_t length = group_.visible(*id);
  for (std::size_t i = 0; i < length; ++i) {
    const ReplicatedRecord& record = group_.record(*id, i);
    if (record.topic != static_cast<std::uint32_t>(index)) continue;
    entries.push_back({record.payload, record.slot, record.is_delete, false});
  }
  return entries;
}

Result<ReplicaId> ReplicatedBackend::find(std::string_view node) const {
  const auto found = std::find(names_.begin(), names_.end(), node);
  if (found == names_.end()) {
    return Error(ErrorCode::kRejected, fmt::format("'{}' is no replica of this store", node));
  }
  return static_cast<ReplicaId>(found - names_.begin());
}

Result<void> ReplicatedBackend::change(std::string_view node,
                                       void (ReplicaGroup::*how)(ReplicaId)) {
  const Result<ReplicaId> id = find(node);
  if (id.has_error()) return id.error();
  (group_.*how)(*id);
  return {};
}

Result<void> ReplicatedBackend::crash_and_restart(std::string_view node, Runtime& runtime) {
  group_.advance(runtime.now());
  return change(node, &ReplicaGroup::crash);
}

Result<void> ReplicatedBackend::pause(std::string_view node) {
  return change(node, &ReplicaGroup::pause);
}

Result<void> ReplicatedBackend::resume(std::string_view node) {
  return change(node, &ReplicaGroup::resume);
}

Result<void> ReplicatedBackend::cut(std::string_view node) {
  return change(node, &ReplicaGroup::cut);
}

Result<void> ReplicatedBackend::heal(std::string_view node) {
  return change(node, &ReplicaGroup::heal);
}

}  // namespace causalcheck
