#pragma once

#include <cstdint>

#include "checker/declaration.h"
#include "harness/backend_url.h"
#include "harness/result.h"
#include "harness/runtime.h"

namespace causalcheck {

/// When a commit is acknowledged: once the leader has it, or once a majority of all replicas has.
enum class AckBy : std::uint8_t { kMajority, kLeader };
/// Who answers a read: the leader, one replica that a client stays with, or another one each time.
enum class ReadFrom : std::uint8_t { kLeader, kFollower, kAny };
/// Whether a session's reads wait until the replica has come as far as the session has.
enum class SessionToken : std::uint8_t { kNo, kYes };
/// Whether a follower takes over from a leader that dies, stops or is cut off.
enum class Promotion : std::uint8_t { kYes, kNo };

/// How a replicated store behaves.
struct ReplicatedSettings {
  Reads reads = Reads::kLatest;
  ReadFrom read_from = ReadFrom::kLeader;
  AckBy ack_by = AckBy::kMajority;
  SessionToken token = SessionToken::kNo;
  Promotion promotion = Promotion::kYes;
  std::uint32_t replicas = 3;
  Time lag_low{};                       // that a record takes from the leader to a follower
  Time lag_high{};                      // at most
  std::uint32_t failover_permille = 0;  // commits in 1000 at which the leader dies by itself
  bool claims_a_log = false;            // claims what a single log gives, whatever the rest says
};

/// What a store with these settings says of itself. docs/replicated.md argues each row.
[[nodiscard]] Declaration promises_of(const ReplicatedSettings& settings);

/// The settings in `url`, which takes no address. Errors: kRejected, with all that is wrong.
[[nodiscard]] Result<ReplicatedSettings> read_replicated_settings(const BackendUrl& url);

}  // namespace causalcheck
