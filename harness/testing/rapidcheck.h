#pragma once

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "harness/plan.h"
#include "harness/testing/gtest.h"
#include "harness/testing/plan_run.h"

// RapidCheck properties over plans. Link causalcheck::rapidcheck, of the package's component
// `rapidcheck`.

namespace causalcheck {

/// A counterexample as RapidCheck prints it.
inline void showValue(const Plan& plan, std::ostream& out) { out << describe(plan); }

}  // namespace causalcheck

namespace rc {

/// Plans as a campaign would draw them, of 1 to 4 clients, 1 to 3 topics and events that grow with
/// the size. Shrinks to fewer events, clients and topics.
template <>
struct Arbitrary<causalcheck::Plan> {
  static Gen<causalcheck::Plan> arbitrary() {
    const auto drawn = gen::withSize([](int size) {
      return gen::map(
          gen::tuple(gen::inRange<std::uint64_t>(1, 1'000'000'000),
                     gen::inRange<std::uint32_t>(2, 5), gen::inRange<std::uint32_t>(1, 4)),
          [size](const std::tuple<std::uint64_t, std::uint32_t, std::uint32_t>& t) {
            return causalcheck::drawn_plan(std::get<0>(t), std::get<1>(t), std::get<2>(t),
                                           static_cast<std::uint32_t>(10 + std::max(size, 0)));
          });
    });
    return gen::shrink(drawn, [](const causalcheck::Plan& plan) {
      return seq::fromContainer(causalcheck::smaller_plans(plan));
    });
  }
};

}  // namespace rc

namespace causalcheck::testing_detail {

/// As RC_GTEST_PROP, with seed and runs from CAUSALCHECK_SEED and CAUSALCHECK_RUNS.
template <class Property>
void check_property(const Property& property) {
  const BackendTestName name = current_test();
  rc::detail::TestMetadata metadata;
  metadata.id = name.name;
  metadata.description = name.name;
  rc::detail::TestParams params = rc::detail::configuration().testParams;
  const PropertyExtent extent = property_extent();
  ASSERT_TRUE(extent.problem.empty()) << extent.problem;
  if (extent.seed) params.seed = *extent.seed;
  if (extent.runs) params.maxSuccess = static_cast<int>(*extent.runs);
  std::printf("Again: CAUSALCHECK_SEED=%llu CAUSALCHECK_RUNS=%d %s\n",
              static_cast<unsigned long long>(params.seed), params.maxSuccess,
              name.command.c_str());
  std::fflush(stdout);
  const rc::detail::TestResult result = rc::detail::checkTestable(property, metadata, params);
  if (result.template is<rc::detail::SuccessResult>()) return;
  std::ostringstream text;
  rc::detail::printResultMessage(result, text);
  FAIL() << text.str() << "\nAgain: CAUSALCHECK_SEED=" << params.seed
         << " CAUSALCHECK_RUNS=" << params.maxSuccess << " " << name.command;
}

}  // namespace causalcheck::testing_detail

/// A RapidCheck property over plans, as a GoogleTest.
///
///     CAUSALCHECK_PROPERTY(MyBackend, NeverLosesWrites, (const causalcheck::Plan& plan)) {
///       const causalcheck::PlanRun run = causalcheck::run_plan(make_my_backend, plan);
///       RC_LOG() << run.text;
///       RC_ASSERT(!run.breaks(causalcheck::Guarantee::kNoLostWrites));
///     }
#define CAUSALCHECK_PROPERTY(suite, name, arguments)                                       \
  void causalcheck_property_##suite##_##name arguments;                                    \
  TEST(suite, name) {                                                                      \
    ::causalcheck::testing_detail::check_property(&causalcheck_property_##suite##_##name); \
  }                                                                                        \
  void causalcheck_property_##suite##_##name arguments
