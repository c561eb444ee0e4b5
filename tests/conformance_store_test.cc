// What every object store must do, where there is one below an adapter.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/object_log.h"
#include "tests/conformance.h"

namespace causalcheck {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

class ConformanceStore : public Conformance {
 protected:
  void SetUp() override {
    Conformance::SetUp();
    auto* log = dynamic_cast<ObjectLog*>(inner_.get());
    ASSERT_NE(log, nullptr);
    store_ = &log->store();
  }
  Created create(std::string_view key, std::string_view content) {
    return create(key, content, *runtime_);
  }
  Created create(std::string_view key, std::string_view content, Runtime& runtime) {
    const auto answer = store_->create_if_absent(key, content, runtime, soon(runtime));
    if (answer.has_error()) throw std::runtime_error(answer.error().text);
    return *answer;
  }
  std::optional<std::string> get(std::string_view key) {
    return store_->get(key, *runtime_, soon(*runtime_)).value();
  }
  std::vector<std::string> list(std::string_view prefix) {
    return store_->list(prefix, *runtime_, soon(*runtime_)).value();
  }

  ObjectStore* store_ = nullptr;
};

TEST_P(ConformanceStore, ASecondCreateIsRefusedAndChangesNothing) {
  EXPECT_EQ(get("store/x/0"), std::nullopt);
  EXPECT_EQ(create("store/x/0", "first"), Created::kCreated);
  EXPECT_EQ(create("store/x/0", "second"), Created::kTaken);
  EXPECT_EQ(create("store/x/0", "first"), Created::kTaken);
  EXPECT_EQ(get("store/x/0"), "first");
}

TEST_P(ConformanceStore, KeepsContentByteForByte) {
  int number = 0;
  for (const std::string& payload : awkward_payloads()) {
    const std::string key = "store/bytes/" + std::to_string(number++);
    ASSERT_EQ(create(key, payload), Created::kCreated);
    EXPECT_TRUE(get(key) == payload) << payload.size() << " bytes";
  }
}

TEST_P(ConformanceStore, ListsInByteOrderWhatHasThePrefix) {
  // The array of a log, what would not fit in there, and other names.
  const std::vector<std::string> keys = {"store/a/log/00000000000000000000",
                                         "store/a/log/00000000000000000001",
                                         "store/a/log/00000000000000000009",
                                         "store/a/log/99999999999999999999",
                                         "store/a/log/x",
                                         "store/a0",
                                         "store/b/log/00000000000000000000"};
  for (const std::string& key : keys) ASSERT_EQ(create(key, key), Created::kCreated);
  EXPECT_EQ(list("store/"), keys);
  EXPECT_EQ(list("store/a/log/"), std::vector<std::string>(keys.begin(), keys.begin() + 5));
  EXPECT_EQ(list("store/a"), std::vector<std::string>(keys.begin(), keys.begin() + 6));
  EXPECT_EQ(list("store/a/log/0000000000000000000"),
            std::vector<std::string>(keys.begin(), keys.begin() + 3));
  EXPECT_THAT(list("nowhere/"), IsEmpty());
  for (const std::string& key : keys) {
    EXPECT_EQ(get(key), key);
    EXPECT_EQ(create(key, "again"), Created::kTaken);
  }
}

TEST_P(ConformanceStore, ForgetRemovesWhatHasThePrefixAndNothingElse) {
  for (const char* key : {"one/x/00000000000000000000", "one/y", "two/x/00000000000000000000"}) {
    ASSERT_EQ(create(key, key), Created::kCreated);
  }
  ASSERT_TRUE(store_->forget("one/").has_value());
  EXPECT_THAT(list("one"), IsEmpty());
  EXPECT_THAT(list("two"), SizeIs(1));
  EXPECT_EQ(get("one/y"), std::nullopt);
  EXPECT_EQ(get("one/x/00000000000000000000"), std::nullopt);
  EXPECT_EQ(create("one/x/00000000000000000000", "again"), Created::kCreated);
  EXPECT_EQ(get("one/x/00000000000000000000"), "again");
}

TEST_P(ConformanceStore, RacingCreatesOfOneKeyHaveOneWinner) {
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const std::string key = "store/race/" + std::to_string(seed);
    std::vector<Created> answers(kRacers, Created::kTaken);
    run_together(kRacers, seed, [&](std::uint32_t racer, Runtime& runtime) {
      runtime.yield();
      answers[racer] = create(key, client_label(racer), runtime);
    });
    ASSERT_EQ(std::count(answers.begin(), answers.end(), Created::kCreated), 1);
    const auto winner = std::find(answers.begin(), answers.end(), Created::kCreated);
    EXPECT_EQ(get(key), client_label(static_cast<ClientId>(winner - answers.begin())));
  }
}

// Those below which there is an object store.
std::vector<std::string> object_log_specs() {
  std::vector<std::string> found;
  for (const std::string& spec : specs()) {
    const auto made = make_backend(spec);
    if (made.has_value() && dynamic_cast<ObjectLog*>(made->get()) != nullptr) found.push_back(spec);
  }
  return found;
}

INSTANTIATE_TEST_SUITE_P(Adapter, ConformanceStore, testing::ValuesIn(object_log_specs()),
                         test_name);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(ConformanceStore);

}  // namespace
}  // namespace causalcheck
