#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "harness/cli/backend_of.h"
#include "harness/cli/commands.h"
#include "harness/cli/output.h"
#include "harness/doctor/doctor.h"
#include "harness/refusal.h"
#include "harness/watchdog.h"

namespace causalcheck::cli {
namespace {

// Real servers restart, and calls of theirs wait for their deadlines.
constexpr std::chrono::minutes kCheckLimit{5};

struct DoctorArguments {
  std::string backend{};
  std::vector<std::string> only{};
  bool list = false;
  bool json = false;
};

std::string_view word(CheckOutcome outcome) {
  switch (outcome) {
    case CheckOutcome::kPassed:
      return "passed";
    case CheckOutcome::kFailed:
      return "FAILED";
    case CheckOutcome::kSkipped:
      return "skipped";
  }
  return "skipped";
}

std::string to_text(const DoctorCheck& check, const CheckResult& result) {
  std::string text = fmt::format("  {:<26} {}\n", check.name, word(result.outcome));
  if (result.outcome == CheckOutcome::kFailed) {
    text += fmt::format("    expected  {}\n    came      {}\n    usually   {}\n", check.expected,
                        result.came, check.cause);
  } else if (result.outcome == CheckOutcome::kSkipped) {
    text.insert(text.size() - 1, ": " + result.came);
  }
  return text;
}

ExitCode list_checks(bool as_json) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const DoctorCheck& check : doctor_checks()) {
    json.push_back({{"check", check.name}, {"expected", check.expected}, {"cause", check.cause}});
    if (!as_json) print(fmt::format("{}\n    {}\n", check.name, check.expected));
  }
  if (as_json) print(json.dump(2) + '\n');
  return ExitCode::kHolds;
}

/// The checks to run. Errors: a name that no check has.
Attempt<std::vector<DoctorCheck>> chosen(const std::vector<std::string>& only) {
  if (only.empty()) return doctor_checks();
  std::vector<DoctorCheck> checks;
  for (const std::string& name : only) {
    const auto found = std::find_if(doctor_checks().begin(), doctor_checks().end(),
                                    [&](const DoctorCheck& check) { return check.name == name; });
    if (found == doctor_checks().end()) {
      return Refusal::because("there is no check \"" + name +
                              "\"; `causalcheck doctor --list` names them");
    }
    checks.push_back(*found);
  }
  return checks;
}

ExitCode run_doctor(const DoctorArguments& a) {
  if (a.list) return list_checks(a.json);
  if (a.backend.empty()) return refuse("name a backend to examine, or --list. See --help");
  const Attempt<std::vector<DoctorCheck>> checks = chosen(a.only);
  if (!checks) return refuse(checks.error().text);
  if (const auto probe = backend_of(a.backend); !probe) {
    return refuse(probe.error().text, exit_code_of(probe.error()));
  }
  if (!a.json) print(a.backend + "\n");

  std::size_t failed = 0;
  std::size_t passed = 0;
  nlohmann::ordered_json json{{"backend", a.backend}, {"checks", nlohmann::ordered_json::array()}};
  Watchdog watchdog(kCheckLimit);
  std::string_view current;
  Watch watch(watchdog.list(), [&] {
    return fmt::format("the check {} of {} does not come to an end: a call of the backend blocks\n",
                       current, a.backend);
  });
  for (const DoctorCheck& check : *checks) {
    current = check.name;
    watch.arm();
    const CheckResult result = run_check(check, [&] { return backend_of(a.backend); });
    watch.disarm();
    failed += result.outcome == CheckOutcome::kFailed ? 1 : 0;
    passed += result.outcome == CheckOutcome::kPassed ? 1 : 0;
    if (!a.json) {
      print(to_text(check, result));
      std::fflush(stdout);
    }
    nlohmann::ordered_json entry{{"check", check.name}, {"outcome", word(result.outcome)}};
    if (!result.came.empty()) entry["came"] = result.came;
    if (result.outcome == CheckOutcome::kFailed) {
      entry["expected"] = check.expected;
      entry["cause"] = check.cause;
    }
    json["checks"].push_back(std::move(entry));
  }
  if (a.json) {
    json["failed"] = failed;
    print(json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n');
  } else {
    print(fmt::format("{} passed, {} failed, {} skipped\n", passed, failed,
                      checks->size() - passed - failed));
  }
  return failed > 0 ? ExitCode::kBreaks : ExitCode::kHolds;
}

}  // namespace

void add_doctor(CLI::App& program, Action& action) {
  const auto a = std::make_shared<DoctorArguments>();
  CLI::App* command = program.add_subcommand(
      "doctor", "Examine an adapter, check by check, before it is fuzzed for the first time");
  command->add_option("backend", a->backend, "What to examine, named as `fuzz` takes it")
      ->type_name("BACKEND");
  command->add_option("--check", a->only, "Only this check; may be given again")->type_name("NAME");
  command->add_flag("--list", a->list, "List the checks and what each expects");
  command->add_flag("--json", a->json, "Print one JSON object");
  command->footer(
      "  causalcheck doctor memory\n"
      "  causalcheck doctor fs:/tmp/store --check payloads\n"
      "  causalcheck doctor --list\n\n"
      "A check that fails says what was expected, what came, and what is usually wrong. Exit code: "
      "0 none\nfailed, 1 some did, 4 the backend could not be started, 5 a call never came back.");
  command->callback([&action, a] { action = [a] { return run_doctor(*a); }; });
}

}  // namespace causalcheck::cli
