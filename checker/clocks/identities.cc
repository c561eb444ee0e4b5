#include "checker/clocks/identities.h"

#include <algorithm>
#include <cassert>

#include "checker/history.h"

namespace causalcheck {

std::optional<ProcessId> Identities::start(std::string_view name) {
  if (stamping() >= stamping_max_) return std::nullopt;
  std::uint32_t incarnation = 1;
  for (const Identity& identity : identities_) {
    const Incarnation known = incarnation_of(identity.label);
    if (known.base != name) continue;
    assert(!identity.live);
    incarnation = std::max(incarnation, known.number + 1);
  }
  Identity fresh;
  fresh.label = name;
  if (incarnation > 1) fresh.label += "~" + std::to_string(incarnation);
  identities_.push_back(std::move(fresh));
  seen_.emplace_back();
  return static_cast<ProcessId>(identities_.size() - 1);
}

void Identities::ended(ProcessId identity, Tick last) {
  assert(identities_[identity].live);
  identities_[identity].live = false;
  identities_[identity].last = last;
}

void Identities::saw(ProcessId observer, const VectorClock& clock) { seen_[observer].merge(clock); }

std::size_t Identities::stamping() const {
  return static_cast<std::size_t>(
      std::count_if(identities_.begin(), identities_.end(),
                    [](const Identity& identity) { return identity.retired_in == 0; }));
}

std::vector<ProcessId> Identities::retirable() const {
  std::vector<ProcessId> found;
  const bool anybody = std::any_of(identities_.begin(), identities_.end(),
                                   [](const Identity& identity) { return identity.live; });
  for (ProcessId dead = 0; anybody && dead < identities_.size(); ++dead) {
    if (identities_[dead].live || identities_[dead].retired_in != 0) continue;
    bool seen_by_all = true;
    for (ProcessId observer = 0; observer < identities_.size(); ++observer) {
      if (identities_[observer].live && seen_[observer][dead] < identities_[dead].last) {
        seen_by_all = false;
      }
    }
    if (seen_by_all) found.push_back(dead);
  }
  return found;
}

std::vector<ProcessId> Identities::retire() {
  std::vector<ProcessId> found = retirable();
  if (found.empty()) return found;
  ++epoch_;
  for (const ProcessId dead : found) identities_[dead].retired_in = epoch_;
  return found;
}

SparseClock Identities::without_retired(const VectorClock& clock) const {
  SparseClock kept(clock);
  for (ProcessId i = 0; i < identities_.size(); ++i) {
    if (identities_[i].retired_in == 0) continue;
    const ClockStatus status = kept.set(i, 0, identities_.size());
    assert(status == ClockStatus::kOk);
    static_cast<void>(status);
  }
  return kept;
}

std::optional<VectorClock> Identities::with_retired(const SparseClock& clock,
                                                    std::uint64_t epoch) const {
  if (epoch > epoch_) return std::nullopt;
  for (const ClockEntry& entry : clock.entries()) {
    if (entry.process >= identities_.size()) return std::nullopt;
    const Identity& identity = identities_[entry.process];
    if (identity.retired_in != 0 && identity.retired_in <= epoch) return std::nullopt;
    if (!identity.live && entry.tick > identity.last) return std::nullopt;
  }
  VectorClock whole = clock.dense();
  for (ProcessId i = 0; i < identities_.size(); ++i) {
    const Identity& identity = identities_[i];
    if (identity.retired_in == 0 || identity.retired_in > epoch) continue;
    if (whole.set(i, identity.last, identities_.size()) != ClockStatus::kOk) return std::nullopt;
  }
  return whole;
}

}  // namespace causalcheck
