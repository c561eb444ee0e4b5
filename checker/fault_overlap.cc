#include "checker/fault_overlap.h"

#include <algorithm>

namespace causalcheck {

std::optional<ClientId> client_concerned(const FaultWindow& window, const History& history) {
  const auto target = std::find(history.clients.begin(), history.clients.end(), window.target);
  if (target == history.clients.end()) return std::nullopt;
  return static_cast<ClientId>(target - history.clients.begin());
}

FaultOverlap::FaultOverlap(const History& history) {
  for (const FaultWindow& fault : history.faults) {
    const std::optional<ClientId> client = client_concerned(fault, history);
    Windows& windows = client ? of_client_[*client] : common_;
    windows.push_back({fault.start, fault.end});
  }
  const auto prepare = [](Windows& windows) {
    std::sort(windows.begin(), windows.end(),
              [](const Window& a, const Window& b) { return a.start < b.start; });
    Position latest = 0;
    for (Window& window : windows) {
      latest = std::max(latest, window.latest_end);
      window.latest_end = latest;
    }
  };
  prepare(common_);
  for (auto& [client, windows] : of_client_) prepare(windows);
}

bool FaultOverlap::hits(const Windows& windows, const Operation& operation) {
  const auto after =
      std::upper_bound(windows.begin(), windows.end(), operation.end,
                       [](Position end, const Window& window) { return end < window.start; });
  return after != windows.begin() && std::prev(after)->latest_end >= operation.start;
}

bool FaultOverlap::touches(const Operation& operation) const {
  if (hits(common_, operation)) return true;
  const auto own = of_client_.find(operation.client);
  return own != of_client_.end() && hits(own->second, operation);
}

}  // namespace causalcheck
