#include "harness/backend_url.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace causalcheck {
namespace {

using testing::AllOf;
using testing::HasSubstr;

using Settings = std::map<std::string, std::string>;

BackendUrl parsed(std::string_view text) {
  Result<BackendUrl> url = parse_backend_url(text);
  if (url.has_error()) ADD_FAILURE() << text << ": " << url.error().text;
  return url.has_error() ? BackendUrl{} : *url;
}

std::string refusal(std::string_view text) {
  const Result<BackendUrl> url = parse_backend_url(text);
  if (url.has_value()) {
    ADD_FAILURE() << text << " was taken for name '" << url->name << "', address '" << url->address
                  << "'";
    return "";
  }
  EXPECT_EQ(url.error().code, ErrorCode::kRejected);
  return url.error().text;
}

TEST(BackendUrl, IsANameAlone) { EXPECT_EQ(parsed("memory"), (BackendUrl{"memory", "", {}})); }

TEST(BackendUrl, HasAnAddress) { EXPECT_EQ(parsed("fs:/a/b"), (BackendUrl{"fs", "/a/b", {}})); }

TEST(BackendUrl, HasSettingsWithoutAnAddress) {
  EXPECT_EQ(parsed("memory?reads=feed"), (BackendUrl{"memory", "", {{"reads", "feed"}}}));
  EXPECT_EQ(parsed("fs:?reads=feed"), (BackendUrl{"fs", "", {{"reads", "feed"}}}));
}

TEST(BackendUrl, HasSettingsAfterAnAddress) {
  EXPECT_EQ(parsed("sqlite:f.db?reads=feed&x=y"),
            (BackendUrl{"sqlite", "f.db", {{"reads", "feed"}, {"x", "y"}}}));
}

TEST(BackendUrl, LeavesOutTheSlashesOfAHost) {
  EXPECT_EQ(parsed("redis://127.0.0.1:7001?wait=1"),
            (BackendUrl{"redis", "127.0.0.1:7001", {{"wait", "1"}}}));
  EXPECT_EQ(parsed("fs:///a"), (BackendUrl{"fs", "/a", {}}));
}

TEST(BackendUrl, TakesTheLastQuestionMarkThatBeginsSettings) {
  EXPECT_EQ(parsed("fs:/a?b=c/d?reads=feed"), (BackendUrl{"fs", "/a?b=c/d", {{"reads", "feed"}}}));
  EXPECT_EQ(parsed("memory?x=a?b"), (BackendUrl{"memory", "", {{"x", "a?b"}}}));
}

TEST(BackendUrl, LeavesAQuestionMarkThatBeginsNoSettingsToTheAddress) {
  EXPECT_EQ(parsed("fs:/what?"), (BackendUrl{"fs", "/what?", {}}));
  EXPECT_EQ(parsed("fs:/what?/b/c=d"), (BackendUrl{"fs", "/what?/b/c=d", {}}));
  EXPECT_EQ(parsed("sqlite:f?feed?reads=feed"),
            (BackendUrl{"sqlite", "f?feed", {{"reads", "feed"}}}));
}

TEST(BackendUrl, TakesTheWholeRestOfAnExecForItsCommand) {
  EXPECT_EQ(parsed("exec:./adapter --to x?a=b"), (BackendUrl{"exec", "./adapter --to x?a=b", {}}));
  EXPECT_EQ(parsed("exec://bin/adapter"), (BackendUrl{"exec", "//bin/adapter", {}}));
}

TEST(BackendUrl, MayHaveEmptyValuesAndValuesWithAnEqualsSign) {
  EXPECT_EQ(parsed("memory?a=&b=c=d"), (BackendUrl{"memory", "", {{"a", ""}, {"b", "c=d"}}}));
}

TEST(BackendUrl, RefusesAPathInPlaceOfAName) {
  EXPECT_THAT(refusal("/tmp/x"), AllOf(HasSubstr("'/tmp/x'"), HasSubstr("fs:DIR")));
  refusal("");
  refusal(":x");
  refusal("Memory");
  refusal("7up");
  refusal("a b");
}

TEST(BackendUrl, RefusesASettingWithoutAValue) {
  EXPECT_THAT(refusal("memory?reads"), HasSubstr("'reads'"));
  EXPECT_THAT(refusal("memory?"), HasSubstr("no setting"));
  EXPECT_THAT(refusal("memory?reads=feed&x"), HasSubstr("'x'"));
  EXPECT_THAT(refusal("memory?reads=feed&"), HasSubstr("''"));
  EXPECT_THAT(refusal("sqlite:f.db?feed"), AllOf(HasSubstr("'feed'"), HasSubstr("address")));
}

TEST(BackendUrl, RefusesASettingGivenTwice) {
  EXPECT_THAT(refusal("memory?reads=feed&reads=latest"), HasSubstr("'reads' is there twice"));
}

TEST(BackendUrl, PrintsWhatParsesBack) {
  for (const BackendUrl& url :
       {BackendUrl{"memory", "", {}}, BackendUrl{"memory", "", {{"a", "b"}, {"c", "d"}}},
        BackendUrl{"fs", "/a?b", {{"a", "b"}}}, BackendUrl{"fs", "//a", {}},
        BackendUrl{"redis", "host:1", {{"a", "b?"}}}, BackendUrl{"exec", "//a b?c=d", {}}}) {
    EXPECT_EQ(parsed(to_string(url)), url) << to_string(url);
  }
}

TEST(SettingsReader, TakesWhatIsThereAndElseTheDefault) {
  const BackendUrl url{"x", "", {{"reads", "feed"}, {"pool", "3"}}};
  SettingsReader settings(url);
  EXPECT_EQ(settings.reads(), Reads::kFeed);
  EXPECT_EQ(settings.choice("mode", {"a", "b"}), 0U);
  EXPECT_EQ(settings.number("pool", 1, 1, 8), 3);
  EXPECT_EQ(settings.number("ring", 5, 1, 8), 5);
  EXPECT_TRUE(settings.finish().has_value());
}

TEST(SettingsReader, RefusesAnUnknownSettingWithTheKnownOnes) {
  const BackendUrl url{"x", "", {{"raeds", "feed"}}};
  SettingsReader settings(url);
  EXPECT_EQ(settings.reads(), Reads::kLatest);
  static_cast<void>(settings.number("pool", 1, 1, 8));
  const Result<void> done = settings.finish();
  ASSERT_TRUE(done.has_error());
  EXPECT_EQ(done.error().code, ErrorCode::kRejected);
  EXPECT_THAT(done.error().text, AllOf(HasSubstr("'raeds'"), HasSubstr("known: reads, pool")));
}

TEST(SettingsReader, RefusesABadValueWithTheAllowedOnes) {
  const BackendUrl url{"x", "", {{"reads", "newest"}, {"pool", "9"}, {"ring", "3x"}}};
  SettingsReader settings(url);
  EXPECT_EQ(settings.reads(), Reads::kLatest);
  EXPECT_EQ(settings.number("pool", 1, 1, 8), 1);
  EXPECT_EQ(settings.number("ring", 2, 1, 8), 2);
  const Result<void> done = settings.finish();
  ASSERT_TRUE(done.has_error());
  EXPECT_THAT(done.error().text,
              AllOf(HasSubstr("reads=newest"), HasSubstr("latest, feed"),
                    HasSubstr("pool=9 is not possible; pool is a number from 1 to 8"),
                    HasSubstr("ring=3x")));
}

TEST(SettingsReader, RefusesAnAddressWhereNoneIsTaken) {
  const BackendUrl with{"memory", "somewhere", {}};
  SettingsReader refusing(with);
  refusing.refuse_address();
  EXPECT_THAT(refusing.finish().error().text, HasSubstr("'somewhere'"));
  const BackendUrl without{"memory", "", {}};
  SettingsReader taking(without);
  taking.refuse_address();
  EXPECT_TRUE(taking.finish().has_value());
}

}  // namespace
}  // namespace causalcheck
