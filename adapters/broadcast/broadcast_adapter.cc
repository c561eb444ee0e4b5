#include "adapters/broadcast/broadcast_adapter.h"

#include "adapters/broadcast/broadcast_backend.h"
#include "adapters/broadcast/broadcast_settings.h"

namespace causalcheck {

Result<std::unique_ptr<Backend>> make_broadcast_backend(const BackendUrl& url) {
  const Result<BroadcastSettings> settings = read_broadcast_settings(url);
  if (settings.has_error()) return settings.error();
  return std::unique_ptr<Backend>(std::make_unique<BroadcastBackend>(*settings));
}

}  // namespace causalcheck
