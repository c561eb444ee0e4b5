#include "checker/shorthand.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/history_of.h"

namespace causalcheck {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string error_of(std::string_view text) {
  const auto parsed = parse_shorthand(text);
  const auto* error = std::get_if<ShorthandError>(&parsed);
  return error == nullptr ? "no error" : error->text;
}

Declaration feed() {
  Declaration declared;
  declared.reads = Reads::kFeed;
  return declared;
}

TEST(Shorthand, ReadsTheWorkedExample) {
  const History history = history_of("B! C<B1 C! A<C2 A<B1");
  EXPECT_THAT(history.clients, ElementsAre("B", "C", "A"));
  EXPECT_THAT(history.topics, ElementsAre("t"));
  EXPECT_THAT(history.messages, ElementsAre("B1", "C2"));
  ASSERT_EQ(history.operations.size(), 5U);
  Operation expected;
  expected.client = 1;
  expected.kind = OperationKind::kRead;
  expected.message = 0;
  expected.start = 3;
  expected.end = 4;
  EXPECT_EQ(history.operations[1], expected);
  expected.kind = OperationKind::kWrite;
  expected.message = 1;
  expected.start = 5;
  expected.end = 6;
  EXPECT_EQ(history.operations[2], expected);
}

TEST(Shorthand, ReadsOutcomesSlotsTopicsAndNothing) {
  const History history = history_of("x:B!@3 B!? B!x x:A<- A<B2@7? A<-%");
  EXPECT_THAT(history.topics, ElementsAre("x", "t"));
  const auto& operations = history.operations;
  EXPECT_EQ(operations[0].slot, 3);
  EXPECT_EQ(operations[0].topic, 0U);
  EXPECT_EQ(operations[1].outcome, Outcome::kInfo);
  EXPECT_EQ(operations[1].topic, 1U);
  EXPECT_EQ(operations[2].outcome, Outcome::kFail);
  EXPECT_EQ(operations[3].message, kNothing);
  EXPECT_EQ(operations[3].topic, 0U);
  EXPECT_EQ(operations[4].slot, 7);
  EXPECT_EQ(operations[4].outcome, Outcome::kInfo);
  EXPECT_TRUE(operations[5].undecodable);
  EXPECT_EQ(operations[5].outcome, Outcome::kInfo);
}

TEST(Shorthand, ReadsTheDrainLeavesSessionsFaultsAndMarks) {
  const History history = history_of("A~2!d$p$ [partition:B B<A~2.1/2* ]partition:B B. _<A~2.1@1");
  EXPECT_THAT(history.clients, ElementsAre("A~2", "B"));
  EXPECT_THAT(history.payloads, ElementsAre("p"));
  EXPECT_TRUE(history.operations[0].is_delete);
  EXPECT_EQ(history.operations[0].payload, 1U);
  EXPECT_EQ(history.operations[1].session, 2U);
  EXPECT_TRUE(history.operations[1].foreign);
  EXPECT_THAT(history.faults, ElementsAre(FaultWindow{"partition", "B", 3, 6}));
  EXPECT_THAT(history.leaves, ElementsAre(Leave{1, 7}));
  EXPECT_TRUE(history.operations[2].is_drain());
  EXPECT_EQ(history.operations[2].start, 8U);
}

TEST(Shorthand, OpenOperationsOverlap) {
  const History history = history_of("B!( B!( B)2 B<B1( B) B)");
  EXPECT_EQ(history.operations[0].start, 1U);
  EXPECT_EQ(history.operations[0].end, 5U);
  EXPECT_EQ(history.operations[1].start, 2U);
  EXPECT_EQ(history.operations[1].end, 3U);
  EXPECT_EQ(history.operations[2].start, 4U);
  EXPECT_EQ(history.operations[2].end, 6U);
}

TEST(Shorthand, WhatNeverReturnsEndedInfo) {
  const History history = history_of("B!(");
  EXPECT_EQ(history.operations[0].end, kNever);
  EXPECT_EQ(history.operations[0].outcome, Outcome::kInfo);
}

TEST(Shorthand, CountsStepsAsTheCheckerDoes) {
  // Reading nothing, a read that ended info and a message that failed take no step.
  EXPECT_THAT(history_of("A!x B<- B<A1? B<A1 B!").messages, ElementsAre("A1", "B1"));
  // An equal answer again is one observation of a latest reader, and two of a feed's.
  EXPECT_THAT(history_of("A! B<A1 B<A1 B!").messages, ElementsAre("A1", "B2"));
  EXPECT_THAT(history_of("A! B<A1 B<A1 B!", feed()).messages, ElementsAre("A1", "B3"));
  // A read counts when it returns, a publish when it is called.
  EXPECT_THAT(history_of("A! B<A1( B! B)").messages, ElementsAre("A1", "B1"));
}

TEST(Shorthand, IdsBetweenHashesNeedNoPublish) {
  const History history = history_of("A!#k# B!#k# C<#ghost# C<A1");
  EXPECT_THAT(history.messages, ElementsAre("k", "ghost"));
  EXPECT_EQ(history.operations[0].message, history.operations[1].message);
  EXPECT_EQ(history.operations[3].message, history.operations[0].message);
}

TEST(Shorthand, NamesTheMalformedTokenAndWhatWasExpected) {
  EXPECT_THAT(error_of("B! C<B2"), HasSubstr("'C<B2': expected the symbol of a publish"));
  EXPECT_THAT(error_of("b!"), HasSubstr("'b!': expected a client"));
  EXPECT_THAT(error_of("B"), HasSubstr("'B': expected '!', '<', ')' or '.'"));
  EXPECT_THAT(error_of("B<"), HasSubstr("'B<': expected a symbol"));
  EXPECT_THAT(error_of("B!@"), HasSubstr("'B!@': expected the number of a slot"));
  EXPECT_THAT(error_of("B!@99999999999999999999"), HasSubstr("the number of a slot"));
  EXPECT_THAT(error_of("B!y"), HasSubstr("at 'y'"));
  EXPECT_THAT(error_of("B!(@3"), HasSubstr("nothing behind '('"));
  EXPECT_THAT(error_of("B)"), HasSubstr("that '(' left open"));
  EXPECT_THAT(error_of(":B!"), HasSubstr("the name of a topic"));
  EXPECT_THAT(error_of("_!"), HasSubstr("'<' behind the drain's _"));
  EXPECT_THAT(error_of("]delay"), HasSubstr("a fault that '[' opened"));
  EXPECT_THAT(error_of("A~!"), HasSubstr("expected a client"));
  EXPECT_THAT(error_of("A!#k"), HasSubstr("an id between two '#'"));
  EXPECT_THAT(error_of("A!$p"), HasSubstr("digest between two '$'"));
  EXPECT_EQ(error_of(" \n\t"), "no error");
}

TEST(Shorthand, WritesBackWhatItRead) {
  for (const std::string text :
       {"B! C<B1 C! A<C2 A<B1", "x:B!@3 B!? B!x x:A<- A<B2@7? A<-%",
        "A~2!$p$d [partition:B B<A~2.1/2* ]partition:B B. _<A~2.1@1",
        "B!( A! B!( A!? B)2 B<B1( B) B)", "A! B!#A1# C<#ghost# C<A1", "B!( A!x A<- _<-", ""}) {
    EXPECT_EQ(to_shorthand(history_of(text)), text);
  }
}

TEST(Shorthand, WritesSymbolsForIds) {
  History history = history_of("A! B<A1 B!#B1# A<#B1# B<#ghost#");
  EXPECT_EQ(to_shorthand(history), "A! B<A1 B! A<B2 B<#ghost#");
  history.messages[2] = "B2";  // a name that is the symbol of another message
  EXPECT_EQ(to_shorthand(history), "A! B<A1 B! A<B2 B<#B2'#");
}

}  // namespace
}  // namespace causalcheck
