#include "harness/corpus.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <system_error>
#include <utility>

#include "checker/explain.h"
#include "harness/artifacts.h"
#include "harness/files.h"
#include "harness/plan_file.h"
#include "harness/settings.h"
#include "harness/shrink.h"

namespace causalcheck {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::size_t kHashDigitsInName = 8;

Json judged_to_json(const CorpusEntry& entry) {
  const Declaration& d = entry.judged_by;
  Json json{{"reads", to_string(d.reads)},
            {"slots", to_string(d.slots)},
            {"level", to_string(d.level)},
            {"scope", to_string(d.scope)},
            {"claims", Json::array()}};
  for (const Guarantee id : all_guarantees()) {
    if (d.claims.contains(id)) json["claims"].push_back(to_string(id));
  }
  if (d.retries != Retries::kUndeclared) json["retries"] = to_string(d.retries);
  if (entry.grounding == Grounding::kInstrumentation) json["grounding"] = "instrumentation";
  return json;
}

// Takes the members of one object one by one and keeps the first thing that is wrong.
class Members {
 public:
  Members(const Json& object, std::string where) : object_(object), where_(std::move(where)) {
    if (!object.is_object()) note(where_ + " must be an object");
  }

  std::string text(const char* name) {
    const Json* member = find(name);
    if (member == nullptr) return {};
    if (member->is_string()) return member->get<std::string>();
    note(fmt::format("{}.{} must be a string", where_, name));
    return {};
  }
  template <class T>
  void word(const char* name, T& value, std::optional<T> (*parse)(std::string_view)) {
    if (!has(name)) return;
    const std::string said = text(name);
    if (const std::optional<T> known = parse(said)) {
      value = *known;
    } else {
      note(fmt::format("{}.{} is \"{}\", which is none of its words", where_, name, said));
    }
  }
  GuaranteeSet guarantees(const char* name) {
    GuaranteeSet set;
    const Json* member = find(name);
    if (member != nullptr && !member->is_array()) {
      note(fmt::format("{}.{} must be a list", where_, name));
    } else if (member != nullptr) {
      for (const Json& id : *member) {
        const auto known = id.is_string() ? parse_guarantee(id.get<std::string>()) : std::nullopt;
        if (known) set.insert(*known);
        if (!known) note(fmt::format("{}.{} has something that is no guarantee", where_, name));
      }
    }
    return set;
  }
  [[nodiscard]] bool has(const char* name) const {
    return object_.is_object() && object_.contains(name);
  }
  // Refuses members that nobody asked for.
  std::optional<std::string> problem() {
    for (const auto& [name, value] : object_.items()) {
      if (object_.is_object() && asked_.count(name) == 0) {
        note(fmt::format("{} has an unknown member \"{}\"", where_, name));
      }
    }
    return problem_;
  }
  const Json* find(const char* name) {
    asked_.insert(name);
    if (has(name)) return &object_.at(name);
    note(fmt::format("{} lacks \"{}\"", where_, name));
    return nullptr;
  }
  void optional(const char* name) { asked_.insert(name); }

 private:
  void note(std::string text) {
    if (!problem_) problem_ = std::move(text);
  }
  const Json& object_;
  const std::string where_;
  std::set<std::string> asked_{};
  std::optional<std::string> problem_{};
};

std::optional<std::string> read_judged(const Json& json, CorpusEntry& entry) {
  Members members(json, "judged_by");
  members.word("reads", entry.judged_by.reads, &parse_reads);
  members.word("slots", entry.judged_by.slots, &parse_slots);
  members.word("level", entry.judged_by.level, &parse_level);
  members.word("scope", entry.judged_by.scope, &parse_scope);
  members.word("retries", entry.judged_by.retries, &parse_retries);
  entry.judged_by.claims = members.guarantees("claims");
  if (members.has("grounding")) {
    if (members.text("grounding") != "instrumentation") {
      return "judged_by.grounding can only be \"instrumentation\"";
    }
    entry.grounding = Grounding::kInstrumentation;
  }
  return members.problem();
}

// The entries of a folder, in order of their names.
Attempt<std::vector<std::string>> entries_in(const std::string& folder) {
  std::vector<std::string> paths;
  std::error_code error;
  if (!fs::exists(folder, error) && !error) return paths;
  for (fs::directory_iterator file(folder, error), end; !error && file != end;
       file.increment(error)) {
    if (file->path().extension() == ".json") paths.push_back(file->path().string());
  }
  if (error) {
    return Refusal::because(
        fmt::format("the corpus {} cannot be listed: {}", folder, error.message()));
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

CorpusReplay replay_entry(const std::string& path, const CorpusEntry& entry,
                          std::unique_ptr<Backend>& backend, const CampaignOptions& options,
                          WatchList& watches) {
  CorpusReplay replay;
  replay.path = path;
  RunnerOptions how;
  how.settings = settings_of(entry.judged_by);
  how.grounding = entry.grounding;
  how.instance = "corpus";
  how.times = options.times;
  how.limits = threads_limits(options);
  Runner runner(*backend, how);
  Watch watch(watches, [&runner] { return runner.status(); });
  watch.arm();
  const RunResult result = runner.run(entry.plan);
  watch.disarm();
  // A call that never came back goes on using it; the next entry gets another one.
  if (runner.abandoned()) static_cast<void>(backend.release());
  if (result.failure) {
    replay.text = "it does not run: " + result.failure->text;
    return replay;
  }
  const Violation* broken = first_broken(result.report);
  if (broken == nullptr) {
    replay.outcome = CorpusOutcome::kFixed;
    replay.text = "does not fail any more, and is kept; it was: " + entry.sentence;
    return replay;
  }
  replay.fingerprint = fingerprint(*broken);
  replay.text = sentence(*broken, runner.history());
  if (replay.fingerprint == entry.fingerprint) {
    replay.outcome = CorpusOutcome::kFailsStill;
  } else {
    replay.outcome = CorpusOutcome::kFailsOtherwise;
    replay.text += "; it was: " + entry.sentence;
  }
  return replay;
}

}  // namespace

std::string corpus_entry_to_json(const CorpusEntry& entry) {
  // One member a line; the plan's own text is the one that plan files have.
  const Json head{{"format", kCorpusFormat},
                  {"version", kCorpusVersion},
                  {"class", entry.fingerprint},
                  {"sentence", entry.sentence},
                  {"judged_by", judged_to_json(entry)}};
  std::string text = "{";
  for (const auto& [name, value] : head.items()) {
    text += fmt::format("\n\"{}\": {},", name,
                        value.dump(-1, ' ', false, Json::error_handler_t::replace));
  }
  std::string plan = plan_to_json(entry.plan);
  while (!plan.empty() && plan.back() == '\n') plan.pop_back();
  return text + "\n\"plan\": " + plan + "\n}\n";
}

bool is_corpus_entry(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  return json.is_object() && json.contains("format") && json["format"] == kCorpusFormat;
}

Attempt<CorpusEntry> parse_corpus_entry(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return Refusal::because("a corpus entry must be one JSON object");
  Members members(json, "the entry");
  const std::string format = members.text("format");
  if (format != kCorpusFormat) {
    return Refusal::because(fmt::format("its format is \"{}\", not \"{}\"", format, kCorpusFormat));
  }
  const Json* version = members.find("version");
  if (version == nullptr || *version != kCorpusVersion) {
    return Refusal::because(
        fmt::format("its version is {}; this program reads version {}",
                    version == nullptr ? std::string("missing") : version->dump(), kCorpusVersion));
  }
  CorpusEntry entry;
  entry.fingerprint = members.text("class");
  entry.sentence = members.text("sentence");
  members.optional("plan");
  if (const Json* judged = members.find("judged_by")) {
    if (auto problem = read_judged(*judged, entry)) return Refusal::because(std::move(*problem));
  }
  if (auto problem = members.problem()) return Refusal::because(std::move(*problem));
  auto loaded = plan_of_config(text);
  if (!loaded) return Refusal::because("its plan: " + loaded.error().text);
  if (loaded->stored_hash != loaded->hash) {
    return Refusal::because(fmt::format(
        "its plan's hash is {}, but it says \"{}\": it was changed, or saved by another version, "
        "and would run something else",
        loaded->hash, loaded->stored_hash));
  }
  entry.plan = std::move(loaded->plan);
  return entry;
}

std::string corpus_entry_name(const CorpusEntry& entry) {
  const std::string name = artifact_name(entry.plan.backend, entry.plan.seed);
  return fmt::format("{}-{}-{}.json", name.substr(0, name.rfind('-')), entry.fingerprint,
                     plan_hash(entry.plan).substr(0, kHashDigitsInName));
}

std::string_view to_string(CorpusOutcome outcome) {
  switch (outcome) {
    case CorpusOutcome::kFailsStill:
      return "fails still";
    case CorpusOutcome::kFailsOtherwise:
      return "fails otherwise";
    case CorpusOutcome::kFixed:
      return "fixed";
    case CorpusOutcome::kNotReplayed:
      return "not replayed";
  }
  return "?";
}

std::uint64_t CorpusResult::count(CorpusOutcome outcome) const {
  return static_cast<std::uint64_t>(std::count_if(
      replays.begin(), replays.end(), [&](const CorpusReplay& r) { return r.outcome == outcome; }));
}

Verdict CorpusResult::verdict() const {
  if (count(CorpusOutcome::kFailsStill) + count(CorpusOutcome::kFailsOtherwise) > 0) {
    return Verdict::kBreaks;
  }
  return count(CorpusOutcome::kNotReplayed) > 0 ? Verdict::kUnknown : Verdict::kHolds;
}

Attempt<CorpusResult> replay_corpus(const std::string& folder, const CampaignOptions& options) {
  const auto paths = entries_in(folder);
  if (!paths) return paths.error();
  CorpusResult result;
  std::unique_ptr<Backend> backend;
  Watchdog watchdog(run_limit(options));
  for (const std::string& path : *paths) {
    const auto text = read_file(path);
    const auto entry = text ? parse_corpus_entry(*text) : Attempt<CorpusEntry>(text.error());
    if (!entry) {
      result.replays.push_back({path, CorpusOutcome::kNotReplayed, {}, entry.error().text});
      continue;
    }
    if (entry->plan.backend != options.plan.backend) {
      ++result.of_other_backends;
      continue;
    }
    if (backend == nullptr) {
      auto made = options.make_backend();
      if (made.has_error()) return Refusal::because(made.error().text);
      backend = *std::move(made);
    }
    result.replays.push_back(replay_entry(path, *entry, backend, options, watchdog.list()));
  }
  return result;
}

Attempt<std::vector<std::string>> save_to_corpus(const std::string& folder,
                                                 const CampaignOptions& options,
                                                 const CampaignResult& result,
                                                 const CorpusResult& before) {
  std::vector<std::string> saved;
  for (const FoundViolation& found : result.found) {
    const bool is_there = std::any_of(
        before.replays.begin(), before.replays.end(),
        [&](const CorpusReplay& replay) { return replay.fingerprint == found.fingerprint; });
    if (is_there) continue;
    CorpusEntry entry{
        found.fingerprint, found.shrunk_sentence.empty() ? found.sentence : found.shrunk_sentence,
        apply(options.settings, result.declared.promises), options.grounding, found.plan};
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) {
      return Refusal::because(
          fmt::format("the folder {} could not be made: {}", folder, error.message()));
    }
    const std::string path = (fs::path(folder) / corpus_entry_name(entry)).string();
    const auto written = write_file_atomically(path, corpus_entry_to_json(entry));
    if (!written) return written.error();
    saved.push_back(path);
  }
  return saved;
}

}  // namespace causalcheck
