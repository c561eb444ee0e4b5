#include "adapters/fs/fs_adapter.h"

#include <utility>

#include "adapters/fs/fs_store.h"
#include "harness/object_log.h"

namespace causalcheck {

Result<std::unique_ptr<Backend>> make_fs_backend(const BackendUrl& url) {
  SettingsReader settings(url);
  ObjectLogOptions options;
  options.reads = settings.reads();
  if (const Result<void> known = settings.finish(); known.has_error()) return known.error();
  Result<std::unique_ptr<FsStore>> store =
      url.address.empty() ? FsStore::open_temporary() : FsStore::open(url.address);
  if (store.has_error()) return store.error();
  return std::unique_ptr<Backend>(std::make_unique<ObjectLog>(*std::move(store), options));
}

}  // namespace causalcheck
