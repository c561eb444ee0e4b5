#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>

#include "adapters/adapters.h"
#include "harness/scheduler.h"
#include "tests/plain_runtime.h"
#include "tests/scratch_folder.h"

namespace causalcheck {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr Time kFar = std::chrono::seconds(10);

// Another program on the same file.
class Stranger {
 public:
  explicit Stranger(const std::string& file) {
    EXPECT_EQ(sqlite3_open(file.c_str(), &db_), SQLITE_OK);
    sqlite3_busy_timeout(db_, 5000);
  }
  ~Stranger() { sqlite3_close(db_); }
  Stranger(const Stranger&) = delete;
  Stranger& operator=(const Stranger&) = delete;

  void run(const std::string& sql) {
    EXPECT_EQ(sqlite3_exec(db_, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
        << sql << ": " << sqlite3_errmsg(db_);
  }
  // The first column of the first row.
  std::string ask(const std::string& sql) {
    sqlite3_stmt* statement = nullptr;
    EXPECT_EQ(sqlite3_prepare_v2(db_, sql.c_str(), -1, &statement, nullptr), SQLITE_OK)
        << sqlite3_errmsg(db_);
    EXPECT_EQ(sqlite3_step(statement), SQLITE_ROW);
    const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, 0));
    std::string answer = text == nullptr ? "" : text;
    sqlite3_finalize(statement);
    return answer;
  }

 private:
  sqlite3* db_ = nullptr;
};

class SqliteTest : public testing::Test {
 protected:
  void make(const std::string& settings = "") {
    backend_.reset();
    auto made = make_backend("sqlite:" + file_ + settings);
    ASSERT_TRUE(made.has_value()) << made.error().text;
    backend_ = *std::move(made);
    ASSERT_TRUE(backend_->reset({"run", {"x", "y"}}).has_value());
  }
  std::unique_ptr<Session> open(const ResumeToken* resume = nullptr) {
    auto session = backend_->open({0, "A", 1}, runtime_, resume);
    if (session.has_error()) throw std::runtime_error(session.error().text);
    return *std::move(session);
  }
  Result<Ack> commit(Session& session, std::string_view payload, std::string_view topic = "x") {
    return session.commit({topic, payload, false}, runtime_.now() + kFar);
  }
  std::string polled(Session& session, Time limit = kFar) {
    const auto answer = session.poll("x", runtime_.now() + limit);
    if (answer.has_error()) return "error " + std::string(to_string(answer.error().code));
    return answer->has_value() ? (*answer)->payload : "nothing";
  }
  std::vector<std::string> drained(std::string_view topic = "x") {
    std::vector<std::string> lines;
    const auto answer = backend_->drain(topic, "", runtime_);
    EXPECT_TRUE(answer.has_value()) << answer.error().text;
    for (const Entry& entry : *answer) {
      lines.push_back(std::to_string(*entry.slot) + ":" +
                      (entry.unreadable ? "unreadable" : entry.payload));
    }
    return lines;
  }
  std::string refusal() {
    const auto made = make_backend("sqlite:" + file_);
    if (made.has_value()) {
      ADD_FAILURE() << file_ << " was taken";
      return "";
    }
    EXPECT_EQ(made.error().code, ErrorCode::kUnavailable);
    return made.error().text;
  }

  ScratchFolder folder_{};
  std::string file_ = folder_ / "log.db";
  PlainRuntime runtime_{};
  std::unique_ptr<Backend> backend_{};
};

TEST_F(SqliteTest, PromisesASparseTotalOrderOfAllTopics) {
  make();
  const BackendDeclaration declared = backend_->declare();
  EXPECT_EQ(declared.promises.slots, Slots::kSparse);
  EXPECT_EQ(declared.promises.level, Level::kTotal);
  EXPECT_EQ(declared.promises.scope, Scope::kAll);
  EXPECT_EQ(declared.promises.retries, Retries::kNone);
  EXPECT_EQ(declared.concurrency, Concurrency::kReadDuringCommit);
}

TEST_F(SqliteTest, OffersNoLostWritesOnlyWhereAPowerLossTakesNone) {
  const auto offers = [](const std::string& settings) {
    return (*make_backend("sqlite" + settings))->declare().promises.offers;
  };
  const auto safe = [&](const std::string& settings) {
    return offers(settings).contains(Guarantee::kNoLostWrites);
  };
  EXPECT_TRUE(safe(""));
  EXPECT_TRUE(safe("?synchronous=extra"));
  EXPECT_FALSE(safe("?synchronous=normal"));
  EXPECT_FALSE(safe("?synchronous=off"));
  EXPECT_FALSE(safe("?journal=delete"));
  EXPECT_TRUE(safe("?journal=delete&synchronous=extra"));
  EXPECT_TRUE(offers("?synchronous=off").contains(Guarantee::kReadYourWrites));
}

TEST_F(SqliteTest, SlotsAreThePlacesInTheTableOfAllTopics) {
  make();
  const auto a = open();
  EXPECT_EQ(commit(*a, "A1", "x")->slot, 0);
  EXPECT_EQ(commit(*a, "A2", "y")->slot, 1);
  EXPECT_EQ(commit(*a, "A3", "x")->slot, 2);
  EXPECT_THAT(drained("x"), ElementsAre("0:A1", "2:A3"));
}

TEST_F(SqliteTest, TheSettingsReachTheDatabase) {
  make("?journal=delete");
  EXPECT_EQ(Stranger(file_).ask("PRAGMA journal_mode"), "delete");
  make("?journal=wal");
  EXPECT_EQ(Stranger(file_).ask("PRAGMA journal_mode"), "wal");
}

TEST_F(SqliteTest, RowsOfOthersStayAndAreNotSeen) {
  make();
  { commit(*open(), "A1").value(); }
  Stranger stranger(file_);
  stranger.run(
      "INSERT INTO causalcheck_messages (run, topic, is_delete, payload)"
      " VALUES ('another', 'x', 0, x'41')");
  stranger.run("CREATE TABLE theirs (a); INSERT INTO theirs VALUES (1)");
  {
    const auto a = open();
    EXPECT_EQ(polled(*a), "A1");
    EXPECT_EQ(commit(*a, "A2")->slot, 2);  // the other one lies between
  }
  EXPECT_THAT(drained(), ElementsAre("0:A1", "2:A2"));
  ASSERT_TRUE(backend_->reset({"run2", {"x"}}).has_value());
  EXPECT_THAT(drained(), IsEmpty());
  EXPECT_EQ(commit(*open(), "A1")->slot, 0);
  backend_.reset();
  EXPECT_EQ(stranger.ask("SELECT group_concat(run) FROM causalcheck_messages"), "another");
  EXPECT_EQ(stranger.ask("SELECT a FROM theirs"), "1");
}

TEST_F(SqliteTest, TheFileOfTheAddressStaysAndATemporaryOneGoes) {
  make();
  { commit(*open(), "A1").value(); }
  backend_.reset();
  EXPECT_THAT(folder_.content(), ElementsAre("log.db"));
  ASSERT_EQ(::setenv("TMPDIR", folder_.path().c_str(), 1), 0);
  {
    const auto temporary = make_backend("sqlite").value();
    EXPECT_GT(folder_.content().size(), 1U);
  }
  ::unsetenv("TMPDIR");
  EXPECT_THAT(folder_.content(), ElementsAre("log.db"));
}

TEST_F(SqliteTest, AFileThatIsNoDatabaseGivesOneClearError) {
  folder_.write("log.db", std::string(5000, '?'));
  EXPECT_THAT(refusal(), testing::AllOf(HasSubstr("log.db"), HasSubstr("not a database")));
  EXPECT_EQ(folder_.read("log.db"), std::string(5000, '?'));
}

TEST_F(SqliteTest, AFolderThatIsNotThereGivesOneClearError) {
  file_ = folder_ / "nowhere/log.db";
  EXPECT_THAT(refusal(), testing::AllOf(HasSubstr("nowhere/log.db"), HasSubstr("unable to open")));
}

TEST_F(SqliteTest, ATableOfThatNameWhichIsNotOursGivesOneClearError) {
  Stranger(file_).run("CREATE TABLE causalcheck_messages (run, topic)");
  EXPECT_THAT(refusal(), HasSubstr("not ours"));
}

TEST_F(SqliteTest, AnInMemoryDatabaseIsRefused) {
  const auto made = make_backend("sqlite::memory:");
  ASSERT_TRUE(made.has_error());
  EXPECT_EQ(made.error().code, ErrorCode::kRejected);
}

TEST_F(SqliteTest, ACommitYieldsBetweenItsStatements) {
  make();
  const auto a = open();
  runtime_.yields = 0;
  commit(*a, "A1").value();
  EXPECT_EQ(runtime_.yields, 3U);
}

TEST_F(SqliteTest, ACommitWaitsForALockInVirtualTime) {
  make();
  const auto a = open();
  Stranger stranger(file_);
  stranger.run("BEGIN IMMEDIATE");
  runtime_.on_sleep = [&] {
    if (runtime_.sleeps == 5) stranger.run("ROLLBACK");
  };
  EXPECT_EQ(commit(*a, "A1")->slot, 0);
  EXPECT_EQ(runtime_.sleeps, 5U);
}

TEST_F(SqliteTest, ALockThatLastsUntilTheDeadlineMeansThatNothingWasSent) {
  make();
  const auto a = open();
  Stranger stranger(file_);
  stranger.run("BEGIN IMMEDIATE");
  const Result<Ack> answer = commit(*a, "A1");
  ASSERT_TRUE(answer.has_error());
  EXPECT_EQ(answer.error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(runtime_.now(), kFar);
  stranger.run("ROLLBACK");
  EXPECT_THAT(drained(), IsEmpty());
  EXPECT_EQ(commit(*a, "A2")->slot, 0);
}

TEST_F(SqliteTest, ReadersGoOnWhileAWriteAheadLogIsWritten) {
  make();
  const auto a = open();
  const auto b = open();
  commit(*a, "A1").value();
  std::vector<std::string> seen;
  runtime_.on_yield = [&] { seen.push_back(polled(*b)); };
  commit(*a, "A2").value();
  runtime_.on_yield = {};
  EXPECT_THAT(seen, ElementsAre("A1", "A1", "A1"));
  EXPECT_EQ(polled(*b), "A2");
}

// Without a write-ahead log a reader of another program keeps a commit from its last step.
TEST_F(SqliteTest, ACommitThatReadersKeepOutIsRolledBackAndCertainlyDidNotHappen) {
  make("?journal=delete");
  const auto a = open();
  commit(*a, "A1").value();
  Stranger stranger(file_);
  stranger.run("BEGIN");
  EXPECT_EQ(stranger.ask("SELECT count(*) FROM causalcheck_messages"), "1");
  const Result<Ack> answer = commit(*a, "A2");
  ASSERT_TRUE(answer.has_error());
  EXPECT_EQ(outcome_of(answer.error().code), Outcome::kFail);
  EXPECT_GT(runtime_.sleeps, 10U);
  stranger.run("ROLLBACK");
  EXPECT_THAT(drained(), ElementsAre("0:A1"));
  EXPECT_EQ(commit(*a, "A3")->slot, 1);
}

TEST_F(SqliteTest, ACommitGoesThroughOnceTheReadersAreGone) {
  make("?journal=delete");
  const auto a = open();
  commit(*a, "A1").value();
  Stranger stranger(file_);
  stranger.run("BEGIN");
  EXPECT_EQ(stranger.ask("SELECT count(*) FROM causalcheck_messages"), "1");
  runtime_.on_sleep = [&] {
    if (runtime_.sleeps == 3) stranger.run("ROLLBACK");
  };
  EXPECT_EQ(commit(*a, "A2")->slot, 1);
  EXPECT_THAT(drained(), ElementsAre("0:A1", "1:A2"));
}

TEST_F(SqliteTest, AReaderWaitsForAWriterThatKeepsItOut) {
  make("?journal=delete");
  const auto a = open();
  commit(*a, "A1").value();
  Stranger stranger(file_);
  stranger.run("BEGIN EXCLUSIVE");
  EXPECT_EQ(polled(*a, std::chrono::milliseconds(5)), "error deadline");
  runtime_.sleeps = 0;
  runtime_.on_sleep = [&] {
    if (runtime_.sleeps == 3) stranger.run("ROLLBACK");
  };
  EXPECT_EQ(polled(*a), "A1");
}

TEST_F(SqliteTest, ACommitThatComesTooLateIsRolledBack) {
  make();
  const auto a = open();
  const Time deadline = std::chrono::milliseconds(5);
  // The time goes by between the INSERT and the COMMIT.
  runtime_.on_yield = [&] {
    if (runtime_.yields == 3) runtime_.sleep_until(deadline);
  };
  const Result<Ack> answer = a->commit({"x", "A1", false}, deadline);
  ASSERT_TRUE(answer.has_error());
  EXPECT_EQ(outcome_of(answer.error().code), Outcome::kFail);
  runtime_.on_yield = {};
  EXPECT_THAT(drained(), IsEmpty());
  EXPECT_EQ(commit(*a, "A2")->slot, 0);
}

// Files may grow no further than they are, as if the disk were full.
class FullDisk {
 public:
  explicit FullDisk(const std::string& file) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{std::filesystem::file_size(file), before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FullDisk() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;

 private:
  rlimit before_{};
  void (*handler_)(int) = nullptr;
};

TEST_F(SqliteTest, ACommitWhoseDiskFailsMayHaveHappened) {
  make();
  const auto a = open();
  commit(*a, "A1").value();
  {
    const FullDisk full(file_ + "-wal");
    const Result<Ack> answer = commit(*a, "A2");
    ASSERT_TRUE(answer.has_error());
    EXPECT_EQ(outcome_of(answer.error().code), Outcome::kInfo) << answer.error().text;
  }
  EXPECT_EQ(commit(*a, "A3")->slot, 1);
  EXPECT_EQ(polled(*a), "A3");
}

TEST_F(SqliteTest, AnInsertWhoseDiskFailsCertainlyDidNotHappen) {
  make();
  const auto a = open();
  commit(*a, "A1").value();
  {
    // More than the cache holds, so that it is written before the COMMIT.
    const FullDisk full(file_ + "-wal");
    const Result<Ack> answer = commit(*a, std::string(8 << 20, 'x'));
    ASSERT_TRUE(answer.has_error());
    EXPECT_EQ(outcome_of(answer.error().code), Outcome::kFail) << answer.error().text;
  }
  EXPECT_EQ(commit(*a, "A3")->slot, 1);
  EXPECT_THAT(drained(), ElementsAre("0:A1", "1:A3"));
}

TEST_F(SqliteTest, ARowThatIsNoneOfOursIsNoAnswerAndNoOlderValue) {
  make();
  const auto a = open();
  commit(*a, "A1").value();
  Stranger(file_).run(
      "INSERT INTO causalcheck_messages (run, topic, is_delete, payload)"
      " VALUES ('run', 'x', 0, 'text')");
  EXPECT_EQ(polled(*a), "error undecodable");
  EXPECT_THAT(drained(), ElementsAre("0:A1", "1:unreadable"));
  commit(*a, "A2").value();
  EXPECT_EQ(polled(*a), "A2");
}

TEST_F(SqliteTest, AFeedStopsBeforeARowThatIsNoneOfOurs) {
  make("?reads=feed");
  const auto a = open();
  commit(*a, "A1").value();
  Stranger(file_).run(
      "INSERT INTO causalcheck_messages (run, topic, is_delete, payload)"
      " VALUES ('run', 'x', 2, x'41')");
  commit(*a, "A2").value();
  const auto first = a->receive(runtime_.now() + kFar);
  ASSERT_TRUE(first.has_value());
  ASSERT_EQ(first->size(), 1U);
  EXPECT_EQ(first->at(0).entry.payload, "A1");
  EXPECT_EQ(a->receive(runtime_.now() + kFar).error().code, ErrorCode::kUndecodable);
  EXPECT_EQ(a->receive(runtime_.now() + kFar).error().code, ErrorCode::kUndecodable);
}

TEST_F(SqliteTest, AFeedHandsOverAllTopicsInTheOrderOfTheirCommits) {
  make("?reads=feed");
  const auto a = open();
  std::string committed;
  for (int i = 0; i < 150; ++i) {
    const std::string topic = i % 3 == 0 ? "y" : "x";
    commit(*a, "A" + std::to_string(i), topic).value();
    committed += topic + "A" + std::to_string(i) + " ";
  }
  const auto b = open();
  std::string handed;
  for (int i = 0; i < 3; ++i) {
    for (const Delivered& one : b->receive(runtime_.now() + kFar).value()) {
      handed += one.topic + one.entry.payload + " ";
    }
  }
  EXPECT_EQ(handed, committed);
}

TEST_F(SqliteTest, ATokenThatIsNoneIsRefused) {
  make();
  for (const char* bytes : {"", "x", "-1", "1 ", "1=2"}) {
    const ResumeToken token{bytes};
    EXPECT_EQ(backend_->open({0, "A", 1}, runtime_, &token).error().code, ErrorCode::kRejected)
        << bytes;
  }
}

TEST_F(SqliteTest, CommitsOfFibersWaitForEachOtherWithoutBlockingTheThread) {
  make("?synchronous=off");
  DeterministicScheduler scheduler;
  Choices choices(1);
  const Strategy strategy;
  scheduler.begin(choices, strategy);
  for (std::uint32_t client = 0; client < 3; ++client) {
    scheduler.spawn(client, "client", [&, client] {
      Runtime& runtime = scheduler.runtime_of(client, Time::zero());
      const auto session = *backend_->open({client, client_label(client), 1}, runtime, nullptr);
      for (int i = 0; i < 10; ++i) {
        const OperationScope inside(scheduler);
        ASSERT_TRUE(session->commit({"x", "m", false}, kFar).has_value());
      }
    });
  }
  scheduler.run();
  EXPECT_EQ(drained().size(), 30U);
  EXPECT_GT(scheduler.switches_inside(), 10U);
}

}  // namespace
}  // namespace causalcheck
