#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "checker/history.h"
#include "harness/backend.h"
#include "harness/backend_calls.h"
#include "harness/cascade.h"
#include "harness/faults/fault_injector.h"
#include "harness/plan.h"
#include "harness/recorder.h"
#include "harness/scheduler.h"

namespace causalcheck {

/// Makes the calls of a recorded run again, in the recorded order.
///
/// For backends on threads, whose runs a seed does not reproduce. Each call and each return has its
/// place in the recorded order; a client waits for its turn before it calls and before it takes an
/// answer in. A turn that does not come within `step_limit` is taken all the same: whoever should
/// have come first is late or goes another way now. Within its own time a call is made no earlier
/// than what its recorded answer came after: the write that it read, the writes of smaller slots.
/// What is published, polled, reconnected, restarted and left is what the recording says; what the
/// backend answers is its own.
class Replayer {
 public:
  static constexpr Time kDefaultStepLimit = std::chrono::milliseconds(100);

  Replayer(Backend& backend, Scheduler& scheduler, Recorder& recorder, CascadeTimes times,
           Time step_limit = kDefaultStepLimit);
  Replayer(const Replayer&) = delete;
  Replayer& operator=(const Replayer&) = delete;

  /// Drives one run. The backend was reset, and recorder and scheduler have begun, as for
  /// Cascade::run, with the clients and topics of `recorded`, which `plan` once made. `faults`, if
  /// any, have begun as well; they stop when the plan's events are spent. Returns the
  /// reason when some client could not open its first session. Throws what Scheduler::run throws;
  /// what Cascade::run says of a ClientStuck holds here too.
  [[nodiscard]] std::optional<std::string> run(const Plan& plan, const History& recorded,
                                               FaultInjector* faults = nullptr);

  /// How many turns of the last run did not come in time.
  [[nodiscard]] std::uint64_t turns_taken_early() const { return early_; }

 private:
  // What a client did, from its call to its return.
  struct Act {
    enum class Kind : std::uint8_t { kWrite, kPoll, kReceive, kLeave };
    Kind kind = Kind::kPoll;
    ClientId client = 0;
    std::uint32_t session = 1;
    TopicId topic = 0;
    bool is_delete = false;
    std::uint32_t messages = 0;  // of a receive: handed over
    Slot slot = kNoSlot;
    MessageId message = kNothing;
    Position start = 0;
    Position end = kNever;
    Position effect_after = 0;  // what it is known to have come after, by its answer
    std::size_t begins = 0;     // its places in the order
    std::size_t ends = 0;
    std::size_t calls = 0;  // all before this is done when the backend is really called
  };
  // Acts of one client that do not overlap: what one thread does.
  struct Lane {
    ClientId client = 0;
    std::vector<Act> acts{};
  };
  struct Client {
    ClientInfo info{};
    std::uint32_t index = 0;  // of the client of the plan that it is or once was
    Runtime* runtime = nullptr;
    std::unique_ptr<Session> session{};
    std::optional<ResumeToken> token{};
    std::uint32_t number = 0;  // of the session
    std::uint32_t commits_open = 0;
    std::uint32_t reads_open = 0;
    bool connects = false;
  };

  void prepare(const Plan& plan, const History& recorded);
  void read_acts(const History& recorded);
  void find_effects();
  void put_in_order();
  void work(Lane& lane);
  void act(const Act& act, Runtime& runtime);
  void write(Client& client, const Act& act);
  void poll(Client& client, const Act& act);
  void receive(Client& client, const Act& act);
  void await(std::size_t place, Runtime& runtime);
  void done(std::size_t place);
  bool be_ready(Client& client, const Act& act);
  void connect(Client& client, std::uint32_t number);
  [[nodiscard]] bool may_call(const Client& client, const Act& act) const;
  void after_event();
  void drain();
  void end_sessions();

  Backend& backend_;
  Scheduler& scheduler_;
  Recorder& recorder_;
  const CascadeTimes times_;
  const Time step_limit_;
  BackendCalls calls_;

  FaultInjector* faults_ = nullptr;
  BackendDeclaration declared_{};
  std::uint64_t events_ = 0;  // of the plan
  std::uint32_t plan_clients_ = 0;
  std::vector<std::string> topics_{};
  std::vector<std::string> nodes_{};
  std::deque<Lane> lanes_{};
  std::deque<Client> clients_{};  // by recorded id
  ClientId known_ = 0;            // to the recorder
  std::size_t lanes_left_ = 0;
  std::vector<bool> done_{};  // by place
  std::size_t cursor_ = 0;    // the first place that is not done
  Time moved_at_{};           // when the cursor last moved
  std::uint64_t early_ = 0;
  std::optional<std::string> failure_{};
};

}  // namespace causalcheck
