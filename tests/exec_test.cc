// Backends in other programs: the examples from outside, and children that do what they should not.
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <string>

#include "adapters/adapters.h"
#include "adapters/exec/exec_protocol.h"
#include "harness/run.h"
#include "harness/temporary_folder.h"
#include "tests/program.h"

namespace causalcheck {
namespace {

const std::string kProgram = CAUSALCHECK_PROGRAM;
const std::string kExamples = std::string(CAUSALCHECK_SOURCE_DIR) + "/examples/exec/";

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

Ran fuzz(const std::string& command, const std::string& flags) {
  return run_in_shell(kProgram + " fuzz 'exec:" + command + "' " + flags + " --out '' 2>&1");
}

bool can_run(const std::string& interpreter) {
  return run_in_shell(interpreter + " --version 2>&1").exit_code == 0;
}

TEST(ExecExamples, HoldInCpp) {
  const Ran ran = fuzz(CAUSALCHECK_EXAMPLE, "--seed 1 --runs 40 --topics 2");
  EXPECT_EQ(ran.exit_code, 0) << ran.output;
  EXPECT_TRUE(has(ran.output, "works strictly in turn")) << ran.output;
}

TEST(ExecExamples, HoldInPython) {
  if (!can_run("python3")) GTEST_SKIP() << "no python3: install the package python3";
  const Ran ran = fuzz("python3 " + kExamples + "store.py", "--seed 1 --runs 20");
  EXPECT_EQ(ran.exit_code, 0) << ran.output;
}

TEST(ExecExamples, HoldInNode) {
  if (!can_run("node")) GTEST_SKIP() << "no node: install the package nodejs";
  const Ran ran = fuzz("node " + kExamples + "store.js", "--seed 1 --runs 20");
  EXPECT_EQ(ran.exit_code, 0) << ran.output;
}

TEST(ExecExamples, TheWrongOneIsCaught) {
  if (!can_run("python3")) GTEST_SKIP() << "no python3: install the package python3";
  const Ran ran =
      fuzz("python3 " + kExamples + "wrong_store.py", "--seed 1 --runs 20 --shrink-time 3s");
  EXPECT_EQ(ran.exit_code, 1) << ran.output;
  EXPECT_TRUE(has(ran.output, "read-your-writes     breaks")) << ran.output;
  EXPECT_TRUE(has(ran.output, "no-lost-writes       holds")) << ran.output;
}

/// A child in shell that answers hello and reset rightly, and to its third request does `then`.
class Misbehaving : public testing::Test {
 protected:
  std::string child(const std::string& then) {
    const std::string path = folder_.path() + "/child.sh";
    std::ofstream(path) << "read line\n"
                        << R"(echo '{"id":1,"outcome":"ok","protocol":1,"slots":"contiguous"}')"
                        << "\nread line\n"
                        << R"(echo '{"id":2,"outcome":"ok"}')"
                        << "\n"
                        << "read line\n"
                        << then << "\n";
    return "sh " + path;
  }
  TemporaryFolder folder_ = TemporaryFolder::make("exec").value();
};

TEST_F(Misbehaving, ALineThatDoesNotFitEndsTheRunAndIsShown) {
  const Ran ran = fuzz(child("echo going astray >&2; echo hello world; sleep 100"), "--runs 3");
  EXPECT_EQ(ran.exit_code, 4) << ran.output;
  EXPECT_TRUE(has(ran.output, "line 3 of what the child printed")) << ran.output;
  EXPECT_TRUE(has(ran.output, "expected one JSON object on a line of its own")) << ran.output;
  EXPECT_TRUE(has(ran.output, "the line: hello world")) << ran.output;
  EXPECT_TRUE(has(ran.output, "going astray")) << ran.output;
}

TEST_F(Misbehaving, AFieldOfTheWrongTypeSaysWhatWasExpectedAndWhatCame) {
  const Ran ran = fuzz(child(R"(echo "{\"id\":3,\"outcome\":\"yes\"}"; sleep 100)"), "--runs 3");
  EXPECT_EQ(ran.exit_code, 4) << ran.output;
  EXPECT_TRUE(has(ran.output, R"(expected "ok", "fail" or "info" as "outcome", got "yes")"))
      << ran.output;
}

TEST_F(Misbehaving, AnAnswerToNothingIsRefused) {
  const Ran ran = fuzz(child(R"(echo "{\"id\":99,\"outcome\":\"ok\"}"; sleep 100)"), "--runs 3");
  EXPECT_EQ(ran.exit_code, 4) << ran.output;
  EXPECT_TRUE(has(ran.output, "expected the answer to an open request, got one to 99"))
      << ran.output;
}

TEST_F(Misbehaving, OneThatDiesIsStartedAgainForTheNextRun) {
  const std::string log = folder_.path() + "/starts";
  // The program starts a backend to see whether it can; the one after that dies in its first run.
  const std::string path = folder_.path() + "/dies.sh";
  std::ofstream(path) << "n=$(cat " << log << " 2>/dev/null | wc -l); echo start >> " << log << '\n'
                      << "if [ $n -eq 1 ]; then\n"
                      << "  sed -u 30q | " << CAUSALCHECK_EXAMPLE << '\n'
                      << "  echo out of luck >&2; exit 7\n"
                      << "fi\nexec " << CAUSALCHECK_EXAMPLE << '\n';
  const Ran ran = fuzz("sh " + path, "--seed 1 --runs 5");
  EXPECT_EQ(ran.exit_code, 2) << "what was open is unknown, and nothing is held against it\n"
                              << ran.output;
  EXPECT_TRUE(has(ran.output, "the backend went down by itself")) << ran.output;
  EXPECT_TRUE(has(ran.output, "the next run starts it again")) << ran.output;
  EXPECT_TRUE(has(ran.output, "5 runs")) << ran.output;
  std::ifstream starts(log);
  std::string line;
  int count = 0;
  while (std::getline(starts, line)) ++count;
  EXPECT_EQ(count, 3);
}

/// A child in Python that is the example store but for what `changes` says.
class Changed : public testing::Test {
 protected:
  void SetUp() override {
    if (!can_run("python3")) GTEST_SKIP() << "no python3: install the package python3";
  }
  Ran fuzz_with(const std::string& changes, const std::string& flags) {
    const std::string path = folder_.path() + "/changed.py";
    std::ofstream(path) << "import json, sys, threading, time\nsys.path.insert(0, '" << kExamples
                        << "')\nimport store\nright = dict(hello=store.hello, reset=store.reset, "
                        << "commit=store.commit)\n"
                        << changes << "\nstore.main()\n";
    return fuzz("python3 " + path, flags);
  }
  TemporaryFolder folder_ = TemporaryFolder::make("exec").value();
};

constexpr const char* kFeed = R"(
sessions = {}
PUSH = False
def hello(request):
    return dict(right['hello'](request), reads='feed', scope='topic', push=PUSH, claims=[])
def reset(request):
    sessions.clear()
    return right['reset'](request)
def news(number):
    entries = []
    for topic, log in store.logs.items():
        at = sessions[number].get(topic, 0)
        entries += [dict(entry, topic=topic) for entry in log[at:]]
        sessions[number][topic] = len(log)
    return entries
def push():
    for number in sessions if PUSH else []:
        entries = news(number)
        if entries:
            print(json.dumps({'deliver': number, 'entries': entries}), flush=True)
def open_session(request):
    sessions[request['session']] = json.loads(request['resume']) if request['resume'] else {}
    push()
    return {}
def commit(request):
    answer = right['commit'](request)
    push()
    return answer
def close(request):
    return {'resume': json.dumps(sessions.pop(request['session']))}
store.hello, store.reset, store.open_session = hello, reset, open_session
store.commit, store.close = commit, close
store.poll = lambda request: {'entries': news(request['session'])}
)";

// The loop of the example looks its operations up by the name it gave them.
constexpr const char* kReceive = R"(
main = store.main
def loop():
    import io
    sys.stdin = io.TextIOWrapper(sys.stdin.buffer)
    real = sys.stdin
    class Lines:
        def __iter__(self):
            for line in iter(real.readline, ''):
                yield line.replace('"op":"receive"', '"op":"poll"')
    sys.stdin = Lines()
    main()
store.main = loop
)";

TEST_F(Changed, AFeedIsAskedForNews) {
  const Ran ran = fuzz_with(std::string(kFeed) + kReceive, "--seed 1 --runs 6 --topics 2");
  EXPECT_EQ(ran.exit_code, 0) << ran.output;
  EXPECT_TRUE(has(ran.output, "delivery             holds  judged")) << ran.output;
}

TEST_F(Changed, AFeedMayPushItsNews) {
  const Ran ran = fuzz_with(std::string(kFeed) + "PUSH = True", "--seed 1 --runs 6 --topics 2");
  EXPECT_EQ(ran.exit_code, 0) << ran.output;
  EXPECT_TRUE(has(ran.output, "delivery             holds  judged")) << ran.output;
}

TEST_F(Changed, AFeedThatPushesTooLittleIsCaught) {
  const Ran ran = fuzz_with(std::string(kFeed) + R"(
PUSH = True
everything = news
def news(number):
    return everything(number)[1:]
)",
                            "--seed 1 --runs 6 --shrink-time 0");
  EXPECT_EQ(ran.exit_code, 1) << ran.output;
  EXPECT_TRUE(has(ran.output, "delivery             breaks")) << ran.output;
}

TEST_F(Changed, PowersThatAreOfferedAreUsed) {
  const std::string powers = R"(
def hello(request):
    return dict(right['hello'](request), powers=['crash', 'pause'])
store.hello = hello
)";
  // The example knows neither op, and says so: then the run says that a fault could not be done.
  const Ran lacks = fuzz_with(powers, "--seed 1 --runs 30 --faults crash");
  EXPECT_EQ(lacks.exit_code, 4) << lacks.output;
  EXPECT_TRUE(has(lacks.output, "there is no crash")) << lacks.output;
  const Ran none = fuzz_with("", "--seed 1 --runs 3 --faults crash");
  EXPECT_EQ(none.exit_code, 3) << "it does not offer that: " << none.output;
}

TEST_F(Changed, AnswersMayComeInAnyOrder) {
  const Ran ran = fuzz_with(R"(
lock = threading.Lock()
def late(operation):
    def begun(request):
        answer = operation(request)
        def say():
            time.sleep(0.001 * (request['id'] % 3))
            with lock:
                print(json.dumps(dict(answer, id=request['id'], outcome='ok')), flush=True)
        threading.Thread(target=say).start()
        return {'silent': True}
    return begun
real_print = print
def quiet(text, **rest):
    if '"silent": true' not in text:
        with lock:
            real_print(text, **rest)
store.print = quiet
store.commit, store.poll = late(store.commit), late(store.poll)
)",
                            "--seed 1 --runs 4");
  EXPECT_EQ(ran.exit_code, 0) << ran.output;
}

TEST(ExecStart, SaysWhyAChildDidNotStart) {
  const Ran ran = fuzz("sh -c \"echo no such store >&2; exit 3\"", "--runs 3");
  EXPECT_EQ(ran.exit_code, 4) << ran.output;
  EXPECT_TRUE(has(ran.output, "no hello from the child")) << ran.output;
  EXPECT_TRUE(has(ran.output, "no such store")) << ran.output;
  EXPECT_EQ(fuzz("", "--runs 3").exit_code, 3);
}

TEST(ExecStart, GivesUpOnASilentRequestByItsDeadline) {
  // Says hello and nothing more: the reset has a limit.
  const Ran ran = fuzz(R"(read l; echo "{\"id\":1,\"outcome\":\"ok\",\"protocol\":1}"; sleep 1000)",
                       "--runs 3");
  EXPECT_EQ(ran.exit_code, 4) << ran.output;
  EXPECT_TRUE(has(ran.output, "no answer within 10500 ms")) << ran.output;
}

TEST(ExecProtocol, KeepsAwkwardPayloads) {
  const ExecCall call{7, 3, 1000};
  EXPECT_EQ(commit_line(call, {"t\"0", "a\nb", false}),
            "{\"id\":7,\"session\":3,\"deadline_ms\":1000,\"op\":\"commit\",\"topic\":\"t\\\"0\","
            "\"payload\":\"a\\nb\",\"delete\":false}\n");
  for (const std::string& bytes :
       {std::string("\xFF"), std::string("\xFF\x00x", 3), std::string("\x80\x81\x82\x83")}) {
    const std::string line = commit_line(call, {"t0", bytes, true});
    const std::size_t at = line.find("{\"base64\"");
    ASSERT_NE(at, std::string::npos) << line;
    const std::string payload = line.substr(at, line.find('}', at) + 1 - at);
    const auto frame =
        parse_frame(R"({"id":7,"outcome":"ok","entry":{"payload":)" + payload + "}}");
    ASSERT_TRUE(frame.has_value()) << frame.error().text;
    EXPECT_EQ(frame->entry->payload, bytes);
  }
}

TEST(ExecProtocol, IgnoresWhatItDoesNotKnowAndRefusesWhatItCannotUse) {
  EXPECT_TRUE(parse_frame(R"({"id":1,"outcome":"ok","colour":"green"})").has_value());
  for (const char* line : {"", "[]", "{", "{}", R"({"id":-1,"outcome":"ok"})", R"({"id":1})",
                           R"({"id":1,"outcome":"ok","slot":"1"})",
                           R"({"id":1,"outcome":"ok","slot":18446744073709551615})",
                           R"({"id":1,"outcome":"ok","entry":7})",
                           R"({"id":1,"outcome":"ok","entry":{"payload":{"base64":"a"}}})",
                           R"({"id":1,"outcome":"ok","protocol":2})",
                           R"({"id":1,"outcome":"ok","protocol":1,"slots":"some"})",
                           R"({"id":1,"outcome":"ok","protocol":1,"claims":["everything"]})",
                           R"({"deliver":"A","entries":[]})"}) {
    EXPECT_FALSE(parse_frame(line).has_value()) << line;
  }
}

}  // namespace
}  // namespace causalcheck
