#pragma once

#include "checker/delivery_queue.h"

namespace causalcheck {

/// Delivers as it comes.
class ImmediateRule final : public DeliveryRule {
 public:
  [[nodiscard]] std::optional<Missing> first_missing(
      const Stamp& stamp, std::span<const std::uint32_t> delivered) const override;
};

/// The sender's very next broadcast.
class FifoRule final : public DeliveryRule {
 public:
  [[nodiscard]] std::optional<Missing> first_missing(
      const Stamp& stamp, std::span<const std::uint32_t> delivered) const override;
};

/// The sender's very next broadcast, and nothing of anyone else's missing that the sender had
/// delivered: causal order (Birman, Schiper and Stephenson 1991, section 4).
class CausalRule final : public DeliveryRule {
 public:
  [[nodiscard]] std::optional<Missing> first_missing(
      const Stamp& stamp, std::span<const std::uint32_t> delivered) const override;
};

}  // namespace causalcheck
