// Prints what the checker says of recorded and of random histories, for the tests of the page to
// hold their own answers to. One JSON object a line: the page's data block of the history, and
// beside it the live annotation, the clocks, the order of every two events, what a causal receiver
// would have waited for, the shorthand, the records of a live view, the picture of the conflict and
// the whole report.
//
//   page_facts FIXTURES      every history that FIXTURES/expected.json names
//   page_facts --random N    N random histories, the same every time
//   page_facts --page        an empty page, with the script and the style sheet that were built in
#include <rapidcheck.h>

#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

#include "checker/annotate.h"
#include "checker/checker.h"
#include "checker/clocks/history_clocks.h"
#include "checker/explain.h"
#include "checker/holdback.h"
#include "checker/shorthand.h"
#include "checker/timeline.h"
#include "harness/files.h"
#include "harness/history_file.h"
#include "harness/live/live_run.h"
#include "harness/report/data_block.h"
#include "harness/report/html_report.h"
#include "harness/settings.h"
#include "tests/reference/random_history.h"

namespace causalcheck {
namespace {

using nlohmann::json;

constexpr int kGenerationSize = 50;

/// 'b' before, 'a' after, 'c' concurrent, 'e' equal.
char letter(ClockOrder order) {
  switch (order) {
    case ClockOrder::kBefore:
      return 'b';
    case ClockOrder::kAfter:
      return 'a';
    case ClockOrder::kConcurrent:
      return 'c';
    case ClockOrder::kEqual:
      return 'e';
  }
  return '?';
}

void print_facts(const std::string& name, const HistoryFile& file) {
  const History& history = file.history;
  const Report report = check(history);
  const Timeline line = timeline_of(history);
  const EventClocks clocks(history, line);
  json facts{
      {"name", name},
      {"block", json::parse(data_block({{"run", &file, &report}}, Grounding::kHappenedBefore))},
      {"annotation", annotate(history, Annotation::kNewClauses)},
      {"waits", explain_waits(causal_waits(history), history)},
      {"shorthand", to_shorthand(history)},
      {"clocks", json::array()},
      {"lone", json::array()},
      {"orders", json::array()},
      {"symbols", json::array()}};
  facts["svg"] = conflict_svg_file(report, history);
  facts["page"] = html_report({name, {}, Grounding::kHappenedBefore, {{"run", &file, &report}}});
  for (const std::string& record : live_run_of(file, Grounding::kHappenedBefore, name).records) {
    facts["records"].push_back(json::parse(record));
  }
  for (std::uint32_t e = 0; e < line.events.size(); ++e) {
    facts["symbols"].push_back(to_string(line.events[e].at, history));
    const auto clock = clocks.clock(e);
    facts["clocks"].push_back(std::vector<std::uint32_t>(clock.begin(), clock.end()));
    const auto lone = clocks.lone_publishes(e);
    facts["lone"].push_back(std::vector<std::uint32_t>(lone.begin(), lone.end()));
    std::string row;
    for (std::uint32_t other = 0; other < line.events.size(); ++other) {
      row += letter(clocks.order(e, other));
    }
    facts["orders"].push_back(row);
  }
  std::printf("%s\n", facts.dump().c_str());
}

int print_fixtures(const std::string& folder) {
  const auto text = read_file(folder + "/expected.json");
  if (!text) return EXIT_FAILURE;
  const json expected = json::parse(*text);
  for (const auto& [name, entry] : expected.at("files").items()) {
    auto file = read_history(folder + "/" + name);
    if (!file) {
      std::fprintf(stderr, "%s\n", file.error().text.c_str());
      return EXIT_FAILURE;
    }
    if (!file->history.has_header) {
      SettingsOverride settings;
      settings.reads = parse_reads(entry.at("reads").get<std::string>());
      file->history.declared = apply(settings, file->history.declared);
    }
    print_facts(name, *file);
  }
  return EXIT_SUCCESS;
}

int print_random(int count) {
  const auto gen = reference::random_history();
  for (int i = 0; i < count; ++i) {
    HistoryFile file;
    file.history = gen(rc::Random(static_cast<std::uint64_t>(i)), kGenerationSize).value();
    print_facts("random " + std::to_string(i), file);
  }
  return EXIT_SUCCESS;
}

}  // namespace
}  // namespace causalcheck

int main(int argc, char** argv) {
  if (argc == 3 && std::string(argv[1]) == "--random") {
    return causalcheck::print_random(std::atoi(argv[2]));
  }
  if (argc == 2 && std::string(argv[1]) == "--page") {
    std::printf("%s%s", causalcheck::page_head("page").c_str(),
                causalcheck::page_script_element().c_str());
    return EXIT_SUCCESS;
  }
  if (argc == 2) return causalcheck::print_fixtures(argv[1]);
  std::fprintf(stderr, "usage: page_facts FIXTURES | --random N | --page\n");
  return EXIT_FAILURE;
}
