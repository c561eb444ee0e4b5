#include "harness/cli/report_json.h"

#include <nlohmann/json.hpp>

#include "checker/explain.h"

namespace causalcheck::cli {
namespace {

using nlohmann::ordered_json;

ordered_json clause_json(const Clause& clause, const History& history) {
  return {{"principle", to_string(clause.why)},
          {"before", to_string(clause.before, history)},
          {"after", to_string(clause.after, history)},
          {"before_number", clause.before.number},
          {"after_number", clause.after.number}};
}

ordered_json violation_json(const Violation& v, const History& history) {
  ordered_json json{{"guarantee", to_string(v.guarantee)}, {"reason", to_string(v.reason)},
                    {"sentence", sentence(v, history)},    {"class", class_of(v)},
                    {"contradiction", v.contradiction},    {"fingerprint", fingerprint(v)}};
  json["broken"] = v.broken ? clause_json(*v.broken, history) : ordered_json();
  json["chain"] = ordered_json::array();
  for (const Clause& clause : v.chain) json["chain"].push_back(clause_json(clause, history));
  json["operations"] = ordered_json::array();
  for (const OperationIndex i : v.operations) {
    json["operations"].push_back(describe(history.operations[i], history));
  }
  return json;
}

ordered_json counts_json(const Counts& c) {
  return {{"operations", c.operations},
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
}

}  // namespace

std::string report_to_json(const Report& report, const History& history) {
  ordered_json json{{"verdict", to_string(report.verdict)}};
  if (!report.why.empty()) json["why"] = report.why;
  json["guarantees"] = ordered_json::object();
  json["violations"] = ordered_json::array();
  for (const Guarantee id : all_guarantees()) {
    const Judgement& j = report[id];
    ordered_json entry{{"verdict", to_string(j.answer)}};
    if (j.answer == Answer::kNotApplicable) {
      entry["why"] = j.why;
    } else {
      entry["judged"] = j.judged;
      entry["broken"] = j.broken;
    }
    if (j.violation) {
      entry["witness"] = violation_json(*j.violation, history);
      json["violations"].push_back(entry["witness"]);
    }
    json["guarantees"][std::string(to_string(id))] = std::move(entry);
  }
  json["counts"] = counts_json(report.counts);
  return json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + '\n';
}

}  // namespace causalcheck::cli
