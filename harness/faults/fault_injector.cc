#include "harness/faults/fault_injector.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "harness/faults/faulty_backend.h"
#include "harness/faults/faulty_store.h"

namespace causalcheck {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

// About how many faults strike where every event makes one request, by run. Runs with few show what
// one of them does; runs with many, what they do together.
constexpr std::uint32_t kExpected[] = {1, 2, 5, 12};
constexpr std::uint32_t kPermilleMax = 250;
// What nobody waits for any more: longer than any request may take.
constexpr Time kLateLimit = std::chrono::seconds(20);
// Real time is not spent on waiting for a deadline that is far away.
constexpr Time kPatienceOnThreads = milliseconds(20);
constexpr std::uint32_t kParameters = 256;

constexpr FaultSet kOfANetwork{
    FaultKind::kDelay, FaultKind::kDropRequest, FaultKind::kDropAnswer, FaultKind::kRefuse,
    FaultKind::kReset, FaultKind::kTruncate,    FaultKind::kPartition,  FaultKind::kFlip};
constexpr FaultSet kOfWrites{FaultKind::kLateRequest, FaultKind::kDuplicate};
constexpr FaultSet kOfSessions{FaultKind::kPause, FaultKind::kCrash, FaultKind::kPowerLoss,
                               FaultKind::kSkew};
constexpr FaultSet kOfPackets{FaultKind::kDelay, FaultKind::kDropRequest, FaultKind::kDropAnswer,
                              FaultKind::kDuplicate};

}  // namespace

FaultInjector::FaultInjector(Backend& checked, Backend& user, Scheduler& scheduler,
                             Recorder& recorder)
    : checked_(checked),
      scheduler_(scheduler),
      recorder_(recorder),
      powers_(powers_of(user)),
      sessions_(std::make_unique<FaultyBackend>(*this)),
      store_(powers_.store == nullptr
                 ? nullptr
                 : std::make_unique<FaultyStore>(*this, powers_.store->store())) {}

FaultInjector::~FaultInjector() = default;

Attempt<void> FaultInjector::begin(const Plan& plan, std::function<void()> on_settled) {
  armed_ = FaultSet();
  for (const std::string& name : plan.faults) {
    const auto kind = parse_fault_kind(name);
    if (!kind) return Refusal::because(fmt::format("there is no fault \"{}\"", name));
    if (const std::string_view lacks = lacks_for(*kind, powers_); !lacks.empty()) {
      return Refusal::because(fmt::format("this backend cannot undergo {}: {}", name, lacks));
    }
    armed_.insert(*kind);
  }
  mask_sites();
  Choices& choices = scheduler_.choices_of(plan.clients, ChoiceUse::kFaults);
  on_settled_ = std::move(on_settled);
  const std::uint32_t expected =
      kExpected[Choices::bounded(choices.unrecorded_bits(), std::size(kExpected))];
  permille_ = std::clamp(1000 * expected / plan.events, 1U, kPermilleMax);
  stopped_ = false;
  nodes_ = checked_.nodes();
  bases_ = recorder_.history().clients;
  clients_.clear();
  calls_.clear();
  open_windows_.clear();
  node_windows_.clear();
  exchanges_ = 0;
  late_.clear();
  late_open_ = 0;
  problem_.reset();
  if (powers_.store != nullptr) powers_.store->use_store(store_.get());
  if (powers_.links != nullptr) powers_.links->use_link_faults(this);
  return {};
}

void FaultInjector::calls(OperationIndex operation) {
  const FiberId fiber = scheduler_.current();
  if (calls_.size() <= fiber) calls_.resize(fiber + 1, 0);
  calls_[fiber] = recorder_.history().operations[operation].start;
}

Position FaultInjector::current_call() const {
  const FiberId fiber = scheduler_.current();
  return fiber < calls_.size() ? calls_[fiber] : 0;
}

void FaultInjector::end() {
  stopped_ = true;
  if (powers_.store != nullptr) powers_.store->use_store(nullptr);
  if (powers_.links != nullptr) powers_.links->use_link_faults(nullptr);
}

// Requests of a session over an object store meet the network between the two.
void FaultInjector::mask_sites() {
  const auto set = [this](FaultSite site, FaultSet kinds) {
    possible_[static_cast<std::size_t>(site)] = kinds & armed_;
  };
  const bool stored = powers_.store != nullptr;
  FaultSet reads = stored ? kOfSessions : kOfSessions | kOfANetwork;
  if (powers_.partition != nullptr) reads.insert(FaultKind::kPartition);
  FaultSet commits = stored ? reads : reads | kOfWrites;
  // What packets undergo a whole commit may not: it would be published twice.
  if (powers_.declared.promises.retries != Retries::kAtLeastOnce) {
    commits.erase(FaultKind::kDuplicate);
  }
  set(FaultSite::kCommit, commits);
  set(FaultSite::kRead, reads);
  set(FaultSite::kCreate, kOfANetwork | kOfWrites);
  set(FaultSite::kGet, kOfANetwork);
  set(FaultSite::kPacket, kOfPackets);
}

// A kind that is not armed is drawn in a saved plan from which the shrinker has taken it. Its
// parameter is consumed all the same, so that the choices behind it keep their meaning.
DrawnFault FaultInjector::draw(const FaultedClient& client, FaultSite site) {
  return draw(scheduler_.choices_of(client.index, ChoiceUse::kFaults), site);
}

DrawnFault FaultInjector::draw(Choices& choices, FaultSite site) {
  const FaultSet possible = possible_[static_cast<std::size_t>(site)];
  if (stopped_ || possible.empty()) return {};
  const std::uint32_t number = choices.next_by(kFaultKindCount + 1, [&] {
    const std::uint64_t bits = choices.unrecorded_bits();
    if (Choices::bounded(bits, 1000) >= permille_) return 0U;
    const auto drawn = static_cast<std::uint32_t>(bits & 0xFFFFFFFFU);
    return 1U + static_cast<std::uint32_t>(possible.nth(drawn % possible.size()));
  });
  if (number == 0) return {};
  DrawnFault fault;
  fault.parameter = choices.next(kParameters);
  const auto kind = static_cast<FaultKind>(number - 1);
  if (possible.contains(kind)) fault.kind = kind;
  return fault;
}

bool FaultInjector::unleash(FaultedClient& client, const DrawnFault& fault) {
  const bool odd = fault.parameter % 2 == 1;
  switch (*fault.kind) {
    case FaultKind::kPartition: {
      if (powers_.partition != nullptr && (odd || powers_.store != nullptr)) break;
      const std::uint32_t direction = (fault.parameter >> 4U) % 3;
      client.requests_cut = direction != 1;
      client.answers_cut = direction != 2;
      client.cut_until = client.raw->now() + fault_length(fault.parameter >> 1U);
      open_client_window(client, FaultKind::kPartition, fault_length(fault.parameter >> 1U));
      return true;
    }
    case FaultKind::kFlip: {
      client.flip_period = fault_length(fault.parameter % 4);
      client.flip_from = client.raw->now();
      // It may just have come up, so that the first request gets through.
      if (odd) client.flip_from -= client.flip_period;
      const Time length = client.flip_period * (3 + (fault.parameter >> 4U));
      client.flip_until = client.raw->now() + length;
      open_client_window(client, FaultKind::kFlip, length);
      return true;
    }
    case FaultKind::kPause:
      if (powers_.pause != nullptr && odd) break;
      client.paused_until = client.raw->now() + fault_length(fault.parameter >> 1U);
      open_client_window(client, FaultKind::kPause, fault_length(fault.parameter >> 1U));
      sit_out_pause(client);
      return true;
    case FaultKind::kSkew: {
      // From a second behind to a second ahead, whatever the plan's own offset is.
      const auto off = milliseconds(static_cast<std::int32_t>(fault.parameter * 2000 / 255) - 1000);
      client.skew = off - (client.raw->wall_now() - client.raw->now());
      client.skew_seen = false;
      return true;
    }
    case FaultKind::kCrash:
    case FaultKind::kPowerLoss:
      break;
    default:
      return false;
  }
  if (client.strike.kind) strike(client);
  client.strike = fault;
  client.steps_to_strike = (fault.parameter >> 1U) % 4;
  return true;
}

// The window of a client's connection ends by the clock; this writes down when.
void FaultInjector::open_client_window(FaultedClient& client, FaultKind kind, Time length) {
  const std::size_t window = began(kind, client.label);
  open_windows_.push_back(window);
  close_later(client, client.raw->now() + length, [this, window] { close_window(window); });
}

void FaultInjector::close_window(std::size_t window) {
  const auto open = std::find(open_windows_.begin(), open_windows_.end(), window);
  if (open == open_windows_.end()) return;
  open_windows_.erase(open);
  ended(window);
}

void FaultInjector::close_later(FaultedClient& client, Time when, std::function<void()> close) {
  scheduler_.spawn(client.index, "fault", [runtime = client.raw, when, close = std::move(close)] {
    runtime->sleep_until(when);
    close();
  });
}

void FaultInjector::strike(FaultedClient& client) {
  const DrawnFault fault = std::exchange(client.strike, {});
  if (stopped_) return;
  const std::string& node = nodes_[(fault.parameter >> 3U) % nodes_.size()];
  const bool is_struck = std::any_of(node_windows_.begin(), node_windows_.end(),
                                     [&](const NodeWindow& open) { return open.node == node; });
  if (is_struck) return;
  strike_node(client, *fault.kind, node, fault_length(fault.parameter >> 5U) * 4);
}

void FaultInjector::strike_node(FaultedClient& client, FaultKind kind, const std::string& node,
                                Time length) {
  Result<void> done{};
  const std::size_t window = began(kind, node);
  {
    const BackendScope there(scheduler_);
    switch (kind) {
      case FaultKind::kCrash:
        done = powers_.crash->crash_and_restart(node, *client.raw);
        break;
      case FaultKind::kPowerLoss:
        done = powers_.power->lose_power(node, *client.raw);
        break;
      case FaultKind::kPause:
        done = powers_.pause->pause(node);
        break;
      default:
        done = powers_.partition->cut(node);
        break;
    }
  }
  if (done.has_error() && !problem_) {
    problem_ = fmt::format("{} of node '{}' failed: {}", to_string(kind), node, done.error().text);
  }
  if (kind == FaultKind::kCrash || kind == FaultKind::kPowerLoss || done.has_error()) {
    return ended(window);
  }
  node_windows_.push_back({kind, node, window});
  close_later(client, client.raw->now() + length, [this, window] {
    const auto open = std::find_if(node_windows_.begin(), node_windows_.end(),
                                   [&](const NodeWindow& w) { return w.window == window; });
    if (open == node_windows_.end()) return;
    const NodeWindow closing = *open;
    node_windows_.erase(open);
    close_node(closing);
  });
}

void FaultInjector::close_node(const NodeWindow& window) {
  const Result<void> healed = [&] {
    const BackendScope there(scheduler_);
    return window.kind == FaultKind::kPause ? powers_.pause->resume(window.node)
                                            : powers_.partition->heal(window.node);
  }();
  if (healed.has_error() && !problem_) {
    problem_ = fmt::format("node '{}' did not come back from {}: {}", window.node,
                           to_string(window.kind), healed.error().text);
  }
  ended(window.window);
}

// The job waits in a fiber of its own until so many exchanges were made by anybody.
void FaultInjector::send_later(FaultedClient& client, std::uint32_t parameter,
                               std::function<void()> send) {
  const std::size_t window = began(FaultKind::kLateRequest, client.label, current_call());
  const std::size_t mine = late_.size();
  ++late_open_;
  late_.push_back({0, exchanges_ + 2 + (parameter >> 4U), stopped_});
  late_.back().fiber = scheduler_.spawn(
      client.index, client.label + " late", [this, mine, window, send = std::move(send)] {
        while (!late_[mine].let_go) scheduler_.park("its turn to be late");
        {
          const OperationScope away(
              scheduler_, {CallKind::kOther, "a late request", "", scheduler_.now() + kLateLimit});
          send();
        }
        ended(window);
        if (--late_open_ == 0) on_settled_();
      });
}

void FaultInjector::let_go_late_ones() {
  for (Late& late : late_) {
    if (late.let_go || (!stopped_ && exchanges_ < late.due)) continue;
    late.let_go = true;
    scheduler_.wake(late.fiber);
  }
}

void FaultInjector::stop() {
  if (std::exchange(stopped_, true)) return;
  for (FaultedClient& client : clients_) client.heal();
  for (const std::size_t window : std::exchange(open_windows_, {})) ended(window);
  for (const NodeWindow& window : std::exchange(node_windows_, {})) close_node(window);
  let_go_late_ones();
}

void FaultInjector::sit_out_pause(FaultedClient& client) {
  while (client.raw->now() < client.paused_until) client.raw->sleep_until(client.paused_until);
}

// When a client that waits to the end gives up.
Time FaultInjector::limit_of(const FaultedClient& client, Time deadline) const {
  if (powers_.declared.execution != Execution::kThreads) return deadline;
  return std::min(deadline, client.raw->now() + kPatienceOnThreads);
}

// The client waits for an answer that does not come.
void FaultInjector::give_up(FaultedClient& client, std::uint32_t parameter, Time deadline) {
  const bool to_the_limit = parameter >> 4U == 15;
  const Time patience = client.raw->now() + fault_length(parameter);
  client.raw->sleep_until(to_the_limit ? limit_of(client, deadline) : std::min(patience, deadline));
}

Time FaultInjector::wall_now(FaultedClient& client) {
  const HarnessScope here(scheduler_);
  if (!std::exchange(client.skew_seen, true)) ended(began(FaultKind::kSkew, client.label));
  return client.raw->wall_now() + client.skew;
}

PacketFate FaultInjector::fate(std::string_view from, std::string_view to, Runtime& runtime) {
  PacketFate fate;
  if (stopped_) return fate;
  const Time now = runtime.now();
  for (const FaultedClient& client : clients_) {
    if (client.is_down(now) && (client.label == from || client.label == to)) fate.lost = true;
    if (client.loses_requests(now) && client.label == from) fate.lost = true;
    if (client.loses_answers(now) && client.label == to) fate.lost = true;
  }
  if (fate.lost) return fate;
  const DrawnFault fault = draw(scheduler_.choices_of(0, ChoiceUse::kFaults), FaultSite::kPacket);
  if (!fault.kind) return fate;
  ended(began(*fault.kind, fmt::format("{}>{}", from, to)));
  fate.lost = fault.kind == FaultKind::kDropRequest;
  fate.answer_lost = fault.kind == FaultKind::kDropAnswer;
  fate.twice = fault.kind == FaultKind::kDuplicate;
  if (fault.kind == FaultKind::kDelay) fate.delay = fault_length(fault.parameter);
  return fate;
}

FaultedClient& FaultInjector::client_of(const ClientInfo& info, Runtime& runtime) {
  const auto known =
      std::find_if(clients_.begin(), clients_.end(),
                   [&](const FaultedClient& client) { return client.label == info.label; });
  FaultedClient* client = known == clients_.end() ? nullptr : &*known;
  if (client == nullptr) {
    const auto base = std::find(bases_.begin(), bases_.end(), incarnation_of(info.label).base);
    client = &clients_.emplace_back(*this, info.label,
                                    static_cast<std::uint32_t>(base - bases_.begin()));
  }
  if (client->raw != &runtime) client->raw = &runtime;
  return *client;
}

FaultedClient* FaultInjector::client_of(const Runtime& runtime) {
  for (FaultedClient& client : clients_) {
    if (&client.runtime == &runtime) return &client;
  }
  return nullptr;
}

Time FaultyRuntime::now() { return client_.raw->now(); }
Time FaultyRuntime::wall_now() { return faults_.wall_now(client_); }
void FaultyRuntime::sleep_until(Time time) {
  faults_.step(client_);
  client_.raw->sleep_until(time);
}
void FaultyRuntime::yield() {
  faults_.step(client_);
  client_.raw->yield();
}
std::uint32_t FaultyRuntime::choose(std::uint32_t n) { return client_.raw->choose(n); }

}  // namespace causalcheck
