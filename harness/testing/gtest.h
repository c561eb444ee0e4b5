#pragma once

#include <gtest/gtest.h>

#include <cstdio>
#include <string>

#include "harness/annotation.h"
#include "harness/doctor/doctor.h"
#include "harness/testing/backend_test.h"

// Backends as tests of a GoogleTest program. Link causalcheck::gtest, of the package's component
// `gtest`.

namespace causalcheck::testing_detail {

/// The test that is running.
inline BackendTestName current_test() {
  const ::testing::TestInfo* info = ::testing::UnitTest::GetInstance()->current_test_info();
  BackendTestName name;
  name.name = std::string(info->test_suite_name()) + "." + info->name();
  name.command = program_word() + " --gtest_filter=" + name.name;
  return name;
}

/// The text goes into the failure itself, so that it is in GoogleTest's XML as well.
inline void expect_holds(const BackendMaker& make, const BackendTestOptions& options,
                         const char* file, int line) {
  const BackendTestName name = current_test();
  const auto say = [](const std::string& text) {
    std::printf("%s\n", text.c_str());
    std::fflush(stdout);
  };
  const BackendTestResult result = test_backend(make, options, name, say);
  ::testing::Test::RecordProperty("causalcheck_runs", std::to_string(result.runs));
  ::testing::Test::RecordProperty("causalcheck_again", result.command);
  for (const std::string& failure : result.failures) {
    ADD_FAILURE_AT(file, line) << failure;
    if (!in_github_actions()) continue;
    std::fputs(annotation(AnnotationLevel::kError, name.name, failure, {file, line}).c_str(),
               stdout);
  }
}

/// The conformance kit; each check that fails is a failure.
inline void expect_conforms(const BackendMaker& make, const char* file, int line) {
  for (const DoctorCheck& check : doctor_checks()) {
    const CheckResult result = run_check(check, make);
    if (result.outcome != CheckOutcome::kFailed) continue;
    ADD_FAILURE_AT(file, line) << check.name << "\nexpected: " << check.expected
                               << "\ncame:     " << result.came << "\nusually:  " << check.cause;
  }
}

}  // namespace causalcheck::testing_detail

/// A test that fuzzes a backend and fails when a guarantee it claims breaks, or when the runs say
/// nothing.
///
///     CAUSALCHECK_TEST(MyBackend, Holds, make_my_backend, {});
///
/// `make_backend` is anything that causalcheck::backend_maker takes; what follows it initialises
/// BackendTestOptions, which says how the environment sets seed, runs and time. Works with filters,
/// sharding and `ctest -j`: each test has its own artifacts, named after it.
#define CAUSALCHECK_TEST(suite, name, make_backend, ...)                                    \
  TEST(suite, name) {                                                                       \
    ::causalcheck::testing_detail::expect_holds(::causalcheck::backend_maker(make_backend), \
                                                __VA_ARGS__, __FILE__, __LINE__);           \
  }                                                                                         \
  static_assert(true, "a semicolon follows")

/// A test that examines a backend check by check, as `causalcheck doctor` does. To be made to pass
/// before the first CAUSALCHECK_TEST.
///
///     CAUSALCHECK_CONFORMANCE(MyBackend, Conforms, make_my_backend);
#define CAUSALCHECK_CONFORMANCE(suite, name, make_backend)                                     \
  TEST(suite, name) {                                                                          \
    ::causalcheck::testing_detail::expect_conforms(::causalcheck::backend_maker(make_backend), \
                                                   __FILE__, __LINE__);                        \
  }                                                                                            \
  static_assert(true, "a semicolon follows")
