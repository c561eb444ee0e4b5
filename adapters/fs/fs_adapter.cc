#include "adapters/fs/fs_adapter.h"

#include <utility>

#include "adapters/fs/fs_backend.h"
#include "adapters/fs/fs_store.h"

namespace causalcheck {

Result<std::unique_ptr<Backend>> make_fs_backend(const BackendUrl& url) {
  SettingsReader settings(url);
  ObjectLogOptions options;
  options.reads = settings.reads();
  const bool simulated = settings.choice("files", {"real", "simulated"}) == 1;
  constexpr FsSyncs kSyncs[] = {{true, true}, {true, false}, {false, true}, {false, false}};
  const FsSyncs syncs = kSyncs[settings.choice("sync", {"both", "file", "folder", "none"})];
  if (simulated) settings.refuse_address();
  if (const Result<void> known = settings.finish(); known.has_error()) return known.error();
  if (simulated) return std::unique_ptr<Backend>(SimulatedFsBackend::make(syncs, options));
  Result<std::unique_ptr<FsStore>> store =
      url.address.empty() ? FsStore::open_temporary(syncs) : FsStore::open(url.address, syncs);
  if (store.has_error()) return store.error();
  return std::unique_ptr<Backend>(std::make_unique<FsBackend>(*std::move(store), syncs, options));
}

}  // namespace causalcheck
