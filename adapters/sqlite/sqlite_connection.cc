#include "adapters/sqlite/sqlite_connection.h"

#include <fmt/format.h>

namespace causalcheck {
namespace {

int primary(int code) { return code & 0xFF; }

std::string_view bytes_of(const void* data, int size) {
  return {static_cast<const char*>(data), static_cast<std::size_t>(size)};
}

}  // namespace

bool is_busy(int code) {
  // SQLITE_PROTOCOL: another connection kept changing the locks of the write-ahead log's index.
  return primary(code) == SQLITE_BUSY || primary(code) == SQLITE_LOCKED ||
         primary(code) == SQLITE_PROTOCOL;
}

Error read_error(const SqliteConnection& connection, int code) {
  const std::string text = fmt::format("cannot read: {}", connection.complaint());
  if (is_busy(code)) return Error(ErrorCode::kDeadline, text);
  const bool damaged = primary(code) == SQLITE_CORRUPT || primary(code) == SQLITE_NOTADB;
  return Error(damaged ? ErrorCode::kUndecodable : ErrorCode::kConnectionLost, text);
}

Result<SqliteConnection> SqliteConnection::open(const std::string& file) {
  sqlite3* db = nullptr;
  const int code = sqlite3_open_v2(
      file.c_str(), &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr);
  SqliteConnection connection(db);
  if (code != SQLITE_OK) {
    return Error(ErrorCode::kUnavailable,
                 fmt::format("sqlite: cannot open {}: {}", file,
                             db == nullptr ? sqlite3_errstr(code) : connection.complaint()));
  }
  sqlite3_extended_result_codes(db, 1);
  sqlite3_busy_timeout(db, 0);
  return connection;
}

int SqliteConnection::execute(const std::string& sql) {
  return sqlite3_exec(db_.get(), sql.c_str(), nullptr, nullptr, nullptr);
}

int SqliteStatement::prepare(const SqliteConnection& connection, std::string_view sql) {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v3(connection.get(), sql.data(), static_cast<int>(sql.size()),
                                      SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  statement_.reset(statement);
  return code;
}

void SqliteStatement::bind(int index, std::string_view text) {
  sqlite3_bind_text64(statement_.get(), index, text.data(), text.size(), SQLITE_TRANSIENT,
                      SQLITE_UTF8);
}

void SqliteStatement::bind(int index, std::int64_t number) {
  sqlite3_bind_int64(statement_.get(), index, number);
}

void SqliteStatement::bind_blob(int index, std::string_view bytes) {
  // A null pointer would bind NULL, which is not the empty payload.
  sqlite3_bind_blob64(statement_.get(), index, bytes.empty() ? "" : bytes.data(), bytes.size(),
                      SQLITE_TRANSIENT);
}

std::int64_t SqliteStatement::number(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

std::string SqliteStatement::text(int column) const {
  const void* data = sqlite3_column_text(statement_.get(), column);
  return std::string(bytes_of(data, sqlite3_column_bytes(statement_.get(), column)));
}

std::optional<Entry> SqliteStatement::message(int column) const {
  sqlite3_stmt* const row = statement_.get();
  const std::int64_t is_delete = sqlite3_column_int64(row, column);
  if (sqlite3_column_type(row, column) != SQLITE_INTEGER || is_delete < 0 || is_delete > 1 ||
      sqlite3_column_type(row, column + 1) != SQLITE_BLOB) {
    return std::nullopt;
  }
  Entry entry;
  const void* data = sqlite3_column_blob(row, column + 1);
  const int size = sqlite3_column_bytes(row, column + 1);
  if (size > 0) entry.payload = bytes_of(data, size);
  entry.is_delete = is_delete == 1;
  return entry;
}

int SqliteStatement::run() {
  const int code = step();
  reset();
  return code;
}

}  // namespace causalcheck
