#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/sqlite/sqlite_connection.h"
#include "harness/backend.h"
#include "harness/temporary_folder.h"

namespace causalcheck {

/// PRAGMA synchronous, by its own numbers.
enum class SqliteSynchronous : std::uint8_t { kOff = 0, kNormal = 1, kFull = 2, kExtra = 3 };
enum class SqliteJournal : std::uint8_t { kWal, kDelete };

struct SqliteOptions {
  std::string file{};  // empty: a temporary one
  Reads reads = Reads::kLatest;
  SqliteSynchronous synchronous = SqliteSynchronous::kFull;
  SqliteJournal journal = SqliteJournal::kWal;
};

/// What the sessions of one run share.
struct SqliteRun {
  std::string file{};
  RunInfo run{};
  std::int64_t base = 0;  // rows of this run come after this one; its slots count from 0
};

/// A log in a table of an SQLite database: one row a message, in the order of the table.
///
/// The table `causalcheck_messages` carries the run's id, so that runs on one file do not meet. A
/// slot is the row's id counted from where the run began: ids come from AUTOINCREMENT, which hands
/// them out under the write lock and never twice, so they are the order of the commits, of all
/// topics together.
///
/// Each session has a connection to write and one to read. A commit is BEGIN IMMEDIATE, INSERT,
/// COMMIT with a yield before each; a read is one statement, and so one snapshot. What is locked is
/// tried again in virtual time. Why a read is never stale: a snapshot is taken when the statement
/// starts, and holds every transaction whose COMMIT had returned by then, on whatever connection.
class SqliteBackend final : public Backend {
 public:
  /// Opens the file and makes the table. Errors: kUnavailable: no such folder, not a database, a
  /// table of that name which is not ours.
  [[nodiscard]] static Result<std::unique_ptr<SqliteBackend>> open(const SqliteOptions& options);
  ~SqliteBackend() override;

  [[nodiscard]] BackendDeclaration declare() const override;
  [[nodiscard]] Result<void> reset(const RunInfo& run) override;
  [[nodiscard]] Result<std::unique_ptr<Session>> open(const ClientInfo& client, Runtime& runtime,
                                                      const ResumeToken* resume) override;
  [[nodiscard]] Result<std::vector<Entry>> drain(std::string_view topic, std::string_view node,
                                                 Runtime& runtime) override;

 private:
  SqliteBackend(std::optional<TemporaryFolder> folder, SqliteConnection connection,
                const SqliteOptions& options);
  [[nodiscard]] Result<void> set_up();
  [[nodiscard]] Result<void> forget_run();
  [[nodiscard]] Error error(std::string_view what) const;

  std::optional<TemporaryFolder> folder_;  // goes after the connection
  const SqliteOptions options_;
  SqliteConnection connection_;  // for everything but the sessions
  SqliteRun run_{};
};

}  // namespace causalcheck
