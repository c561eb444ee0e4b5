#include "adapters/replicated/replicated_adapter.h"

#include "adapters/replicated/replicated_backend.h"
#include "adapters/replicated/replicated_settings.h"

namespace causalcheck {

Result<std::unique_ptr<Backend>> make_replicated_backend(const BackendUrl& url) {
  const Result<ReplicatedSettings> settings = read_replicated_settings(url);
  if (settings.has_error()) return settings.error();
  return std::unique_ptr<Backend>(std::make_unique<ReplicatedBackend>(*settings));
}

}  // namespace causalcheck
