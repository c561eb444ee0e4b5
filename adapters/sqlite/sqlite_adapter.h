#pragma once

#include <memory>

#include "harness/backend.h"
#include "harness/backend_url.h"

namespace causalcheck {

/// `sqlite:FILE`: a log in a table of an SQLite database (SqliteBackend). Without FILE a temporary
/// one.
///
/// Settings: reads=latest|feed, synchronous=full|off|normal|extra, journal=wal|delete (a FILE keeps
/// its journal mode afterwards). Errors: kRejected for a setting or an address it does not know,
/// kUnavailable for a FILE that cannot be opened or is no database.
[[nodiscard]] Result<std::unique_ptr<Backend>> make_sqlite_backend(const BackendUrl& url);

}  // namespace causalcheck
