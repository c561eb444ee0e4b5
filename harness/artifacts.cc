#include "harness/artifacts.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "checker/explain.h"
#include "harness/files.h"
#include "harness/plan_file.h"
#include "harness/report/html_report.h"

namespace causalcheck {
namespace {

constexpr std::size_t kNameBytesMax = 80;

bool is_plain(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '_' || c == '-';
}

// The value of --claim that with_claims would read back; empty when it was not given.
std::string claim_list(const SettingsOverride& settings) {
  std::string list;
  const auto add = [&list](std::string_view word) {
    if (!list.empty()) list += ',';
    list += word;
  };
  if (settings.claim_offered) add("offered");
  if (settings.claims) {
    for (const Guarantee id : all_guarantees()) {
      if (settings.claims->contains(id)) add(to_string(id));
    }
  }
  if (settings.level_at_least) add(to_string(*settings.level_at_least));
  return list;
}

}  // namespace

std::string shell_word(std::string_view text) {
  const auto plain = [](char c) {
    return is_plain(c) || c == ':' || c == '/' || c == ',' || c == '=';
  };
  if (!text.empty() && text.front() != '=' && std::all_of(text.begin(), text.end(), plain)) {
    return std::string(text);
  }
  std::string word = "'";
  for (const char c : text) {
    if (c == '\'') {
      word += "'\\''";
    } else {
      word += c;
    }
  }
  return word + "'";
}

std::string fuzz_command(const PlanOptions& plan, const SettingsOverride& settings,
                         Grounding grounding, const SeedFlags& seeds) {
  std::string command =
      fmt::format("causalcheck fuzz {} --seed {}", shell_word(plan.backend), seeds.first);
  if (seeds.runs) command += fmt::format(" --runs {}", *seeds.runs);
  command += fmt::format(" --clients {} --events {} --topics {} --pipeline {}", plan.clients,
                         plan.events, plan.topics, plan.pipeline);
  const auto add = [&command](std::string_view flag, std::string_view value) {
    command += fmt::format(" --{} {}", flag, shell_word(value));
  };
  if (!plan.faults.empty()) {
    std::string faults;
    for (const std::string& kind : plan.faults) faults += (faults.empty() ? "" : ",") + kind;
    add("faults", faults);
  }
  if (settings.reads) add("reads", to_string(*settings.reads));
  if (settings.slots) add("slots", to_string(*settings.slots));
  if (settings.scope) add("scope", to_string(*settings.scope));
  if (settings.retries) add("retries", to_string(*settings.retries));
  if (settings.level) add("level", to_string(*settings.level));
  if (const std::string list = claim_list(settings); !list.empty()) add("claim", list);
  if (grounding == Grounding::kInstrumentation) add("grounding", "instrumentation");
  return command;
}

std::string replay_command(std::string_view folder) {
  return "causalcheck replay " + shell_word(folder);
}

Artifact make_artifact(const Plan& plan, const HistoryFile& history, const Report& report,
                       Grounding grounding, std::string_view commands) {
  Artifact artifact;
  artifact.report = fmt::format("{0}\n{1}\nbackend {2}, seed {3}, plan {4}, strategy {5}\n\n{0}",
                                commands, explain(report, history.history), plan.backend, plan.seed,
                                plan_hash(plan), to_string(plan.strategy.kind));
  artifact.history = to_jsonl(history);
  artifact.plan = plan_to_json(plan);
  artifact.page = html_report({artifact_name(plan.backend, plan.seed),
                               lines_of(commands),
                               grounding,
                               {{"as recorded", &history, &report}}});
  return artifact;
}

std::string artifact_name(std::string_view backend, std::uint64_t seed) {
  std::string name(backend.substr(0, kNameBytesMax));
  for (char& c : name) {
    if (!is_plain(c)) c = '_';
  }
  if (name.empty() || name.front() == '.' || name.front() == '-') name.insert(0, "_");
  return fmt::format("{}-{}", name, seed);
}

Attempt<std::string> write_artifact(const std::string& out, const std::string& name,
                                    const Artifact& artifact) {
  const std::filesystem::path folder = std::filesystem::path(out) / name;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    return Refusal::because(
        fmt::format("the folder {} could not be made: {}", folder.string(), error.message()));
  }
  struct File {
    const char* name;
    const std::string& bytes;
  };
  for (const File& file :
       {File{"report.txt", artifact.report}, File{"history.jsonl", artifact.history},
        File{"plan.json", artifact.plan}, File{"report.html", artifact.page}}) {
    const auto written = write_file_atomically((folder / file.name).string(), file.bytes);
    if (!written) return written.error();
  }
  return folder.string();
}

}  // namespace causalcheck
