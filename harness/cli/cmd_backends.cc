#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "adapters/adapters.h"
#include "harness/cli/commands.h"
#include "harness/cli/output.h"
#include "harness/faults/fault_powers.h"
#include "harness/settings.h"
#include "harness/words.h"

namespace causalcheck::cli {
namespace {

/// The ids in `set`, and the levels up to `level`, as reports list them.
std::vector<std::string> ids(const GuaranteeSet& set, Level level) {
  Declaration declared;
  declared.claims = set;
  declared.level = level;
  std::vector<std::string> names;
  for (const Guarantee id : all_guarantees()) {
    const bool is_level = level_of(id).has_value();
    if (is_level ? is_claimed(declared, id) : set.contains(id)) {
      names.emplace_back(to_string(id));
    }
  }
  return names;
}

std::string joined(const std::vector<std::string>& words) {
  return words.empty() ? "nothing" : listed(words);
}

/// The kinds of faults that a backend can undergo, or those that it cannot: the shorter list.
std::string faults_text(FaultSet can) {
  FaultSet cannot = all_faults();
  for (std::uint32_t i = 0; i < can.size(); ++i) cannot.erase(can.nth(i));
  if (cannot.empty()) return "all";
  return cannot.size() < can.size() ? "all but " + to_string(cannot) : to_string(can);
}

nlohmann::ordered_json declaration_json(const Declaration& d) {
  nlohmann::ordered_json json{{"slots", to_string(d.slots)},
                              {"reads", to_string(d.reads)},
                              {"level", to_string(d.level)},
                              {"scope", to_string(d.scope)}};
  if (d.retries != Retries::kUndeclared) json["retries"] = to_string(d.retries);
  json["claims"] = ids(d.claims, d.level);
  json["offers"] = ids(d.offers, d.level);
  return json;
}

ExitCode run_backends(bool as_json) {
  nlohmann::ordered_json json{{"backends", nlohmann::ordered_json::array()},
                              {"left_out", nlohmann::ordered_json::array()}};
  std::string text;
  for (const AdapterKind& kind : adapters()) {
    text += std::string(kind.name) + "  " + std::string(kind.url_form) + "\n    " +
            std::string(kind.summary) + '\n';
    nlohmann::ordered_json entry{
        {"name", kind.name}, {"form", kind.url_form}, {"summary", kind.summary}};
    entry["settings"] = nlohmann::ordered_json::array();
    for (const SettingHelp& setting : kind.settings) {
      text += "    ?" + std::string(setting.name) + '=' + std::string(setting.values) + "   " +
              std::string(setting.meaning) + '\n';
      entry["settings"].push_back(
          {{"name", setting.name}, {"values", setting.values}, {"meaning", setting.meaning}});
    }
    const Result<std::unique_ptr<Backend>> backend = make_backend(kind.name);
    if (backend) {
      const Declaration d = (*backend)->declare().promises;
      text += "    claims  " + joined(ids(d.claims, d.level)) + "\n    offers  " +
              (d.offers == d.claims ? "the same" : joined(ids(d.offers, d.level))) + "\n    " +
              std::string(to_string(d.reads)) + " reads, slots " + std::string(to_string(d.slots)) +
              ", order across " + (d.scope == Scope::kAll ? "all topics" : "one topic only") + '\n';
      const FaultPowers powers = powers_of(**backend);
      const FaultSet can = can_undergo(powers);
      text += "    faults  " + faults_text(can) + '\n';
      entry["declares"] = declaration_json(d);
      entry["faults"] = names_of(can);
    } else {
      text += "    cannot run here: " + backend.error().text + '\n';
      entry["lacks"] = backend.error().text;
    }
    text += '\n';
    json["backends"].push_back(std::move(entry));
  }
  for (const LeftOut& left : left_out_adapters()) {
    text += std::string(left.name) + "  left out of this build: its library was missing. Install " +
            std::string(left.package) + " and build again.\n";
    json["left_out"].push_back({{"name", left.name}, {"package", left.package}});
  }
  print(as_json ? json.dump(2) + '\n' : text);
  return ExitCode::kHolds;
}

}  // namespace

void add_backends(CLI::App& program, Action& action) {
  const auto as_json = std::make_shared<bool>(false);
  CLI::App* command = program.add_subcommand(
      "backends", "What can be fuzzed here: what each offers and claims, and what it lacks to run");
  command->add_flag("--json", *as_json, "Print one JSON object");
  command->callback([&action, as_json] { action = [as_json] { return run_backends(*as_json); }; });
}

}  // namespace causalcheck::cli
