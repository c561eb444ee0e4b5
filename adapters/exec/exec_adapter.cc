#include "adapters/exec/exec_adapter.h"

#include <utility>

#include "adapters/exec/exec_backend.h"

namespace causalcheck {

Result<std::unique_ptr<Backend>> make_exec_backend(const BackendUrl& url) {
  SettingsReader settings(url);
  if (const Result<void> known = settings.finish(); known.has_error()) return known.error();
  if (url.address.find_first_not_of(' ') == std::string::npos) {
    return Error(ErrorCode::kRejected,
                 "exec: it needs a command, as in 'exec:python3 my_backend.py'; "
                 "docs/exec-protocol.md says what that has to do");
  }
  try {
    Result<std::unique_ptr<ExecBackend>> backend = ExecBackend::start(to_string(url), url.address);
    if (backend.has_error()) {
      return Error(backend.error().code, to_string(url) + ": " + backend.error().text);
    }
    return std::unique_ptr<Backend>(*std::move(backend));
  } catch (const AdapterMisuse& misuse) {
    return Error(ErrorCode::kUnavailable, misuse.what());
  }
}

}  // namespace causalcheck
