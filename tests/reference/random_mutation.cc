#include "tests/reference/random_mutation.h"

#include <algorithm>
#include <set>
#include <utility>

namespace causalcheck::reference {
namespace {

/// Which of the operations a mutation is about.
enum class Which : std::uint8_t { kAny, kWrite, kRead, kDrain };

Operation* pick_operation(History& history, Which which, Chance& chance) {
  std::vector<Operation*> found;
  for (Operation& operation : history.operations) {
    const bool fits = which == Which::kAny || (which == Which::kWrite && operation.is_write()) ||
                      (which == Which::kRead && !operation.is_write() && !operation.is_drain()) ||
                      (which == Which::kDrain && operation.is_drain());
    if (fits) found.push_back(&operation);
  }
  return found.empty() ? nullptr : chance.pick(found);
}

/// Another message of the topic, with the slot that some other line shows for it; or nothing.
void show_something_else(History& history, Chance& chance) {
  Operation* read = pick_operation(history, Which::kRead, chance);
  if (read == nullptr) return;
  std::vector<const Operation*> others;
  for (const Operation& other : history.operations) {
    if (other.message != kNothing && other.topic == read->topic) others.push_back(&other);
  }
  if (others.empty() || chance.percent(20)) {
    read->message = kNothing;
    read->slot = kNoSlot;
    return;
  }
  const Operation* other = chance.pick(others);
  read->message = other->message;
  read->slot = other->slot;
  if (read->slot == kNoSlot && history.declared.slots != Slots::kNone) {
    read->slot = static_cast<Slot>(chance.below(8));
  }
}

void move_slot(History& history, Chance& chance) {
  Operation* operation = pick_operation(history, Which::kAny, chance);
  if (operation == nullptr || operation->slot == kNoSlot) return;
  const Slot moved = operation->slot + static_cast<Slot>(chance.below(5)) - 2;
  operation->slot = std::max<Slot>(moved, chance.percent(5) ? kNoSlot : 0);
}

/// Two messages of a topic change slots, in every line or in the acknowledgements alone.
void swap_slots(History& history, Chance& chance) {
  Operation* a = pick_operation(history, Which::kWrite, chance);
  Operation* b = pick_operation(history, Which::kWrite, chance);
  if (a == nullptr || a->topic != b->topic) return;
  if (chance.percent(20)) {
    std::swap(a->slot, b->slot);
    return;
  }
  const Slot one = a->slot;
  const Slot other = b->slot;
  for (Operation& line : history.operations) {
    if (line.topic != a->topic || line.slot == kNoSlot) continue;
    if (line.slot == one) {
      line.slot = other;
    } else if (line.slot == other) {
      line.slot = one;
    }
  }
}

void change_outcome(History& history, Chance& chance) {
  Operation* operation = pick_operation(history, Which::kAny, chance);
  if (operation == nullptr || operation->undecodable) return;
  operation->outcome = static_cast<Outcome>(chance.below(3));
  if (operation->is_drain() && operation->outcome == Outcome::kFail) {
    operation->outcome = Outcome::kInfo;
  }
}

void drop(History& history, Which which, Chance& chance) {
  const Operation* line = pick_operation(history, which, chance);
  if (line == nullptr) return;
  history.operations.erase(history.operations.begin() + (line - history.operations.data()));
}

void drop_drain_line(History& history, Chance& chance) { drop(history, Which::kDrain, chance); }
void drop_read(History& history, Chance& chance) { drop(history, Which::kRead, chance); }

/// Two answers of one client change places.
void swap_answers(History& history, Chance& chance) {
  Operation* a = pick_operation(history, Which::kRead, chance);
  if (a == nullptr) return;
  std::vector<Operation*> others;
  for (Operation& other : history.operations) {
    if (!other.is_write() && other.client == a->client && other.message != a->message) {
      others.push_back(&other);
    }
  }
  if (others.empty()) return;
  Operation* b = chance.pick(others);
  std::swap(a->message, b->message);
  std::swap(a->slot, b->slot);
  std::swap(a->topic, b->topic);
}

void move_position(History& history, Chance& chance) {
  Operation* operation = pick_operation(history, Which::kAny, chance);
  if (operation == nullptr || operation->end == kNever) return;
  if (chance.percent(50)) {
    operation->start -= std::min<Position>(operation->start - 1, chance.below(4));
  } else {
    operation->end += chance.below(6);
  }
}

void change_id(History& history, Chance& chance) {
  Operation* a = pick_operation(history, Which::kAny, chance);
  Operation* b = pick_operation(history, Which::kAny, chance);
  if (a != nullptr && b->message != kNothing) a->message = b->message;
}

void change_topic(History& history, Chance& chance) {
  Operation* operation = pick_operation(history, Which::kAny, chance);
  if (operation != nullptr) {
    operation->topic = static_cast<TopicId>(chance.below(history.topics.size()));
  }
}

void never_return(History& history, Chance& chance) {
  Operation* operation = pick_operation(history, Which::kAny, chance);
  if (operation == nullptr || operation->is_drain()) return;
  operation->end = kNever;
  operation->outcome = Outcome::kInfo;
}

/// Some answer came no later than the call that published it: the run would be contaminated.
bool answers_before_publish(const History& history) {
  for (const Operation& read : history.operations) {
    for (const Operation& write : history.operations) {
      if (write.is_write() && !read.is_write() && write.message == read.message &&
          read.end <= write.start) {
        return true;
      }
    }
  }
  return false;
}

}  // namespace

bool is_well_formed(const History& history) {
  std::set<std::pair<ClientId, Position>> events;
  for (const Operation& operation : history.operations) {
    if (operation.start == 0 || operation.start >= operation.end) return false;
    if (operation.is_write() && operation.message == kNothing) return false;
    if (operation.is_drain()) continue;
    const Position number = operation.is_write() ? operation.start : operation.end;
    if (number != kNever && !events.insert({operation.client, number}).second) return false;
  }
  return true;
}

History mutated(const History& history, Chance& chance) {
  using Mutation = void (*)(History&, Chance&);
  constexpr std::pair<Mutation, std::size_t> kMutations[] = {
      {show_something_else, 18}, {move_slot, 10},       {swap_slots, 18},
      {change_outcome, 10},      {drop_drain_line, 12}, {drop_read, 6},
      {swap_answers, 16},        {move_position, 5},    {change_id, 2},
      {change_topic, 1},         {never_return, 2},
  };
  History changed = history;
  std::size_t drawn = chance.below(100);
  for (const auto& [mutation, weight] : kMutations) {
    if (drawn < weight) {
      mutation(changed, chance);
      break;
    }
    drawn -= weight;
  }
  const bool too_early = answers_before_publish(changed) && !chance.percent(10);
  return is_well_formed(changed) && !too_early ? changed : history;
}

}  // namespace causalcheck::reference
