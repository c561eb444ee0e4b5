#include <CLI/CLI.hpp>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <system_error>
#include <vector>

#include "harness/annotation.h"
#include "harness/artifacts.h"
#include "harness/campaign.h"
#include "harness/cli/backend_of.h"
#include "harness/cli/campaign_page.h"
#include "harness/cli/campaign_text.h"
#include "harness/cli/commands.h"
#include "harness/cli/corpus_text.h"
#include "harness/cli/interrupt.h"
#include "harness/cli/judging_options.h"
#include "harness/cli/junit.h"
#include "harness/cli/output.h"
#include "harness/cli/progress.h"
#include "harness/corpus.h"
#include "harness/faults/fault_powers.h"
#include "harness/files.h"
#include "harness/words.h"

namespace causalcheck::cli {
namespace {

struct FuzzArguments {
  std::string backend{};
  std::string seed{};
  std::string seeds{};
  std::string runs{};
  std::string time{};
  std::uint32_t clients = 3;
  std::uint32_t events = 100;
  std::uint32_t topics = 1;
  std::uint32_t pipeline = 1;
  std::uint32_t jobs = 1;
  std::string shard{};
  std::string faults = "none";
  std::string out = "causalcheck-out";
  std::string shrink_time{};
  std::string shrink_runs{};
  std::string history{};
  std::string corpus{};
  std::string junit{};
  std::string html{};
  JudgingWords words{};
  bool keep_going = false;
  bool json = false;
};

constexpr std::string_view kDefaultTime = "10s";

/// What makes a fresh seed when none is given. Short enough to be read out.
std::uint64_t fresh_seed() { return std::random_device{}() % 1'000'000'000; }

/// Understands which seeds to run and for how long.
std::optional<Refusal> take_extent(const FuzzArguments& a, CampaignOptions& options) {
  if (!a.seeds.empty() && !(a.seed.empty() && a.runs.empty())) {
    return Refusal::because(
        "--seeds says first seed and runs at once; leave out --seed and --runs");
  }
  options.first_seed = a.seed.empty() ? fresh_seed() : 0;
  if (!a.seed.empty()) {
    const Attempt<std::uint64_t> seed = parse_number(a.seed, "--seed");
    if (!seed) return seed.error();
    options.first_seed = *seed;
    if (a.time.empty() && a.runs.empty()) options.runs = 1;
  }
  if (!a.seeds.empty()) {
    const Attempt<SeedRange> range = parse_seeds(a.seeds);
    if (!range) return range.error();
    options.first_seed = range->first;
    options.runs = range->last - range->first + 1;
    if (*options.runs == 0) return Refusal::because("--seeds: that is every seed there is");
  }
  if (!a.runs.empty()) {
    const Attempt<std::uint64_t> runs = parse_count(a.runs, "--runs");
    if (!runs) return runs.error();
    options.runs = *runs;
  }
  if (!a.time.empty() || !options.runs) {
    const Attempt<std::chrono::nanoseconds> time =
        parse_duration(a.time.empty() ? kDefaultTime : std::string_view(a.time));
    if (!time) return Refusal::because("--time: " + time.error().text);
    options.time = *time;
  }
  if (!a.shard.empty()) {
    const Attempt<Shard> shard = parse_shard(a.shard);
    if (!shard) return shard.error();
    options.shard = shard->index;
    options.shards = shard->count;
  }
  return std::nullopt;
}

/// Understands how far violations are shrunk.
std::optional<Refusal> take_shrinking(const FuzzArguments& a, CampaignOptions& options) {
  ShrinkOptions shrink;
  if (a.shrink_time == "0" || a.shrink_time == "0s") return std::nullopt;
  if (!a.shrink_time.empty()) {
    const Attempt<std::chrono::nanoseconds> time = parse_duration(a.shrink_time);
    if (!time) return Refusal::because("--shrink-time: " + time.error().text);
    shrink.time = *time;
  }
  if (!a.shrink_runs.empty()) {
    const Attempt<std::uint64_t> runs = parse_number(a.shrink_runs, "--shrink-runs");
    if (!runs) return runs.error();
    shrink.runs_max = *runs;
  }
  if (shrink.time.count() > 0 && shrink.runs_max > 0) options.shrink = shrink;
  return std::nullopt;
}

/// The command that makes this campaign again.
std::string again(const FuzzArguments& a, const CampaignOptions& options) {
  SeedFlags seeds{options.first_seed, options.runs};
  std::string command = fuzz_command(options.plan, options.settings, options.grounding, seeds);
  if (options.time) command += " --time " + shell_word(a.time.empty() ? kDefaultTime : a.time);
  if (a.jobs != 1) command += " --jobs " + std::to_string(a.jobs);
  if (!a.shard.empty()) command += " --shard " + shell_word(a.shard);
  if (a.keep_going) command += " --keep-going";
  if (!a.junit.empty()) command += " --junit " + shell_word(a.junit);
  if (a.out != FuzzArguments{}.out) command += " --out " + shell_word(a.out);
  if (!a.corpus.empty()) command += " --corpus " + shell_word(a.corpus);
  if (!a.shrink_time.empty()) command += " --shrink-time " + shell_word(a.shrink_time);
  if (!a.shrink_runs.empty()) command += " --shrink-runs " + shell_word(a.shrink_runs);
  return command;
}

/// Writes the history of the first seed, whatever its verdict.
ExitCode write_history(const std::string& path, const CampaignOptions& options) {
  Result<std::unique_ptr<Backend>> backend = options.make_backend();
  if (!backend) return refuse(backend.error().text, exit_code_of(backend.error()));
  RunnerOptions runner_options;
  runner_options.settings = options.settings;
  runner_options.grounding = options.grounding;
  runner_options.instance = "history";
  runner_options.limits = threads_limits(options);
  Runner runner(*std::move(backend), runner_options);
  const Plan plan = draw_plan(options.plan, options.first_seed);
  const RunResult result = runner.run(plan);
  if (result.failure) return refuse(result.failure->text, exit_code_of(*result.failure));
  const Attempt<void> written = write_file_atomically(path, to_jsonl(runner.history_file(plan)));
  return written ? ExitCode::kHolds : refuse(written.error().text, ExitCode::kInternal);
}

/// Writes the page that `make` makes as index.html into `folder`, which is made when needed.
Attempt<void> write_campaign_page(const std::string& folder,
                                  const std::function<std::string(const std::string&)>& make) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    return Refusal::because("the folder " + folder + " could not be made: " + error.message());
  }
  return write_file_atomically(folder + "/index.html", make(folder));
}

ExitCode run_fuzz(const FuzzArguments& a) {
  const Attempt<Judging> judging = understand(a.words);
  if (!judging) return refuse(judging.error().text);
  CampaignOptions options;
  options.plan.backend = a.backend;
  options.plan.clients = a.clients;
  options.plan.events = a.events;
  options.plan.topics = a.topics;
  options.plan.pipeline = a.pipeline;
  options.make_backend = [spec = a.backend] { return backend_of(spec); };
  options.jobs = a.jobs;
  options.on_violation = a.keep_going ? OnViolation::kKeepGoing : OnViolation::kStop;
  options.settings = judging->settings;
  options.grounding = judging->grounding;
  options.out = a.out;
  if (const std::optional<Refusal> problem = take_extent(a, options)) return refuse(problem->text);
  if (const std::optional<Refusal> problem = take_shrinking(a, options)) {
    return refuse(problem->text);
  }
  if (const Attempt<void> valid = validate(options); !valid) return refuse(valid.error().text);
  const Result<std::unique_ptr<Backend>> probe = backend_of(a.backend);
  if (!probe) return refuse(probe.error().text, exit_code_of(probe.error()));
  const Attempt<std::vector<std::string>> faults = choose_faults(a.faults, **probe);
  if (!faults) return refuse("--faults: " + faults.error().text);
  options.plan.faults = *faults;

  const std::string command = again(a, options);
  const std::string first_line = "Again: " + command + "\n";
  if (a.json) {
    std::fputs(first_line.c_str(), stderr);
  } else {
    print(first_line);
    std::fflush(stdout);
  }

  CorpusResult corpus;
  if (!a.corpus.empty()) {
    Attempt<CorpusResult> replayed = replay_corpus(a.corpus, options);
    if (!replayed) return refuse(replayed.error().text);
    corpus = *std::move(replayed);
    if (!a.json) print('\n' + corpus_to_text(a.corpus, corpus));
    if (corpus.verdict() == Verdict::kBreaks && !a.keep_going) {
      print(a.json ? corpus_to_json(options, corpus, command) : '\n' + first_line);
      return ExitCode::kBreaks;
    }
  }

  const InterruptGuard interrupt;
  options.stop = &interrupt.requested();
  std::optional<ProgressLine> progress(std::in_place);
  std::vector<CampaignProgress> samples;
  options.progress = [&](const CampaignProgress& p) {
    progress->show(p);
    if (!a.html.empty()) samples.push_back(p);
  };
  if (options.shrink) {
    options.shrink->progress = [&](const ShrinkProgress& p) { progress->show(p); };
  }
  const CampaignResult result = run_campaign(options);
  progress.reset();

  if (in_github_actions()) {
    const std::string lines = campaign_to_annotations(options, result);
    std::fputs(lines.c_str(), a.json ? stderr : stdout);
  }
  if (!a.junit.empty()) {
    const Attempt<void> written =
        write_file_atomically(a.junit, campaign_to_junit(options, result, command));
    if (!written) return refuse(written.error().text, ExitCode::kInternal);
  }
  if (!a.html.empty()) {
    const Attempt<void> written = write_campaign_page(a.html, [&](const std::string& folder) {
      return campaign_page(options, result, command, samples, folder);
    });
    if (!written) return refuse(written.error().text, ExitCode::kInternal);
  }
  if (result.failure) {
    complain("seed " + std::to_string(result.failed_seed) + ": " + result.failure->text);
    print(first_line);
    return exit_code_of(*result.failure);
  }
  if (!a.history.empty()) {
    const ExitCode written = write_history(a.history, options);
    if (written != ExitCode::kHolds) return written;
  }
  std::vector<std::string> saved;
  if (!a.corpus.empty()) {
    Attempt<std::vector<std::string>> paths = save_to_corpus(a.corpus, options, result, corpus);
    if (!paths) return refuse(paths.error().text, ExitCode::kInternal);
    saved = *std::move(paths);
  }
  if (a.json) {
    const std::string json = campaign_to_json(options, result, command);
    print(a.corpus.empty() ? json : with_corpus(json, result.verdict.verdict, corpus, saved));
  } else {
    print('\n' + campaign_to_text(options, result) + '\n');
    for (const FoundViolation& found : result.found) {
      if (!found.shrunk_folder.empty()) {
        print("Again: " + replay_command(found.shrunk_folder) + '\n');
      }
      if (!found.folder.empty()) print("Again: " + replay_command(found.folder) + '\n');
      print("Again: " + found.command + '\n');
    }
    for (const std::string& path : saved) print("saved to the corpus: " + path + '\n');
    if (result.found.empty()) print(first_line);
  }
  return exit_code_of(both(result.verdict.verdict, corpus.verdict()));
}

}  // namespace

void add_fuzz(CLI::App& program, Action& action) {
  const auto a = std::make_shared<FuzzArguments>();
  CLI::App* command =
      program.add_subcommand("fuzz", "Drive a backend with seeded cascades and judge every run");
  command->add_option("backend", a->backend, "What to fuzz; `causalcheck backends` lists them")
      ->required()
      ->type_name("BACKEND");
  command->add_option("--seed", a->seed, "The first seed; alone it means one run")->type_name("N");
  command->add_option("--seeds", a->seeds, "A range of seeds, both included")->type_name("A..B");
  command->add_option("--runs", a->runs, "How many runs, one seed each")->type_name("N");
  command->add_option("--time", a->time, "For how long: 60s, 10m. Without any extent: 10s")
      ->type_name("TIME");
  command->add_option("--clients", a->clients, "Clients in a run")->capture_default_str();
  command->add_option("--events", a->events, "Publishes and observations in a run")
      ->capture_default_str();
  command->add_option("--topics", a->topics, "Topics in a run")->capture_default_str();
  command
      ->add_option("--pipeline", a->pipeline,
                   "Commits in flight per client, at most; where the backend allows it")
      ->capture_default_str();
  command
      ->add_option("--faults", a->faults,
                   "What the world does to it: none, light, heavy, or a list; docs/faults.md")
      ->type_name("PROFILE|LIST")
      ->capture_default_str();
  add_claim_options(*command, a->words);
  command->add_option("--jobs", a->jobs, "Threads; each makes whole runs on a backend of its own")
      ->capture_default_str();
  command->add_option("--shard", a->shard, "Make only the I-th of N shares of the seeds")
      ->type_name("I/N");
  command->add_flag("--keep-going", a->keep_going, "Do not stop at the first violation");
  command->add_option("--out", a->out, "Where failing runs leave their artifacts")
      ->type_name("DIR")
      ->capture_default_str();
  command
      ->add_option("--shrink-time", a->shrink_time,
                   "How long each kind of violation is shrunk, 20s by default; 0: not at all")
      ->type_name("TIME");
  command->add_option("--shrink-runs", a->shrink_runs, "And with how many runs, at most")
      ->type_name("N");
  command
      ->add_option("--corpus", a->corpus,
                   "Run the plans saved in this folder first, and save what is found there")
      ->type_name("DIR");
  command->add_option("--history", a->history, "Write the history of the first seed to this file")
      ->type_name("FILE");
  command
      ->add_option("--junit", a->junit,
                   "Write a JUnit file: a test case for each guarantee, failures in full")
      ->type_name("FILE");
  command
      ->add_option("--html", a->html,
                   "Write a page about the whole campaign, index.html, into this folder")
      ->type_name("DIR");
  command->add_flag("--json", a->json, "Print one JSON object");
  command->footer(
      "  causalcheck fuzz memory                            ten seconds, fresh seeds\n"
      "  causalcheck fuzz sqlite --runs 200 --jobs 2        a real database file\n"
      "  causalcheck fuzz 'fs:/tmp/store?reads=feed' --time 10m --keep-going\n"
      "  causalcheck fuzz memory --seed 8157                that run again\n"
      "  causalcheck fuzz fs --faults heavy --time 60s      under everything that can befall it\n"
      "  causalcheck fuzz memory --faults drop-answer,late-request --runs 1000\n\n"
      "The first line printed runs the same seeds again; a failing run also leaves a folder for\n"
      "`causalcheck replay`. Exit code: 0 holds, 1 breaks, 2 unknown.");
  command->callback([&action, a] { action = [a] { return run_fuzz(*a); }; });
}

}  // namespace causalcheck::cli
