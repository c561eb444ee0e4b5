#include "adapters/replicated/replica_group.h"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <utility>

namespace causalcheck {
namespace {

constexpr Time kNotKnown = Time::max();
constexpr Time kEnd = Time::max() / 4;  // leaves room to add to

// In [low, high], whole microseconds.
Time draw_lag(const ReplicatedSettings& settings, Runtime& runtime) {
  const auto span =
      std::chrono::duration_cast<std::chrono::microseconds>(settings.lag_high - settings.lag_low);
  const std::uint32_t drawn = runtime.choose(static_cast<std::uint32_t>(span.count()) + 1);
  return settings.lag_low + std::chrono::microseconds(drawn);
}

}  // namespace

ReplicaGroup::ReplicaGroup(const ReplicatedSettings& settings)
    : settings_(settings),
      by_majority_(settings.ack_by == AckBy::kMajority),
      nodes_(settings.replicas) {
  reset();
}

void ReplicaGroup::reset() {
  for (Node& node : nodes_) {
    node.log.clear();
    node.arrives.clear();
    node.received = node.safe = 0;
    node.view = node.kept_view = node.life = 0;
    node.leads = node.paused = node.cut = false;
    node.rejoins_at = {};
  }
  nodes_[0].leads = true;
  leader_ = view_ = records_used_ = 0;
  view_start_ = safe_ = 0;
  now_ = {};
}

void ReplicaGroup::advance(Time now) {
  now_ = std::max(now_, now);
  advance_to(now_);
}

void ReplicaGroup::settle() {
  advance_to(kEnd);      // who does not know the view hears of it
  advance_to(2 * kEnd);  // and gets what it lacks
}

void ReplicaGroup::advance_to(Time now) {
  for (Node& node : nodes_) {
    if (node.view != view_ && node.in_reach() && now >= node.rejoins_at) rejoin(node, now);
  }
  if (nodes_[leader_].in_reach()) {
    for (Node& node : nodes_) {
      if (node.view == view_ && node.in_reach()) receive(node, now);
    }
  }
  count_safe();
}

void ReplicaGroup::receive(Node& node, Time now) {
  while (node.received < node.log.size() && node.arrives[node.received] <= now) ++node.received;
  if (node.received >= view_start_) node.kept_view = view_;
}

// What a majority has; it is told to whoever is in reach at once.
void ReplicaGroup::count_safe() {
  if (!by_majority_) return;
  for (const Node& candidate : nodes_) {
    if (candidate.kept_view != view_ || candidate.received <= safe_) continue;
    const auto has_it = [&](const Node& node) {
      return node.kept_view == view_ && node.received >= candidate.received;
    };
    if (std::count_if(nodes_.begin(), nodes_.end(), has_it) >= majority()) {
      safe_ = candidate.received;
    }
  }
  if (!nodes_[leader_].in_reach()) return;
  for (Node& node : nodes_) {
    if (node.view == view_ && node.in_reach()) node.safe = safe_;
  }
}

std::uint32_t ReplicaGroup::in_reach() const {
  return static_cast<std::uint32_t>(std::count_if(
      nodes_.begin(), nodes_.end(), [](const Node& node) { return node.in_reach(); }));
}

bool ReplicaGroup::may_lead(ReplicaId id) const {
  const Node& node = nodes_[id];
  if (!node.leads) return false;
  if (!by_majority_) return true;
  return node.view == view_ && node.in_reach() && in_reach() >= majority();
}

std::size_t ReplicaGroup::visible(ReplicaId id) const {
  const Node& node = nodes_[id];
  return by_majority_ ? std::min(node.safe, node.received) : node.received;
}

Time ReplicaGroup::next_arrival(ReplicaId id) const {
  const Node& node = nodes_[id];
  if (!node.in_reach()) return kNotKnown;
  if (node.view != view_) return node.rejoins_at;
  return node.received < node.log.size() ? node.arrives[node.received] : kNotKnown;
}

const ReplicatedRecord* ReplicaGroup::last_of(ReplicaId id, std::uint32_t topic,
                                              std::size_t length) const {
  const std::vector<std::uint32_t>& log = nodes_[id].log;
  while (length-- > 0) {
    const ReplicatedRecord& record = records_[log[length]];
    if (record.topic == topic) return &record;
  }
  return nullptr;
}

Appended ReplicaGroup::append(ReplicaId id, std::uint32_t topic, std::string_view payload,
                              bool is_delete, Runtime& runtime) {
  Node& leader = nodes_[id];
  assert(leader.leads);
  assert(leader.received == leader.log.size());
  const std::size_t position = leader.log.size();
  const ReplicatedRecord* const before = last_of(id, topic, position);
  const Slot slot = before == nullptr ? 0 : before->slot + 1;
  if (records_used_ == records_.size()) records_.emplace_back();
  ReplicatedRecord& record = records_[records_used_];
  record.topic = topic;
  record.slot = slot;
  record.is_delete = is_delete;
  record.payload.assign(payload);
  leader.log.push_back(records_used_);
  leader.arrives.push_back(now_);
  leader.received = leader.log.size();
  // One that does not know that it is deposed sends what nobody takes.
  for (Node& node : nodes_) {
    if (&node == &leader || node.view != leader.view) continue;
    const Time lag = draw_lag(settings_, runtime);
    const Time last = node.arrives.empty() ? Time::zero() : node.arrives.back();
    node.log.push_back(records_used_);
    node.arrives.push_back(std::max(last, now_ + lag));
  }
  ++records_used_;
  const Appended appended{id, leader.view, leader.life, position, slot};
  if (settings_.failover_permille > 0 &&
      runtime.choose(1000) >= 1000 - settings_.failover_permille) {
    crash(id);
  }
  advance_to(now_);
  return appended;
}

Fate ReplicaGroup::fate(const Appended& appended) const {
  const Node& node = nodes_[appended.replica];
  if (node.life != appended.life || node.view != appended.view || !node.leads) {
    return Fate::kUnknown;
  }
  if (by_majority_ && node.safe <= appended.position) return Fate::kOpen;
  return Fate::kAcknowledged;
}

Time ReplicaGroup::acknowledged_at(const Appended& appended) {
  if (!may_lead(appended.replica)) return kNotKnown;
  times_.clear();
  for (const Node& node : nodes_) {
    if (node.view == view_ && node.in_reach()) times_.push_back(node.arrives[appended.position]);
  }
  if (times_.size() < majority()) return kNotKnown;
  const auto last = times_.begin() + (majority() - 1);
  std::nth_element(times_.begin(), last, times_.end());
  return *last;
}

// Hears of the view: drops what its leader does not have, and gets what it lacks.
void ReplicaGroup::rejoin(Node& node, Time now) {
  const Node& leader = nodes_[leader_];
  if (!leader.in_reach()) return;
  std::size_t common = 0;
  const std::size_t common_max = std::min(node.received, leader.log.size());
  while (common < common_max && node.log[common] == leader.log[common]) ++common;
  assert(!by_majority_ || std::min(node.safe, node.received) <= common);
  node.log = leader.log;
  node.arrives.assign(node.log.size(), now + settings_.lag_high);
  node.received = common;
  node.view = view_;
  node.leads = false;
}

// What was on its way to `node` has to be sent again.
void ReplicaGroup::resend(Node& node) {
  for (std::size_t i = node.received; i < node.log.size(); ++i) {
    node.arrives[i] = std::max(node.arrives[i], now_ + settings_.lag_high);
  }
}

void ReplicaGroup::back_in_reach(ReplicaId id) {
  nodes_[id].rejoins_at = now_ + settings_.lag_high;
  // There may be enough now to do without a leader that is out of reach.
  if (!nodes_[leader_].in_reach()) replace_leader();
  if (id != leader_) return resend(nodes_[id]);
  for (Node& node : nodes_) {
    if (node.view == view_) resend(node);
  }
}

// The best of those in reach takes over from a leader of whom nobody hears any more.
void ReplicaGroup::replace_leader() {
  if (settings_.promotion == Promotion::kNo) return;
  std::uint32_t voters = 0;
  const Node* best = nullptr;
  for (const Node& node : nodes_) {
    if (!node.in_reach() || &node == &nodes_[leader_]) continue;
    ++voters;
    if (best == nullptr || node.kept_view > best->kept_view ||
        (node.kept_view == best->kept_view && node.received > best->received)) {
      best = &node;
    }
  }
  if (voters < (by_majority_ ? majority() : 1)) return;
  const ReplicaId old = leader_;
  leader_ = static_cast<ReplicaId>(best - nodes_.data());
  ++view_;
  Node& leader = nodes_[leader_];
  leader.log.resize(leader.received);
  for (ReplicaId id = 0; id < size(); ++id) {
    Node& node = nodes_[id];
    if (id == old || !node.in_reach()) continue;
    if (id != leader_) node.log = leader.log;
    node.arrives.assign(node.log.size(), now_);
    node.received = node.log.size();
    node.view = node.kept_view = view_;
    node.leads = id == leader_;
  }
  nodes_[old].rejoins_at = now_ + settings_.lag_high;
  view_start_ = leader.received;
  assert(!by_majority_ || safe_ <= leader.received);
  count_safe();
}

void ReplicaGroup::crash(ReplicaId id) {
  advance_to(now_);
  Node& node = nodes_[id];
  ++node.life;
  const bool was_paused = std::exchange(node.paused, false);
  if (id == leader_) replace_leader();
  // It comes back and asks who leads.
  if (id != leader_) node.leads = false;
  if (was_paused || id != leader_) back_in_reach(id);
}

void ReplicaGroup::pause(ReplicaId id) {
  advance_to(now_);
  nodes_[id].paused = true;
  if (id == leader_) replace_leader();
}

void ReplicaGroup::resume(ReplicaId id) {
  advance_to(now_);
  nodes_[id].paused = false;
  back_in_reach(id);
}

void ReplicaGroup::cut(ReplicaId id) {
  advance_to(now_);
  nodes_[id].cut = true;
  if (id == leader_) replace_leader();
}

void ReplicaGroup::heal(ReplicaId id) {
  advance_to(now_);
  nodes_[id].cut = false;
  back_in_reach(id);
}

}  // namespace causalcheck
