#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "checker/delivery_queue.h"

namespace causalcheck {

/// In which order a group delivers.
enum class DeliveryOrder : std::uint8_t {
  kImmediate,  // as it comes
  kFifo,       // each sender's broadcasts as it sent them
  kCausal,     // no effect before its cause (Birman, Schiper and Stephenson 1991)
  kTotal,      // everybody in the one order that a sequencer gives out
};

std::string_view to_string(DeliveryOrder order);

/// What the processes of a group do with their clocks and queues. Planted bugs replace single
/// steps.
class Protocol {
 public:
  Protocol() = default;
  Protocol(const Protocol&) = delete;
  Protocol& operator=(const Protocol&) = delete;
  virtual ~Protocol() = default;

  /// When a process delivers.
  [[nodiscard]] virtual const DeliveryRule& rule() const = 0;
  /// The queue of one process.
  [[nodiscard]] virtual std::unique_ptr<DeliveryQueue> make_queue() const;
  /// A last look at the clock that `sender` is about to send along. It counts the broadcast
  /// already.
  virtual void before_send(ProcessId sender, std::span<std::uint32_t> clock) const;
  /// `process` has delivered a broadcast from `queue`, its own. Receiving ticks nothing: by default
  /// nothing happens.
  virtual void after_delivery(ProcessId process, DeliveryQueue& queue) const;
  /// Whether what was not acknowledged in time is sent again now. By default it is.
  [[nodiscard]] virtual bool sends_again() const;
};

/// The protocol of `order`. For `total` it is what a process does with what the sequencer sends.
[[nodiscard]] std::unique_ptr<Protocol> make_protocol(DeliveryOrder order);

}  // namespace causalcheck
