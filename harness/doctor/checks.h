#pragma once

#include "harness/doctor/doctor.h"

namespace causalcheck {

/// The parts of the kit, each in an order of its own.
[[nodiscard]] std::vector<DoctorCheck> single_client_checks();
[[nodiscard]] std::vector<DoctorCheck> session_checks();
[[nodiscard]] std::vector<DoctorCheck> race_checks();
[[nodiscard]] std::vector<DoctorCheck> store_checks();
[[nodiscard]] std::vector<DoctorCheck> error_checks();
[[nodiscard]] std::vector<DoctorCheck> power_checks();

}  // namespace causalcheck
