#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "checker/verdict.h"
#include "harness/history_file.h"
#include "harness/plan.h"
#include "harness/refusal.h"
#include "harness/settings.h"

namespace causalcheck {

/// `text` as one word of a POSIX shell; as it is when nothing in it needs quoting.
[[nodiscard]] std::string shell_word(std::string_view text);

/// How a command line names the seeds of a campaign.
struct SeedFlags {
  std::uint64_t first = 1;
  std::optional<std::uint64_t> runs = 1;  // none: as many as the time allows
};

/// "causalcheck fuzz memory --seed 8157 --runs 1 --clients 3 ...": the command that runs these
/// seeds again, complete with every flag that plans and judgement depend on.
[[nodiscard]] std::string fuzz_command(const PlanOptions& plan, const SettingsOverride& settings,
                                       Grounding grounding, const SeedFlags& seeds);

/// "causalcheck replay causalcheck-out/memory-8157"
[[nodiscard]] std::string replay_command(std::string_view folder);

/// What a failing run leaves behind.
struct Artifact {
  std::string report{};  // for people
  std::string page{};    // the same as a picture: report.html
  std::string history{};
  std::string plan{};
};

/// The artifact of a run of `plan`, which holds its choices, judged as `report` says. `commands`
/// are those that run it again, one a line; they stand first and last in the report. `report` was
/// judged with `grounding`.
[[nodiscard]] Artifact make_artifact(const Plan& plan, const HistoryFile& history,
                                     const Report& report, Grounding grounding,
                                     std::string_view commands);

/// "memory-8157": a file name, whatever `backend` is.
[[nodiscard]] std::string artifact_name(std::string_view backend, std::uint64_t seed);

/// Writes report.txt, then history.jsonl, plan.json and report.html, into the folder
/// `<out>/<name>`, which is made when needed. Each file is there wholly or not at all; those of an
/// earlier run are replaced. Returns the folder. Errors: whatever the system says, with the path.
[[nodiscard]] Attempt<std::string> write_artifact(const std::string& out, const std::string& name,
                                                  const Artifact& artifact);

}  // namespace causalcheck
