#include "adapters/broadcast/broadcast_backend.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "adapters/broadcast/broadcast_session.h"
#include "harness/call_errors.h"

namespace causalcheck {

BroadcastBackend::BroadcastBackend(const BroadcastSettings& settings)
    : BroadcastBackend(settings, make_protocol(settings.order)) {}

BroadcastBackend::BroadcastBackend(const BroadcastSettings& settings,
                                   std::unique_ptr<Protocol> protocol)
    : settings_(settings), protocol_(std::move(protocol)) {}

BackendDeclaration BroadcastBackend::declare() const {
  BackendDeclaration declared;
  declared.promises = promises_of(settings_);
  declared.execution = Execution::kDeterministic;
  declared.concurrency = Concurrency::kPipelined;
  declared.interleaves = true;
  declared.lag_max = longest_way(settings_);
  return declared;
}

Result<void> BroadcastBackend::reset(const RunInfo& run) {
  topics_ = run.topics;
  group_ = std::make_unique<Group>(settings_, *protocol_);
  group_->use_link_faults(link_faults_);
  last_seen_ = Time::zero();
  stalled_at_drain_.reset();
  return {};
}

Result<std::unique_ptr<Session>> BroadcastBackend::open(const ClientInfo& client, Runtime& runtime,
                                                        const ResumeToken* resume) {
  if (group_ == nullptr) return Error(ErrorCode::kRejected, "open before the first reset");
  std::size_t handed_over = 0;
  if (resume != nullptr) {
    const auto position = parse_position(*resume, client.label);
    if (position.has_error()) return position.error();
    handed_over = *position;
  }
  if (!group_->has_room(client.label)) {
    return Error(ErrorCode::kRejected,
                 fmt::format("the group has room for {} processes at a time (processes=)",
                             settings_.processes_max));
  }
  const ProcessId process = group_->join(client.label, runtime);
  return std::unique_ptr<Session>(
      std::make_unique<BroadcastSession>(*group_, process, topics_, runtime, handed_over));
}

Result<std::vector<Entry>> BroadcastBackend::drain(std::string_view topic, std::string_view,
                                                   Runtime& runtime) {
  if (std::find(topics_.begin(), topics_.end(), topic) == topics_.end()) {
    return not_a_topic(topic);
  }
  group_->advance(runtime);
  last_seen_ = runtime.now();
  stalled_at_drain_ = group_->stalled(last_seen_);
  return group_->log(topic);
}

void BroadcastBackend::use_link_faults(LinkFaults* faults) {
  link_faults_ = faults;
  if (group_ != nullptr) group_->use_link_faults(faults);
}

std::vector<HoldEvent> BroadcastBackend::take_hold_events() {
  return group_ == nullptr ? std::vector<HoldEvent>() : group_->take_hold_events();
}

std::vector<HoldEvent> BroadcastBackend::stalled() const {
  if (stalled_at_drain_) return *stalled_at_drain_;
  return group_ == nullptr ? std::vector<HoldEvent>() : group_->stalled(last_seen_);
}

HoldMetrics BroadcastBackend::hold_metrics() const {
  return group_ == nullptr ? HoldMetrics() : group_->metrics_of_all(last_seen_);
}

}  // namespace causalcheck
