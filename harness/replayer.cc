#include "harness/replayer.h"

#include <algorithm>
#include <utility>

namespace causalcheck {
namespace {

// How often a client looks whether its turn has come.
constexpr Time kLookInterval = std::chrono::microseconds(50);

}  // namespace

Replayer::Replayer(Backend& backend, Scheduler& scheduler, Recorder& recorder, CascadeTimes times,
                   Time step_limit)
    : backend_(backend),
      scheduler_(scheduler),
      recorder_(recorder),
      times_(times),
      step_limit_(step_limit),
      calls_(backend, scheduler) {}

std::optional<std::string> Replayer::run(const Plan& plan, const History& recorded,
                                         FaultInjector* faults) {
  faults_ = faults;
  events_ = plan.events;
  calls_.use_faults(faults);
  prepare(plan, recorded);
  run_to_end([this] { scheduler_.run(); }, [this] { end_sessions(); });
  return failure_;
}

void Replayer::prepare(const Plan& plan, const History& recorded) {
  declared_ = backend_.declare();
  nodes_ = backend_.nodes();
  topics_ = recorder_.history().topics;
  plan_clients_ = plan.clients;
  known_ = plan.clients;
  cursor_ = 0;
  early_ = 0;
  moved_at_ = Time::zero();
  failure_.reset();
  clients_.clear();
  for (ClientId id = 0; id < recorded.clients.size(); ++id) {
    const std::string& label = recorded.clients[id];
    const std::size_t mark = label.find('~');
    Client& client = clients_.emplace_back();
    client.info = {id, label, 1};
    std::uint32_t base = id;
    if (mark != std::string::npos) {
      client.info.incarnation = static_cast<std::uint32_t>(std::stoul(label.substr(mark + 1)));
      const auto found =
          std::find(recorded.clients.begin(), recorded.clients.end(), label.substr(0, mark));
      base = static_cast<std::uint32_t>(found - recorded.clients.begin());
    }
    base = std::min(base, plan.clients - 1);
    const std::int32_t offset =
        base < plan.clock_offsets_ms.size() ? plan.clock_offsets_ms[base] : 0;
    client.index = base;
    client.runtime = &scheduler_.runtime_of(base, std::chrono::milliseconds(offset));
  }
  read_acts(recorded);
  find_effects();
  put_in_order();
  lanes_left_ = lanes_.size();
  for (Lane& lane : lanes_) {
    const Client& client = clients_[lane.client];
    scheduler_.spawn(client.index, client.info.label, [this, &lane] { work(lane); });
  }
}

// Takes the recording apart: reads of one receive are one act, and acts that overlap get lanes of
// their own.
void Replayer::read_acts(const History& recorded) {
  std::vector<Act> acts;
  const bool feed = declared_.promises.reads == Reads::kFeed;
  std::vector<std::optional<std::size_t>> last_receive(recorded.clients.size());  // places in acts
  for (const Operation& operation : recorded.operations) {
    if (operation.is_drain()) continue;
    const bool is_write = operation.is_write();
    Act act;
    act.kind = is_write ? Act::Kind::kWrite : feed ? Act::Kind::kReceive : Act::Kind::kPoll;
    act.client = operation.client;
    act.session = operation.session;
    act.topic = operation.topic;
    act.is_delete = operation.is_delete;
    act.slot = operation.slot;
    act.message = operation.message;
    act.start = operation.start;
    act.end = operation.end;
    act.messages = operation.message != kNothing || operation.undecodable ? 1 : 0;
    if (act.kind != Act::Kind::kReceive) {
      acts.push_back(act);
      continue;
    }
    std::optional<std::size_t>& last = last_receive[act.client];
    if (Act* const before = last ? &acts[*last] : nullptr;
        before != nullptr && before->session == act.session) {
      // One that brought nothing is a read of each topic with one call; one that brought more than
      // one message is reads that follow on each other.
      const bool same_call = before->start == act.start;
      const bool follows_on =
          before->messages > 0 && act.messages > 0 && before->end + 1 == act.start;
      if (same_call || follows_on) {
        before->end = act.end;
        before->messages += act.messages;
        before->message = act.message;
        continue;
      }
    }
    last = acts.size();
    acts.push_back(act);
  }
  for (const Leave& leave : recorded.leaves) {
    Act act;
    act.kind = Act::Kind::kLeave;
    act.client = leave.client;
    act.session = 0;
    act.start = act.end = leave.at;
    acts.push_back(act);
  }
  std::sort(acts.begin(), acts.end(), [](const Act& a, const Act& b) { return a.start < b.start; });
  lanes_.clear();
  for (Act& act : acts) {
    const auto lane = std::find_if(lanes_.begin(), lanes_.end(), [&act](const Lane& candidate) {
      return candidate.client == act.client && candidate.acts.back().end < act.start;
    });
    Lane& into = lane != lanes_.end() ? *lane : lanes_.emplace_back();
    into.client = act.client;
    into.acts.push_back(act);
  }
}

// Says for each act that overlaps others what it came after.
void Replayer::find_effects() {
  std::vector<const Act*> writes;
  for (const Lane& lane : lanes_) {
    for (const Act& act : lane.acts) {
      if (act.kind == Act::Kind::kWrite && act.end != kNever) writes.push_back(&act);
    }
  }
  for (Lane& lane : lanes_) {
    for (Act& act : lane.acts) {
      act.effect_after = act.start;
      for (const Act* write : writes) {
        const bool is_read = act.kind != Act::Kind::kWrite;
        const bool lies_below = !is_read && write->topic == act.topic && act.slot != kNoSlot &&
                                write->slot != kNoSlot && write->slot < act.slot;
        const bool was_read = is_read && act.message != kNothing && write->message == act.message;
        if ((!lies_below && !was_read) || write->end > act.end) continue;
        act.effect_after = std::max(act.effect_after, write->end);
      }
    }
  }
}

void Replayer::put_in_order() {
  std::vector<std::pair<Position, std::size_t*>> places;
  for (Lane& lane : lanes_) {
    for (Act& act : lane.acts) {
      places.emplace_back(act.start, &act.begins);
      if (act.end != kNever && act.end != act.start) places.emplace_back(act.end, &act.ends);
    }
  }
  std::sort(places.begin(), places.end());
  for (std::size_t i = 0; i < places.size(); ++i) *places[i].second = i;
  for (Lane& lane : lanes_) {
    for (Act& act : lane.acts) {
      const auto after = std::upper_bound(
          places.begin(), places.end(), act.effect_after,
          [](Position position, const auto& place) { return position < place.first; });
      act.calls = static_cast<std::size_t>(after - places.begin());
    }
  }
  done_.assign(places.size(), false);
}

void Replayer::work(Lane& lane) {
  for (const Act& next : lane.acts) {
    act(next, *clients_[lane.client].runtime);
    if (failure_) break;
  }
  if (--lanes_left_ == 0 && !failure_) drain();
}

// Waits until all that stands before `place` is done.
void Replayer::await(std::size_t place, Runtime& runtime) {
  while (cursor_ < place) {
    if (runtime.now() - moved_at_ >= step_limit_) {
      ++early_;
      for (std::size_t i = cursor_; i < place; ++i) done_[i] = true;
      cursor_ = place;
      moved_at_ = runtime.now();
      return;
    }
    runtime.sleep_until(runtime.now() + kLookInterval);
  }
}

void Replayer::done(std::size_t place) {
  done_[place] = true;
  if (place != cursor_) return;
  while (cursor_ < done_.size() && done_[cursor_]) ++cursor_;
  moved_at_ = scheduler_.now();
}

void Replayer::act(const Act& act, Runtime& runtime) {
  Client& client = clients_[act.client];
  if (act.kind == Act::Kind::kLeave) {
    await(act.begins, runtime);
    recorder_.leave(act.client);
    done(act.begins);
    return calls_.drop(std::move(client.session), runtime.now() + times_.call_deadline);
  }
  // The first session opens before its turn: that takes time, and is not recorded.
  if (client.number == 0 && !client.connects) connect(client, act.session);
  await(act.begins, runtime);
  const bool ready = be_ready(client, act);
  while (known_ <= act.client) recorder_.add_client(clients_[known_++].info.label);
  if (!ready) {
    if (!failure_) failure_ = "no session for client " + client.info.label;
    return;
  }
  switch (act.kind) {
    case Act::Kind::kWrite:
      return write(client, act);
    case Act::Kind::kPoll:
      return poll(client, act);
    case Act::Kind::kReceive:
      return receive(client, act);
    case Act::Kind::kLeave:
      return;
  }
}

bool Replayer::may_call(const Client& client, const Act& act) const {
  if (client.connects) return false;
  const std::uint32_t open = client.commits_open + client.reads_open;
  if (act.session > client.number || client.session == nullptr) return open == 0;
  if (declared_.concurrency == Concurrency::kNone) return open == 0;
  return act.kind == Act::Kind::kWrite ? client.commits_open == 0 : client.reads_open == 0;
}

// Until the client may make this call, on the session it was made on. Counts the call as open.
bool Replayer::be_ready(Client& client, const Act& act) {
  while (!may_call(client, act)) client.runtime->sleep_until(client.runtime->now() + kLookInterval);
  if (act.session > client.number || client.session == nullptr) {
    connect(client, act.session);
    if (client.session == nullptr) return false;
  }
  ++(act.kind == Act::Kind::kWrite ? client.commits_open : client.reads_open);
  return true;
}

void Replayer::connect(Client& client, std::uint32_t number) {
  client.connects = true;
  const Time until = client.runtime->now() + times_.call_deadline;
  const bool again = client.session != nullptr;
  if (again) {
    Result<ResumeToken> token = calls_.close(std::move(client.session), until);
    client.token.reset();
    if (token.has_value()) client.token = std::move(*token);
  }
  Result<std::unique_ptr<Session>> opened =
      calls_.open(client.info, *client.runtime, client.token, until);
  if (again) recorder_.new_session(client.info.id);
  client.number = number;
  client.connects = false;
  if (opened.has_value()) client.session = std::move(*opened);
}

void Replayer::write(Client& client, const Act& act) {
  const WriteCall call = recorder_.begin_write(act.client, act.topic, act.is_delete);
  done(act.begins);
  after_event();
  await(act.calls, *client.runtime);
  const Result<Ack> answer = calls_.commit(*client.session, topics_[call.topic], call,
                                           client.runtime->now() + times_.call_deadline);
  --client.commits_open;
  if (act.end == kNever) return;  // its answer never reached the client
  await(act.ends, *client.runtime);
  recorder_.complete_write(call.operation, answer);
  done(act.ends);
}

void Replayer::poll(Client& client, const Act& act) {
  const OperationIndex operation = recorder_.begin_read(act.client, act.topic);
  done(act.begins);
  after_event();
  await(act.calls, *client.runtime);
  const Result<std::optional<Entry>> answer = calls_.poll(
      *client.session, topics_[act.topic], operation, client.runtime->now() + times_.call_deadline);
  --client.reads_open;
  if (act.end == kNever) return;
  await(act.ends, *client.runtime);
  static_cast<void>(recorder_.complete_read(operation, answer));
  after_event();
  done(act.ends);
}

// Receives until as much has come as then, or nothing comes any more.
void Replayer::receive(Client& client, const Act& act) {
  const Time wait = act.messages > 0 ? std::max(times_.final_receive_wait, declared_.lag_max)
                                     : times_.receive_wait;
  std::uint32_t handed_over = 0;
  while (true) {
    const ReceiveCall call = recorder_.begin_receive(act.client);
    done(act.begins);
    await(act.calls, *client.runtime);
    const Result<std::vector<Delivered>> answer =
        calls_.receive(*client.session, call.operation, client.runtime->now() + wait);
    if (act.end == kNever) break;
    await(act.ends, *client.runtime);
    const Observed observed = recorder_.complete_receive(call, answer);
    handed_over += observed.handed_over;
    if (observed.handed_over == 0 || handed_over >= act.messages) break;
  }
  --client.reads_open;
  if (act.end != kNever) done(act.ends);
}

void Replayer::after_event() {
  if (faults_ != nullptr && recorder_.events() >= events_) faults_->stop();
}

void Replayer::drain() {
  if (faults_ != nullptr) {
    faults_->stop();
    Runtime& waiting = *clients_.front().runtime;
    while (!faults_->settled()) waiting.sleep_until(waiting.now() + kLookInterval);
  }
  Runtime& runtime = scheduler_.runtime_of(plan_clients_, Time::zero());
  calls_.drain(topics_, nodes_, runtime, times_.call_deadline, recorder_);
}

void Replayer::end_sessions() {
  for (Client& client : clients_) client.session.reset();
}

}  // namespace causalcheck
