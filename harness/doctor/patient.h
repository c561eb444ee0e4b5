#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/checked_backend.h"
#include "harness/choices.h"
#include "harness/doctor/doctor.h"
#include "harness/doctor/steady_runtime.h"
#include "harness/scheduler.h"

namespace causalcheck {

/// Thrown by checks: what was seen, which is not what is expected.
struct CheckFailed {
  std::string came{};
};

/// Thrown by checks: why this one says nothing of this backend.
struct CheckSkipped {
  std::string why{};
};

/// A commit that was acknowledged.
struct Committed {
  std::string payload{};
  std::optional<Slot> slot{};
  bool operator==(const Committed&) const = default;
};

/// A payload as a failure shows it: shortened, and without anything a terminal might obey.
[[nodiscard]] std::string shown_payload(std::string_view payload);

/// Payloads that something between here and the disk might trip over.
[[nodiscard]] std::vector<std::string> awkward_payloads();

/// The backend under examination and what checks do with it. All waits are bounded: under the
/// deterministic scheduler by its steps, on threads by the deadline of each call.
class Patient {
 public:
  static constexpr std::uint32_t kRacers = 4;
  // Few: each commit of some adapters is a sync of the disk.
  static constexpr std::uint64_t kSeeds = 5;

  /// One client at work: its runtime, and the calls, each of which must succeed.
  class Client {
   public:
    Client(Patient& patient, ClientInfo info, Runtime& runtime)
        : patient_(patient), info_(std::move(info)), runtime_(runtime) {}

    /// Opens its session; the one before is gone.
    Client& open(const ResumeToken* resume = nullptr);
    Committed commit(std::string payload, std::string_view topic = "x");
    /// What it reads next of `topic`: the freshest, or the first of what comes.
    std::optional<Entry> read(std::string_view topic = "x");
    /// What it reads of `topic` once that is `payload`, or when patience is over: reads may lag,
    /// and whether they may is for the checker to judge.
    std::optional<Entry> read_until(std::string_view payload, std::string_view topic = "x");
    /// What a feed hands over within `patience`.
    std::vector<Delivered> receive(Time patience);
    ResumeToken close();

    [[nodiscard]] Session& session() { return *session_; }
    [[nodiscard]] Runtime& runtime() { return runtime_; }
    [[nodiscard]] const std::string& label() const { return info_.label; }
    [[nodiscard]] Time soon() { return runtime_.now() + kLimit; }

   private:
    Patient& patient_;
    ClientInfo info_;
    Runtime& runtime_;
    std::unique_ptr<Session> session_{};
  };

  /// Errors: CheckFailed when there is no backend.
  explicit Patient(const MakeBackend& make);
  ~Patient();

  /// Another backend of the same kind takes the place of this one.
  void replace();
  [[nodiscard]] std::unique_ptr<Backend> make() const;
  void reset(const std::string& run, std::vector<std::string> topics = {"x", "y"});

  /// Runs `body` for each of `count` clients, all at once: as fibers under the scheduler with
  /// `seed`, or as threads. What a body throws is thrown again. Clients are not opened yet.
  void together(std::uint32_t count, std::uint64_t seed,
                const std::function<void(std::uint32_t, Client&)>& body);
  /// Runs `body` with nobody beside it.
  void alone(const std::function<void(Runtime&)>& body);
  /// A client at work, its session opened; its label is that of `id`.
  [[nodiscard]] Client open(ClientId id, Runtime& runtime) {
    return open({id, client_label(id), 1}, runtime);
  }
  [[nodiscard]] Client open(ClientInfo info, Runtime& runtime) {
    Client opened(*this, std::move(info), runtime);
    opened.open();
    return opened;
  }

  [[nodiscard]] std::vector<Entry> drain(Runtime& runtime, std::string_view topic = "x");
  /// The drain must show these, in the order of their slots.
  void expect_drained(Runtime& runtime, std::vector<Committed> commits,
                      std::string_view topic = "x");
  /// Nothing that broke the rules of harness/backend.h was noticed.
  void expect_no_misuse() const;

  [[nodiscard]] CheckedBackend& backend() { return *backend_; }
  [[nodiscard]] Backend& inner() { return *inner_; }
  [[nodiscard]] const BackendDeclaration& declared() const { return declared_; }
  [[nodiscard]] bool is_feed() const { return declared_.promises.reads == Reads::kFeed; }
  [[nodiscard]] bool has_slots() const { return declared_.promises.slots != Slots::kNone; }
  [[nodiscard]] bool on_threads() const { return declared_.execution == Execution::kThreads; }
  [[nodiscard]] DeterministicScheduler& scheduler() { return scheduler_; }

 private:
  static constexpr Time kLimit = std::chrono::seconds(20);
  // More than any check needs: what spins for ever comes to an end here.
  static constexpr std::uint64_t kStepsMax = 1'000'000;

  const MakeBackend& make_;
  std::unique_ptr<Backend> inner_{};
  std::unique_ptr<CheckedBackend> backend_{};
  BackendDeclaration declared_{};
  SteadyRuntime steady_{};
  DeterministicScheduler scheduler_{};
};

/// Throws CheckFailed with `came` unless `holds`. `came` is made either way: it may use only what
/// is there when `holds`.
void expect(bool holds, const std::string& came);

}  // namespace causalcheck
