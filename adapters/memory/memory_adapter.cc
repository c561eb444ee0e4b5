#include "adapters/memory/memory_adapter.h"

#include <utility>

#include "adapters/memory/memory_store.h"
#include "harness/object_log.h"

namespace causalcheck {

Result<std::unique_ptr<Backend>> make_memory_backend(const BackendUrl& url) {
  SettingsReader settings(url);
  settings.refuse_address();
  ObjectLogOptions options;
  options.reads = settings.reads();
  options.execution = settings.execution();
  if (const Result<void> known = settings.finish(); known.has_error()) return known.error();
  return std::unique_ptr<Backend>(
      std::make_unique<ObjectLog>(std::make_unique<MemoryStore>(options.execution), options));
}

}  // namespace causalcheck
