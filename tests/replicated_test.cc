// The replicated store: in every combination of its settings exactly what it offers holds.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "adapters/adapters.h"
#include "harness/plan.h"
#include "harness/run.h"
#include "tests/plain_runtime.h"
#include "tests/troubled_store.h"

namespace causalcheck {
namespace {

std::vector<std::string> all_settings() {
  std::vector<std::string> all;
  for (const char* const reads : {"latest", "feed"}) {
    for (const char* const read : {"leader", "follower", "any"}) {
      for (const char* const ack : {"majority", "leader"}) {
        for (const char* const token : {"no", "yes"}) {
          for (const char* const promote : {"yes", "no"}) {
            all.push_back(std::string("reads=") + reads + "&read=" + read + "&ack=" + ack +
                          "&token=" + token + "&promote=" + promote);
          }
        }
      }
    }
  }
  return all;
}

std::string letters(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '=' || c == '&'; }, '_');
  return name;
}

std::string names(const GuaranteeSet& set) {
  std::string text;
  for (const Guarantee id : all_guarantees()) {
    if (set.contains(id))
      text += std::string(text.empty() ? "" : ", ") + std::string(to_string(id));
  }
  return text;
}

// What broke in some of `runs` runs under trouble, with everything claimed.
struct Broken {
  GuaranteeSet ids{};
  GuaranteeSet judged{};
  std::string first_of[kGuaranteeCount]{};
};

Broken what_breaks(const std::string& spec, std::uint64_t runs) {
  Broken broken;
  TroubledStore store(spec);
  Runner runner(store);
  for (std::uint64_t seed = 1; seed <= runs; ++seed) {
    PlanOptions options;
    options.backend = spec;
    options.topics = 1 + static_cast<std::uint32_t>(seed % 2);
    const RunResult result = runner.run(draw_plan(options, seed));
    if (result.failure) throw std::runtime_error(result.failure->text);
    EXPECT_FALSE(result.report.contaminated) << spec << " seed " << seed;
    for (const Guarantee id : all_guarantees()) {
      const Answer answer = result.report[id].answer;
      if (answer != Answer::kNotApplicable) broken.judged.insert(id);
      if (answer != Answer::kBreaks) continue;
      if (!broken.ids.contains(id)) {
        broken.first_of[static_cast<std::size_t>(id)] = "seed " + std::to_string(seed);
      }
      broken.ids.insert(id);
    }
  }
  EXPECT_GT(store.strikes(), runs);
  return broken;
}

class ReplicatedSettingsTest : public testing::TestWithParam<std::string> {};

TEST_P(ReplicatedSettingsTest, OfferWhatHoldsAndNothingElse) {
  const std::string spec = "replicated?claim=log&" + GetParam();
  const GuaranteeSet offers = make_backend(spec).value()->declare().promises.offers;
  const Broken broken = what_breaks(spec, 400);
  for (const Guarantee id : all_guarantees()) {
    EXPECT_FALSE(offers.contains(id) && broken.ids.contains(id))
        << to_string(id) << " is offered and breaks at "
        << broken.first_of[static_cast<std::size_t>(id)];
    EXPECT_FALSE(!offers.contains(id) && broken.judged.contains(id) && !broken.ids.contains(id))
        << to_string(id) << " always holds and is not offered; broken are " << names(broken.ids);
  }
}

INSTANTIATE_TEST_SUITE_P(All, ReplicatedSettingsTest, testing::ValuesIn(all_settings()), letters);

// Everything a store offers holds, with more or fewer replicas, under trouble and failovers.
TEST(ReplicatedTest, HoldsWhatItClaimsHoweverManyReplicas) {
  for (const char* const spec :
       {"replicated?replicas=1", "replicated?replicas=2&failover=50",
        "replicated?replicas=4&failover=50", "replicated?replicas=5&failover=50&lag=0..400",
        "replicated?replicas=5&read=any&token=yes&failover=50",
        "replicated?replicas=5&reads=feed&read=any&failover=50&lag=0..400",
        "replicated?replicas=5&ack=leader&promote=no&failover=50", "replicated?lag=0"}) {
    TroubledStore store(spec);
    Runner runner(store);
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
      PlanOptions options;
      options.backend = spec;
      options.topics = 1 + static_cast<std::uint32_t>(seed % 3);
      const RunResult result = runner.run(draw_plan(options, seed));
      ASSERT_FALSE(result.failure.has_value()) << spec << " seed " << seed << result.failure->text;
      ASSERT_EQ(result.report.verdict, Verdict::kHolds) << spec << " seed " << seed;
    }
    EXPECT_GT(store.strikes(), 0U) << spec;
  }
}

struct Caught {
  const char* spec;
  Guarantee guarantee;
};

// The commands of docs/replicated.md: each shows its break without any fault from outside.
TEST(ReplicatedTest, IsCaughtWhenItClaimsTooMuch) {
  const Caught rows[] = {
      {"replicated?claim=log&read=follower", Guarantee::kReadYourWrites},
      {"replicated?claim=log&read=any", Guarantee::kMonotonicReads},
      {"replicated?claim=log&read=any&token=yes", Guarantee::kRealTime},
      {"replicated?claim=log&ack=leader&failover=20", Guarantee::kNoLostWrites},
      {"replicated?claim=log&ack=leader&failover=20&reads=feed&read=any", Guarantee::kDelivery},
  };
  for (const Caught& row : rows) {
    const auto backend = make_backend(row.spec).value();
    Runner runner(*backend);
    PlanOptions options;
    options.backend = row.spec;
    std::uint64_t seed = 1;
    for (; seed <= 20; ++seed) {
      const RunResult result = runner.run(draw_plan(options, seed));
      ASSERT_FALSE(result.failure.has_value()) << result.failure->text;
      if (result.report[row.guarantee].answer == Answer::kBreaks) break;
    }
    EXPECT_LE(seed, 20U) << row.spec << " " << to_string(row.guarantee);
  }
}

TEST(ReplicatedTest, RefusesAStrangersTokenAndReplica) {
  const auto backend = make_backend("replicated").value();
  ASSERT_FALSE(backend->reset({"run", {"x"}}).has_error());
  auto* const crashes = dynamic_cast<Crashable*>(backend.get());
  auto* const pauses = dynamic_cast<Pausable*>(backend.get());
  auto* const cuts = dynamic_cast<Partitionable*>(backend.get());
  ASSERT_NE(crashes, nullptr);
  PlainRuntime runtime;
  for (const Result<void>& done : {crashes->crash_and_restart("n3", runtime), pauses->pause("n3"),
                                   pauses->resume(""), cuts->cut("leader"), cuts->heal("N0")}) {
    ASSERT_TRUE(done.has_error());
    EXPECT_EQ(done.error().code, ErrorCode::kRejected);
  }
  for (const char* const bytes : {"", "7", "7:", ":7", "7:7x", "-1:0"}) {
    const ResumeToken token{bytes};
    EXPECT_TRUE(backend->open({0, "A", 1}, runtime, &token).has_error()) << bytes;
  }
}

TEST(ReplicatedTest, SaysWhatIsWrongWithItsSettings) {
  for (const char* const spec : {"replicated:here", "replicated?replicas=0", "replicated?lag=9..1",
                                 "replicated?read=leaders", "replicated?failover=301"}) {
    const auto made = make_backend(spec);
    ASSERT_TRUE(made.has_error()) << spec;
    EXPECT_EQ(made.error().code, ErrorCode::kRejected) << spec;
  }
}

}  // namespace
}  // namespace causalcheck
