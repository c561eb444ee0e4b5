#include "harness/picker.h"

#include <algorithm>
#include <cassert>

namespace causalcheck {

namespace {

constexpr std::uint32_t kClientsMax = 1U << 20;
// Ranks: what the order lists, then the others by number, then those that dropped.
constexpr std::uint64_t kUnlistedRank = std::uint64_t{1} << 32;
constexpr std::uint64_t kDroppedRank = std::uint64_t{1} << 33;

}  // namespace

void Picker::begin(const Strategy& strategy) {
  strategy_ = &strategy;
  ready_.clear();
  ready_clients_.clear();
  held_.clear();
  known_ = 0;
  change_points_.clear();
  next_change_ = 0;
  steps_ = 0;
  stall_ = Stall::kOver;
  own_steps_ = 0;
  others_steps_ = 0;
  if (strategy.kind == StrategyKind::kPriorities) {
    change_points_ = strategy.change_points;
    std::sort(change_points_.begin(), change_points_.end());
  }
  if (strategy.kind == StrategyKind::kStall && strategy.stall_length != 0) {
    stall_ = Stall::kAhead;
    if (strategy.stall_at == 0) begin_stall(Time::zero());
  }
}

void Picker::know(std::uint32_t client) {
  assert(client < kClientsMax);
  if (client >= clients_.size()) clients_.resize(client + std::size_t{1});
  for (; known_ <= client; ++known_) {
    clients_[known_].ready.clear();
    const auto listed = std::find(strategy_->order.begin(), strategy_->order.end(), known_);
    clients_[known_].rank = listed == strategy_->order.end()
                                ? kUnlistedRank + known_
                                : static_cast<std::uint64_t>(listed - strategy_->order.begin());
  }
}

void Picker::add(std::uint32_t fiber, std::uint32_t client) {
  if (stalls(client)) {
    held_.insert(fiber);
  } else {
    add_candidate(fiber, client);
  }
}

void Picker::add_candidate(std::uint32_t fiber, std::uint32_t client) {
  ready_.insert(fiber);
  IdSet& of_client = clients_[client].ready;
  if (of_client.empty()) ready_clients_.insert(client);
  of_client.insert(fiber);
}

void Picker::remove(std::uint32_t fiber, std::uint32_t client) {
  if (stalls(client)) {
    held_.erase(fiber);
    return;
  }
  ready_.erase(fiber);
  clients_[client].ready.erase(fiber);
  if (clients_[client].ready.empty()) ready_clients_.erase(client);
}

void Picker::strategy_step(std::uint32_t client, Time now) {
  ++steps_;
  while (next_change_ < change_points_.size() && change_points_[next_change_] <= steps_) {
    clients_[client].rank = kDroppedRank + next_change_;
    ++next_change_;
  }
  if (stall_ == Stall::kOn && client != strategy_->stalled_client) {
    if (++others_steps_ == strategy_->stall_length) end_stall();
  } else if (stall_ == Stall::kAhead && client == strategy_->stalled_client) {
    if (++own_steps_ == strategy_->stall_at) begin_stall(now);
  }
}

void Picker::begin_stall(Time now) {
  stall_ = Stall::kOn;
  stall_began_ = now;
  const std::uint32_t client = strategy_->stalled_client;
  if (client >= known_ || clients_[client].ready.empty()) return;
  for (const std::uint32_t fiber : clients_[client].ready) {
    ready_.erase(fiber);
    held_.insert(fiber);
  }
  clients_[client].ready.clear();
  ready_clients_.erase(client);
}

void Picker::end_stall() {
  assert(stalling());
  stall_ = Stall::kOver;
  for (const std::uint32_t fiber : held_) add_candidate(fiber, strategy_->stalled_client);
  held_.clear();
}

std::uint32_t Picker::pick(Choices& choices, std::uint32_t current) const {
  const std::uint32_t n = ready_.size();
  if (n == 0) return kNobody;
  if (n == 1) return ready_.nth(0);
  if (current == kNobody) {
    return ready_.nth(choices.next_by(n, [&] { return ready_.rank(decide(choices)); }));
  }
  // Between places in the order of ids and candidates, the first of which is the current fiber.
  const std::uint32_t own = ready_.rank(current);
  const std::uint32_t index = choices.next_by(n, [&] {
    const std::uint32_t place = ready_.rank(decide(choices));
    return place == own ? 0 : place + (place < own ? 1 : 0);
  });
  return index == 0 ? current : ready_.nth(index - (index <= own ? 1 : 0));
}

std::uint32_t Picker::decide(Choices& choices) const {
  std::uint64_t bits = choices.unrecorded_bits();
  std::uint32_t client = 0;
  if (strategy_->kind == StrategyKind::kPriorities) {
    client = first_by_rank();
  } else {
    client = ready_clients_.nth(Choices::bounded(bits, ready_clients_.size()));
    bits <<= 32;
  }
  const IdSet& of_client = clients_[client].ready;
  return of_client.nth(Choices::bounded(bits, of_client.size()));
}

std::uint32_t Picker::first_by_rank() const {
  return *std::min_element(
      ready_clients_.begin(), ready_clients_.end(),
      [&](std::uint32_t a, std::uint32_t b) { return clients_[a].rank < clients_[b].rank; });
}

}  // namespace causalcheck
