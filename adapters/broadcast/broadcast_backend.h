#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/broadcast/broadcast_settings.h"
#include "adapters/broadcast/group.h"
#include "adapters/broadcast/protocol.h"
#include "harness/backend.h"
#include "harness/faults/link_faults.h"
#include "harness/hold_events.h"

namespace causalcheck {

/// A causal-broadcast group as a backend under test: a session is a process of the group.
///
/// A commit is accepted by the local process and acknowledged at once; with order=total when the
/// sender knows its place in the agreed order. A receive takes in what has arrived, and delivers.
/// The drain lists what the group has accepted, with order=total what is in the agreed order.
class BroadcastBackend : public Backend, public HoldReporter, public Linked {
 public:
  explicit BroadcastBackend(const BroadcastSettings& settings);
  /// With another protocol than the order's, for planted bugs: what is declared stays the order's.
  BroadcastBackend(const BroadcastSettings& settings, std::unique_ptr<Protocol> protocol);

  [[nodiscard]] BackendDeclaration declare() const override;
  [[nodiscard]] Result<void> reset(const RunInfo& run) override;
  [[nodiscard]] Result<std::unique_ptr<Session>> open(const ClientInfo& client, Runtime& runtime,
                                                      const ResumeToken* resume) override;
  [[nodiscard]] Result<std::vector<Entry>> drain(std::string_view topic, std::string_view node,
                                                 Runtime& runtime) override;

  [[nodiscard]] std::vector<HoldEvent> take_hold_events() override;
  [[nodiscard]] std::vector<HoldEvent> stalled() const override;
  [[nodiscard]] HoldMetrics hold_metrics() const override;

  void use_link_faults(LinkFaults* faults) override;

  /// The group of the current run. REQUIRES: a reset came before.
  [[nodiscard]] const Group& group() const { return *group_; }

 private:
  const BroadcastSettings settings_;
  const std::unique_ptr<Protocol> protocol_;
  std::unique_ptr<Group> group_{};
  std::vector<std::string> topics_{};
  Time last_seen_{};
  std::optional<std::vector<HoldEvent>> stalled_at_drain_{};
  LinkFaults* link_faults_ = nullptr;
};

}  // namespace causalcheck
