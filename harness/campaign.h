#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/backend.h"
#include "harness/broken_guarantee.h"
#include "harness/campaign_summary.h"
#include "harness/plan.h"
#include "harness/result.h"
#include "harness/run.h"
#include "harness/settings.h"
#include "harness/shrink.h"
#include "harness/watchdog.h"

namespace causalcheck {

/// Where a campaign stands, for people.
struct CampaignProgress {
  std::uint64_t runs = 0;
  std::uint64_t events = 0;
  std::uint64_t broke = 0;  // runs in which something broke
  std::chrono::nanoseconds elapsed{};
  /// Until the time is up, or the seeds are, as far as can be told.
  std::optional<std::chrono::nanoseconds> left{};
  [[nodiscard]] double events_per_second() const;
};

enum class OnViolation : std::uint8_t { kStop, kKeepGoing };

/// How a person runs something of a campaign again.
struct AgainCommands {
  std::function<std::string(std::uint64_t seed)> seed{};
  std::function<std::string(const std::string& folder)> folder{};
};

struct CampaignOptions {
  /// What the plans range over; `plan.backend` is the backend as the user named it.
  PlanOptions plan{};
  /// Makes one backend; called once for each job.
  std::function<Result<std::unique_ptr<Backend>>()> make_backend{};

  std::uint64_t first_seed = 1;
  /// How many seeds, from the first on, all shards together. Without it and without `time`: one.
  std::optional<std::uint64_t> runs{};
  /// No run begins after this much time, but for the first one.
  std::optional<std::chrono::nanoseconds> time{};
  /// This shard runs the seeds `shard`, `shard + shards`, ... counted from the first.
  std::uint64_t shard = 0;
  std::uint64_t shards = 1;
  std::uint32_t jobs = 1;
  OnViolation on_violation = OnViolation::kStop;

  SettingsOverride settings{};
  Grounding grounding = Grounding::kHappenedBefore;
  /// As RunnerOptions has them.
  std::optional<CascadeTimes> times{};

  /// Where failing runs leave their artifacts; empty: nowhere.
  std::string out{};
  /// How the lowest seed of each kind of violation is shrunk when all runs are over; none: not at
  /// all. The budget is for each kind. Without a `stop` of its own the campaign's stands.
  std::optional<ShrinkOptions> shrink{};
  /// Set from outside, by a signal handler for instance: no run begins any more.
  const std::atomic<bool>* stop = nullptr;
  /// Called on the job's thread before each run.
  std::function<void(std::uint64_t seed)> before_run{};
  /// Where these are not set: with the program `causalcheck`.
  AgainCommands again{};
  /// Called on the thread that called run_campaign, every `progress_interval` and at the end.
  std::function<void(const CampaignProgress&)> progress{};
  std::chrono::milliseconds progress_interval = std::chrono::milliseconds(500);
  /// A single run that takes longer ends the process; see Watchdog.
  std::chrono::milliseconds run_limit = Watchdog::kDefaultLimit;
  /// On threads: a call that is not back so long after its deadline ends the campaign.
  std::chrono::milliseconds stuck_after = std::chrono::seconds(5);
};

/// A kind of violation that a campaign met, and the lowest seed that showed it.
struct FoundViolation {
  std::uint64_t seed = 0;
  StrategyKind strategy = StrategyKind::kUniform;
  Guarantee guarantee = Guarantee::kCausal;  // the first one broken, in report order
  std::string fingerprint{};
  std::string sentence{};
  std::string explanation{};  // of every violation in that run, for people
  std::string plan_hash{};
  Plan plan{};                       // with its choices; the shrunk one, where it was shrunk
  std::string command{};             // runs the seed again
  std::string folder{};              // its artifact; empty when there is none
  std::uint64_t runs = 0;            // that showed this kind
  std::chrono::nanoseconds after{};  // from the start of the campaign to its first

  // When it was shrunk; else `shrunk_explanation` is empty.
  std::uint64_t events = 0;         // publishes and observations of the run, without the drain
  std::uint64_t shrunk_events = 0;  // and of the shrunk one
  std::string shrunk_sentence{};
  std::string shrunk_explanation{};  // of every violation in it, for people
  std::vector<BrokenGuarantee> shrunk_broken{};
  std::string shrunk_folder{};     // its artifact; empty when there is none
  std::uint64_t shrink_runs = 0;   // that it took
  bool shrink_finished = false;    // nothing smaller was left to try
  std::uint32_t shrunk_fails = 0;  // how many of `shrunk_tries` runs of it failed
  std::uint32_t shrunk_tries = 0;
};

/// What a campaign came to.
struct CampaignResult {
  CampaignSummary summary{};
  CampaignVerdict verdict{};
  /// The lowest seed first.
  std::vector<FoundViolation> found{};
  /// Of each guarantee that some run broke.
  AllExamples examples{};
  /// The campaign ended at a run that has no verdict.
  std::optional<RunFailure> failure{};
  std::uint64_t failed_seed = 0;
  /// Artifacts that could not be written, and why.
  std::vector<std::string> problems{};
  bool interrupted = false;  // by `stop`
  bool overdue = false;      // the campaign ended at a run that did not end in its time
  std::chrono::nanoseconds elapsed{};
  BackendDeclaration declared{};
};

/// The share of seeds that run twice, whose two histories are then compared: one in this many, and
/// the first one of each shard always.
inline constexpr std::uint64_t kCompareOneIn = 20;

/// Runs plan after plan on a backend and sums up what came of it.
///
/// Each job runs whole plans, on a thread and a backend of its own. Seeds are handed out in
/// ascending order. With kStop no seed begins after one that showed a violation, so that the lowest
/// failing seed is found whatever the number of jobs. Of each kind of violation the lowest seed
/// leaves an artifact, when it was also seen to fail in the same way from its saved plan.
///
/// A difference between two runs of one plan is a failure of kind kInternal, which says the first
/// line that differs. Backends on threads are not asked for the same bytes twice.
///
/// A run that does not end in its time ends the campaign, whose verdict is then unknown unless
/// something broke before. Where a call never came back the backend is left to leak: it is still in
/// use.
[[nodiscard]] CampaignResult run_campaign(const CampaignOptions& options);

/// The command that runs `seed` again, and the one that replays what lies in `folder`.
[[nodiscard]] std::string again_command(const CampaignOptions& options, std::uint64_t seed);
[[nodiscard]] std::string again_command(const CampaignOptions& options, const std::string& folder);

/// How long a single run may take, in real time.
[[nodiscard]] std::chrono::milliseconds run_limit(const CampaignOptions& options);

/// The same for a run on threads: soon enough that it is given up before the Watchdog ends the
/// process.
[[nodiscard]] ThreadsLimits threads_limits(const CampaignOptions& options);

/// Whether such a campaign can be run. Errors: the first option that is out of its range.
[[nodiscard]] Attempt<void> validate(const CampaignOptions& options);

}  // namespace causalcheck
