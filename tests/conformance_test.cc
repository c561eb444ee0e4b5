// What every adapter must do, whatever lies behind it: the conformance kit, each check a test. Run
// as `conformance_test SPEC...`, where a SPEC names a backend as the command line does; ctest has
// one entry for each adapter.
#include <gtest/gtest.h>

#include <iostream>
#include <string>
#include <tuple>
#include <vector>

#include "adapters/adapters.h"
#include "harness/doctor/doctor.h"

namespace causalcheck {
namespace {

/// The backends to be tested, as the command line names them.
std::vector<std::string>& specs() {
  static std::vector<std::string> given;
  return given;
}

using Parameter = std::tuple<std::string, DoctorCheck>;

/// A test's name: its letters and digits.
std::string test_name(const testing::TestParamInfo<Parameter>& info) {
  std::string name = std::get<0>(info.param) + "_" + std::string(std::get<1>(info.param).name);
  for (char& c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!plain) c = '_';
  }
  return name;
}

class Conformance : public testing::TestWithParam<Parameter> {};

TEST_P(Conformance, Check) {
  const auto& [spec, check] = GetParam();
  const CheckResult result = run_check(check, [&] { return make_backend(spec); });
  if (result.outcome == CheckOutcome::kSkipped) GTEST_SKIP() << result.came;
  EXPECT_EQ(result.outcome, CheckOutcome::kPassed)
      << "expected: " << check.expected << "\ncame:     " << result.came
      << "\nusually:  " << check.cause;
}

INSTANTIATE_TEST_SUITE_P(Adapter, Conformance,
                         testing::Combine(testing::ValuesIn(specs()),
                                          testing::ValuesIn(doctor_checks())),
                         test_name);

}  // namespace

void PrintTo(const DoctorCheck& check, std::ostream* out) { *out << check.name; }

}  // namespace causalcheck

int main(int argc, char** argv) {
  // The instances are made from the specs, so these are taken first.
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument.rfind("--", 0) != 0) causalcheck::specs().push_back(argument);
  }
  if (causalcheck::specs().empty()) {
    std::cerr << "usage: conformance_test SPEC... [--gtest_...]\n";
    return 3;
  }
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
