#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/replicated/replica_group.h"
#include "adapters/replicated/replicated_settings.h"
#include "harness/backend.h"

namespace causalcheck {

/// How far a session has come in the one log of all topics: what a resume token carries.
struct ReplicatedPlace {
  std::size_t seen = 0;    // by reads and acknowledged commits: the session token
  std::size_t cursor = 0;  // of the feed
};

/// Takes a resume token apart. Errors: kRejected when it is none of a replicated store.
[[nodiscard]] Result<ReplicatedPlace> parse_place(const ResumeToken& token);

/// One client's connection to a replicated store.
///
/// It writes to the replica it takes for the leader. A leader that was deposed and does not know it
/// keeps some of its clients; the run's choices say which.
class ReplicatedSession final : public Session {
 public:
  /// All references must outlive the session.
  ReplicatedSession(ReplicaGroup& group, const ReplicatedSettings& settings,
                    const std::vector<std::string>& topics, ClientId client, Runtime& runtime,
                    ReplicatedPlace place);

  [[nodiscard]] Result<Ack> commit(const Message& message, Time deadline) override;
  /// Errors: kUnavailable when no replica that may answer is in reach, or the one that was asked
  /// does not catch up with the session token in time.
  [[nodiscard]] Result<std::optional<Entry>> poll(std::string_view topic, Time deadline) override;
  [[nodiscard]] Result<std::vector<Delivered>> receive(Time deadline) override;
  [[nodiscard]] Result<ResumeToken> close() override;

 private:
  [[nodiscard]] std::optional<std::uint32_t> find(std::string_view topic) const;
  [[nodiscard]] Result<ReplicaId> find_leader(Time deadline);
  [[nodiscard]] Result<ReplicaId> pick_replica(Time deadline);
  [[nodiscard]] bool wait_for(ReplicaId id, Time deadline);
  void advance() { group_.advance(runtime_.now()); }

  ReplicaGroup& group_;
  const ReplicatedSettings& settings_;
  const std::vector<std::string>& topics_;
  const ReplicaId home_;  // the replica it reads from when it stays with one
  Runtime& runtime_;
  ReplicatedPlace place_;
  ReplicaId leader_;  // the one it takes for it
};

}  // namespace causalcheck
