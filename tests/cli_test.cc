// The program from outside: what it prints, and what it exits with.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/program_test.h"

namespace causalcheck {
namespace {

using testing::HasSubstr;
using testing::StartsWith;
namespace fs = std::filesystem;

using Program = ProgramTest;

constexpr const char* kAnswerFirst =
    R"({"client":"B","op":"write","topic":"chat","msg":"B1","outcome":"ok","start":1,"end":2}
{"client":"C","op":"read","topic":"chat","msg":"B1","outcome":"ok","start":3,"end":4}
{"client":"C","op":"write","topic":"chat","msg":"C2","outcome":"ok","start":5,"end":6}
{"client":"A","op":"read","topic":"chat","msg":"C2","outcome":"ok","start":7,"end":8}
{"client":"A","op":"read","topic":"chat","msg":"B1","outcome":"ok","start":9,"end":10}
)";

TEST_F(Program, KeepsACorpusOfWhatFailed) {
  const std::string fuzz = "fuzz planted:stale-follower --seed 7 --runs 50 --corpus kept";
  const Ran first = run(fuzz);
  EXPECT_EQ(first.exit_code, 1) << first.output;
  EXPECT_THAT(first.output, HasSubstr("corpus kept: 0 saved plans\n"));
  EXPECT_THAT(first.output,
              testing::ContainsRegex("saved to the corpus: kept/planted_stale-follower-"));
  std::vector<fs::path> saved;
  for (const auto& file : fs::directory_iterator(folder_ / "kept")) saved.push_back(file.path());
  ASSERT_EQ(saved.size(), 1U);

  const Ran second = run(fuzz);
  EXPECT_EQ(second.exit_code, 1);
  EXPECT_THAT(second.output, HasSubstr("corpus kept: 1 saved plan, 1 fails still\n"));
  EXPECT_THAT(second.output, testing::Not(HasSubstr("runs,"))) << "no new seeds";
  const auto json = nlohmann::json::parse(run(fuzz + " --json", "2>/dev/null").output);
  EXPECT_EQ(json.at("verdict"), "breaks");
  EXPECT_EQ(json.at("corpus").at(0).at("outcome"), "fails still");

  const Ran replayed = run("replay kept/" + saved[0].filename().string());
  EXPECT_EQ(replayed.exit_code, 1) << replayed.output;
  EXPECT_THAT(replayed.output, StartsWith("replay: the saved violation showed in 1 of 1 runs\n"));

  // The same plans on the log that does not lag, which is another backend by name.
  std::string text = read("kept/" + saved[0].filename().string());
  const Ran others = run("fuzz planted:stale-follower/twin --seed 7 --runs 5 --corpus kept");
  EXPECT_EQ(others.exit_code, 0) << others.output;
  EXPECT_THAT(others.output, HasSubstr("0 saved plans; 1 of other backends passed over"));

  // A plan that is not what was saved is said to be so, and the campaign proves nothing any more.
  const std::size_t at = text.find("\"seed\": ");
  ASSERT_NE(at, std::string::npos);
  text.insert(at + 8, "1");
  write("kept/" + saved[0].filename().string(), text);
  const Ran changed = run("fuzz planted:stale-follower --seed 7 --runs 1 --events 1 --corpus kept");
  EXPECT_EQ(changed.exit_code, 2) << changed.output;
  EXPECT_THAT(changed.output, HasSubstr("1 not replayed"));
  EXPECT_THAT(changed.output, HasSubstr("saved by another version"));
}

TEST_F(Program, ShowsTheQueuesOfABroadcastGroup) {
  const Ran ran = run("fuzz broadcast --seed 1 --runs 20");
  EXPECT_EQ(ran.exit_code, 0) << ran.output;
  EXPECT_THAT(ran.output, testing::ContainsRegex("hold-back  +[1-9][0-9]* held, up to [1-9]"));
  EXPECT_THAT(ran.output, testing::Not(HasSubstr("stalled  ")));
  const auto json = nlohmann::json::parse(
      run("fuzz 'broadcast?retransmit=off' --seed 1 --runs 20 --json --keep-going --shrink-time 0",
          "2>/dev/null")
          .output);
  const auto& holds = json.at("holds");
  EXPECT_GT(holds.at("depth_max"), 0);
  EXPECT_GT(holds.at("age_max_ns"), 0);
  EXPECT_GT(holds.at("stalled"), 0);
  EXPECT_THAT(
      holds.at("first_stall").get<std::string>(),
      testing::ContainsRegex("^[A-Z]+(~[0-9]+)? holds .*: needs .* [0-9]+, has .* [0-9]+$"));
  EXPECT_FALSE(
      nlohmann::json::parse(run("fuzz memory --seed 1 --runs 2 --json", "2>/dev/null").output)
          .contains("holds"));
}

TEST_F(Program, FuzzesUnderFaultsAndSaysWhatTheyDid) {
  const Ran ran = run("fuzz memory --faults light --seed 1 --runs 60");
  EXPECT_EQ(ran.exit_code, 0) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr("--faults delay,drop-answer")) << "the command says it all";
  EXPECT_THAT(ran.output, testing::ContainsRegex("delay +armed in [0-9]+ runs, fired [1-9]"));
  const auto json = nlohmann::json::parse(
      run("fuzz replicated --faults heavy --seed 1 --runs 60 --json", "2>/dev/null").output);
  EXPECT_EQ(json.at("verdict"), "holds") << json;
  EXPECT_GT(json.at("faults").at("crash").at("hit"), 0);
  EXPECT_LE(json.at("faults").at("crash").at("runs_hit"),
            json.at("faults").at("crash").at("runs_armed"));
  EXPECT_FALSE(json.at("faults").contains("power-loss"));
}

TEST_F(Program, RefusesFaultsThatTheBackendCannotUndergo) {
  const Ran lacks = run("fuzz memory --faults delay,crash --runs 1");
  EXPECT_EQ(lacks.exit_code, 3);
  EXPECT_THAT(lacks.output, HasSubstr("cannot undergo crash"));
  EXPECT_THAT(lacks.output, HasSubstr("it can undergo delay, drop-request"));
  const Ran unknown = run("fuzz memory --faults earthquake --runs 1");
  EXPECT_EQ(unknown.exit_code, 3);
  EXPECT_THAT(unknown.output, HasSubstr("there is no fault \"earthquake\""));
}

TEST_F(Program, AFaultThatNeverHitsIsNoEvidence) {
  const Ran ran = run("fuzz memory --faults restart-client --seed 1 --runs 1 --events 1");
  EXPECT_EQ(ran.exit_code, 2) << ran.output;
}

TEST_F(Program, FuzzesMemoryAndHolds) {
  const Ran ran = run("fuzz memory --seed 1 --runs 20");
  EXPECT_EQ(ran.exit_code, 0) << ran.output;
  const std::string again =
      "Again: causalcheck fuzz memory --seed 1 --runs 20 --clients 3 --events 100 --topics 1 "
      "--pipeline 1\n";
  EXPECT_THAT(ran.output, StartsWith(again));
  EXPECT_THAT(ran.output, testing::EndsWith(again));
  EXPECT_THAT(ran.output, HasSubstr("memory: holds\n"));
}

TEST_F(Program, FuzzesFilesAndSqlite) {
  for (const std::string backend : {"fs", "sqlite", "'fs?reads=feed'", "'sqlite?reads=feed'"}) {
    const Ran ran = run("fuzz " + backend + " --seed 1 --runs 3 --topics 2");
    EXPECT_EQ(ran.exit_code, 0) << ran.output;
  }
}

TEST_F(Program, FindsThePlantedBugAndReplaysItByteForByte) {
  const Ran found = run("fuzz planted:stale-follower --seed 7 --runs 50");
  EXPECT_EQ(found.exit_code, 1) << found.output;
  EXPECT_THAT(found.output, HasSubstr("read-your-writes breaks"));
  EXPECT_THAT(found.output,
              HasSubstr("Again: causalcheck replay causalcheck-out/planted_stale-fol"));
  const fs::path artifact = fs::directory_iterator(folder_ / "causalcheck-out")->path();
  for (const char* file : {"report.txt", "history.jsonl", "plan.json"}) {
    EXPECT_TRUE(fs::exists(artifact / file)) << file;
  }
  for (const std::string file : {"", "/plan.json", "/history.jsonl"}) {
    const Ran again = run("replay '" + artifact.string() + file + "' --times 3");
    EXPECT_EQ(again.exit_code, 1) << again.output;
    EXPECT_THAT(again.output, StartsWith("replay: identical history, byte for byte (3 of 3)"));
  }
}

TEST_F(Program, NeverAccusesTheLegalTwin) {
  const Ran ran = run("fuzz planted:stale-follower/twin --seed 7 --runs 200");
  EXPECT_EQ(ran.exit_code, 0) << ran.output;
}

TEST_F(Program, RefusesToReplayAPlanThatWasChanged) {
  (void)run("fuzz planted:stale-follower --seed 7 --runs 50");
  const fs::path artifact = fs::directory_iterator(folder_ / "causalcheck-out")->path();
  (void)run_in_shell("sed -i 's/\"events\": *100/\"events\":99/' '" + artifact.string() +
                     "/plan.json'");
  const Ran again = run("replay '" + artifact.string() + "/plan.json'");
  EXPECT_EQ(again.exit_code, 3);
  EXPECT_THAT(again.output, HasSubstr("it was changed"));
}

TEST_F(Program, ChecksAHistoryWithoutAHeader) {
  write("chat.jsonl", kAnswerFirst);
  const Ran ran = run("check chat.jsonl --reads feed");
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_THAT(ran.output, HasSubstr("A observed C2, whose author had observed B1, before B1"));
  EXPECT_THAT(ran.output, HasSubstr("P3 C2 < B1"));
}

TEST_F(Program, ReadsAHistoryFromStandardInput) {
  write("chat.jsonl", kAnswerFirst);
  EXPECT_EQ(run("check - --reads feed < chat.jsonl").exit_code, 1);
}

TEST_F(Program, PrintsTheVerdictAsJson) {
  write("chat.jsonl", kAnswerFirst);
  const Ran ran = run("check chat.jsonl --reads feed --json");
  const auto json = nlohmann::json::parse(ran.output);
  EXPECT_EQ(json["verdict"], "breaks");
  EXPECT_EQ(json["guarantees"]["causal"]["verdict"], "breaks");
  EXPECT_EQ(json["guarantees"]["causal"]["witness"]["chain"].size(), 2U);
  EXPECT_EQ(json["guarantees"]["real-time"]["verdict"], "n/a");
  EXPECT_FALSE(json["guarantees"]["real-time"]["why"].get<std::string>().empty());
  EXPECT_EQ(json["violations"].size(), 2U);
}

TEST_F(Program, PrintsACampaignAsOneJsonObject) {
  const Ran ran = run("fuzz memory --seed 1 --runs 5 --json", "2>/dev/null");
  const auto json = nlohmann::json::parse(ran.output);
  EXPECT_EQ(json["verdict"], "holds");
  EXPECT_EQ(json["counts"]["runs"], 5);
}

TEST_F(Program, WritesAJunitFileAndAnnotatesOnGitHub) {
  const std::string fuzz = "fuzz planted:stale-follower --seed 7 --events 20 --junit result.xml";
  const Ran at_home = run(fuzz);
  EXPECT_EQ(at_home.exit_code, 1) << at_home.output;
  EXPECT_THAT(at_home.output, testing::Not(HasSubstr("::error")));
  const std::string xml = read("result.xml");
  EXPECT_THAT(xml, HasSubstr("<testcase classname=\"planted:stale-follower\" name=\"causal\""));
  EXPECT_THAT(xml, HasSubstr("Again: causalcheck replay causalcheck-out/planted_stale-follower-7"));
  const Ran on_github = run_in_shell("cd '" + folder_.path() + "' && GITHUB_ACTIONS=true '" +
                                     CAUSALCHECK_PROGRAM "' " + fuzz + " 2>&1");
  EXPECT_THAT(on_github.output,
              HasSubstr("\n::error title=planted%3Astale-follower%3A read-your-writes breaks::"));
  EXPECT_EQ(run("fuzz memory --seed 1 --junit /no/such/folder/x.xml").exit_code, 5);
}

TEST_F(Program, AnnotatesEventByEvent) {
  write("chat.jsonl", kAnswerFirst);
  const Ran ran = run("explain --annotate chat.jsonl --reads feed");
  EXPECT_THAT(ran.output, HasSubstr("grounding  C2 = 5"));
  EXPECT_THAT(ran.output, HasSubstr("clause     P3 C2 < B1  (5 < 1 is FALSE)"));
  const Ran full = run("explain --full chat.jsonl --reads feed");
  EXPECT_GT(full.output.size(), ran.output.size());
}

TEST_F(Program, ShardsCoverEverySeedOnce) {
  std::uint64_t runs = 0;
  for (const std::string shard : {"1/3", "2/3", "3/3"}) {
    const Ran ran = run("fuzz memory --seeds 1..10 --json --shard " + shard, "2>/dev/null");
    runs += nlohmann::json::parse(ran.output)["counts"]["runs"].get<std::uint64_t>();
  }
  EXPECT_EQ(runs, 10U);
}

TEST_F(Program, ListsTheBackends) {
  const Ran ran = run("backends");
  EXPECT_EQ(ran.exit_code, 0);
  for (const char* name : {"memory", "fs", "sqlite"}) EXPECT_THAT(ran.output, HasSubstr(name));
}

TEST_F(Program, WritesANewAdapterWhereNothingIs) {
  const Ran ran = run("new-adapter my-store");
  EXPECT_EQ(ran.exit_code, 0) << ran.output;
  EXPECT_THAT(read("my-store/my_store.cc"), HasSubstr("MyStore::create_if_absent"));
  EXPECT_THAT(read("my-store/CMakeLists.txt"), testing::Not(HasSubstr("@")));
  EXPECT_EQ(run("new-adapter my-store").exit_code, 3);
  EXPECT_THAT(run("new-adapter my-store").output, HasSubstr("my-store is there already"));
}

TEST_F(Program, NewAdaptersInOtherLanguagesPassTheirTests) {
  const std::string in_path =
      "PATH='" + fs::path(CAUSALCHECK_PROGRAM).parent_path().string() + "':\"$PATH\" ";
  const auto test = [&](const std::string& language, const std::string& command) {
    const Ran made = run("new-adapter my-store --dir " + language + " --language " + language);
    EXPECT_EQ(made.exit_code, 0) << made.output;
    const std::string folder = folder_ / language;
    if (run_in_shell("command -v " + command.substr(0, command.find(' '))).exit_code != 0) return;
    const Ran ran = run_in_shell("cd '" + folder + "' && " + in_path + command + " 2>&1");
    EXPECT_EQ(ran.exit_code, 0) << ran.output;
  };
  test("python", "python3 -m unittest");
  test("node", "node --test");
}

TEST_F(Program, ExaminesAnAdapter) {
  const Ran held = run("doctor memory --json");
  EXPECT_EQ(held.exit_code, 0);
  const auto json = nlohmann::json::parse(held.output);
  EXPECT_EQ(json["failed"], 0);
  EXPECT_GE(json["checks"].size(), 31U);
  const Ran failed = run("doctor planted:stale-follower --check readers-never-go-back");
  EXPECT_EQ(failed.exit_code, 1);
  for (const char* part :
       {"FAILED", "expected  while others", "came      A, ", "usually   reads"}) {
    EXPECT_THAT(failed.output, HasSubstr(part));
  }
}

TEST_F(Program, TurnsBadInputIntoOneLineAndItsExitCode) {
  struct Case {
    const char* arguments;
    int exit_code;
    const char* says;
  };
  write("line.jsonl", "{\"client\":\"A\",\"op\":\"write\"}\n");
  for (const Case& bad : {
           Case{"fuzz nosuch", 3, "unknown backend 'nosuch'"},
           Case{"fuzz 'memory?speed=fast'", 3, "there is no setting 'speed'"},
           Case{"fuzz memory --seed abc", 3, "--seed takes a whole number"},
           Case{"fuzz memory --seeds 9..1", 3, "--seeds takes a range"},
           Case{"fuzz memory --time soon", 3, "a time is a number with a unit"},
           Case{"fuzz memory --clients 0", 3, "clients must be from 1"},
           Case{"fuzz memory --claim truth", 3, "no guarantee is called \"truth\""},
           Case{"fuzz memory --shard 3/2", 3, "--shard takes I/N"},
           Case{"fuzz fs:/no/such/folder", 4, "/no/such/folder"},
           Case{"check /no/such/file", 3, "/no/such/file"},
           Case{"check line.jsonl", 3, "line 1"},
           Case{"check line.jsonl --reads often", 3, "--reads knows latest and feed"},
           Case{"replay /no/such/file", 3, "/no/such/file"},
           Case{"doctor", 3, "name a backend to examine"},
           Case{"doctor memory --check pulse", 3, "there is no check \"pulse\""},
           Case{"new-adapter Store", 3, "an adapter's name is"},
           Case{"new-adapter ../x", 3, "an adapter's name is"},
           Case{"new-adapter store --language cobol", 3, "--language knows"},
           Case{"", 3, "--help"},
           Case{"frobnicate", 3, "--help"},
       }) {
    const Ran ran = run(bad.arguments);
    EXPECT_EQ(ran.exit_code, bad.exit_code) << bad.arguments << "\n" << ran.output;
    EXPECT_THAT(ran.output, HasSubstr(bad.says)) << bad.arguments;
    EXPECT_THAT(ran.output, StartsWith("causalcheck: ")) << bad.arguments;
  }
}

TEST_F(Program, SaysSoWhenTheResultsCannotBeWritten) {
  const Ran ran = run("backends", "2>&1 >/dev/full");
  EXPECT_EQ(ran.exit_code, 5);
  EXPECT_THAT(ran.output, HasSubstr("could not write the results"));
}

TEST_F(Program, LeavesNoArtifactWhereItMayNotWrite) {
  write("file", "");
  const Ran ran = run("fuzz planted:stale-follower --seed 7 --runs 50 --out file/below");
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_THAT(ran.output, HasSubstr("problem: "));
  EXPECT_EQ(read("file"), "");
}

TEST_F(Program, KeepsWhatItFoundWhenInterrupted) {
  const Ran ran = run("fuzz memory --time 60s & sleep 1; kill -INT $!; wait $!");
  EXPECT_THAT(ran.output, HasSubstr("interrupted, what was found is kept"));
}

// The whole of it, with its bars, is a step of .ci/run.
TEST_F(Program, ProvesItsPowerOnPlantedBugs) {
  const Ran ran = run("selftest --starts 2 --shrinks 1 --runs 50 --json", "2>/dev/null");
  const auto result = nlohmann::json::parse(ran.output);
  EXPECT_EQ(ran.exit_code, result["passes"] == true ? 0 : 1);
  EXPECT_GE(result["bugs"].size(), 34U);
  for (const auto& row : result["bugs"]) {
    SCOPED_TRACE(row.dump(2));
    EXPECT_EQ(row["found"]["found_from"], 2);
    EXPECT_GT(row["found"]["shrunk_events"], 0);
    EXPECT_LE(row["found"]["shrunk_events"], 8);
    EXPECT_GT(row["found"]["acted"], 0);
    EXPECT_EQ(row["rare"]["found_from"], 2);
    EXPECT_LE(row["rare"]["shrunk_events"], 8);
    EXPECT_GT(row["rare"]["acted"], 0);
    EXPECT_LT(row["rare"]["acted_share"], 0.02);
    EXPECT_EQ(row["rare"]["acted_in_one_run_max"], 1);
    EXPECT_EQ(row["twin"]["runs"], 50);
    EXPECT_EQ(row["twin"]["accused"], 0);
  }
}

TEST_F(Program, ProvesItsPowerOnOnePlantedBug) {
  const Ran ran = run("selftest --only two-winners --starts 2 --runs 10 --jobs 1", "2>/dev/null");
  EXPECT_EQ(ran.exit_code, 0) << ran.output;
  EXPECT_THAT(ran.output,
              HasSubstr("| `two-winners` | none | 2 of 2 | no-lost-writes 2, identity 2 |"));
  EXPECT_THAT(ran.output, HasSubstr("| `two-winners/rare` | none | 2 of 2 |"));
  EXPECT_THAT(ran.output, HasSubstr("1 of 1 planted bugs are as they must be.\n"));
  const Ran unknown = run("selftest --only two-losers");
  EXPECT_EQ(unknown.exit_code, 3);
  EXPECT_THAT(unknown.output,
              HasSubstr("no planted bug \"two-losers\"; known are ack-before-durable, "));
}

TEST_F(Program, HelpTeaches) {
  for (const std::string command :
       {"", "fuzz ", "check ", "explain ", "replay ", "backends ", "clocks ", "doctor ", "export ",
        "new-adapter ", "scenario ", "selftest "}) {
    const Ran ran = run(command + "--help");
    EXPECT_EQ(ran.exit_code, 0);
    EXPECT_THAT(ran.output, HasSubstr("Usage: causalcheck"));
  }
}

}  // namespace
}  // namespace causalcheck
