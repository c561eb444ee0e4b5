#include "adapters/broadcast/protocol.h"

#include "checker/delivery_rules.h"
#include "checker/holdback_queue.h"

namespace causalcheck {
namespace {

template <class Rule>
class RuleProtocol final : public Protocol {
 public:
  [[nodiscard]] const DeliveryRule& rule() const override { return rule_; }

 private:
  Rule rule_{};
};

}  // namespace

std::string_view to_string(DeliveryOrder order) {
  switch (order) {
    case DeliveryOrder::kImmediate:
      return "immediate";
    case DeliveryOrder::kFifo:
      return "fifo";
    case DeliveryOrder::kCausal:
      return "causal";
    case DeliveryOrder::kTotal:
      return "total";
  }
  return "";
}

std::unique_ptr<DeliveryQueue> Protocol::make_queue() const {
  return std::make_unique<HoldBackQueue>(rule());
}

void Protocol::before_send(ProcessId, std::span<std::uint32_t>) const {}

void Protocol::after_delivery(ProcessId, DeliveryQueue&) const {}

bool Protocol::sends_again() const { return true; }

std::unique_ptr<Protocol> make_protocol(DeliveryOrder order) {
  switch (order) {
    case DeliveryOrder::kImmediate:
      return std::make_unique<RuleProtocol<ImmediateRule>>();
    case DeliveryOrder::kCausal:
      return std::make_unique<RuleProtocol<CausalRule>>();
    case DeliveryOrder::kFifo:
    case DeliveryOrder::kTotal:
      break;
  }
  return std::make_unique<RuleProtocol<FifoRule>>();
}

}  // namespace causalcheck
