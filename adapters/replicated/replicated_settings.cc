#include "adapters/replicated/replicated_settings.h"

#include <chrono>

#include "harness/backend.h"

namespace causalcheck {
namespace {

// In microseconds, which is what a scheduling step takes. The default is a few dozen steps: a
// client often reads again before a follower has caught up.
constexpr NumberRange kLag{0, 60};
constexpr NumberRange kLagAllowed{0, 1'000'000};
constexpr std::int64_t kReplicas = 3;
constexpr std::int64_t kReplicasMax = 9;
constexpr std::int64_t kFailoverPermilleMax = 300;

// What one log gives, read where it is written.
GuaranteeSet all_of_a_log(Reads reads) {
  GuaranteeSet set;
  for (const Guarantee id : all_guarantees()) set.insert(id);
  set.erase(reads == Reads::kFeed ? Guarantee::kReadYourWrites : Guarantee::kDelivery);
  return set;
}

// A follower that takes over lacks what was acknowledged and never reached it, and gives the same
// slots to others. What failed stays failed, and every payload is one that somebody wrote.
GuaranteeSet offered(const ReplicatedSettings& settings) {
  if (settings.ack_by == AckBy::kLeader && settings.promotion == Promotion::kYes) {
    GuaranteeSet set{Guarantee::kOutcome, Guarantee::kIntegrity};
    // A cursor only moves on, and what was lost does not come back: not on one and the same
    // replica.
    if (settings.reads == Reads::kFeed && settings.read_from != ReadFrom::kAny) {
      set.insert(Guarantee::kFifo);
    }
    return set;
  }
  GuaranteeSet set = all_of_a_log(settings.reads);
  // A feed's cursor is a token. Any replica has a prefix of the one log, and what lies behind the
  // cursor is the same on all of them.
  if (settings.reads == Reads::kFeed || settings.read_from == ReadFrom::kLeader) return set;
  set.erase(Guarantee::kRealTime);
  if (settings.token == SessionToken::kYes) return set;
  // Every level contains that a client finds what it wrote.
  for (const Guarantee id :
       {Guarantee::kReadYourWrites, Guarantee::kFifo, Guarantee::kCausal, Guarantee::kTotal}) {
    set.erase(id);
  }
  if (settings.read_from == ReadFrom::kFollower) return set;
  for (const Guarantee id :
       {Guarantee::kMonotonicReads, Guarantee::kMonotonicWrites, Guarantee::kWritesFollowReads}) {
    set.erase(id);
  }
  return set;
}

constexpr Guarantee kClaimable[] = {Guarantee::kReadYourWrites, Guarantee::kMonotonicReads,
                                    Guarantee::kMonotonicWrites, Guarantee::kWritesFollowReads,
                                    Guarantee::kRealTime};

}  // namespace

Declaration promises_of(const ReplicatedSettings& settings) {
  Declaration promises;
  promises.slots = Slots::kContiguous;
  promises.reads = settings.reads;
  promises.scope = Scope::kAll;
  promises.retries = Retries::kNone;
  promises.offers = offered(settings);
  const GuaranteeSet claimed =
      settings.claims_a_log ? all_of_a_log(settings.reads) : promises.offers;
  promises.claims = {};
  for (const Guarantee id : kClaimable) {
    if (claimed.contains(id)) promises.claims.insert(id);
  }
  // Levels begin at fifo: what offers none cannot claim less.
  promises.level = claimed.contains(Guarantee::kTotal) ? Level::kTotal : Level::kFifo;
  return promises;
}

Result<ReplicatedSettings> read_replicated_settings(const BackendUrl& url) {
  constexpr ReadFrom kReadFrom[] = {ReadFrom::kLeader, ReadFrom::kFollower, ReadFrom::kAny};
  SettingsReader reader(url);
  reader.refuse_address();
  ReplicatedSettings settings;
  settings.reads = reader.reads();
  settings.read_from = kReadFrom[reader.choice("read", {"leader", "follower", "any"})];
  settings.ack_by =
      reader.choice("ack", {"majority", "leader"}) == 0 ? AckBy::kMajority : AckBy::kLeader;
  settings.token =
      reader.choice("token", {"no", "yes"}) == 0 ? SessionToken::kNo : SessionToken::kYes;
  settings.promotion =
      reader.choice("promote", {"yes", "no"}) == 0 ? Promotion::kYes : Promotion::kNo;
  settings.replicas =
      static_cast<std::uint32_t>(reader.number("replicas", kReplicas, 1, kReplicasMax));
  const NumberRange lag = reader.range("lag", kLag, kLagAllowed);
  settings.lag_low = std::chrono::microseconds(lag.low);
  settings.lag_high = std::chrono::microseconds(lag.high);
  settings.failover_permille =
      static_cast<std::uint32_t>(reader.number("failover", 0, 0, kFailoverPermilleMax));
  settings.claims_a_log = reader.choice("claim", {"offered", "log"}) == 1;
  if (const Result<void> known = reader.finish(); known.has_error()) return known.error();
  return settings;
}

}  // namespace causalcheck
