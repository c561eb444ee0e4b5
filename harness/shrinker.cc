#include "harness/shrinker.h"

#include <algorithm>
#include <utility>

#include "harness/split_mix.h"

namespace causalcheck {
namespace {

using List = std::vector<std::uint32_t>;

constexpr std::chrono::milliseconds kProgressInterval{100};
constexpr std::uint64_t kDraws = 20;  // of fresh choices for one shape
constexpr std::uint64_t kFewEvents = 24;
constexpr std::uint64_t kDrawsOfFew = 200;
constexpr std::uint64_t kStuck = 20;  // times as many while the best plan has many events
// Mutations of a plan with few events, for each pair of them: the more there are, the more can go.
constexpr std::uint64_t kSteps = 300;
constexpr std::uint64_t kDetour = 1;  // more events than the best plan, on the way

// Zeros at the end are what a list that runs out answers anyway.
void trim(List& list) {
  while (!list.empty() && list.back() == 0) list.pop_back();
}

// Tells candidates apart. Where two clash, the later one is not tried, which does no harm.
std::uint64_t key_of(const Plan& plan) {
  std::uint64_t key = run_id(plan);
  for (const std::uint32_t choice : *plan.choices) key = split_mix(key + choice + 1);
  return key;
}

}  // namespace

Shrinker::Shrinker(const Run& run, const Plan& failing, std::string_view kind,
                   const ShrinkOptions& options)
    : run_(run), options_(options), kind_(kind) {
  best_.plan = failing;
}

ShrunkPlan Shrinker::shrink() {
  if (begin()) {
    do {
      while (round() && !cut_off_) {
      }
    } while ((redraw() || wander()) && !cut_off_);
    best_.fixed_point = !cut_off_;
  }
  report_progress(Clock::now());
  return std::move(best_);
}

bool Shrinker::round() {
  bool improved = lower_events();
  improved |= simplify_shape();
  improved |= cut_choices();
  improved |= change_chunks([](const List& list, Range range) {
    List rest(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(range.begin));
    rest.insert(rest.end(), list.begin() + static_cast<std::ptrdiff_t>(range.end), list.end());
    return rest;
  });
  improved |= change_chunks([](const List& list, Range range) {
    List flat = list;
    std::fill(flat.begin() + static_cast<std::ptrdiff_t>(range.begin),
              flat.begin() + static_cast<std::ptrdiff_t>(range.end), 0U);
    return flat;
  });
  improved |= lower_values();
  return improved;
}

// Runs the plan as it came. False when nothing is to be had from it.
bool Shrinker::begin() {
  if (spent()) return false;
  ShrinkTrial trial;
  if (!fails(best_.plan, trial)) return false;
  best_.events_before = best_.events = trial.events;
  events_needed_ = trial.events_needed;
  best_.plan.choices = std::move(trial.consumed);
  trim(*best_.plan.choices);
  tried_.insert(key_of(best_.plan));
  return true;
}

bool Shrinker::lower_events() {
  bool any = false;
  if (events_needed_ > 0 && events_needed_ < best_.plan.events) {
    Plan candidate = best_.plan;
    candidate.events = static_cast<std::uint32_t>(events_needed_);
    any = attempt(std::move(candidate));
  }
  any |= lower_to(
      1, [](const Plan& plan) { return std::uint64_t{plan.events}; },
      [](const Plan& plan, std::uint64_t events) {
        Plan resized = plan;
        resized.events = static_cast<std::uint32_t>(events);
        return resized;
      });
  return any;
}

bool Shrinker::simplify_shape() {
  bool any = false;
  for (bool again = true; again && !cut_off_;) {
    again = false;
    for (Plan& candidate : simpler_shapes(best_.plan)) {
      if (!attempt(std::move(candidate))) continue;
      again = any = true;
      break;
    }
  }
  return any;
}

bool Shrinker::cut_choices() {
  return lower_to(
      0, [](const Plan& plan) { return std::uint64_t{plan.choices->size()}; },
      [](const Plan& plan, std::uint64_t size) {
        Plan resized = plan;
        resized.choices->resize(static_cast<std::size_t>(size));
        return resized;
      });
}

// Tries `least`, then bisects between what does not do and what does.
bool Shrinker::lower_to(std::uint64_t least, std::uint64_t (*size)(const Plan&),
                        Plan (*resized)(const Plan&, std::uint64_t)) {
  if (size(best_.plan) <= least) return false;
  if (attempt(resized(best_.plan, least))) return true;
  bool any = false;
  std::uint64_t too_low = least;
  while (!cut_off_ && too_low + 1 < size(best_.plan)) {
    const std::uint64_t middle = too_low + (size(best_.plan) - too_low) / 2;
    if (attempt(resized(best_.plan, middle))) {
      any = true;
    } else {
      too_low = middle;
    }
  }
  return any;
}

// Halves, then quarters, and so on down to single choices; each time from the end.
bool Shrinker::change_chunks(Choices (*changed)(const Choices&, Range)) {
  bool any = false;
  for (std::size_t size = (choices().size() + 1) / 2; size > 0 && !cut_off_; size /= 2) {
    std::size_t end = choices().size();
    while (end > 0 && !cut_off_) {
      const std::size_t first = end - std::min(end, size);
      any |= attempt_choices(changed(choices(), {first, end}));
      end = std::min(first, choices().size());
    }
  }
  return any;
}

bool Shrinker::lower_values() {
  bool any = false;
  for (std::size_t i = 0; i < choices().size() && !cut_off_; ++i) {
    const auto lowered = [this, i](std::uint32_t value) {
      Choices list = choices();
      list[i] = value;
      return list;
    };
    while (i < choices().size() && choices()[i] > 1) {
      const std::uint32_t value = choices()[i];
      if (!attempt_choices(lowered(value / 2)) && !attempt_choices(lowered(value - 1))) break;
      any = true;
    }
  }
  return any;
}

// The choices of a larger plan mean something else in a smaller one, where others might fail
// easily. Those that do make the plan smaller, even if their list is longer: it is shrunk in turn.
bool Shrinker::redraw() {
  for (const std::uint32_t events : lower_counts(best_.plan.events)) {
    Plan fewer = best_.plan;
    fewer.events = events;
    if (draw_often(fewer, Takes::kNoMoreEvents)) return true;
  }
  for (const Plan& shape : simpler_shapes(best_.plan)) {
    if (draw_often(shape, Takes::kNoMoreEvents)) return true;
  }
  for (const Plan& shape : quieter_shapes(best_.plan)) {
    if (draw_often(shape, Takes::kFewerEvents)) return true;
  }
  return false;
}

bool Shrinker::draw_often(const Plan& shape, Takes takes) {
  // A small run costs little, and there are not many of its kind. Where nothing else has helped,
  // it is worth many.
  std::uint64_t draws = shape.events <= kFewEvents ? kDrawsOfFew : kDraws;
  if (shape.events <= kFewEvents && best_.events > kFewEvents) draws *= kStuck;
  for (std::uint64_t i = 1; i <= draws && !cut_off_; ++i) {
    if (draw_afresh(shape, takes, split_mix(shape.seed + i))) return true;
  }
  return false;
}

bool Shrinker::draw_afresh(Plan shape, Takes takes, std::uint64_t bits) {
  if (spent()) {
    cut_off_ = true;
    return false;
  }
  Plan drawn = shape;
  drawn.choices.reset();
  drawn.seed = bits;
  ShrinkTrial trial;
  if (!fails(drawn, trial) || trial.events > best_.events) return false;
  shape.choices = std::move(trial.consumed);
  return attempt(std::move(shape), takes);
}

// No single step helps any more. A walk over plans whose histories are as small may lead to one
// that is smaller, and so may a fresh start at a smaller shape.
bool Shrinker::wander() {
  if (best_.events > kFewEvents) return false;
  const std::uint64_t base = key_of(best_.plan);
  const std::uint64_t steps = kSteps * best_.events * best_.events;
  Plan here = best_.plan;
  for (std::uint64_t i = 1; i <= steps && !cut_off_; ++i) {
    causalcheck::Choices draws(split_mix(base + i));
    if (i % 2 == 0) {
      const Plan shape = smaller(here, draws);
      if (draw_afresh(shape, Takes::kFewerEvents, draws.unrecorded_bits())) return true;
      continue;
    }
    Plan next = mutated(here, draws);
    trim(*next.choices);
    if (!tried_.insert(key_of(next)).second) continue;
    ShrinkTrial trial;
    if (spent()) {
      cut_off_ = true;
    } else if (fails(next, trial) && trial.events <= best_.events + kDetour) {
      if (trial.events < best_.events) {
        take(std::move(next), std::move(trial));
        return true;
      }
      next.choices = std::move(trial.consumed);
      here = std::move(next);
    }
  }
  return false;
}

bool Shrinker::attempt_choices(Choices choices) {
  Plan candidate = best_.plan;
  candidate.choices = std::move(choices);
  return attempt(std::move(candidate));
}

// Takes the candidate when it fails in the same class and its history is no larger, or smaller.
bool Shrinker::attempt(Plan candidate, Takes takes) {
  if (cut_off_) return false;
  trim(*candidate.choices);
  if (!tried_.insert(key_of(candidate)).second) return false;
  if (spent()) {
    cut_off_ = true;
    return false;
  }
  ShrinkTrial trial;
  if (!fails(candidate, trial) || trial.events > best_.events) return false;
  if (takes == Takes::kFewerEvents && trial.events == best_.events) return false;
  take(std::move(candidate), std::move(trial));
  return true;
}

void Shrinker::take(Plan candidate, ShrinkTrial trial) {
  // What was consumed is what the list says, reduced to what it means, and as long as it matters.
  candidate.choices = std::move(trial.consumed);
  trim(*candidate.choices);
  tried_.insert(key_of(candidate));
  best_.plan = std::move(candidate);
  best_.events = trial.events;
  events_needed_ = trial.events_needed;
}

// At least one run is made.
bool Shrinker::fails(const Plan& candidate, ShrinkTrial& trial) {
  const std::uint32_t tries = std::max(options_.tries, 1U);
  for (std::uint32_t i = 0; i < tries && (i == 0 || !spent()); ++i) {
    trial = run_(candidate);
    ++best_.runs;
    if (kind_.empty()) kind_ = trial.kind;
    if (!trial.kind.empty() && trial.kind == kind_) return true;
  }
  return false;
}

bool Shrinker::spent() {
  if (best_.runs >= options_.runs_max) return true;
  if (options_.stop != nullptr && options_.stop->load(std::memory_order_relaxed)) return true;
  const Clock::time_point now = Clock::now();
  if (now - reported_ >= kProgressInterval) {
    reported_ = now;
    report_progress(now);
  }
  return now - began_ >= options_.time;
}

void Shrinker::report_progress(Clock::time_point now) const {
  if (!options_.progress) return;
  options_.progress({best_.runs, best_.events_before, best_.events, now - began_, &best_.plan});
}

}  // namespace causalcheck
