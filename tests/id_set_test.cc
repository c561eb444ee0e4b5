#include "harness/id_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace causalcheck {
namespace {

TEST(IdSet, KeepsItsMembersInOrder) {
  IdSet set;
  for (const std::uint32_t id : {70U, 3U, 9U, 0U}) set.insert(id);
  EXPECT_THAT(std::vector<std::uint32_t>(set.begin(), set.end()),
              testing::ElementsAre(0u, 3u, 9u, 70u));
  set.erase(3);
  EXPECT_EQ(set.size(), 3u);
  EXPECT_EQ(set.nth(1), 9u);
  set.clear();
  EXPECT_TRUE(set.empty());
}

TEST(IdSet, RankIsTheNumberOfMembersBelow) {
  IdSet set;
  for (const std::uint32_t id : {5U, 7U, 100U}) set.insert(id);
  EXPECT_EQ(set.rank(5), 0u);
  EXPECT_EQ(set.rank(6), 1u);
  EXPECT_EQ(set.rank(100), 2u);
  EXPECT_EQ(set.rank(101), 3u);
  for (std::uint32_t k = 0; k < set.size(); ++k) EXPECT_EQ(set.rank(set.nth(k)), k);
}

TEST(IdSetDeathTest, RefusesToAddTwiceAndToRemoveWhatIsNotThere) {
  IdSet set;
  set.insert(4);
  EXPECT_DEATH(set.insert(4), "ids_");
  EXPECT_DEATH(set.erase(5), "ids_");
}

}  // namespace
}  // namespace causalcheck
