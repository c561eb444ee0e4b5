#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "adapters/broadcast/scenario.h"
#include "harness/artifacts.h"
#include "harness/cli/backend_of.h"
#include "harness/cli/commands.h"
#include "harness/cli/judging_options.h"
#include "harness/cli/output.h"
#include "harness/faults/fault_kind.h"
#include "harness/faults/fault_powers.h"
#include "harness/live/live_server.h"
#include "harness/plan_file.h"
#include "harness/run.h"

namespace causalcheck::cli {
namespace {

/// What a person can follow with the eyes; a page draws every record as it comes.
constexpr std::uint32_t kEventsMax = 2000;

struct ServeArguments {
  std::string backend{};
  std::vector<std::string> scenarios{};
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;
  std::uint64_t seed = 1;
  std::uint32_t clients = 3;
  std::uint32_t events = 60;
  std::uint32_t topics = 1;
  std::string out = "causalcheck-out";
  JudgingWords words{};
};

struct NamedScenario {
  std::string name{};
  Scenario scenario{};
};

/// Makes the runs of a live view, one after another, on one backend.
class Maker {
 public:
  Maker(const ServeArguments& arguments, Judging judging, std::unique_ptr<Backend> backend,
        std::vector<NamedScenario> scenarios)
      : arguments_(arguments),
        judging_(std::move(judging)),
        scenarios_(std::move(scenarios)),
        runner_(std::move(backend), options(judging_)) {}

  [[nodiscard]] Attempt<LiveRun> make(const LiveRequest& request) {
    for (const NamedScenario& named : scenarios_) {
      if (named.name == request.scenario) return play(named);
    }
    const Plan plan = plan_of(request);
    const RunResult result = runner_.run(plan);
    if (result.failure) return Refusal::because(result.failure->text);
    return live_run_of(runner_.history_file(plan), judging_.grounding,
                       arguments_.backend + ", seed " + std::to_string(request.seed));
  }

  [[nodiscard]] Attempt<std::string> save(const LiveRequest& request, const LiveRun& run) {
    if (!request.scenario.empty()) {
      return Refusal::because("a scenario is its own record: causalcheck scenario FILE plays it");
    }
    const Attempt<LoadedPlan> plan = plan_of_config(run.file.header.config);
    if (!plan) return plan.error();
    const std::string name = artifact_name(arguments_.backend, request.seed);
    const std::string commands = replay_command(arguments_.out + "/" + name) + "\n";
    return write_artifact(
        arguments_.out, name,
        make_artifact(plan->plan, run.file, run.report, judging_.grounding, commands));
  }

 private:
  static RunnerOptions options(const Judging& judging) {
    RunnerOptions options;
    options.settings = judging.settings;
    options.grounding = judging.grounding;
    options.instance = "live";
    return options;
  }

  [[nodiscard]] Plan plan_of(const LiveRequest& request) const {
    PlanOptions options;
    options.backend = arguments_.backend;
    options.clients = arguments_.clients;
    options.events = arguments_.events;
    options.topics = arguments_.topics;
    options.faults = request.faults;
    return draw_plan(options, request.seed);
  }

  [[nodiscard]] LiveRun play(const NamedScenario& named) const {
    ScenarioRun played = run_scenario(named.scenario);
    History& history = played.file.history;
    history.declared = apply(judging_.settings, history.declared);
    const std::string about =
        named.scenario.about.empty() ? named.name : named.name + ": " + named.scenario.about;
    return live_run_of(std::move(played.file), judging_.grounding, about);
  }

  const ServeArguments& arguments_;
  const Judging judging_;
  const std::vector<NamedScenario> scenarios_;
  Runner runner_;
};

Attempt<std::vector<NamedScenario>> read_scenarios(const std::vector<std::string>& paths) {
  std::vector<NamedScenario> scenarios;
  for (const std::string& path : paths) {
    Attempt<Scenario> scenario = read_scenario(path);
    if (!scenario) return scenario.error();
    scenarios.push_back({std::filesystem::path(path).stem().string(), std::move(*scenario)});
  }
  return scenarios;
}

ExitCode run_serve(const ServeArguments& a) {
  Attempt<Judging> judging = understand(a.words);
  if (!judging) return refuse(judging.error().text);
  Attempt<std::vector<NamedScenario>> scenarios = read_scenarios(a.scenarios);
  if (!scenarios) return refuse(scenarios.error().text);
  Result<std::unique_ptr<Backend>> backend = backend_of(a.backend);
  if (!backend) return refuse(backend.error().text, exit_code_of(backend.error()));
  PlanOptions plan;
  plan.backend = a.backend;
  plan.clients = a.clients;
  plan.events = a.events;
  plan.topics = a.topics;
  if (const Attempt<void> valid = validate(plan); !valid) return refuse(valid.error().text);

  LiveOptions options;
  options.address = a.address;
  options.port = a.port;
  options.title = a.backend;
  options.first_seed = a.seed;
  options.faults = names_of(can_undergo(powers_of(**backend)));
  for (const NamedScenario& named : *scenarios) options.scenarios.push_back(named.name);
  Maker maker(a, std::move(*judging), std::move(*backend), std::move(*scenarios));
  options.make = [&maker](const LiveRequest& request) { return maker.make(request); };
  options.save = [&maker](const LiveRequest& request, const LiveRun& run) {
    return maker.save(request, run);
  };
  options.ready = [](const std::string& address) {
    print("watch it at " + address + " (Ctrl-C ends it)\n");
    std::fflush(stdout);
  };
  const Attempt<void> served = serve_live(options);
  return served ? ExitCode::kHolds : refuse(served.error().text, ExitCode::kBackend);
}

}  // namespace

void add_serve(CLI::App& program, Action& action) {
  const auto a = std::make_shared<ServeArguments>();
  CLI::App* command = program.add_subcommand(
      "serve", "Watch runs in a browser, record by record, with clocks and hold-back queues");
  command->add_option("backend", a->backend, "What to run; `causalcheck backends` lists them")
      ->required()
      ->type_name("BACKEND");
  command
      ->add_option("--scenario", a->scenarios,
                   "A broadcast scenario to choose from; may be given several times")
      ->type_name("FILE");
  command->add_option("--port", a->port, "The port; a free one by default")->type_name("N");
  command
      ->add_option("--address", a->address,
                   "The address to listen on. Whoever reaches it can start runs and save artifacts "
                   "here")
      ->type_name("IP")
      ->capture_default_str();
  command->add_option("--seed", a->seed, "The seed to begin with")
      ->type_name("N")
      ->capture_default_str();
  command->add_option("--clients", a->clients, "Clients in a run")->capture_default_str();
  command->add_option("--events", a->events, "Publishes and observations in a run")
      ->check(CLI::Range(1U, kEventsMax))
      ->capture_default_str();
  command->add_option("--topics", a->topics, "Topics in a run")->capture_default_str();
  command->add_option("--out", a->out, "Where runs that are saved leave their artifacts")
      ->type_name("DIR")
      ->capture_default_str();
  add_claim_options(*command, a->words);
  command->footer(
      "  causalcheck serve broadcast --scenario fixtures/scenarios/slow-path.json\n"
      "  causalcheck serve planted:stale-follower --seed 7 --events 20\n\n"
      "The page can pause, step, change the speed, the seed and the faults, and save a run that "
      "was\n"
      "watched to its end; `causalcheck replay` runs it again. Exit code 0 when it is ended by a "
      "signal.");
  command->callback([&action, a] { action = [a] { return run_serve(*a); }; });
}

}  // namespace causalcheck::cli
