#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/faults/fault_injector.h"
#include "harness/object_store.h"

namespace causalcheck {

/// An object store whose requests meet the faults of a run, as long as a client makes them: what
/// the drain asks is forwarded as it is.
class FaultyStore final : public ObjectStore {
 public:
  FaultyStore(FaultInjector& faults, ObjectStore& inner) : faults_(faults), inner_(inner) {}

  [[nodiscard]] Result<Created> create_if_absent(std::string_view key, std::string_view content,
                                                 Runtime& runtime, Time deadline) override;
  [[nodiscard]] Result<std::optional<std::string>> get(std::string_view key, Runtime& runtime,
                                                       Time deadline) override;
  [[nodiscard]] Result<std::vector<std::string>> list(std::string_view prefix, Runtime& runtime,
                                                      Time deadline) override;
  [[nodiscard]] Result<void> forget(std::string_view prefix) override {
    return inner_.forget(prefix);
  }

 private:
  struct CreateRequest;
  struct GetRequest;
  struct ListRequest;

  /// `request` under the faults of the client that makes it, if one does.
  template <class Request>
  [[nodiscard]] typename Request::Answer pass(FaultSite site, Runtime& runtime, Time deadline,
                                              Request request);

  FaultInjector& faults_;
  ObjectStore& inner_;
};

}  // namespace causalcheck
