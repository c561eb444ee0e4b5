// A test suite of an outside project: one backend of the package, one store and one property.
#include "adapters/adapters.h"
#include "harness/testing/gtest.h"
#include "harness/testing/rapidcheck.h"

namespace {

causalcheck::Result<std::unique_ptr<causalcheck::Backend>> make_memory() {
  return causalcheck::make_backend("memory?reads=feed");
}

CAUSALCHECK_CONFORMANCE(Memory, Conforms, make_memory);
CAUSALCHECK_TEST(Memory, Holds, make_memory, {.runs = 10});
CAUSALCHECK_TEST(Memory, HoldsWithTwoTopics, make_memory, {.topics = 2, .runs = 10});

CAUSALCHECK_PROPERTY(Memory, DeliversEverything, (const causalcheck::Plan& plan)) {
  RC_ASSERT(!causalcheck::run_plan(make_memory, plan).breaks(causalcheck::Guarantee::kDelivery));
}

}  // namespace
