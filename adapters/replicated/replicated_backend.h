#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/replicated/replica_group.h"
#include "adapters/replicated/replicated_settings.h"
#include "harness/backend.h"

namespace causalcheck {

/// A simulated replicated store: replicas n0, n1, ..., of which n0 leads at first.
///
/// It takes time and chance from the run alone: lags from its choices, failovers from the powers
/// below or, when the settings ask for them, from its choices too.
class ReplicatedBackend final : public Backend,
                                public Crashable,
                                public Pausable,
                                public Partitionable {
 public:
  explicit ReplicatedBackend(const ReplicatedSettings& settings);

  [[nodiscard]] BackendDeclaration declare() const override;
  [[nodiscard]] Result<void> reset(const RunInfo& run) override;
  [[nodiscard]] Result<std::unique_ptr<Session>> open(const ClientInfo& client, Runtime& runtime,
                                                      const ResumeToken* resume) override;
  [[nodiscard]] std::vector<std::string> nodes() const override { return names_; }
  /// What its readers would see at `node`, once everything that can has arrived there.
  [[nodiscard]] Result<std::vector<Entry>> drain(std::string_view topic, std::string_view node,
                                                 Runtime& runtime) override;

  // Each refuses a node that does not exist (kRejected).
  [[nodiscard]] Result<void> crash_and_restart(std::string_view node, Runtime& runtime) override;
  [[nodiscard]] Result<void> pause(std::string_view node) override;
  [[nodiscard]] Result<void> resume(std::string_view node) override;
  [[nodiscard]] Result<void> cut(std::string_view node) override;
  [[nodiscard]] Result<void> heal(std::string_view node) override;

 private:
  [[nodiscard]] Result<ReplicaId> find(std::string_view node) const;
  [[nodiscard]] Result<void> change(std::string_view node, void (ReplicaGroup::*how)(ReplicaId));

  const ReplicatedSettings settings_;
  const std::vector<std::string> names_;
  ReplicaGroup group_;
  std::vector<std::string> topics_{};
};

}  // namespace causalcheck
