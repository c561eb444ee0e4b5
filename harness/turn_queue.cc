#include "harness/turn_queue.h"

#include <algorithm>

#include "harness/backoff.h"

namespace causalcheck {

std::optional<TurnQueue::Turn> TurnQueue::wait(Runtime& runtime, Time deadline) {
  const std::uint64_t ticket = take_ticket();
  Backoff backoff;
  while (!is_served(ticket)) {
    if (!backoff.sleep(runtime, deadline) && give_up(ticket)) return std::nullopt;
  }
  return std::optional<Turn>(std::in_place, *this);
}

std::uint64_t TurnQueue::take_ticket() {
  const auto lock = guard();
  return next_ticket_++;
}

bool TurnQueue::is_served(std::uint64_t ticket) {
  const auto lock = guard();
  return served_ == ticket;
}

bool TurnQueue::give_up(std::uint64_t ticket) {
  const auto lock = guard();
  if (served_ == ticket) return false;
  given_up_.push_back(ticket);
  return true;
}

void TurnQueue::pass_on() {
  const auto lock = guard();
  serve_next();
}

void TurnQueue::serve_next() {
  ++served_;
  while (true) {
    const auto found = std::find(given_up_.begin(), given_up_.end(), served_);
    if (found == given_up_.end()) return;
    given_up_.erase(found);
    ++served_;
  }
}

}  // namespace causalcheck
