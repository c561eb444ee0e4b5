#pragma once

#include <memory>
#include <string_view>

#include "adapters/fs/fs_store.h"
#include "adapters/fs/simulated_files.h"
#include "harness/backend.h"
#include "harness/object_log.h"

namespace causalcheck {

/// A log of files. With less than both syncs it offers next to nothing, because nothing that it
/// said survives a loss of power, and claims all of it as before.
class FsBackend : public ObjectLog {
 public:
  FsBackend(std::unique_ptr<FsStore> store, FsSyncs syncs, const ObjectLogOptions& options)
      : ObjectLog(std::move(store), options), syncs_(syncs) {}
  [[nodiscard]] BackendDeclaration declare() const override;

 private:
  const FsSyncs syncs_;
};

/// The same on simulated files: each run on an empty disk of a machine that can crash and lose its
/// power. A crash takes whatever was in the middle of it; a loss of power also what was not synced.
class SimulatedFsBackend final : public FsBackend, public Crashable, public PowerLosable {
 public:
  [[nodiscard]] static std::unique_ptr<SimulatedFsBackend> make(FsSyncs syncs,
                                                                const ObjectLogOptions& options);

  [[nodiscard]] Result<void> reset(const RunInfo& run) override;
  [[nodiscard]] Result<void> crash_and_restart(std::string_view node, Runtime& runtime) override;
  [[nodiscard]] Result<void> lose_power(std::string_view node, Runtime& runtime) override;

 private:
  SimulatedFsBackend(std::unique_ptr<FsStore> store, SimulatedFiles& files, FsSyncs syncs,
                     const ObjectLogOptions& options);

  SimulatedFiles& files_;  // the store has it
  FsStore& fs_;            // the log has it
};

}  // namespace causalcheck
