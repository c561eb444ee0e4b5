#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "harness/backend.h"

namespace causalcheck {

/// Makes one backend; checks make as many as they need.
using MakeBackend = std::function<Result<std::unique_ptr<Backend>>()>;

enum class CheckOutcome : std::uint8_t {
  kPassed,
  kFailed,
  kSkipped,  // it does not apply to this backend
};

/// What one check of the conformance kit came to.
struct CheckResult {
  std::string_view check{};
  CheckOutcome outcome = CheckOutcome::kPassed;
  /// kFailed: what was seen instead of what is expected. kSkipped: why it does not apply.
  std::string came{};
};

class Patient;

/// One thing that every adapter has to do, whatever lies behind it.
struct DoctorCheck {
  std::string_view name{};      // "reset-isolates"
  std::string_view expected{};  // one sentence
  std::string_view cause{};     // what is usually wrong when it fails
  void (*examine)(Patient& patient) = nullptr;
};

/// The conformance kit, in the order in which a new adapter is best put right. Each check stands
/// for itself: it begins with a backend of its own. What they ask for is in harness/backend.h,
/// harness/object_store.h and docs/manual/add-an-adapter.md.
[[nodiscard]] const std::vector<DoctorCheck>& doctor_checks();

/// Examines a backend made by `make`. Never throws what the backend throws: that is a failure. A
/// backend that blocks for real, and never comes back, blocks this call; the caller watches over
/// it.
[[nodiscard]] CheckResult run_check(const DoctorCheck& check, const MakeBackend& make);

}  // namespace causalcheck
