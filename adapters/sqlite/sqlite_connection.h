#pragma once

#include <sqlite3.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "harness/backend.h"

namespace causalcheck {

/// One connection to an SQLite database. Never waits for a lock: what is locked answers busy.
///
/// Used by one thread at a time. Move-only.
class SqliteConnection {
 public:
  /// Opens `file`, made if it is not there. Errors: kUnavailable, with the file and the reason.
  [[nodiscard]] static Result<SqliteConnection> open(const std::string& file);

  [[nodiscard]] sqlite3* get() const { return db_.get(); }

  /// Runs statements that answer nothing; their result code.
  [[nodiscard]] int execute(const std::string& sql);

  /// What the last failed call complained about.
  [[nodiscard]] std::string complaint() const { return sqlite3_errmsg(db_.get()); }

 private:
  struct Close {
    void operator()(sqlite3* db) const { sqlite3_close_v2(db); }
  };
  explicit SqliteConnection(sqlite3* db) : db_(db) {}

  std::unique_ptr<sqlite3, Close> db_;
};

/// A prepared statement; empty until `prepare`. Must not outlive its connection. Move-only.
///
/// Bind, step, read the columns, and `reset` before anything that may let another fiber run: a
/// statement in the middle of its rows keeps a lock.
class SqliteStatement {
 public:
  /// Prepares `sql`, a literal. Its result code.
  [[nodiscard]] int prepare(const SqliteConnection& connection, std::string_view sql);

  void bind(int index, std::string_view text);
  void bind(int index, std::int64_t number);
  void bind_blob(int index, std::string_view bytes);
  [[nodiscard]] int step() { return sqlite3_step(statement_.get()); }
  void reset() { sqlite3_reset(statement_.get()); }

  [[nodiscard]] std::int64_t number(int column) const;
  [[nodiscard]] std::string text(int column) const;
  /// The message in columns `column` (is it a delete) and `column + 1` (its payload), without its
  /// slot; nullopt when these are none that we write.
  [[nodiscard]] std::optional<Entry> message(int column) const;

  /// Steps once, for statements that answer nothing, and resets. SQLITE_DONE, or what went wrong.
  [[nodiscard]] int run();

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  std::unique_ptr<sqlite3_stmt, Finalize> statement_{};
};

/// True when `code` says that another connection holds a lock, so that trying again makes sense.
[[nodiscard]] bool is_busy(int code);

/// What a failed read means. kUndecodable for a damaged database; kDeadline when it was busy.
[[nodiscard]] Error read_error(const SqliteConnection& connection, int code);

}  // namespace causalcheck
