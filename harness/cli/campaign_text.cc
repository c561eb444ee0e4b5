#include "harness/cli/campaign_text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "harness/words.h"

namespace causalcheck::cli {
namespace {

double per_run(std::uint64_t number, const CampaignSummary& s) {
  return s.runs == 0 ? 0.0 : static_cast<double>(number) / static_cast<double>(s.runs);
}

/// A claimed guarantee of a campaign comes out like one of a run.
std::string_view answer_of(const GuaranteeTally& tally) {
  if (!tally.claimed || tally.runs_judged == 0) return "n/a";
  return tally.runs_broken > 0 ? "breaks" : "holds";
}

std::string guarantee_line(Guarantee id, const GuaranteeTally& tally) {
  std::string line = fmt::format("  {:<20} {:<7}", to_string(id), answer_of(tally));
  if (!tally.claimed || tally.runs_judged == 0) {
    line += tally.why_not.empty() ? "not claimed by the backend" : tally.why_not;
    // The common order of a feed is searched only where total is claimed.
    if (!tally.claimed && tally.judged > 0 && tally.broken == 0 && id != Guarantee::kTotal) {
      line += fmt::format("; held without being claimed ({} times judged)", grouped(tally.judged));
    }
  } else if (tally.runs_broken > 0) {
    line += fmt::format("in {} of {} runs judged", grouped(tally.runs_broken),
                        grouped(tally.runs_judged));
  } else if (tally.runs_could_fail == 0) {
    line += "nothing in any run could have broken it";
  } else {
    line += fmt::format("judged {} times, in {} runs", grouped(tally.judged),
                        grouped(tally.runs_could_fail));
  }
  return line + '\n';
}

/// The queues of a backend that holds messages back.
std::string holds_text(const HoldTally& holds) {
  if (holds.runs == 0) return {};
  std::string text = "  hold-back            " + to_string(holds.metrics) + '\n';
  if (holds.stalled > 0) {
    text +=
        fmt::format("  stalled              {} messages in {} of {} runs never went; first: {}\n",
                    grouped(holds.stalled), grouped(holds.runs_stalled), grouped(holds.runs),
                    holds.first_stall);
  }
  return text;
}

nlohmann::ordered_json holds_json(const HoldTally& holds) {
  const HoldMetrics& m = holds.metrics;
  nlohmann::ordered_json json{{"delivered", m.delivered},
                              {"held", m.held},
                              {"depth_max", m.depth_max},
                              {"age_max_ns", m.age_max.count()},
                              {"refused", m.refused},
                              {"dropped", m.dropped},
                              {"given_up", m.given_up},
                              {"retransmitted", m.retransmitted},
                              {"duplicates", m.duplicates},
                              {"stalled", holds.stalled},
                              {"runs_stalled", holds.runs_stalled}};
  if (holds.stalled > 0) json["first_stall"] = holds.first_stall;
  return json;
}

/// How each fault that was asked for fared.
std::string fault_lines(const CampaignSummary& s) {
  std::string text;
  for (std::size_t i = 0; i < kFaultKindCount; ++i) {
    const FaultTally& tally = s.faults[i];
    if (!tally.asked) continue;
    text += fmt::format(
        "  {:<20} armed in {} runs, fired {} times, hit an operation {} times, in "
        "{:.1f} % of all runs\n",
        to_string(static_cast<FaultKind>(i)), grouped(tally.runs_armed), grouped(tally.fired),
        grouped(tally.hit), 100 * per_run(tally.runs_hit, s));
  }
  return text.empty() ? text : "\n  faults\n" + text;
}

constexpr std::string_view kOnThreads =
    "  determinism          none: on threads the machine decides who goes on\n";

/// What there is to say of runs under the deterministic scheduler.
std::string on_fibers(const CampaignSummary& s) {
  std::string text = "  strategies          ";
  for (const StrategyKind kind :
       {StrategyKind::kUniform, StrategyKind::kPriorities, StrategyKind::kStall}) {
    text += fmt::format(" {} {}{}", to_string(kind), grouped(s[kind].runs),
                        kind == StrategyKind::kStall ? "" : ",");
  }
  return text + fmt::format("\n  determinism          {} runs made twice, the same bytes\n",
                            grouped(s.compared));
}

/// One kind of violation: by its shrunk run, where there is one.
std::string violation_text(const FoundViolation& found, bool threads) {
  std::string text = fmt::format("\n-- seed {}, ", found.seed);
  if (!threads) text += fmt::format("{} scheduling, ", to_string(found.strategy));
  text += fmt::format("{} run{} of this kind", grouped(found.runs), found.runs == 1 ? "" : "s");
  if (found.shrunk_explanation.empty()) {
    text += '\n' + found.explanation;
  } else {
    text += fmt::format(", shrunk from {} event{} to {}{}\n", grouped(found.events),
                        found.events == 1 ? "" : "s", grouped(found.shrunk_events),
                        found.shrink_finished ? "" : "; smaller may be possible");
    text += found.shrunk_explanation;
    if (found.shrunk_fails < found.shrunk_tries) {
      text += fmt::format("  the shrunk run failed again in {} of {} replays\n", found.shrunk_fails,
                          found.shrunk_tries);
    }
  }
  if (!found.folder.empty()) text += "  artifact " + found.folder + '\n';
  if (!found.shrunk_folder.empty()) text += "  shrunk   " + found.shrunk_folder + '\n';
  return text;
}

}  // namespace

std::string grouped(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, 1, ',');
  return digits;
}

std::string duration_text(std::chrono::nanoseconds time) {
  const double seconds = seconds_of(time);
  if (seconds < 60) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<std::uint64_t>(seconds);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

std::string campaign_to_text(const CampaignOptions& options, const CampaignResult& result) {
  const CampaignSummary& s = result.summary;
  const double seconds = seconds_of(result.elapsed);
  std::string text =
      fmt::format("{}: {}{}{}\n", options.plan.backend, to_string(result.verdict.verdict),
                  result.verdict.why.empty() ? "" : ", ", result.verdict.why);
  text += fmt::format("  {} runs, {} events in {}", grouped(s.runs), grouped(s.events),
                      duration_text(result.elapsed));
  if (seconds > 0 && s.runs > 1) {
    const double rate = static_cast<double>(s.runs) / seconds;
    text += rate < 100 ? fmt::format(" ({:.1f} runs/s)", rate)
                       : fmt::format(" ({} runs/s)", grouped(static_cast<std::uint64_t>(rate)));
  }
  text += result.interrupted ? "; interrupted, what was found is kept\n\n" : "\n\n";

  for (const Guarantee id : all_guarantees()) text += guarantee_line(id, s[id]);

  const Counts& c = s.counts;
  const bool threads = result.declared.execution == Execution::kThreads;
  const std::string switches =
      threads ? "clients on threads, one commit of each at a time, "
              : fmt::format("{} switches inside operations ({:.1f} a run), ",
                            grouped(s.switches_inside), per_run(s.switches_inside, s));
  text += fmt::format(
      "\n  clauses              P1 {}, P2 {}, P3 {}\n"
      "  cross-client         {} observations of another client's message ({:.1f} a run)\n"
      "  interleaving         {}{} overlapping calls\n"
      "  reads                {} found nothing, {} repeats, {} values skipped, {} duplicates\n"
      "  outcomes             {} unknown, {} failed\n",
      grouped(c.clauses_p1), grouped(c.clauses_p2), grouped(c.clauses_p3),
      grouped(c.foreign_observes), per_run(c.foreign_observes, s), switches, grouped(c.overlaps),
      grouped(c.reads_nothing), grouped(c.repeats), grouped(c.skipped), grouped(c.duplicates),
      grouped(c.info), grouped(c.fail));
  text += holds_text(s.holds);
  text += threads ? std::string(kOnThreads) : on_fibers(s);
  if (!result.declared.limit.empty()) {
    text += fmt::format("  limit                {}\n", result.declared.limit);
  }
  if (s.vacuous + s.contaminated + s.cut_off > 0) {
    text += fmt::format("  without a verdict    {} vacuous, {} contaminated, {} cut off\n",
                        grouped(s.vacuous), grouped(s.contaminated), grouped(s.cut_off));
  }

  text += fault_lines(s);

  for (const FoundViolation& found : result.found) {
    text += violation_text(found, threads);
  }
  for (const std::string& problem : result.problems) text += "problem: " + problem + '\n';
  return text;
}

std::string campaign_to_json(const CampaignOptions& options, const CampaignResult& result,
                             const std::string& command) {
  using nlohmann::ordered_json;
  const CampaignSummary& s = result.summary;
  ordered_json json{{"verdict", to_string(result.verdict.verdict)}};
  if (!result.verdict.why.empty()) json["why"] = result.verdict.why;
  json["backend"] = options.plan.backend;
  json["command"] = command;
  json["guarantees"] = ordered_json::object();
  for (const Guarantee id : all_guarantees()) {
    const GuaranteeTally& tally = s[id];
    ordered_json entry{{"verdict", answer_of(tally)}};
    if (answer_of(tally) == "n/a") {
      entry["why"] = tally.why_not;
    } else {
      entry["judged"] = tally.judged;
      entry["broken"] = tally.broken;
      entry["runs_judged"] = tally.runs_judged;
      entry["runs_could_fail"] = tally.runs_could_fail;
      entry["runs_broken"] = tally.runs_broken;
    }
    json["guarantees"][std::string(to_string(id))] = std::move(entry);
  }
  json["faults"] = ordered_json::object();
  for (std::size_t i = 0; i < kFaultKindCount; ++i) {
    const FaultTally& tally = s.faults[i];
    if (!tally.asked) continue;
    json["faults"][std::string(to_string(static_cast<FaultKind>(i)))] = {
        {"runs_armed", tally.runs_armed},
        {"fired", tally.fired},
        {"hit", tally.hit},
        {"runs_hit", tally.runs_hit}};
  }
  json["violations"] = ordered_json::array();
  for (const FoundViolation& found : result.found) {
    json["violations"].push_back({{"guarantee", to_string(found.guarantee)},
                                  {"sentence", found.sentence},
                                  {"fingerprint", found.fingerprint},
                                  {"seed", found.seed},
                                  {"runs", found.runs},
                                  {"strategy", to_string(found.strategy)},
                                  {"plan_hash", found.plan_hash},
                                  {"command", found.command},
                                  {"artifact", found.folder}});
    if (!found.shrunk_explanation.empty()) {
      json["violations"].back()["shrunk"] = {
          {"events_before", found.events},  {"events", found.shrunk_events},
          {"runs", found.shrink_runs},      {"finished", found.shrink_finished},
          {"fails", found.shrunk_fails},    {"tries", found.shrunk_tries},
          {"artifact", found.shrunk_folder}};
    }
  }
  const Counts& c = s.counts;
  json["counts"] = {{"runs", s.runs},
                    {"held", s.held},
                    {"broke", s.broke},
                    {"vacuous", s.vacuous},
                    {"contaminated", s.contaminated},
                    {"cut_off", s.cut_off},
                    {"compared", s.compared},
                    {"events", s.events},
                    {"switches_inside", s.switches_inside},
                    {"operations", c.operations},
                    {"publishes", c.publishes},
                    {"observes", c.observes},
                    {"foreign_observes", c.foreign_observes},
                    {"clauses", {{"P1", c.clauses_p1}, {"P2", c.clauses_p2}, {"P3", c.clauses_p3}}},
                    {"reads_nothing", c.reads_nothing},
                    {"repeats", c.repeats},
                    {"duplicates", c.duplicates},
                    {"skipped", c.skipped},
                    {"overlaps", c.overlaps},
                    {"info", c.info},
                    {"fail", c.fail}};
  if (s.holds.runs > 0) json["holds"] = holds_json(s.holds);
  json["seconds"] = seconds_of(result.elapsed);
  json["interrupted"] = result.interrupted;
  if (!result.declared.limit.empty()) json["limit"] = result.declared.limit;
  json["problems"] = result.problems;
  return json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + '\n';
}

}  // namespace causalcheck::cli
