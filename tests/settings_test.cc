#include "harness/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace causalcheck {
namespace {

using ::testing::HasSubstr;

SettingsOverride claiming(std::string_view list) {
  const auto settings = with_claims({}, list);
  EXPECT_TRUE(settings.has_value()) << settings.error().text;
  return settings ? *settings : SettingsOverride{};
}

Declaration fifo_log() {
  Declaration declared;
  declared.slots = Slots::kSparse;
  declared.level = Level::kFifo;
  declared.claims = {Guarantee::kReadYourWrites, Guarantee::kRealTime};
  declared.offers = {Guarantee::kMonotonicReads};
  return declared;
}

TEST(Settings, LeaveWhatTheyDoNotSay) { EXPECT_EQ(apply({}, fifo_log()), fifo_log()); }

TEST(Settings, ReplaceWhatTheySay) {
  SettingsOverride settings;
  settings.reads = Reads::kFeed;
  settings.slots = Slots::kContiguous;
  settings.level = Level::kTotal;
  settings.scope = Scope::kTopic;
  settings.retries = Retries::kAtLeastOnce;
  settings.claims = GuaranteeSet{};
  const Declaration declared = apply(settings, fifo_log());
  EXPECT_EQ(declared.reads, Reads::kFeed);
  EXPECT_EQ(declared.slots, Slots::kContiguous);
  EXPECT_EQ(declared.level, Level::kTotal);
  EXPECT_EQ(declared.scope, Scope::kTopic);
  EXPECT_EQ(declared.retries, Retries::kAtLeastOnce);
  EXPECT_TRUE(declared.claims.empty());
  EXPECT_EQ(declared.offers, fifo_log().offers);
}

TEST(Claims, ReplaceTheDeclaredOnes) {
  EXPECT_EQ(apply(claiming("monotonic-writes, delivery"), fifo_log()).claims,
            (GuaranteeSet{Guarantee::kMonotonicWrites, Guarantee::kDelivery}));
}

TEST(Claims, RaiseTheLevelByItsIdAndNeverLowerIt) {
  Declaration declared = apply(claiming("causal"), fifo_log());
  EXPECT_EQ(declared.level, Level::kCausal);
  EXPECT_TRUE(declared.claims.empty());
  declared.level = Level::kTotal;
  EXPECT_EQ(apply(claiming("causal,fifo"), declared).level, Level::kTotal);
}

TEST(Claims, RaiseALevelGivenBesideThem) {
  SettingsOverride settings = claiming("total");
  settings.level = Level::kFifo;
  EXPECT_EQ(apply(settings, fifo_log()).level, Level::kTotal);
}

TEST(Claims, OfferedStandsForWhatIsOffered) {
  EXPECT_EQ(apply(claiming("offered"), fifo_log()).claims, fifo_log().offers);
  EXPECT_EQ(apply(claiming("offered"), fifo_log()).level, Level::kFifo);
  EXPECT_EQ(apply(claiming("offered,real-time"), fifo_log()).claims,
            (GuaranteeSet{Guarantee::kMonotonicReads, Guarantee::kRealTime}));
}

TEST(Claims, OfferedTakesTheLevelThatIsOffered) {
  Declaration declared = fifo_log();
  declared.level = Level::kTotal;
  declared.offers = {Guarantee::kFifo, Guarantee::kCausal};
  EXPECT_EQ(apply(claiming("offered"), declared).level, Level::kCausal);
  EXPECT_TRUE(apply(claiming("offered"), declared).claims.empty());
}

TEST(Claims, AllStandsForEveryOne) {
  const Declaration declared = apply(claiming("all"), fifo_log());
  EXPECT_EQ(declared.level, Level::kTotal);
  for (const Guarantee id : all_guarantees()) {
    EXPECT_EQ(declared.claims.contains(id), !level_of(id)) << to_string(id);
  }
}

TEST(Claims, ReplaceAnEarlierList) {
  const auto settings = with_claims(claiming("offered,total,delivery"), "real-time");
  ASSERT_TRUE(settings.has_value());
  EXPECT_EQ(*settings, claiming("real-time"));
}

TEST(Claims, RefuseAnIdNobodyKnowsAndListTheKnownOnes) {
  const auto settings = with_claims({}, "causal,sg1");
  ASSERT_FALSE(settings.has_value());
  EXPECT_THAT(settings.error().text, HasSubstr("\"sg1\""));
  for (const Guarantee id : all_guarantees()) {
    EXPECT_THAT(settings.error().text, HasSubstr(std::string(to_string(id))));
  }
}

TEST(Claims, RefuseAnEmptyListAndAnEmptyPlaceInOne) {
  EXPECT_FALSE(with_claims({}, "").has_value());
  EXPECT_FALSE(with_claims({}, "causal,,total").has_value());
  EXPECT_FALSE(with_claims({}, "causal,").has_value());
}

}  // namespace
}  // namespace causalcheck
