#include "adapters/fs/fs_backend.h"

#include <fmt/format.h>

#include <utility>

namespace causalcheck {
namespace {

Result<void> only_node(std::string_view node) {
  if (node.empty()) return {};
  return Error(ErrorCode::kRejected, fmt::format("there is one machine, and none called {}", node));
}

}  // namespace

BackendDeclaration FsBackend::declare() const {
  BackendDeclaration declared = ObjectLog::declare();
  // A slot whose message is gone is taken again: every order and every promise rests on it.
  if (!syncs_.files || !syncs_.folders) declared.promises.offers = {Guarantee::kOutcome};
  return declared;
}

std::unique_ptr<SimulatedFsBackend> SimulatedFsBackend::make(FsSyncs syncs,
                                                             const ObjectLogOptions& options) {
  auto files = std::make_unique<SimulatedFiles>();
  SimulatedFiles& simulated = *files;
  auto store = std::make_unique<FsStore>(std::move(files), syncs);
  return std::unique_ptr<SimulatedFsBackend>(
      new SimulatedFsBackend(std::move(store), simulated, syncs, options));
}

SimulatedFsBackend::SimulatedFsBackend(std::unique_ptr<FsStore> store, SimulatedFiles& files,
                                       FsSyncs syncs, const ObjectLogOptions& options)
    : FsBackend(std::move(store), syncs, options),
      files_(files),
      fs_(static_cast<FsStore&>(ObjectLog::store())) {}

Result<void> SimulatedFsBackend::reset(const RunInfo& run) {
  if (Result<void> ready = FsBackend::reset(run); ready.has_error()) return ready;
  // What a run before left unsynced would be for this one's power loss to decide.
  files_.wipe();
  fs_.restarted();
  return {};
}

Result<void> SimulatedFsBackend::crash_and_restart(std::string_view node, Runtime&) {
  if (Result<void> known = only_node(node); known.has_error()) return known;
  files_.crash();
  fs_.restarted();
  return {};
}

Result<void> SimulatedFsBackend::lose_power(std::string_view node, Runtime& runtime) {
  if (Result<void> known = only_node(node); known.has_error()) return known;
  files_.lose_power(runtime);
  fs_.restarted();
  return {};
}

}  // namespace causalcheck
