#include "adapters/sqlite/sqlite_backend.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "adapters/sqlite/sqlite_session.h"
#include "harness/call_errors.h"

namespace causalcheck {
namespace {

constexpr std::array<std::string_view, 2> kJournalNames = {"wal", "delete"};

// Outside of runs there is no virtual time: there, what is locked is waited for in real time.
constexpr int kBusyTimeoutMs = 5000;

constexpr const char* kSchema =
    "CREATE TABLE IF NOT EXISTS causalcheck_messages ("
    "  id INTEGER PRIMARY KEY AUTOINCREMENT,"
    "  run TEXT NOT NULL,"
    "  topic TEXT NOT NULL,"
    "  is_delete INTEGER NOT NULL,"
    "  payload BLOB NOT NULL);"
    "CREATE INDEX IF NOT EXISTS causalcheck_messages_by_topic"
    "  ON causalcheck_messages (run, topic);";

}  // namespace

SqliteBackend::SqliteBackend(std::optional<TemporaryFolder> folder, SqliteConnection connection,
                             const SqliteOptions& options)
    : folder_(std::move(folder)), options_(options), connection_(std::move(connection)) {
  run_.file = options_.file;
}

SqliteBackend::~SqliteBackend() {
  // Nobody is left to hear of an error; what could not be removed stays.
  static_cast<void>(forget_run());
}

Result<std::unique_ptr<SqliteBackend>> SqliteBackend::open(const SqliteOptions& asked) {
  SqliteOptions options = asked;
  std::optional<TemporaryFolder> folder;
  if (options.file.empty()) {
    Result<TemporaryFolder> made = TemporaryFolder::make("sqlite");
    if (made.has_error()) return made.error();
    folder.emplace(*std::move(made));
    options.file = folder->path() + "/log.db";
  }
  Result<SqliteConnection> connection = SqliteConnection::open(options.file);
  if (connection.has_error()) return connection.error();
  std::unique_ptr<SqliteBackend> backend(
      new SqliteBackend(std::move(folder), *std::move(connection), options));
  if (const Result<void> made = backend->set_up(); made.has_error()) return made.error();
  return backend;
}

Error SqliteBackend::error(std::string_view what) const {
  return Error(ErrorCode::kUnavailable,
               fmt::format("sqlite: {} {}: {}", what, options_.file, connection_.complaint()));
}

Result<void> SqliteBackend::set_up() {
  sqlite3_busy_timeout(connection_.get(), kBusyTimeoutMs);
  const std::string_view journal = kJournalNames[static_cast<std::size_t>(options_.journal)];
  SqliteStatement pragma;
  if (pragma.prepare(connection_, fmt::format("PRAGMA journal_mode={}", journal)) != SQLITE_OK ||
      pragma.step() != SQLITE_ROW) {
    return error("cannot use");
  }
  const std::string got = pragma.text(0);
  pragma.reset();
  if (got != journal) {
    return Error(
        ErrorCode::kUnavailable,
        fmt::format("sqlite: {} keeps journal={}, and journal={} was asked for; close what "
                    "else uses it, or ask for that one",
                    options_.file, got, journal));
  }
  if (connection_.execute(kSchema) != SQLITE_OK) return error("cannot make our table in");
  SqliteStatement probe;
  if (probe.prepare(connection_,
                    "SELECT id, run, topic, is_delete, payload FROM causalcheck_messages") !=
      SQLITE_OK) {
    return error("there is a table causalcheck_messages that is not ours in");
  }
  return {};
}

BackendDeclaration SqliteBackend::declare() const {
  BackendDeclaration declared;
  Declaration& promises = declared.promises;
  promises.slots = Slots::kSparse;  // other topics and runs take ids in between
  promises.reads = options_.reads;
  promises.level = Level::kTotal;
  promises.scope = Scope::kAll;
  promises.retries = Retries::kNone;
  promises.claims = {Guarantee::kReadYourWrites, Guarantee::kMonotonicReads,
                     Guarantee::kMonotonicWrites, Guarantee::kWritesFollowReads,
                     Guarantee::kRealTime};
  promises.offers = all_judged(promises);
  // "PRAGMA synchronous" and "PRAGMA journal_mode" in SQLite's manual: a power loss may take the
  // last commits of NORMAL in WAL mode, of OFF always, and in DELETE mode of all but EXTRA, which
  // alone syncs the folder after it unlinked the journal.
  const SqliteSynchronous safe = options_.journal == SqliteJournal::kWal
                                     ? SqliteSynchronous::kFull
                                     : SqliteSynchronous::kExtra;
  if (options_.synchronous < safe) promises.offers.erase(Guarantee::kNoLostWrites);
  declared.execution = Execution::kDeterministic;
  declared.concurrency = Concurrency::kReadDuringCommit;
  declared.interleaves = true;
  return declared;
}

Result<void> SqliteBackend::forget_run() {
  if (run_.run.id.empty()) return {};
  SqliteStatement remove;
  if (remove.prepare(connection_, "DELETE FROM causalcheck_messages WHERE run = ?") != SQLITE_OK) {
    return error("cannot remove the run before from");
  }
  remove.bind(1, run_.run.id);
  if (remove.run() != SQLITE_DONE) return error("cannot remove the run before from");
  run_.run.id.clear();
  return {};
}

Result<void> SqliteBackend::reset(const RunInfo& run) {
  if (run.id.empty()) return Error(ErrorCode::kRejected, "a run needs an id");
  if (Result<void> forgotten = forget_run(); forgotten.has_error()) return forgotten;
  SqliteStatement last;
  if (last.prepare(connection_,
                   "SELECT seq FROM sqlite_sequence WHERE name = 'causalcheck_messages'") !=
      SQLITE_OK) {
    return error("cannot read");
  }
  const int code = last.step();
  if (code != SQLITE_ROW && code != SQLITE_DONE) return error("cannot read");
  run_.base = code == SQLITE_ROW ? last.number(0) : 0;
  run_.run = run;
  return {};
}

Result<std::unique_ptr<Session>> SqliteBackend::open(const ClientInfo&, Runtime& runtime,
                                                     const ResumeToken* resume) {
  Result<std::unique_ptr<SqliteSession>> session =
      SqliteSession::open(run_, options_.reads, options_.synchronous, runtime);
  if (session.has_error()) return session.error();
  if (resume != nullptr) {
    if (const Result<void> resumed = (*session)->resume(*resume); resumed.has_error()) {
      return resumed.error();
    }
  }
  return std::unique_ptr<Session>(*std::move(session));
}

Result<std::vector<Entry>> SqliteBackend::drain(std::string_view topic, std::string_view,
                                                Runtime&) {
  if (std::find(run_.run.topics.begin(), run_.run.topics.end(), topic) == run_.run.topics.end()) {
    return not_a_topic(topic);
  }
  SqliteStatement rows;
  if (rows.prepare(connection_,
                   "SELECT id, is_delete, payload FROM causalcheck_messages"
                   " WHERE run = ? AND topic = ? ORDER BY id") != SQLITE_OK) {
    return error("cannot read");
  }
  rows.bind(1, run_.run.id);
  rows.bind(2, topic);
  std::vector<Entry> entries;
  int code = rows.step();
  for (; code == SQLITE_ROW; code = rows.step()) {
    std::optional<Entry> entry = rows.message(1);
    if (!entry) entry.emplace().unreadable = true;
    entry->slot = rows.number(0) - run_.base - 1;
    entries.push_back(*std::move(entry));
  }
  if (code != SQLITE_DONE) return read_error(connection_, code);
  return entries;
}

}  // namespace causalcheck
