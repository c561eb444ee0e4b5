// A suite as a user would write it, of backends right and wrong; gtest_macro_test runs it.
#include <cstdlib>

#include "harness/testing/gtest.h"
#include "harness/testing/rapidcheck.h"
#include "tests/scripted_store.h"
#include "tests/toy_backend.h"

namespace causalcheck {
namespace {

std::unique_ptr<Backend> make_right() { return std::make_unique<ToyBackend>(); }

std::unique_ptr<Backend> make_lagging() {
  auto toy = std::make_unique<ToyBackend>();
  toy->lag = [](std::uint64_t read) { return read > 8 && read % 2 == 0 ? 1U : 0U; };
  return toy;
}

/// Takes its process with it in the third run.
std::unique_ptr<Backend> make_deadly() {
  auto toy = std::make_unique<ToyBackend>();
  toy->refuse_commit = [b = toy.get()](std::uint64_t) -> std::optional<Error> {
    if (b->resets.size() > 3) std::_Exit(42);
    return std::nullopt;
  };
  return toy;
}

Result<std::unique_ptr<Backend>> make_none() {
  return Error(ErrorCode::kUnavailable, "nobody listens there");
}

std::unique_ptr<ObjectStore> make_store() { return std::make_unique<ScriptedStore>(); }

/// Acknowledges and stores nothing.
std::unique_ptr<ObjectStore> make_forgetful() {
  auto store = std::make_unique<ScriptedStore>();
  store->on_create = [](std::string_view, std::string_view) -> std::optional<Result<Created>> {
    return Result<Created>(Created::kCreated);
  };
  return store;
}

CAUSALCHECK_CONFORMANCE(SampleConformance, StoreConforms, make_store);
CAUSALCHECK_CONFORMANCE(SampleConformance, ForgetfulFails, make_forgetful);
CAUSALCHECK_TEST(Sample, RightHolds, make_right, {});
CAUSALCHECK_TEST(Sample, LaggingBreaks, make_lagging, {.events = 40, .runs = 20});
CAUSALCHECK_TEST(Sample, StoreHolds, [] { return std::make_unique<ScriptedStore>(); },
                 {.clients = 2, .runs = 20});
CAUSALCHECK_TEST(Sample, StoreHoldsUnderLightFaults, make_store, {.runs = 30, .faults = "light"});
CAUSALCHECK_TEST(Sample, DeadlyDies, make_deadly, {.seed = 5, .runs = 50});
CAUSALCHECK_TEST(Sample, TooShortIsUnknown, make_right, {.events = 1, .runs = 1});
CAUSALCHECK_TEST(Sample, NoneIsNoVerdict, make_none, {});

CAUSALCHECK_PROPERTY(SampleProperty, RightNeverBreaks, (const Plan& plan)) {
  RC_ASSERT(run_plan(make_right, plan).report.verdict != Verdict::kBreaks);
}

CAUSALCHECK_PROPERTY(SampleProperty, LaggingBreaks, (const Plan& plan)) {
  const PlanRun run = run_plan(make_lagging, plan);
  RC_LOG() << run.text;
  RC_ASSERT(!run.breaks(Guarantee::kReadYourWrites));
}

}  // namespace
}  // namespace causalcheck
