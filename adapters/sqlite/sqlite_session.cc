#include "adapters/sqlite/sqlite_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <utility>

#include "harness/backoff.h"
#include "harness/call_errors.h"

namespace causalcheck {
namespace {

// An open has no deadline of its own.
constexpr std::chrono::seconds kOpenLimit{5};

constexpr std::string_view kLatest =
    "SELECT id, is_delete, payload FROM causalcheck_messages"
    " WHERE run = ? AND topic = ? ORDER BY id DESC LIMIT 1";
// The primary key gives the order; a batch is as long as one look takes.
constexpr std::string_view kNext =
    "SELECT id, topic, is_delete, payload FROM causalcheck_messages"
    " WHERE id > ? AND +run = ? ORDER BY id LIMIT 64";

}  // namespace

SqliteSession::SqliteSession(const SqliteRun& run, Reads reads, Runtime& runtime,
                             SqliteConnection writer, SqliteConnection reader)
    : run_(run),
      reads_(reads),
      runtime_(runtime),
      position_(run.base),
      writer_(std::move(writer)),
      reader_(std::move(reader)) {}

Result<std::unique_ptr<SqliteSession>> SqliteSession::open(const SqliteRun& run, Reads reads,
                                                           SqliteSynchronous synchronous,
                                                           Runtime& runtime) {
  Result<SqliteConnection> writer = SqliteConnection::open(run.file);
  if (writer.has_error()) return writer.error();
  Result<SqliteConnection> reader = SqliteConnection::open(run.file);
  if (reader.has_error()) return reader.error();
  std::unique_ptr<SqliteSession> session(
      new SqliteSession(run, reads, runtime, *std::move(writer), *std::move(reader)));
  const Time deadline = runtime.now() + kOpenLimit;
  Backoff backoff;
  while (true) {
    const int code = session->prepare(synchronous);
    if (code == SQLITE_OK) return session;
    if (!is_busy(code) || !backoff.sleep(runtime, deadline)) {
      return Error(ErrorCode::kUnavailable,
                   fmt::format("sqlite: cannot use {}: {}", run.file, sqlite3_errstr(code)));
    }
  }
}

int SqliteSession::prepare(SqliteSynchronous synchronous) {
  if (const int code =
          writer_.execute(fmt::format("PRAGMA synchronous={}", static_cast<int>(synchronous)));
      code != SQLITE_OK) {
    return code;
  }
  struct Wanted {
    SqliteStatement& statement;
    const SqliteConnection& connection;
    std::string_view sql;
  };
  const std::array<Wanted, 6> wanted = {{
      {begin_, writer_, "BEGIN IMMEDIATE"},
      {insert_, writer_,
       "INSERT INTO causalcheck_messages (run, topic, is_delete, payload) VALUES (?, ?, ?, ?)"},
      {commit_, writer_, "COMMIT"},
      {rollback_, writer_, "ROLLBACK"},
      {latest_, reader_, kLatest},
      {next_, reader_, kNext},
  }};
  for (const Wanted& one : wanted) {
    if (const int code = one.statement.prepare(one.connection, one.sql); code != SQLITE_OK) {
      return code;
    }
  }
  return SQLITE_OK;
}

bool SqliteSession::is_topic(std::string_view topic) const {
  const std::vector<std::string>& topics = run_.run.topics;
  return std::find(topics.begin(), topics.end(), topic) != topics.end();
}

Result<void> SqliteSession::begin(Time deadline) {
  Backoff backoff;
  runtime_.yield();
  while (true) {
    if (runtime_.now() >= deadline) {
      return Error(ErrorCode::kUnavailable,
                   "not begun: the database could not be locked by the deadline");
    }
    const int code = begin_.run();
    if (code == SQLITE_DONE) return {};
    if (!is_busy(code)) {
      return Error(ErrorCode::kRejected, fmt::format("cannot begin: {}", writer_.complaint()));
    }
    backoff.sleep(runtime_, deadline);
  }
}

Error SqliteSession::rolled_back(std::string why) {
  // Should this fail, the transaction stays open, is never committed and goes with the connection.
  static_cast<void>(rollback_.run());
  return Error(ErrorCode::kRejected, std::move(why));
}

Result<void> SqliteSession::finish(Time deadline) {
  Backoff backoff;
  runtime_.yield();
  while (true) {
    if (runtime_.now() >= deadline) {
      return rolled_back("rolled back: it could not be committed by the deadline");
    }
    const int code = commit_.run();
    if (code == SQLITE_DONE) return {};
    if (!is_busy(code)) {
      const std::string why = writer_.complaint();
      static_cast<void>(rollback_.run());  // where SQLite has not done so itself
      return Error(ErrorCode::kConnectionLost, fmt::format("the commit failed: {}", why));
    }
    // Readers of another process keep it out, and it has written nothing but its journal.
    backoff.sleep(runtime_, deadline);
  }
}

Result<Ack> SqliteSession::commit(const Message& message, Time deadline) {
  if (!is_topic(message.topic)) {
    return not_a_topic(message.topic);
  }
  if (const Result<void> begun = begin(deadline); begun.has_error()) return begun.error();
  runtime_.yield();
  insert_.bind(1, run_.run.id);
  insert_.bind(2, message.topic);
  insert_.bind(3, std::int64_t{message.is_delete ? 1 : 0});
  insert_.bind_blob(4, message.payload);
  if (insert_.run() != SQLITE_DONE) {
    return rolled_back(fmt::format("cannot insert: {}", writer_.complaint()));
  }
  const Slot slot = sqlite3_last_insert_rowid(writer_.get()) - run_.base - 1;
  if (const Result<void> done = finish(deadline); done.has_error()) return done.error();
  return Ack{slot};
}

Result<std::optional<Entry>> SqliteSession::poll(std::string_view topic, Time deadline) {
  if (reads_ != Reads::kLatest) return wrong_reads("poll", "feed");
  if (!is_topic(topic)) {
    return not_a_topic(topic);
  }
  Backoff backoff;
  runtime_.yield();
  while (true) {
    if (runtime_.now() >= deadline) return Error(ErrorCode::kDeadline, "no time left to read");
    latest_.bind(1, run_.run.id);
    latest_.bind(2, topic);
    const int code = latest_.step();
    std::optional<Entry> entry;
    if (code == SQLITE_ROW) {
      entry = latest_.message(1);
      if (entry) entry->slot = latest_.number(0) - run_.base - 1;
    }
    latest_.reset();
    if (code == SQLITE_DONE) return std::optional<Entry>();
    if (code == SQLITE_ROW) {
      if (!entry) return Error(ErrorCode::kUndecodable, "the last row is none that we write");
      return entry;
    }
    if (!is_busy(code) || !backoff.sleep(runtime_, deadline)) return read_error(reader_, code);
  }
}

Result<std::vector<Delivered>> SqliteSession::next_rows(Time deadline) {
  Backoff backoff;
  while (true) {
    next_.bind(1, position_);
    next_.bind(2, run_.run.id);
    std::vector<Delivered> batch;
    int code = next_.step();
    bool malformed = false;
    for (; code == SQLITE_ROW && !malformed; code = next_.step()) {
      std::optional<Entry> entry = next_.message(2);
      malformed = !entry;
      if (malformed) break;
      entry->slot = next_.number(0) - run_.base - 1;
      batch.push_back({next_.text(1), *std::move(entry)});
    }
    next_.reset();
    // A feed has no gaps: what cannot be read holds up what comes after it.
    if (!batch.empty()) {
      position_ = *batch.back().entry.slot + run_.base + 1;
      return batch;
    }
    if (malformed) return Error(ErrorCode::kUndecodable, "the next row is none that we write");
    if (code == SQLITE_DONE) return batch;
    if (!is_busy(code) || !backoff.sleep(runtime_, deadline)) return read_error(reader_, code);
  }
}

Result<std::vector<Delivered>> SqliteSession::receive(Time deadline) {
  if (reads_ != Reads::kFeed) return wrong_reads("receive", "latest");
  Backoff backoff;
  while (true) {
    runtime_.yield();
    Result<std::vector<Delivered>> batch = next_rows(deadline);
    if (batch.has_error() || !batch->empty()) return batch;
    if (!backoff.sleep(runtime_, deadline) || runtime_.now() >= deadline) return batch;
  }
}

Result<ResumeToken> SqliteSession::close() {
  return ResumeToken{fmt::format("{}", position_ - run_.base)};
}

Result<void> SqliteSession::resume(const ResumeToken& token) {
  std::int64_t handed_over = 0;
  const char* end = token.bytes.data() + token.bytes.size();
  const auto [stop, error] = std::from_chars(token.bytes.data(), end, handed_over);
  if (error != std::errc() || stop != end || handed_over < 0) {
    return Error(ErrorCode::kRejected,
                 fmt::format("'{}' is no resume token of an sqlite log", token.bytes));
  }
  position_ = run_.base + handed_over;
  return {};
}

}  // namespace causalcheck
