// What every adapter must do, whatever lies behind it. Run as `conformance_test SPEC...`, where a
// SPEC names a backend as the command line does; ctest has one entry for each adapter.

#include "tests/conformance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iostream>
#include <map>

namespace causalcheck {

std::vector<std::string>& specs() {
  static std::vector<std::string> given;
  return given;
}

std::vector<std::string> awkward_payloads() {
  std::vector<std::string> payloads = {"",
                                       "plain",
                                       std::string("a\0b\0", 4),
                                       std::string(1, '\0'),
                                       "two\r\nlines\n",
                                       "tab\t'\"`\\",
                                       "'; DROP TABLE causalcheck_messages; --",
                                       "{\"json\":[1,2]}",
                                       "%00%2F../..",
                                       "\xFF\xFE\x80 not UTF-8",
                                       std::string(1 << 20, 'x')};
  // One character of every Unicode plane, as UTF-8.
  std::string planes;
  for (unsigned plane = 0; plane <= 16; ++plane) {
    const unsigned code = plane << 16U | 0xABCDU;
    if (plane == 0) {
      planes +=
          {static_cast<char>(0xE0U | code >> 12U), static_cast<char>(0x80U | (code >> 6U & 63U)),
           static_cast<char>(0x80U | (code & 63U))};
    } else {
      planes +=
          {static_cast<char>(0xF0U | code >> 18U), static_cast<char>(0x80U | (code >> 12U & 63U)),
           static_cast<char>(0x80U | (code >> 6U & 63U)), static_cast<char>(0x80U | (code & 63U))};
    }
  }
  payloads.push_back(planes);
  std::string bytes;
  for (int byte = 0; byte < 256; ++byte) bytes += static_cast<char>(byte);
  payloads.push_back(bytes);
  return payloads;
}

std::string test_name(const testing::TestParamInfo<std::string>& info) {
  std::string name;
  for (const char c : info.param) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    name += plain ? c : '_';
  }
  return name;
}

namespace {

using testing::IsEmpty;

TEST_P(Conformance, OffersNothingThatIsNotJudged) {
  const GuaranteeSet judged = all_judged(declared_.promises);
  for (const Guarantee id : all_guarantees()) {
    if (!declared_.promises.offers.contains(id)) continue;
    EXPECT_TRUE(judged.contains(id)) << to_string(id);
  }
  EXPECT_FALSE(backend_->nodes().empty());
}

TEST_P(Conformance, AnEmptyTopicReadsAsNothing) {
  const auto session = open(0);
  EXPECT_FALSE(read(*session).has_value());
  EXPECT_FALSE(read(*session).has_value());
  EXPECT_THAT(drain(), IsEmpty());
}

TEST_P(Conformance, TheOtherKindOfReadIsAnError) {
  const auto session = open(0);
  commit(*session, "A1");
  if (is_feed()) {
    EXPECT_TRUE(session->poll("x", soon(*runtime_)).has_error());
  } else {
    EXPECT_TRUE(session->receive(soon(*runtime_)).has_error());
  }
}

TEST_P(Conformance, GivesBackEveryPayloadByteForByteToEverybody) {
  const auto writer = open(0);
  const auto reader = open(1);
  std::vector<Committed> commits;
  for (const std::string& payload : awkward_payloads()) {
    commits.push_back(commit(*writer, payload));
    for (Session* session : {writer.get(), reader.get()}) {
      const std::optional<Entry> entry = read(*session);
      // A feed need not hand back what is one's own.
      if (is_feed() && session == writer.get() && !entry) continue;
      ASSERT_TRUE(entry.has_value());
      EXPECT_TRUE(entry->payload == payload) << "of " << payload.size() << " bytes";
      EXPECT_EQ(entry->slot, commits.back().slot);
      EXPECT_FALSE(entry->is_delete);
    }
  }
  expect_drained(commits);
}

TEST_P(Conformance, SlotsIncreaseAndMatchTheDeclaration) {
  const auto a = open(0);
  const auto b = open(1);
  std::map<std::string, Slot> last;
  for (int i = 0; i < 6; ++i) {
    const std::string topic = i % 3 == 0 ? "y" : "x";
    const Committed done = commit(i % 2 == 0 ? *a : *b, "m" + std::to_string(i), topic);
    ASSERT_EQ(done.slot.has_value(), has_slots());
    if (!has_slots()) continue;
    const auto before = last.find(topic);
    if (before != last.end()) {
      EXPECT_GT(*done.slot, before->second);
      if (declared_.promises.slots == Slots::kContiguous) {
        EXPECT_EQ(*done.slot, before->second + 1);
      }
    }
    last[topic] = *done.slot;
  }
}

TEST_P(Conformance, OpeningChangesNothing) {
  const auto writer = open(0);
  const Committed done = commit(*writer, "A1");
  { const auto passing = open(1); }
  EXPECT_TRUE(open(2)->close().has_value());
  expect_drained({done});
  const Committed next = commit(*writer, "A2");
  expect_drained({done, next});
}

TEST_P(Conformance, DeletesComeBackAsDeletes) {
  const auto writer = open(0);
  const auto reader = open(1);
  commit(*writer, "A1");
  ASSERT_TRUE(read(*reader).has_value());
  ASSERT_TRUE(writer->commit({"x", "A2", true}, soon(*runtime_)).has_value());
  const std::optional<Entry> entry = read(*reader);
  ASSERT_TRUE(entry.has_value());
  EXPECT_TRUE(entry->is_delete);
  EXPECT_EQ(entry->payload, "A2");
  EXPECT_TRUE(drain().back().is_delete);
}

TEST_P(Conformance, TopicsAreKeptApart) {
  reset("conformance-topics", {"x", "x/y", "", "X", "%", "log"});
  const auto session = open(0);
  for (const char* topic : {"x", "x/y", "", "X", "%", "log"}) {
    const Committed done = commit(*session, std::string("in ") + topic, topic);
    expect_drained({done}, topic);
    if (is_feed()) continue;
    const std::optional<Entry> entry = read(*session, topic);
    ASSERT_TRUE(entry.has_value());
    EXPECT_EQ(entry->payload, done.payload);
  }
}

// The second run's slots too, or the same plan would not give the same history.
TEST_P(Conformance, ResetIsolatesRuns) {
  std::vector<std::vector<std::optional<Slot>>> slots;
  for (int run = 0; run < 3; ++run) {
    reset("isolated-" + std::to_string(run));
    EXPECT_THAT(drain("x"), IsEmpty());
    EXPECT_THAT(drain("y"), IsEmpty());
    const auto session = open(0);
    EXPECT_FALSE(read(*session, "x").has_value());
    slots.emplace_back();
    for (const char* topic : {"x", "y", "x"}) {
      slots.back().push_back(commit(*session, "A of run " + std::to_string(run), topic).slot);
    }
    EXPECT_EQ(slots.back(), slots.front());
  }
}

TEST_P(Conformance, TwoBackendsOfOneSpecDoNotMeet) {
  Result<std::unique_ptr<Backend>> other = make_backend(GetParam());
  ASSERT_TRUE(other.has_value());
  ASSERT_TRUE((*other)->reset({"conformance-other", {"x", "y"}}).has_value());
  const auto here = open(0);
  const Committed done = commit(*here, "A1");
  {
    const auto there = *(*other)->open({0, "A", 1}, *runtime_, nullptr);
    ASSERT_TRUE(there->commit({"x", "B1", false}, soon(*runtime_)).has_value());
  }
  expect_drained({done});
  ASSERT_TRUE((*other)->reset({"conformance-other-2", {"x"}}).has_value());
  expect_drained({done});
}

TEST_P(Conformance, AReconnectingClientGoesOnWhereItWas) {
  auto session = open(0);
  const auto writer = open(1);
  commit(*writer, "B1");
  ASSERT_EQ(read(*session)->payload, "B1");
  const Result<ResumeToken> token = session->close();
  ASSERT_TRUE(token.has_value());
  session.reset();
  session = open(0, &*token);
  if (is_feed()) {
    EXPECT_FALSE(read(*session).has_value());
  } else {
    EXPECT_EQ(read(*session)->payload, "B1");
  }
  const Committed next = commit(*writer, "B2");
  const std::optional<Entry> entry = read(*session);
  ASSERT_TRUE(entry.has_value());
  EXPECT_EQ(entry->payload, "B2");
  EXPECT_EQ(entry->slot, next.slot);
}

TEST_P(Conformance, ARestartedClientStartsFromTheBeginning) {
  const auto writer = open(1);
  commit(*writer, "B1");
  for (const ClientInfo& client : {ClientInfo{0, "A", 1}, ClientInfo{2, "A~2", 2}}) {
    const std::optional<Entry> entry = read(*open(client, *runtime_, nullptr));
    ASSERT_TRUE(entry.has_value()) << client.label;
    EXPECT_EQ(entry->payload, "B1");
  }
}

TEST_P(Conformance, ACommitWithoutTimeDoesNotPretend) {
  const auto session = open(0);
  const Result<Ack> ack = session->commit({"x", "A1", false}, runtime_->now());
  const bool is_there = !drain().empty();
  if (ack.has_value()) {
    EXPECT_TRUE(is_there);
  } else if (outcome_of(ack.error().code) == Outcome::kFail) {
    EXPECT_FALSE(is_there);
  }
}

INSTANTIATE_TEST_SUITE_P(Adapter, Conformance, testing::ValuesIn(specs()), test_name);

}  // namespace
}  // namespace causalcheck

int main(int argc, char** argv) {
  // The instances are made from the specs, so these are taken first.
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument.rfind("--", 0) != 0) causalcheck::specs().push_back(argument);
  }
  if (causalcheck::specs().empty()) {
    std::cerr << "usage: conformance_test SPEC... [--gtest_...]\n";
    return 3;
  }
  testing::InitGoogleMock(&argc, argv);
  return RUN_ALL_TESTS();
}
