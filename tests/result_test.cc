#include "harness/result.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <stdexcept>

namespace causalcheck {
namespace {

constexpr ErrorCode kAllCodes[] = {ErrorCode::kRejected, ErrorCode::kUnavailable,
                                   ErrorCode::kDeadline, ErrorCode::kConnectionLost,
                                   ErrorCode::kUndecodable};

TEST(ErrorCode, OnlyWhatWasRefusedOrNeverSentCertainlyDidNotHappen) {
  EXPECT_EQ(outcome_of(ErrorCode::kRejected), Outcome::kFail);
  EXPECT_EQ(outcome_of(ErrorCode::kUnavailable), Outcome::kFail);
  EXPECT_EQ(outcome_of(ErrorCode::kDeadline), Outcome::kInfo);
  EXPECT_EQ(outcome_of(ErrorCode::kConnectionLost), Outcome::kInfo);
  EXPECT_EQ(outcome_of(ErrorCode::kUndecodable), Outcome::kInfo);
}

TEST(ErrorCode, EachHasANameOfItsOwn) {
  std::set<std::string_view> names;
  for (const ErrorCode code : kAllCodes) names.insert(to_string(code));
  EXPECT_EQ(names.size(), std::size(kAllCodes));
  EXPECT_EQ(names.count("unknown"), 0U);
}

TEST(Result, TakingTheValueOfAnErrorThrowsItsCodeAndText) {
  const Result<int> failed = Error(ErrorCode::kDeadline, "no answer from B");
  try {
    static_cast<void>(failed.value());
    FAIL() << "nothing was thrown";
  } catch (const std::logic_error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("deadline"));
    EXPECT_THAT(error.what(), testing::HasSubstr("no answer from B"));
    EXPECT_THAT(error.what(), testing::Not(testing::HasSubstr("/")));  // no path of a machine
  }
}

TEST(Result, TakingAValueThatIsThereDoesNot) {
  const Result<int> fine = 7;
  EXPECT_EQ(fine.value(), 7);
}

}  // namespace
}  // namespace causalcheck
