#pragma once

#include <cstdint>

#include "adapters/broadcast/link.h"
#include "adapters/broadcast/protocol.h"
#include "checker/declaration.h"
#include "harness/backend_url.h"
#include "harness/result.h"

namespace causalcheck {

/// What the sequencer of order `total` is called where processes are named.
inline constexpr std::string_view kSequencerLabel = "sequencer";

/// Whether a process sends again what was not acknowledged. Off, a lost packet stays lost.
enum class Retransmit : std::uint8_t { kOn, kOff };

/// What a process does with a broadcast that would have to wait in a full queue.
enum class AtCap : std::uint8_t {
  kBlock,    // does not take it, so that it comes again: order and delivery hold
  kDrop,     // takes and forgets it: it is never delivered, nor what depends on it
  kDeliver,  // makes room by delivering the longest waiting one against the order
};

/// How a broadcast group behaves.
struct BroadcastSettings {
  DeliveryOrder order = DeliveryOrder::kCausal;
  LinkSettings links{};
  Retransmit retransmit = Retransmit::kOn;
  std::uint32_t processes_max = 0;  // live at a time; 0: no limit
  std::uint32_t queue_max = 1024;   // waiting broadcasts per process; 0: no limit
  AtCap at_cap = AtCap::kBlock;
};

/// What a group with these settings says of itself. docs/broadcast.md argues each row.
[[nodiscard]] Declaration promises_of(const BroadcastSettings& settings);

/// The settings in `url`, which takes no address. Errors: kRejected, with all that is wrong.
[[nodiscard]] Result<BroadcastSettings> read_broadcast_settings(const BackendUrl& url);

}  // namespace causalcheck
