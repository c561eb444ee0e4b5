#include "checker/clocks/difference.h"

namespace causalcheck {

ClockStatus DifferenceEncoder::tick() {
  const ClockStatus status = clock_.tick(self_);
  if (status != ClockStatus::kOk) return status;
  if (changed_at_.size() <= self_) changed_at_.resize(std::size_t{self_} + 1, 0);
  changed_at_[self_] = ++changes_;
  return status;
}

void DifferenceEncoder::merge(const VectorClock& other) {
  const auto entries = other.entries();
  if (changed_at_.size() < entries.size()) changed_at_.resize(entries.size(), 0);
  ++changes_;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (entries[i] > clock_[static_cast<ProcessId>(i)]) changed_at_[i] = changes_;
  }
  clock_.merge(other);
}

ClockDifference DifferenceEncoder::send_to(ProcessId destination) {
  if (sent_.size() <= destination) sent_.resize(std::size_t{destination} + 1);
  Sent& sent = sent_[destination];
  ClockDifference difference;
  difference.sequence = ++sent.sequence;
  for (std::size_t i = 0; i < changed_at_.size(); ++i) {
    if (changed_at_[i] <= sent.change) continue;
    const auto process = static_cast<ProcessId>(i);
    difference.entries.push_back({process, clock_[process]});
  }
  sent.change = changes_;
  return difference;
}

std::optional<VectorClock> DifferenceDecoder::receive(const ClockDifference& difference,
                                                      std::size_t identities_max) {
  if (difference.sequence != sequence_ + 1) return std::nullopt;
  VectorClock next = clock_;
  const ClockEntry* before = nullptr;
  for (const ClockEntry& entry : difference.entries) {
    if (before != nullptr && before->process >= entry.process) return std::nullopt;
    if (entry.tick <= clock_[entry.process]) return std::nullopt;
    if (next.set(entry.process, entry.tick, identities_max) != ClockStatus::kOk)
      return std::nullopt;
    before = &entry;
  }
  ++sequence_;
  clock_ = next;
  return clock_;
}

}  // namespace causalcheck
