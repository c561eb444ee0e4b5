#include "harness/doctor/doctor.h"

#include <exception>
#include <iterator>

#include "harness/doctor/checks.h"
#include "harness/doctor/patient.h"

namespace causalcheck {

const std::vector<DoctorCheck>& doctor_checks() {
  static const std::vector<DoctorCheck> kChecks = [] {
    std::vector<DoctorCheck> all;
    for (const auto part : {single_client_checks, session_checks, race_checks, store_checks,
                            error_checks, power_checks}) {
      std::vector<DoctorCheck> checks = part();
      std::move(checks.begin(), checks.end(), std::back_inserter(all));
    }
    return all;
  }();
  return kChecks;
}

CheckResult run_check(const DoctorCheck& check, const MakeBackend& make) {
  try {
    Patient patient(make);
    check.examine(patient);
    patient.expect_no_misuse();
    return {check.name, CheckOutcome::kPassed, {}};
  } catch (const CheckFailed& failed) {
    return {check.name, CheckOutcome::kFailed, failed.came};
  } catch (const CheckSkipped& skipped) {
    return {check.name, CheckOutcome::kSkipped, skipped.why};
  } catch (const SchedulerError& stuck) {
    return {check.name, CheckOutcome::kFailed, std::string("it hangs: ") + stuck.what()};
  } catch (const std::exception& error) {
    return {check.name, CheckOutcome::kFailed, std::string("it threw: ") + error.what()};
  }
}

}  // namespace causalcheck
