#include "harness/cli/selftest_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "harness/cli/campaign_text.h"
#include "harness/words.h"

namespace causalcheck::cli {
namespace {

constexpr std::array<StrategyKind, kStrategyCount> kStrategies{
    StrategyKind::kUniform, StrategyKind::kPriorities, StrategyKind::kStall};

std::string joined(const std::vector<std::string>& parts) {
  return parts.empty() ? "none" : listed(parts);
}

// "no-lost-writes 20, identity 17": what must be reported, and in how many of the finding runs it
// was.
std::string reported(const PlantedBug& bug, const FormResult& form) {
  std::vector<std::string> parts;
  for (const Guarantee id : bug.must_break) {
    const auto found = form.reported.find(id);
    parts.push_back(
        fmt::format("{} {}", to_string(id), found == form.reported.end() ? 0 : found->second));
  }
  return joined(parts);
}

std::string found_by(const FormResult& form) {
  std::vector<std::string> parts;
  for (const StrategyKind kind : kStrategies) {
    const std::uint64_t times = form.strategies[static_cast<std::size_t>(kind)];
    if (times > 0) parts.push_back(fmt::format("{} {}", to_string(kind), times));
  }
  return joined(parts);
}

std::string form_columns(const PlantedBug& bug, const FormResult& form) {
  const std::string share =
      form.counts_itself ? fmt::format("{:.1f} %", 100 * form.acted_share()) : "?";
  return fmt::format("{} | {} of {} | {} | {} | {} | {} | {} | {} events | {:.1f} s",
                     joined(bug.faults), form.needed.size(), form.starts, reported(bug, form),
                     grouped(form.median_runs()), grouped(form.worst_runs()), found_by(form), share,
                     form.shrunk_events, seconds_of(form.shrink_time));
}

constexpr std::string_view kFormHeader =
    "faults | found | reported | median runs | worst | found by | defect acted in | shrunk to | in";

nlohmann::ordered_json form_to_json(const FormResult& form) {
  nlohmann::ordered_json reported = nlohmann::ordered_json::object();
  for (const auto& [id, times] : form.reported) reported[std::string(to_string(id))] = times;
  nlohmann::ordered_json strategies = nlohmann::ordered_json::object();
  for (const StrategyKind kind : kStrategies) {
    strategies[std::string(to_string(kind))] = form.strategies[static_cast<std::size_t>(kind)];
  }
  return {{"starts", form.starts},
          {"found_from", form.needed.size()},
          {"median_runs", form.median_runs()},
          {"worst_runs", form.worst_runs()},
          {"reported", std::move(reported)},
          {"strategies", std::move(strategies)},
          {"runs", form.runs},
          {"operations", form.operations},
          {"acted", form.acted},
          {"acted_share", form.acted_share()},
          {"acted_in_one_run_max", form.acted_in_run},
          {"runs_acted", form.runs_acted},
          {"shrinks", form.shrinks},
          {"shrunk_events", form.shrunk_events},
          {"shrink_runs", form.shrink_runs},
          {"shrink_seconds", seconds_of(form.shrink_time)},
          {"problems", form.problems}};
}

nlohmann::ordered_json row_to_json(const SelftestRow& row) {
  std::vector<std::string> must_break;
  for (const Guarantee id : row.bug.must_break) must_break.emplace_back(to_string(id));
  nlohmann::ordered_json json{{"bug", row.bug.name},
                              {"what_is_wrong", row.bug.what_is_wrong},
                              {"must_be_reported", std::move(must_break)},
                              {"faults", row.bug.faults},
                              {"found", form_to_json(row.found)}};
  if (row.rare) json["rare"] = form_to_json(*row.rare);
  json["twin"] = {{"runs", row.twin.runs},
                  {"accused", row.twin.accused},
                  {"without_verdict", row.twin.unknown},
                  {"hit_by_faults", row.twin.hit},
                  {"fault_hits", row.twin.fault_hits},
                  {"problems", row.twin.problems}};
  json["passes"] = row.passes();
  return json;
}

std::string problems_of(const SelftestResult& result) {
  std::string text;
  const auto add = [&text](std::string_view name, std::string_view form,
                           const std::vector<std::string>& problems) {
    for (const std::string& problem : problems) {
      text += fmt::format("* `{}{}`: {}\n", name, form, problem);
    }
  };
  for (const SelftestRow& row : result.rows) {
    add(row.bug.name, "", row.found.problems);
    if (row.rare) add(row.bug.name, "/rare", row.rare->problems);
    add(row.bug.name, "/twin", row.twin.problems);
  }
  return text;
}

std::string conclusion(const SelftestResult& result) {
  const auto good = std::count_if(result.rows.begin(), result.rows.end(),
                                  [](const SelftestRow& row) { return row.passes(); });
  return fmt::format("{} of {} planted bugs are as they must be{}.\n", good, result.rows.size(),
                     result.interrupted ? "; interrupted, what is missing was not made" : "");
}

}  // namespace

std::string selftest_to_text(const SelftestResult& result) {
  std::string text =
      fmt::format("| planted bug | {} | legal twin |\n| --- | {}--- |\n", kFormHeader,
                  "--- | --- | --- | --- | --- | --- | --- | --- | --- | ");
  bool any_rare = false;
  for (const SelftestRow& row : result.rows) {
    text += fmt::format("| `{}` | {} | accused in {} of {} runs, {} of them hit by faults |\n",
                        row.bug.name, form_columns(row.bug, row.found), grouped(row.twin.accused),
                        grouped(row.twin.runs), grouped(row.twin.hit));
    any_rare = any_rare || row.rare.has_value();
  }
  if (any_rare) {
    text += fmt::format("\n| rare form | {} |\n| --- | {}\n", kFormHeader,
                        "--- | --- | --- | --- | --- | --- | --- | --- | --- |");
    for (const SelftestRow& row : result.rows) {
      if (!row.rare) continue;
      text += fmt::format("| `{}/rare` | {} |\n", row.bug.name, form_columns(row.bug, *row.rare));
    }
  }
  const std::string problems = problems_of(result);
  if (!problems.empty()) text += "\nWhat is wrong:\n\n" + problems;
  return text + "\n" + conclusion(result);
}

std::string selftest_to_json(const SelftestResult& result) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const SelftestRow& row : result.rows) rows.push_back(row_to_json(row));
  const nlohmann::ordered_json json{{"passes", result.passes()},
                                    {"interrupted", result.interrupted},
                                    {"seconds", seconds_of(result.elapsed)},
                                    {"bugs", std::move(rows)}};
  return json.dump(2) + '\n';
}

}  // namespace causalcheck::cli
