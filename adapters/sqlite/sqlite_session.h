#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/sqlite/sqlite_backend.h"
#include "adapters/sqlite/sqlite_connection.h"
#include "harness/backend.h"

namespace causalcheck {

/// One client of a SqliteBackend: a connection that writes and one that reads.
///
/// Which outcomes are certain: all up to the COMMIT, and a COMMIT that found the database busy, for
/// then it is rolled back. A COMMIT that failed in any other way (a full or failing disk) may come
/// back from the journal, so it is kConnectionLost.
class SqliteSession final : public Session {
 public:
  /// `run` and `runtime` outlive the session. Errors: kUnavailable.
  [[nodiscard]] static Result<std::unique_ptr<SqliteSession>> open(const SqliteRun& run,
                                                                   Reads reads,
                                                                   SqliteSynchronous synchronous,
                                                                   Runtime& runtime);

  /// Goes on where `token` says. Errors: kRejected when close() gave no such token.
  [[nodiscard]] Result<void> resume(const ResumeToken& token);

  [[nodiscard]] Result<Ack> commit(const Message& message, Time deadline) override;
  [[nodiscard]] Result<std::optional<Entry>> poll(std::string_view topic, Time deadline) override;
  [[nodiscard]] Result<std::vector<Delivered>> receive(Time deadline) override;
  [[nodiscard]] Result<ResumeToken> close() override;

 private:
  SqliteSession(const SqliteRun& run, Reads reads, Runtime& runtime, SqliteConnection writer,
                SqliteConnection reader);
  /// A result code of the first statement that failed.
  [[nodiscard]] int prepare(SqliteSynchronous synchronous);
  [[nodiscard]] bool is_topic(std::string_view topic) const;
  [[nodiscard]] Result<void> begin(Time deadline);
  [[nodiscard]] Result<void> finish(Time deadline);
  [[nodiscard]] Error rolled_back(std::string why);
  [[nodiscard]] Result<std::vector<Delivered>> next_rows(Time deadline);

  const SqliteRun& run_;
  const Reads reads_;
  Runtime& runtime_;
  std::int64_t position_;  // of a feed: the id of the last row handed over

  // The statements go before their connections.
  SqliteConnection writer_;
  SqliteConnection reader_;
  SqliteStatement begin_{};
  SqliteStatement insert_{};
  SqliteStatement commit_{};
  SqliteStatement rollback_{};
  SqliteStatement latest_{};
  SqliteStatement next_{};
};

}  // namespace causalcheck
