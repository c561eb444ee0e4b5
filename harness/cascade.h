#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "harness/backend.h"
#include "harness/backend_calls.h"
#include "harness/cascade_client.h"
#include "harness/faults/fault_injector.h"
#include "harness/plan.h"
#include "harness/recorder.h"
#include "harness/scheduler.h"

namespace causalcheck {

/// How long the calls of a run may take, and how long its readers wait. Virtual time under the
/// deterministic scheduler.
struct CascadeTimes {
  Time call_deadline = std::chrono::seconds(10);
  /// How long a receive waits while the cascade goes on, and when everything drains. The latter has
  /// to cover what a feed may lag behind when nothing is published any more.
  Time receive_wait = std::chrono::microseconds(200);
  Time final_receive_wait = std::chrono::milliseconds(50);

  /// What suits the real clock: a receive that goes out to a server and comes back.
  static CascadeTimes for_threads() {
    CascadeTimes times;
    times.receive_wait = std::chrono::milliseconds(5);
    return times;
  }
};

/// The reactive cascade: what the clients of a run do.
///
/// Each client publishes once; whenever it observes something new it publishes its next message,
/// and so on until the plan's events are spent. Then what is open ends, every reader reads until
/// nothing comes (a poll of each topic; of a feed, receives until one brings nothing), and the
/// durable log of each topic at each node is listed. All of it goes to the recorder.
///
/// A client is one timeline with several fibers: one reads, and up to as many publish as the plan's
/// pipeline and the backend's Concurrency allow: on threads one. With Concurrency::kNone one fiber
/// does both. A reader that found nothing new sleeps until somebody has published. When nobody has
/// anything left to do, everybody looks again a little later, for backends that lag; then some
/// client publishes of its own accord. Each of that spends of the event budget or is limited in
/// number, so a run ends.
///
/// A client whose operation ended info closes its session when its other calls have returned, and
/// opens a new one that goes on where the old one was.
class Cascade {
 public:
  Cascade(Backend& backend, Scheduler& scheduler, Recorder& recorder, CascadeTimes times = {});
  Cascade(const Cascade&) = delete;
  Cascade& operator=(const Cascade&) = delete;

  /// Drives one run of `plan`. The backend was reset, and recorder and scheduler have begun, with
  /// the labels and topics of label_clients and name_topics. `faults`, if any, have begun as well;
  /// they stop when the events are spent. Returns the reason when some client could not open its
  /// first session; what was recorded until then stands.
  /// Throws what Scheduler::run throws. After a ClientStuck the sessions stay open, for a thread is
  /// still in a call of one, and this object may neither be used nor destroyed any more.
  [[nodiscard]] std::optional<std::string> run(const Plan& plan, FaultInjector* faults = nullptr);
  /// Lets the last reads begin if that was what they waited for. Called when the last late request
  /// of `faults` has landed.
  void faults_settled() { begin_last_reads(); }

 private:
  using Client = CascadeClient;
  using Worker = CascadeWorker;

  void prepare(const Plan& plan);
  void end_sessions();

  // Fibers.
  void timeline(Client& client);
  void committer(Worker& worker);
  void go_on(Client& client);
  void last_reads(Client& client);
  void last_receives(Client& client);
  void last_poll(Client& client, TopicId topic);
  void drain();
  void idle(Worker& worker);
  void rouse(Worker& worker);
  void rouse_all(Client& client);
  void break_silence(Worker& worker);
  void stop();
  void arrive(Worker& worker);
  void wait_for_all(Client& client);
  void begin_last_reads();
  [[nodiscard]] bool all_quiet() const {
    return arrived_ == workers_ && (faults_ == nullptr || faults_->settled());
  }
  [[nodiscard]] std::uint32_t chance_of(FaultKind kind, std::uint32_t workload) const;
  void after_event();

  // Calls.
  void publish(Worker& worker);
  void publish_offline(Worker& worker);
  WriteCall begin_write(Client& client);
  void commit(Worker& worker, const WriteCall& call, bool answer_is_lost);
  void observe(Client& client, TopicId topic);
  Observed poll(Client& client, TopicId topic);
  Observed receive(Client& client, Time wait);
  void announce(Client& client, TopicId topic, const Result<Ack>& answer);
  void owe(Client& client, std::uint32_t publishes);
  void settle(Client& client);
  bool connect(Client& client);
  void reconnect(Client& client);
  void restart(Client& client);
  [[nodiscard]] bool may_leave(const Client& client) const;

  [[nodiscard]] bool running() const { return !stopping_; }
  [[nodiscard]] Time deadline(const Client& client, Time wait) const;

  Backend& backend_;
  Scheduler& scheduler_;
  Recorder& recorder_;
  const CascadeTimes times_;
  BackendCalls calls_;

  const Plan* plan_ = nullptr;
  FaultInjector* faults_ = nullptr;
  BackendDeclaration declared_{};
  std::vector<std::string> nodes_{};
  std::vector<std::string> topics_{};
  std::deque<Client> clients_{};     // the first plan_->clients are of this run
  std::uint32_t workers_ = 0;        // fibers of all clients
  std::uint32_t busy_ = 0;           // of them, those that are not idle
  std::uint32_t arrived_ = 0;        // of them, those that are through with the cascade
  std::uint32_t reading_last_ = 0;   // clients that have not made their last reads
  std::uint32_t silent_rounds_ = 0;  // looks at everything since something happened
  bool stopping_ = false;
  bool late_ones_joined_ = false;
  std::string open_problem_{};  // of the last session that could not be opened
  std::optional<std::string> failure_{};
};

/// The labels of a run's clients, A, B, ..., and the names of its topics, t0, t1, ...
[[nodiscard]] std::vector<std::string> label_clients(const Plan& plan);
[[nodiscard]] std::vector<std::string> name_topics(const Plan& plan);

}  // namespace causalcheck
