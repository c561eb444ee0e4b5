#include "adapters/sqlite/sqlite_adapter.h"

#include <utility>

#include "adapters/sqlite/sqlite_backend.h"

namespace causalcheck {

Result<std::unique_ptr<Backend>> make_sqlite_backend(const BackendUrl& url) {
  SettingsReader settings(url);
  SqliteOptions options;
  options.file = url.address;
  options.reads = settings.reads();
  constexpr SqliteSynchronous kSynchronous[] = {SqliteSynchronous::kFull, SqliteSynchronous::kOff,
                                                SqliteSynchronous::kNormal,
                                                SqliteSynchronous::kExtra};
  options.synchronous =
      kSynchronous[settings.choice("synchronous", {"full", "off", "normal", "extra"})];
  options.journal = settings.choice("journal", {"wal", "delete"}) == 0 ? SqliteJournal::kWal
                                                                       : SqliteJournal::kDelete;
  if (const Result<void> known = settings.finish(); known.has_error()) return known.error();
  if (options.file == ":memory:") {
    return Error(
        ErrorCode::kRejected,
        "sqlite: each connection to :memory: has a database of its own; name a file, or leave "
        "the address out for a temporary one");
  }
  Result<std::unique_ptr<SqliteBackend>> backend = SqliteBackend::open(options);
  if (backend.has_error()) return backend.error();
  return std::unique_ptr<Backend>(*std::move(backend));
}

}  // namespace causalcheck
