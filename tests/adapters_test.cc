#include "adapters/adapters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>

namespace causalcheck {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr std::array<std::string_view, 3> kLocal = {"fs", "memory", "sqlite"};

std::string refusal(std::string_view spec) {
  const auto made = make_backend(spec);
  if (made.has_value()) {
    ADD_FAILURE() << spec << " was made";
    return "";
  }
  EXPECT_EQ(made.error().code, ErrorCode::kRejected) << made.error().text;
  return made.error().text;
}

TEST(Adapters, AreListedInAlphabeticalOrderWithTheirHelp) {
  ASSERT_FALSE(adapters().empty());
  EXPECT_TRUE(std::is_sorted(adapters().begin(), adapters().end(),
                             [](const auto& a, const auto& b) { return a.name < b.name; }));
  for (const AdapterKind& kind : adapters()) {
    EXPECT_FALSE(kind.summary.empty());
    EXPECT_THAT(std::string(kind.url_form), testing::StartsWith(std::string(kind.name)));
  }
}

TEST(Adapters, AreEitherThereOrLeftOut) {
  const auto is_there = [](std::string_view name) {
    return std::any_of(adapters().begin(), adapters().end(),
                       [&](const auto& kind) { return kind.name == name; });
  };
  for (const char* name : {"fs", "memory"}) EXPECT_TRUE(is_there(name)) << name;
  const bool left_out = std::any_of(left_out_adapters().begin(), left_out_adapters().end(),
                                    [](const auto& one) { return one.name == "sqlite"; });
  EXPECT_NE(is_there("sqlite"), left_out);
  if (left_out) {
    EXPECT_THAT(refusal("sqlite"), HasSubstr("libsqlite3-dev"));
  }
}

// Of settings that are one of a few words. Only of adapters that need no server.
TEST(Adapters, LocalOnesTakeTheSettingsOfTheirHelp) {
  for (const AdapterKind& kind : adapters()) {
    if (std::find(kLocal.begin(), kLocal.end(), kind.name) == kLocal.end()) continue;
    const std::string name(kind.name);
    EXPECT_TRUE(make_backend(name).has_value()) << name;
    ASSERT_FALSE(kind.settings.empty());
    for (const SettingHelp& setting : kind.settings) {
      std::string values(setting.values);
      while (!values.empty()) {
        const std::size_t end = std::min(values.find('|'), values.size());
        const std::string spec =
            name + "?" + std::string(setting.name) + "=" + values.substr(0, end);
        const auto made = make_backend(spec);
        EXPECT_TRUE(made.has_value()) << spec << ": " << made.error().text;
        values.erase(0, end + 1);
      }
    }
  }
}

TEST(Adapters, EachRefusesASettingItDoesNotKnow) {
  for (const AdapterKind& kind : adapters()) {
    const std::string text = refusal(std::string(kind.name) + "?colour=red");
    EXPECT_THAT(text, HasSubstr("colour"));
    for (const SettingHelp& setting : kind.settings) {
      EXPECT_THAT(text, HasSubstr(std::string(setting.name)));
    }
  }
}

TEST(Adapters, EachRefusesABadValueOfReads) {
  for (const AdapterKind& kind : adapters()) {
    const bool has_reads = std::any_of(kind.settings.begin(), kind.settings.end(),
                                       [](const auto& setting) { return setting.name == "reads"; });
    if (!has_reads) continue;
    EXPECT_THAT(refusal(std::string(kind.name) + "?reads=newest"), HasSubstr("latest, feed"));
  }
}

TEST(MakeBackend, NamesTheKnownOnesWhenItDoesNotKnowOne) {
  EXPECT_THAT(refusal("memroy"), AllOf(HasSubstr("unknown backend 'memroy'"), HasSubstr("memory")));
}

TEST(MakeBackend, RefusesWhatIsNoSpec) { EXPECT_THAT(refusal("/tmp"), HasSubstr("'/tmp'")); }

TEST(MakeBackend, RefusesAnAddressOfMemory) {
  EXPECT_THAT(refusal("memory:somewhere"), HasSubstr("'somewhere'"));
}

TEST(MakeBackend, TheSettingReadsDecidesWhatIsDeclared) {
  for (const AdapterKind& kind : adapters()) {
    if (std::find(kLocal.begin(), kLocal.end(), kind.name) == kLocal.end()) continue;
    const std::string name(kind.name);
    EXPECT_EQ((*make_backend(name))->declare().promises.reads, Reads::kLatest);
    EXPECT_EQ((*make_backend(name + "?reads=latest"))->declare().promises.reads, Reads::kLatest);
    EXPECT_EQ((*make_backend(name + "?reads=feed"))->declare().promises.reads, Reads::kFeed);
  }
}

}  // namespace
}  // namespace causalcheck
