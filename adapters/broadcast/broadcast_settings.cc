#include "adapters/broadcast/broadcast_settings.h"

#include <chrono>

#include "harness/backend.h"

namespace causalcheck {
namespace {

// In microseconds. An hour is longer than any run; the default is a few dozen scheduling steps, so
// that two answers to one message often overtake each other.
constexpr NumberRange kDelay{5, 150};
constexpr NumberRange kDelayAllowed{0, 3'600'000'000};
constexpr std::int64_t kLossPermille = 20;
constexpr std::int64_t kDuplicatePermille = 20;
constexpr std::int64_t kPartitionPermille = 2;
constexpr std::int64_t kPartitionUs = 1000;
// Each alone; together they leave a link that lets something through.
constexpr std::int64_t kTroublePermilleMax = 300;
constexpr std::int64_t kProcessesMax = 256;
constexpr std::int64_t kQueueMax = 1'000'000;

std::uint32_t small(std::int64_t number) { return static_cast<std::uint32_t>(number); }

Level level_of(DeliveryOrder order) {
  switch (order) {
    case DeliveryOrder::kCausal:
      return Level::kCausal;
    case DeliveryOrder::kTotal:
      return Level::kTotal;
    case DeliveryOrder::kImmediate:
    case DeliveryOrder::kFifo:
      break;
  }
  return Level::kFifo;  // the lowest there is
}

// Whether deliveries come in the order whatever happens. A process that leaves for good lacks
// nothing that had to come before what it has, then: that is what it is owed.
bool keeps_order(const BroadcastSettings& settings) {
  const bool gives_up = settings.queue_max > 0 && settings.at_cap == AtCap::kDeliver;
  return settings.order != DeliveryOrder::kImmediate && !gives_up;
}

// Whether something can be lost for good.
bool loses(const BroadcastSettings& settings) {
  const bool links_lose = settings.links.loss_permille > 0 || settings.links.partition_permille > 0;
  if (links_lose && settings.retransmit == Retransmit::kOff) return true;
  return settings.queue_max > 0 && settings.at_cap == AtCap::kDrop;
}

}  // namespace

Declaration promises_of(const BroadcastSettings& settings) {
  Declaration promises;
  promises.slots = Slots::kNone;
  promises.reads = Reads::kFeed;
  promises.level = level_of(settings.order);
  promises.scope = Scope::kAll;
  promises.retries = Retries::kNone;
  promises.claims = {};
  if (settings.order != DeliveryOrder::kImmediate) {
    promises.claims.insert(Guarantee::kMonotonicWrites);
  }
  if (settings.order == DeliveryOrder::kCausal || settings.order == DeliveryOrder::kTotal) {
    promises.claims.insert(Guarantee::kWritesFollowReads);
  }
  promises.offers = all_judged(promises);
  if (!keeps_order(settings)) {
    for (const Guarantee id : {Guarantee::kFifo, Guarantee::kCausal, Guarantee::kTotal,
                               Guarantee::kMonotonicWrites, Guarantee::kWritesFollowReads}) {
      promises.offers.erase(id);
    }
  }
  if (!keeps_order(settings) || loses(settings)) {
    promises.offers.erase(Guarantee::kDelivery);
  }
  return promises;
}

Result<BroadcastSettings> read_broadcast_settings(const BackendUrl& url) {
  constexpr DeliveryOrder kOrders[] = {DeliveryOrder::kCausal, DeliveryOrder::kImmediate,
                                       DeliveryOrder::kFifo, DeliveryOrder::kTotal};
  SettingsReader reader(url);
  reader.refuse_address();
  BroadcastSettings settings;
  settings.order = kOrders[reader.choice("order", {"causal", "immediate", "fifo", "total"})];
  settings.processes_max = small(reader.number("processes", 0, 1, kProcessesMax));
  LinkSettings& links = settings.links;
  const NumberRange delay = reader.range("delay", kDelay, kDelayAllowed);
  links.delay_low = std::chrono::microseconds(delay.low);
  links.delay_high = std::chrono::microseconds(delay.high);
  links.loss_permille = small(reader.number("loss", kLossPermille, 0, kTroublePermilleMax));
  links.duplicate_permille =
      small(reader.number("duplicate", kDuplicatePermille, 0, kTroublePermilleMax));
  links.partition_permille =
      small(reader.number("partition", kPartitionPermille, 0, kTroublePermilleMax));
  links.partition_length =
      std::chrono::microseconds(reader.number("cut", kPartitionUs, 1, kDelayAllowed.high));
  links.order =
      reader.choice("links", {"reordering", "fifo"}) == 0 ? LinkOrder::kReorders : LinkOrder::kFifo;
  settings.retransmit =
      reader.choice("retransmit", {"on", "off"}) == 0 ? Retransmit::kOn : Retransmit::kOff;
  settings.queue_max = small(reader.number("cap", 1024, 0, kQueueMax));
  constexpr AtCap kPolicies[] = {AtCap::kBlock, AtCap::kDrop, AtCap::kDeliver};
  settings.at_cap = kPolicies[reader.choice("at_cap", {"block", "drop", "deliver"})];
  if (const Result<void> known = reader.finish(); known.has_error()) return known.error();
  return settings;
}

}  // namespace causalcheck
