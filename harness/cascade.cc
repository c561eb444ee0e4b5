#include "harness/cascade.h"

#include <algorithm>
#include <utility>

namespace causalcheck {
namespace {

// Rounds in which everybody looks again before somebody publishes of its own accord, and how long
// the first of them waits; each later one waits four times as long.
constexpr std::uint32_t kSilentRoundsMax = 2;
constexpr Time kSilence = std::chrono::milliseconds(1);

}  // namespace

std::vector<std::string> label_clients(const Plan& plan) {
  std::vector<std::string> labels;
  labels.reserve(plan.clients);
  for (ClientId id = 0; id < plan.clients; ++id) labels.push_back(client_label(id));
  return labels;
}

std::vector<std::string> name_topics(const Plan& plan) {
  std::vector<std::string> names;
  names.reserve(plan.topics);
  for (TopicId id = 0; id < plan.topics; ++id) names.push_back("t" + std::to_string(id));
  return names;
}

Cascade::Cascade(Backend& backend, Scheduler& scheduler, Recorder& recorder, CascadeTimes times)
    : backend_(backend),
      scheduler_(scheduler),
      recorder_(recorder),
      times_(times),
      calls_(backend, scheduler) {}

std::optional<std::string> Cascade::run(const Plan& plan, FaultInjector* faults) {
  plan_ = &plan;
  faults_ = faults;
  calls_.use_faults(faults);
  prepare(plan);
  run_to_end([this] { scheduler_.run(); }, [this] { end_sessions(); });
  return failure_;
}

void Cascade::prepare(const Plan& plan) {
  declared_ = backend_.declare();
  nodes_ = backend_.nodes();
  topics_ = recorder_.history().topics;
  workers_ = busy_ = arrived_ = silent_rounds_ = 0;
  reading_last_ = plan.clients;
  stopping_ = late_ones_joined_ = false;
  failure_.reset();

  const Workload& workload = plan.workload;
  std::uint32_t pipeline = 0;
  if (declared_.concurrency == Concurrency::kReadDuringCommit) pipeline = 1;
  if (declared_.concurrency == Concurrency::kPipelined) {
    // Pipelined commits take effect in the order of their calls, and nobody can tell in which order
    // two threads that were let go come to a session.
    pipeline = declared_.execution == Execution::kThreads ? 1 : plan.pipeline;
  }
  if (clients_.size() < plan.clients) clients_.resize(plan.clients);
  for (std::uint32_t i = 0; i < plan.clients; ++i) {
    Client& client = clients_[i];
    const std::uint32_t from_last = plan.clients - 1 - i;
    client.index = client.id = i;
    client.base = recorder_.history().clients[i];
    client.incarnation = 1;
    const std::int32_t offset = i < plan.clock_offsets_ms.size() ? plan.clock_offsets_ms[i] : 0;
    client.runtime = &scheduler_.runtime_of(i, std::chrono::milliseconds(offset));
    client.choices = &scheduler_.choices_of(i);
    client.token.reset();
    client.calls_open = client.epoch = client.owed = client.errors_in_row = 0;
    client.reconnects = client.leaves = client.offline = client.flushing = client.gone = false;
    client.waits_for_all = false;
    client.writes = from_last >= workload.only_read;
    client.reads = !client.writes || from_last >= workload.only_read + workload.only_write;
    // The first one never joins late: somebody has to begin.
    client.joins_late = i > 0 && from_last < workload.join_late;
    client.next_topic = 0;
    client.views.assign(plan.topics, {});
    client.committers_used = client.writes ? pipeline : 0;
    if (client.committers.size() < client.committers_used) {
      client.committers.resize(client.committers_used);
    }

    client.main = {&client, 0, false};
    client.main.fiber = scheduler_.spawn(i, client.base, [this, &client] { timeline(client); });
    for (std::uint32_t k = 0; k < client.committers_used; ++k) {
      Worker& worker = client.committers[k];
      worker = {&client, 0, false};
      worker.fiber = scheduler_.spawn(i, client.base + "!", [this, &worker] { committer(worker); });
    }
    workers_ += 1 + client.committers_used;
  }
  busy_ = workers_;
}

void Cascade::end_sessions() {
  for (Client& client : clients_) {
    client.session.reset();
    client.retired.clear();
  }
}

// The main fiber of a client: opens its session, reads, and does the last reads.
void Cascade::timeline(Client& client) {
  while (client.joins_late && !late_ones_joined_ && running()) idle(client.main);
  if (running()) {
    if (connect(client)) {
      if (client.writes) owe(client, 1);
    } else {
      if (!failure_) failure_ = "no session for client " + client.base + ": " + open_problem_;
      stop();
    }
  }
  go_on(client);
  arrive(client.main);
  wait_for_all(client);
  if (client.reads && !failure_) last_reads(client);
  if (--reading_last_ == 0 && !failure_) drain();
}

void Cascade::go_on(Client& client) {
  while (running() && !client.gone) {
    if (client.committers_used == 0 && client.owed > 0 && client.may_publish()) {
      publish(client.main);
      continue;
    }
    if (client.reads && client.may_call()) {
      // The topics take turns.
      std::uint32_t tried = 0;
      while (tried < plan_->topics && !client.views[client.next_topic].wants()) {
        client.next_topic = (client.next_topic + 1) % plan_->topics;
        ++tried;
      }
      if (tried < plan_->topics) {
        const TopicId topic = client.next_topic;
        client.next_topic = (client.next_topic + 1) % plan_->topics;
        observe(client, topic);
        continue;
      }
    }
    idle(client.main);
  }
}

void Cascade::committer(Worker& worker) {
  Client& client = *worker.client;
  while (running() && !client.gone) {
    if (client.owed > 0 && client.may_publish()) {
      publish(worker);
    } else {
      idle(worker);
    }
  }
  arrive(worker);
}

// Sleeps until roused. The last one awake breaks the silence instead.
void Cascade::idle(Worker& worker) {
  if (busy_ == 1 && running()) return break_silence(worker);
  --busy_;
  worker.idle = true;
  scheduler_.park("something to do");
}

void Cascade::rouse(Worker& worker) {
  if (!worker.idle) return;
  worker.idle = false;
  ++busy_;
  scheduler_.wake(worker.fiber);
}

void Cascade::rouse_all(Client& client) {
  rouse(client.main);
  for (std::uint32_t k = 0; k < client.committers_used; ++k) rouse(client.committers[k]);
}

// Nobody has anything to do. For a while it may be that the backend lags; then somebody publishes.
void Cascade::break_silence(Worker& worker) {
  Runtime& runtime = *worker.client->runtime;
  const auto active = clients_.begin() + plan_->clients;
  if (silent_rounds_ < kSilentRoundsMax) {
    runtime.sleep_until(runtime.now() + kSilence * (1U << (2 * silent_rounds_)));
    ++silent_rounds_;
    for (auto client = clients_.begin(); client != active; ++client) {
      if (!client->reads || !client->may_call()) continue;
      client->look_everywhere();
      rouse(client->main);
    }
    return;
  }
  silent_rounds_ = 0;
  const auto writes = [](const Client& client) { return client.writes && client.may_publish(); };
  const auto writers = static_cast<std::uint32_t>(std::count_if(clients_.begin(), active, writes));
  if (writers == 0) {
    // Only late ones can go on, if there are any.
    if (std::exchange(late_ones_joined_, true)) return stop();
    for (auto client = clients_.begin(); client != active; ++client) rouse_all(*client);
    return;
  }
  std::uint32_t chosen = worker.client->choices->next(writers);
  for (auto client = clients_.begin(); client != active; ++client) {
    if (writes(*client) && chosen-- == 0) return owe(*client, 1);
  }
}

// The events are spent, or nobody can go on.
void Cascade::stop() {
  stopping_ = true;
  if (faults_ != nullptr) faults_->stop();
  for (std::uint32_t i = 0; i < plan_->clients; ++i) rouse_all(clients_[i]);
}

void Cascade::after_event() {
  if (stopping_) return;
  const std::uint64_t events = recorder_.events();
  if (events >= plan_->events) return stop();
  if (!late_ones_joined_ && plan_->workload.join_late > 0 && 2 * events >= plan_->events) {
    late_ones_joined_ = true;
    for (std::uint32_t i = 0; i < plan_->clients; ++i) {
      if (clients_[i].joins_late) rouse(clients_[i].main);
    }
  }
}

// This fiber is through with the cascade; the last one lets the last reads begin. One that leaves
// early must not leave silence behind.
void Cascade::arrive(Worker& worker) {
  while (busy_ == 1 && running()) break_silence(worker);
  --busy_;
  if (++arrived_ == workers_) begin_last_reads();
}

void Cascade::begin_last_reads() {
  if (!all_quiet()) return;
  for (std::uint32_t i = 0; i < plan_->clients; ++i) {
    if (clients_[i].waits_for_all) scheduler_.wake(clients_[i].main.fiber);
  }
}

void Cascade::wait_for_all(Client& client) {
  if (all_quiet()) return;
  client.waits_for_all = true;
  scheduler_.park("the end of all publishes");
}

void Cascade::drain() {
  Runtime& runtime = scheduler_.runtime_of(plan_->clients, Time::zero());
  calls_.drain(topics_, nodes_, runtime, times_.call_deadline, recorder_);
}

}  // namespace causalcheck
