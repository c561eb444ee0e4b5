#include "tests/reference/random_backend.h"

#include <algorithm>
#include <limits>

namespace causalcheck::reference {
namespace {

constexpr TopicId kNowhere = std::numeric_limits<TopicId>::max();  // of what got lost

}  // namespace

Slot RandomBackend::next_slot(TopicId topic, Chance& chance) {
  if (declared_.slots == Slots::kNone) return kNoSlot;
  std::set<Slot>& taken = slots_[topic];
  if (flaw_ == Flaw::kScrambled && chance.percent(65)) {
    Slot slot = static_cast<Slot>(chance.below(10));
    while (taken.count(slot) != 0) ++slot;
    taken.insert(slot);
    return slot;
  }
  const Slot gap = declared_.slots == Slots::kSparse ? static_cast<Slot>(chance.below(3)) : 0;
  const Slot slot = (taken.empty() ? -1 : *taken.rbegin()) + 1 + gap;
  taken.insert(slot);
  return slot;
}

Slot RandomBackend::apply(ClientId author, TopicId topic, MessageId message, Chance& chance) {
  const Slot slot = next_slot(topic, chance);
  authors_[message] = author;
  if (flaw_ == Flaw::kLossy && chance.percent(15)) {
    if (chance.percent(50)) slots_[topic].erase(slot);
    return slot;
  }
  log_.push_back({message, topic, slot});
  return slot;
}

void RandomBackend::acknowledge(ClientId author, MessageId message) {
  for (std::size_t i = 0; i < log_.size(); ++i) {
    if (log_[i].message == message) seen_[author] = std::max(seen_[author], i + 1);
  }
}

void RandomBackend::lose_something(Chance& chance) {
  if (flaw_ != Flaw::kLossy || log_.empty() || !chance.percent(55)) return;
  Entry& lost = log_[chance.below(log_.size())];
  if (chance.percent(50)) slots_[lost.topic].erase(lost.slot);
  lost.topic = kNowhere;
}

std::optional<Entry> RandomBackend::read(ClientId client, TopicId topic, Chance& chance) {
  return declared_.reads == Reads::kFeed ? receive(client, topic, chance)
                                         : poll(client, topic, chance);
}

std::optional<Entry> RandomBackend::poll(ClientId client, TopicId topic, Chance& chance) {
  std::size_t end = log_.size();
  if (flaw_ == Flaw::kLag) {
    std::size_t& seen = seen_[client];
    seen += chance.below(log_.size() - seen + 1);
    end = seen;
  } else if (flaw_ == Flaw::kPaths) {
    std::size_t& seen = seen_of_[{client, topic}];
    seen += chance.below(log_.size() - seen + 1);
    end = seen;
  } else if (flaw_ == Flaw::kStale && chance.percent(60)) {
    end = chance.below(log_.size() + 1);
  }
  std::optional<Entry> newest;
  for (std::size_t i = 0; i < end; ++i) {
    if (log_[i].topic == topic) newest = log_[i];
  }
  return newest;
}

std::optional<Entry> RandomBackend::receive(ClientId client, TopicId topic, Chance& chance) {
  std::set<std::size_t>& received = received_[client];
  std::vector<std::size_t> owed;
  for (std::size_t i = 0; i < log_.size(); ++i) {
    const bool own = authors_[log_[i].message] == client;
    const bool merged = declared_.scope == Scope::kAll;
    if (received.count(i) != 0 || (own && !hands_back_own_)) continue;
    if (log_[i].topic == kNowhere) continue;
    if (merged || log_[i].topic == topic) owed.push_back(i);
  }
  if (owed.empty()) return std::nullopt;
  if (flaw_ == Flaw::kLag && chance.percent(30)) return std::nullopt;
  std::size_t next = owed.front();
  if (flaw_ == Flaw::kPaths && chance.percent(70)) next = chance.pick(owed);
  if (flaw_ == Flaw::kStale && chance.percent(50)) {
    next = chance.pick(owed);
    received.clear();
    for (std::size_t i = 0; i < next; ++i) {
      if (chance.percent(60)) received.insert(i);
    }
  }
  received.insert(next);
  return log_[next];
}

void RandomBackend::rewind(ClientId client) { received_[client].clear(); }

std::vector<Entry> RandomBackend::drain(TopicId topic) const {
  std::vector<Entry> found;
  for (const Entry& entry : log_) {
    if (entry.topic == topic) found.push_back(entry);
  }
  const bool whole = declared_.slots != Slots::kNone || declared_.reads == Reads::kFeed;
  if (!whole && found.size() > 1) found.erase(found.begin(), found.end() - 1);
  return found;
}

}  // namespace causalcheck::reference
