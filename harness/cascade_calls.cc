// What a client of the cascade calls, and what it makes of the answers.
#include <algorithm>
#include <array>
#include <utility>

#include "harness/cascade.h"

namespace causalcheck {
namespace {

constexpr std::uint32_t kOpenTries = 5;
constexpr Time kOpenPause = std::chrono::milliseconds(1);  // doubled after each try
// A reader that gets one error after another waits for somebody to publish.
constexpr std::uint32_t kErrorsInRowMax = 5;
constexpr Time kErrorPause = std::chrono::microseconds(100);  // doubled after each error
// Chance in 1000 that a client reads a topic after its own publish there was acknowledged, when
// nobody else gives it a reason to. Low: an own message is an event, and teaches least.
constexpr std::uint32_t kReadOwnPermille = 100;
// Each one is a client of its own for the checker, whose tables grow with their number.
constexpr std::uint32_t kIncarnationsMax = 9;
constexpr std::uint32_t kBufferedMax = 3;
constexpr Time kOfflineLeast = std::chrono::microseconds(16);
constexpr std::uint32_t kOfflineDoublings = 7;
constexpr std::uint32_t kLastTries = 3;
// Chances in 1000, per publish, of what is a fault when the plan arms it.
constexpr std::uint32_t kOfflineFaultPermille = 40;
constexpr std::uint32_t kRestartFaultPermille = 20;

}  // namespace

Time Cascade::deadline(const Client& client, Time wait) const {
  return client.runtime->now() + wait;
}

void Cascade::owe(Client& client, std::uint32_t publishes) {
  client.owed += publishes;
  if (client.committers_used == 0) return rouse(client.main);
  for (std::uint32_t k = 0; k < client.committers_used && publishes > 0; ++k) {
    if (!client.committers[k].idle) continue;
    rouse(client.committers[k]);
    --publishes;
  }
}

WriteCall Cascade::begin_write(Client& client) {
  const TopicId topic = client.choices->next(plan_->topics);
  const bool is_delete = client.choices->chance(plan_->workload.delete_permille);
  const WriteCall call = recorder_.begin_write(client.id, topic, is_delete);
  silent_rounds_ = 0;
  after_event();
  return call;
}

// What the workload says, or more where it is an armed fault.
std::uint32_t Cascade::chance_of(FaultKind kind, std::uint32_t workload) const {
  if (faults_ == nullptr || !faults_->arms(kind)) return workload;
  return std::max(workload,
                  kind == FaultKind::kOffline ? kOfflineFaultPermille : kRestartFaultPermille);
}

void Cascade::publish(Worker& worker) {
  Client& client = *worker.client;
  const Workload& workload = plan_->workload;
  --client.owed;
  if (client.choices->chance(chance_of(FaultKind::kOffline, workload.offline_permille))) {
    publish_offline(worker);
  } else if (client.incarnation < kIncarnationsMax &&
             client.choices->chance(
                 chance_of(FaultKind::kRestartClient, workload.restart_permille))) {
    // A crash comes before the answer or after it.
    const bool answer_is_lost = client.choices->next(2) == 1;
    const std::uint32_t epoch = client.epoch;
    commit(worker, begin_write(client), answer_is_lost);
    if (epoch == client.epoch && client.may_call()) restart(client);
  } else {
    commit(worker, begin_write(client), false);
  }
  if (running() && workload.leave_permille > 0 && may_leave(client) &&
      client.choices->chance(workload.leave_permille)) {
    client.leaves = true;
    settle(client);
  }
}

// The client publishes a few messages while it is cut off, and they go out in order afterwards.
void Cascade::publish_offline(Worker& worker) {
  Client& client = *worker.client;
  std::array<WriteCall, kBufferedMax> calls{};
  const std::uint32_t count = 1 + client.choices->next(kBufferedMax);
  std::uint32_t buffered = 0;
  client.offline = client.flushing = true;
  std::optional<std::size_t> window;
  if (faults_ != nullptr && faults_->arms(FaultKind::kOffline)) {
    window = faults_->began(FaultKind::kOffline, recorder_.history().clients[client.id]);
  }
  while (buffered < count && (buffered == 0 || running())) calls[buffered++] = begin_write(client);
  const Time pause = kOfflineLeast * (1U << client.choices->next(kOfflineDoublings));
  client.runtime->sleep_until(client.runtime->now() + pause);
  client.offline = false;
  if (window) faults_->ended(*window);
  rouse_all(client);
  const std::uint32_t epoch = client.epoch;
  for (std::uint32_t i = 0; i < buffered; ++i) {
    while (!client.may_call() && !client.gone) idle(worker);
    if (client.gone) {
      recorder_.complete_write(calls[i].operation,
                               Error(ErrorCode::kUnavailable, "never came online again"));
    } else if (client.epoch == epoch) {
      commit(worker, calls[i], false);
    }
  }
  client.flushing = false;
  rouse_all(client);
}

void Cascade::commit(Worker& worker, const WriteCall& call, bool answer_is_lost) {
  Client& client = *worker.client;
  const std::uint32_t epoch = client.epoch;
  ++client.calls_open;
  const Result<Ack> answer = calls_.commit(*client.session, topics_[call.topic], call,
                                           deadline(client, times_.call_deadline));
  const bool fails = answer.has_error() && outcome_of(answer.error().code) == Outcome::kFail;
  if (!fails) announce(client, call.topic, answer);
  if (epoch != client.epoch) return;  // the client that called is no more
  --client.calls_open;
  if (!answer_is_lost) {
    recorder_.complete_write(call.operation, answer);
    if (answer.has_error() && !fails) client.reconnects = true;
  }
  settle(client);
}

// Something may be new on `topic` for everybody else.
void Cascade::announce(Client& client, TopicId topic, const Result<Ack>& answer) {
  const bool latest = declared_.promises.reads == Reads::kLatest;
  const bool has_slot = latest && answer.has_value() && answer->slot.has_value();
  for (std::uint32_t i = 0; i < plan_->clients; ++i) {
    Client& other = clients_[i];
    if (other.gone) continue;
    if (other.reads) {
      if (i == client.index && !client.choices->chance(kReadOwnPermille)) continue;
      CascadeView& view = other.views[topic];
      if (has_slot) {
        view.announced = std::max(view.announced, *answer->slot);
      } else {
        view.looks = true;
      }
      if (view.wants()) rouse(other.main);
    } else if (i != client.index && running() && other.session != nullptr &&
               client.choices->chance(plan_->workload.answer_permille / 2)) {
      // It answers what it will never see: half as often, so that it does not spend all the events.
      owe(other, 1);
    }
  }
}

Observed Cascade::poll(Client& client, TopicId topic) {
  const std::uint32_t epoch = client.epoch;
  const OperationIndex operation = recorder_.begin_read(client.id, topic);
  ++client.calls_open;
  const Result<std::optional<Entry>> answer = calls_.poll(
      *client.session, topics_[topic], operation, deadline(client, times_.call_deadline));
  if (epoch != client.epoch) return {};
  --client.calls_open;
  return recorder_.complete_read(operation, answer);
}

Observed Cascade::receive(Client& client, Time wait) {
  const std::uint32_t epoch = client.epoch;
  const ReceiveCall call = recorder_.begin_receive(client.id);
  ++client.calls_open;
  const Result<std::vector<Delivered>> answer =
      calls_.receive(*client.session, call.operation, deadline(client, wait));
  if (epoch != client.epoch) return {};
  --client.calls_open;
  return recorder_.complete_receive(call, answer);
}

void Cascade::observe(Client& client, TopicId topic) {
  const std::uint32_t epoch = client.epoch;
  Observed observed;
  if (declared_.promises.reads == Reads::kFeed) {
    for (CascadeView& view : client.views) view.begin_look();
    observed = receive(client, times_.receive_wait);
  } else {
    client.views[topic].begin_look();
    observed = poll(client, topic);
  }
  if (epoch != client.epoch) return;
  if (observed.unknown) client.reconnects = true;
  after_event();
  settle(client);
  if (!running() || epoch != client.epoch) return;
  if (observed.failed) {
    if (++client.errors_in_row >= kErrorsInRowMax) return;
    client.views[topic].looks = true;
    const Time pause = kErrorPause * (1U << client.errors_in_row);
    return client.runtime->sleep_until(client.runtime->now() + pause);
  }
  client.errors_in_row = 0;
  client.views[topic].read = std::max(client.views[topic].read, observed.slot);
  if (observed.news > 0) silent_rounds_ = 0;
  std::uint32_t answers = 0;
  for (std::uint32_t i = 0; client.writes && i < observed.news; ++i) {
    if (client.choices->chance(plan_->workload.answer_permille)) ++answers;
  }
  if (answers > 0) owe(client, answers);
  if (client.choices->chance(plan_->workload.reread_permille)) client.views[topic].looks = true;
}

// Does what had to wait until no call of the client is open.
void Cascade::settle(Client& client) {
  if (client.calls_open > 0 || client.session == nullptr || client.gone) return;
  if (client.leaves && !client.flushing) {
    recorder_.leave(client.id);
    client.gone = true;
    std::unique_ptr<Session> old = std::move(client.session);
    rouse_all(client);
    calls_.drop(std::move(old), deadline(client, times_.call_deadline));
  } else if (client.reconnects) {
    reconnect(client);
  }
}

void Cascade::reconnect(Client& client) {
  Result<ResumeToken> token =
      calls_.close(std::move(client.session), deadline(client, times_.call_deadline));
  client.token.reset();
  if (token.has_value()) client.token = std::move(*token);
  recorder_.new_session(client.id);
  if (!connect(client)) rouse_all(client);
}

// Opens a session; the client is gone when none is to be had.
bool Cascade::connect(Client& client) {
  std::string label = client.base;
  if (client.incarnation > 1) label += "~" + std::to_string(client.incarnation);
  const ClientInfo info{client.id, std::move(label), client.incarnation};
  Time pause = kOpenPause;
  for (std::uint32_t i = 0; i < kOpenTries; ++i) {
    auto opened =
        calls_.open(info, *client.runtime, client.token, deadline(client, times_.call_deadline));
    if (opened.has_value() && *opened != nullptr) {
      client.session = std::move(*opened);
      client.reconnects = false;
      rouse_all(client);
      return true;
    }
    open_problem_ = opened.has_error() ? opened.error().text : "the backend gave none";
    client.runtime->sleep_until(client.runtime->now() + pause);
    pause *= 2;
  }
  client.gone = true;
  return false;
}

// The client loses its state and comes back as somebody else. Its open calls are never answered.
void Cascade::restart(Client& client) {
  if (faults_ != nullptr && faults_->arms(FaultKind::kRestartClient)) {
    faults_->ended(
        faults_->began(FaultKind::kRestartClient, recorder_.history().clients[client.id]));
  }
  ++client.epoch;
  ++client.incarnation;
  client.retired.push_back(std::move(client.session));
  client.calls_open = client.owed = client.errors_in_row = 0;
  client.reconnects = false;
  client.token.reset();
  client.id = recorder_.add_client(client.base + "~" + std::to_string(client.incarnation));
  client.views.assign(plan_->topics, {});
  if (!connect(client)) return rouse_all(client);
  if (running() && client.writes) owe(client, 1);
}

// Enough stay behind to publish and to observe each other.
bool Cascade::may_leave(const Client& client) const {
  if (client.gone || client.leaves || client.flushing) return false;
  std::uint32_t others = 0;
  for (std::uint32_t i = 0; i < plan_->clients; ++i) {
    const Client& other = clients_[i];
    if (i == client.index || other.gone || other.leaves) continue;
    if (other.reads && other.writes && other.session != nullptr) ++others;
  }
  return others >= 2;
}

void Cascade::last_reads(Client& client) {
  if (client.session == nullptr || client.gone) return;
  if (declared_.promises.reads == Reads::kFeed) return last_receives(client);
  for (TopicId topic = 0; topic < plan_->topics && !client.gone; ++topic) last_poll(client, topic);
}

void Cascade::last_poll(Client& client, TopicId topic) {
  for (std::uint32_t i = 0; i < kLastTries && !client.gone; ++i) {
    const Observed observed = poll(client, topic);
    if (observed.unknown) client.reconnects = true;
    settle(client);
    if (!observed.failed) return;
  }
}

// Receives until one brings nothing. A feed that never ends is broken, and its run ends all the
// same.
void Cascade::last_receives(Client& client) {
  std::uint32_t errors = 0;
  const std::uint64_t calls_max = 2 * recorder_.history().messages.size() + plan_->topics + 100;
  for (std::uint64_t i = 0; i < calls_max && errors < kLastTries && !client.gone; ++i) {
    const Observed observed =
        receive(client, std::max(times_.final_receive_wait, declared_.lag_max));
    if (observed.unknown) client.reconnects = true;
    settle(client);
    if (observed.failed) {
      ++errors;
    } else if (observed.handed_over == 0) {
      return;
    }
  }
}

}  // namespace causalcheck
