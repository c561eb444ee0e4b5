#include "checker/shorthand_steps.h"

#include <algorithm>

namespace causalcheck::shorthand {

std::vector<OperationIndex> in_order_of_numbers(const History& history) {
  std::vector<OperationIndex> order;
  for (OperationIndex i = 0; i < history.operations.size(); ++i) {
    const Operation& operation = history.operations[i];
    if (operation.is_drain()) continue;
    if (operation.is_write() || (operation.outcome == Outcome::kOk && operation.end != kNever)) {
      order.push_back(i);
    }
  }
  const auto number = [&](OperationIndex i) {
    const Operation& operation = history.operations[i];
    return std::pair(operation.is_write() ? operation.start : operation.end, i);
  };
  std::sort(order.begin(), order.end(),
            [&](OperationIndex a, OperationIndex b) { return number(a) < number(b); });
  return order;
}

}  // namespace causalcheck::shorthand
