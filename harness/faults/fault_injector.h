#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/backend.h"
#include "harness/choices.h"
#include "harness/faults/fault_kind.h"
#include "harness/faults/fault_powers.h"
#include "harness/faults/faulted_client.h"
#include "harness/faults/link_faults.h"
#include "harness/plan.h"
#include "harness/recorder.h"
#include "harness/scheduler.h"

namespace causalcheck {

/// Where a fault can strike.
enum class FaultSite : std::uint8_t {
  kCommit,  // a client's session: a commit
  kRead,    //   a poll or a receive
  kCreate,  // the object store below a session: a create
  kGet,     //   a get or a list
  kPacket,  // a link inside the backend
};
inline constexpr std::size_t kFaultSiteCount = 5;

/// The faults of a run: decides by the plan's choices which strikes when, and records what took
/// effect as fault windows of the history.
///
/// Sits between the cascade and the backend while it has begun: sessions are opened through
/// `sessions()`, an object store is called through a forwarding one, links ask for the fate of
/// their packets. Each request is an exchange (harness/faults/exchange.h) in which one fault may be
/// drawn: one choice of the plan, 0 being none, and a second one that says how.
///
/// Everything here happens in a fiber and between two waits: on threads, what stands in between
/// takes the scheduler's lock (HarnessScope) and lets go of it for the backend (BackendScope). One
/// object serves many runs, one after another.
class FaultInjector final : public LinkFaults {
 public:
  /// `checked` forwards to `user`, whose powers are used. All four must outlive this object.
  FaultInjector(Backend& checked, Backend& user, Scheduler& scheduler, Recorder& recorder);
  ~FaultInjector() override;

  /// Arms what `plan` arms, for a run that has been prepared otherwise. `on_settled` is called, in
  /// a fiber, when the last late request has landed.
  /// Errors: the first kind that is none or that the backend cannot undergo.
  [[nodiscard]] Attempt<void> begin(const Plan& plan, std::function<void()> on_settled);
  /// The backend is as it was before `begin`. No session is left.
  void end();

  /// What the cascade opens its sessions on.
  [[nodiscard]] Backend& sessions() { return *sessions_; }
  [[nodiscard]] bool arms(FaultKind kind) const { return armed_.contains(kind); }

  /// Nothing strikes any more: what is cut, paused or off is healed, late requests are let go.
  /// Never waits.
  void stop();
  /// No late request is under way.
  [[nodiscard]] bool settled() const { return late_open_ == 0; }
  /// Why a server did not come back from what was done to it, if one did not.
  [[nodiscard]] const std::optional<std::string>& problem() const { return problem_; }

  /// The calling fiber is about to make `operation`.
  void calls(OperationIndex operation);
  /// A fault takes effect on `target` from here on; ends by `ended`. `call` as the recorder has it.
  std::size_t began(FaultKind kind, const std::string& target, Position call = 0) {
    return recorder_.begin_fault(std::string(to_string(kind)), target, call);
  }
  void ended(std::size_t window) { recorder_.end_fault(window); }

  [[nodiscard]] PacketFate fate(std::string_view from, std::string_view to,
                                Runtime& runtime) override;

  // For what stands in between: sessions, stores and runtimes.

  [[nodiscard]] FaultedClient& client_of(const ClientInfo& info, Runtime& runtime);
  /// The client whose sessions were given `runtime`; null: none, as at the drain.
  [[nodiscard]] FaultedClient* client_of(const Runtime& runtime);
  [[nodiscard]] Backend& checked() { return checked_; }
  [[nodiscard]] Scheduler& scheduler() { return scheduler_; }
  /// `request` on its way to whoever answers it, and back.
  template <class Request>
  [[nodiscard]] typename Request::Answer exchange(FaultedClient& client, FaultSite site,
                                                  Time deadline, Request& request);
  /// A step of the backend inside an operation of `client`.
  void step(FaultedClient& client) {
    const HarnessScope here(scheduler_);
    if (!client.strike.kind) return;
    if (client.steps_to_strike > 0) {
      --client.steps_to_strike;
    } else {
      strike(client);
    }
  }
  [[nodiscard]] Time wall_now(FaultedClient& client);

 private:
  struct Late {
    FiberId fiber = 0;
    std::uint64_t due = 0;  // counted in exchanges
    bool let_go = false;
  };
  struct NodeWindow {
    FaultKind kind = FaultKind::kPause;
    std::string node{};
    std::size_t window = 0;
  };
  class Effect;

  [[nodiscard]] Position current_call() const;
  void mask_sites();
  [[nodiscard]] DrawnFault draw(const FaultedClient& client, FaultSite site);
  [[nodiscard]] DrawnFault draw(Choices& choices, FaultSite site);
  /// Does what `fault` does to more than one request; true when that is all there is to it.
  bool unleash(FaultedClient& client, const DrawnFault& fault);
  void open_client_window(FaultedClient& client, FaultKind kind, Time length);
  void strike(FaultedClient& client);
  void strike_node(FaultedClient& client, FaultKind kind, const std::string& node, Time length);
  void close_node(const NodeWindow& window);
  void close_later(FaultedClient& client, Time when, std::function<void()> close);
  void close_window(std::size_t window);
  void send_later(FaultedClient& client, std::uint32_t parameter, std::function<void()> send);
  void let_go_late_ones();
  void sit_out_pause(FaultedClient& client);
  [[nodiscard]] Time limit_of(const FaultedClient& client, Time deadline) const;
  void give_up(FaultedClient& client, std::uint32_t parameter, Time deadline);

  Backend& checked_;
  Scheduler& scheduler_;
  Recorder& recorder_;
  const FaultPowers powers_;
  const std::unique_ptr<Backend> sessions_;
  const std::unique_ptr<ObjectStore> store_;  // null when the backend has none

  std::function<void()> on_settled_{};
  FaultSet armed_{};
  FaultSet possible_[kFaultSiteCount]{};
  std::uint32_t permille_ = 0;
  bool stopped_ = true;
  std::vector<std::string> nodes_{};
  std::vector<std::string> bases_{};  // labels of the plan's clients
  std::deque<FaultedClient> clients_{};
  std::vector<Position> calls_{};            // by fiber: where the operation it makes began
  std::vector<std::size_t> open_windows_{};  // of clients
  std::vector<NodeWindow> node_windows_{};
  std::uint64_t exchanges_ = 0;
  std::vector<Late> late_{};
  std::uint32_t late_open_ = 0;
  std::optional<std::string> problem_{};
};

}  // namespace causalcheck
