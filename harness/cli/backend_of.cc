#include "harness/cli/backend_of.h"

#include "adapters/adapters.h"
#include "fixtures/bugs/planted_bug.h"
#include "fixtures/flake/flaky_log.h"
#include "harness/backend_url.h"

namespace causalcheck::cli {
namespace {

Result<std::unique_ptr<Backend>> flake_of(const std::string& name) {
  std::string known;
  for (const FlakeBackend& flake : flakes()) {
    if (name == flake.name) return flake.make();
    known += (known.empty() ? "" : ", ") + std::string(flake.name);
  }
  return Error(ErrorCode::kRejected,
               "there is no flake \"" + name + "\"; known are " + known + " (docs/flake.md)");
}

}  // namespace

Result<std::unique_ptr<Backend>> backend_of(const std::string& spec) {
  const Result<BackendUrl> url = parse_backend_url(spec);
  if (url.has_value() && url->name == "flake") return flake_of(url->address);
  if (!url || url->name != "planted") return make_backend(spec);
  std::string known;
  for (const PlantedBug& bug : planted_bugs()) {
    if (url->address == bug.name) return bug.make();
    if (url->address == std::string(bug.name) + "/twin") return bug.make_twin();
    if (bug.make_rare != nullptr && url->address == std::string(bug.name) + "/rare") {
      return bug.make_rare();
    }
    known += (known.empty() ? "" : ", ") + std::string(bug.name);
  }
  return Error(ErrorCode::kRejected,
               "there is no planted bug \"" + url->address + "\"; known are " + known +
                   ", and each with /twin behind it without the defect, or with " +
                   "/rare where it acts at most once a run");
}

ExitCode exit_code_of(const Error& error) {
  return error.code == ErrorCode::kRejected ? ExitCode::kBadArguments : ExitCode::kBackend;
}

ExitCode exit_code_of(const RunFailure& failure) {
  switch (failure.kind) {
    case RunFailure::Kind::kBackend:
    case RunFailure::Kind::kMisuse:
      return ExitCode::kBackend;
    case RunFailure::Kind::kOverdue:
      return ExitCode::kUnknown;
    case RunFailure::Kind::kInternal:
      break;
  }
  return ExitCode::kInternal;
}

}  // namespace causalcheck::cli
