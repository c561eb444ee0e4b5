// The conformance kit: right backends pass, and for each check there is a wrong one that it tells.
#include "harness/doctor/doctor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "adapters/memory/memory_store.h"
#include "harness/object_log.h"
#include "tests/sick_backend.h"

namespace causalcheck {
namespace {

using testing::HasSubstr;

MakeBackend sick(Defect defect, Reads reads = Reads::kLatest,
                 Concurrency concurrency = Concurrency::kReadDuringCommit) {
  auto shared = std::make_shared<SickBackend::World>();
  return [=]() -> Result<std::unique_ptr<Backend>> {
    auto world =
        defect == Defect::kSharesOneWorld ? shared : std::make_shared<SickBackend::World>();
    return std::unique_ptr<Backend>(
        std::make_unique<SickBackend>(defect, reads, concurrency, std::move(world)));
  };
}

/// What is wrong with an object store.
enum class StoreDefect : std::uint8_t {
  kNone,
  kOverwrites,
  kCutsAtNul,
  kListsOnePage,
  kForgetsNothing,
  kLooksThenCreates,
};

class SickStore final : public ObjectStore {
 public:
  explicit SickStore(StoreDefect defect) : defect_(defect) {}

  Result<Created> create_if_absent(std::string_view key, std::string_view content, Runtime& runtime,
                                   Time deadline) override {
    if (is(StoreDefect::kLooksThenCreates)) {
      const auto there = store_.get(key, runtime, deadline);
      runtime.yield();
      if (*there) return Created::kTaken;
      static_cast<void>(store_.create_if_absent(key, content, runtime, deadline).value());
      return Created::kCreated;
    }
    const auto created = store_.create_if_absent(key, content, runtime, deadline);
    if (is(StoreDefect::kOverwrites)) {
      overwritten_[std::string(key)] = std::string(content);
      return Created::kCreated;
    }
    return created;
  }
  Result<std::optional<std::string>> get(std::string_view key, Runtime& runtime,
                                         Time deadline) override {
    if (const auto found = overwritten_.find(std::string(key)); found != overwritten_.end()) {
      return std::optional<std::string>(found->second);
    }
    auto content = store_.get(key, runtime, deadline);
    if (is(StoreDefect::kCutsAtNul) && *content) **content = (*content)->c_str();
    return content;
  }
  Result<std::vector<std::string>> list(std::string_view prefix, Runtime& runtime,
                                        Time deadline) override {
    auto keys = store_.list(prefix, runtime, deadline);
    if (is(StoreDefect::kListsOnePage) && keys->size() > 4) keys->resize(4);
    return keys;
  }
  Result<void> forget(std::string_view prefix) override {
    if (is(StoreDefect::kForgetsNothing)) return {};
    return store_.forget(prefix);
  }

 private:
  [[nodiscard]] bool is(StoreDefect defect) const { return defect_ == defect; }

  const StoreDefect defect_;
  MemoryStore store_{Execution::kDeterministic};
  std::map<std::string, std::string> overwritten_{};
};

MakeBackend sick_store(StoreDefect defect) {
  return [defect]() -> Result<std::unique_ptr<Backend>> {
    return std::unique_ptr<Backend>(
        std::make_unique<ObjectLog>(std::make_unique<SickStore>(defect), ObjectLogOptions{}));
  };
}

/// An object log whose sessions turn every error into "it did not happen".
class CatchesAll final : public Backend, public StoreBacked {
 public:
  BackendDeclaration declare() const override { return log_.declare(); }
  Result<void> reset(const RunInfo& run) override { return log_.reset(run); }
  Result<std::unique_ptr<Session>> open(const ClientInfo& client, Runtime& runtime,
                                        const ResumeToken* resume) override {
    return std::unique_ptr<Session>(
        std::make_unique<Lying>(log_.open(client, runtime, resume).value()));
  }
  Result<std::vector<Entry>> drain(std::string_view topic, std::string_view node,
                                   Runtime& runtime) override {
    return log_.drain(topic, node, runtime);
  }
  ObjectStore& store() override { return log_.store(); }
  void use_store(ObjectStore* store) override { log_.use_store(store); }

 private:
  class Lying final : public Session {
   public:
    explicit Lying(std::unique_ptr<Session> inner) : inner_(std::move(inner)) {}
    Result<Ack> commit(const Message& message, Time deadline) override {
      const Result<Ack> ack = inner_->commit(message, deadline);
      if (ack.has_error()) return Error(ErrorCode::kRejected, ack.error().text);
      return ack;
    }
    Result<std::optional<Entry>> poll(std::string_view topic, Time deadline) override {
      return inner_->poll(topic, deadline);
    }
    Result<std::vector<Delivered>> receive(Time deadline) override {
      return inner_->receive(deadline);
    }

   private:
    std::unique_ptr<Session> inner_;
  };

  ObjectLog log_{std::make_unique<MemoryStore>(Execution::kDeterministic), ObjectLogOptions{}};
};

/// For each check a backend that must not pass it.
std::map<std::string, MakeBackend> known_bad() {
  const auto catches_all = []() -> Result<std::unique_ptr<Backend>> {
    return std::unique_ptr<Backend>(std::make_unique<CatchesAll>());
  };
  return {
      {"declaration", sick(Defect::kOffersUnclaimed)},
      {"reads-nothing-at-first", sick(Defect::kAnswersBeforeTheFirst)},
      {"other-read-refused", sick(Defect::kAnswersBothReads)},
      {"payloads", sick(Defect::kCutsAtNul)},
      {"slots", sick(Defect::kCountsSlotsOverTopics)},
      {"open-changes-nothing", sick(Defect::kWritesOnOpen)},
      {"deletes", sick(Defect::kForgetsDeletes)},
      {"topics-apart", sick(Defect::kIgnoresCase)},
      {"reset-isolates", sick(Defect::kKeepsDataOverResets)},
      {"two-backends-do-not-meet", sick(Defect::kSharesOneWorld)},
      {"reconnect-resumes", sick(Defect::kIgnoresTheToken)},
      {"restart-starts-over", sick(Defect::kKeepsPositionsOfTheDead)},
      {"sessions-do-not-block", sick(Defect::kHoldsALock)},
      {"racing-commits", sick(Defect::kTwoWinners)},
      {"interleaves", sick(Defect::kNeverYields)},
      {"readers-never-go-back", sick(Defect::kLags)},
      {"feed-is-complete", sick(Defect::kSkipsInTheFeed, Reads::kFeed)},
      {"pipeline-keeps-order",
       sick(Defect::kReordersThePipeline, Reads::kLatest, Concurrency::kPipelined)},
      {"one-seed-one-run", sick(Defect::kRollsItsOwnDice)},
      {"store-creates-once", sick_store(StoreDefect::kOverwrites)},
      {"store-keeps-bytes", sick_store(StoreDefect::kCutsAtNul)},
      {"store-lists", sick_store(StoreDefect::kListsOnePage)},
      {"store-forgets", sick_store(StoreDefect::kForgetsNothing)},
      {"store-has-one-winner", sick_store(StoreDefect::kLooksThenCreates)},
      {"no-time-no-lie", sick(Defect::kDeniesWhatItDid)},
      {"short-deadlines", sick(Defect::kFailsOnTimeout)},
      {"injected-errors", catches_all},
      {"crash-kills", sick(Defect::kCrashDoesNothing)},
      {"power-loss-kills", sick(Defect::kPowerLossDoesNothing)},
      {"pause-pauses", sick(Defect::kPauseDoesNothing)},
      {"partition-cuts", sick(Defect::kCutDoesNothing)},
  };
}

TEST(Doctor, EachCheckTellsAWrongBackend) {
  const std::map<std::string, MakeBackend> bad = known_bad();
  for (const DoctorCheck& check : doctor_checks()) {
    const auto found = bad.find(std::string(check.name));
    ASSERT_NE(found, bad.end()) << check.name << " has no backend that it fails";
    const CheckResult result = run_check(check, found->second);
    EXPECT_EQ(result.outcome, CheckOutcome::kFailed) << check.name << ": " << result.came;
    EXPECT_FALSE(result.came.empty()) << check.name;
    EXPECT_FALSE(check.expected.empty()) << check.name;
    EXPECT_FALSE(check.cause.empty()) << check.name;
  }
  EXPECT_EQ(bad.size(), doctor_checks().size());
}

TEST(Doctor, RightBackendsPassAndEachCheckIsPassedByOne) {
  std::set<std::string_view> passed;
  for (const MakeBackend& make :
       {sick(Defect::kNone), sick(Defect::kNone, Reads::kFeed),
        sick(Defect::kNone, Reads::kLatest, Concurrency::kPipelined),
        sick(Defect::kNone, Reads::kLatest, Concurrency::kNone), sick_store(StoreDefect::kNone)}) {
    for (const DoctorCheck& check : doctor_checks()) {
      const CheckResult result = run_check(check, make);
      EXPECT_NE(result.outcome, CheckOutcome::kFailed) << check.name << ": " << result.came;
      if (result.outcome == CheckOutcome::kPassed) passed.insert(check.name);
    }
  }
  for (const DoctorCheck& check : doctor_checks()) EXPECT_TRUE(passed.contains(check.name));
}

const DoctorCheck& the_check(std::string_view name) {
  return *std::find_if(doctor_checks().begin(), doctor_checks().end(),
                       [&](const DoctorCheck& check) { return check.name == name; });
}

TEST(Doctor, SaysWhatCame) {
  EXPECT_THAT(run_check(the_check("payloads"), sick(Defect::kCutsAtNul)).came,
              HasSubstr("B read 'a' (1 byte) where 'a\\x00b\\x00' (4 bytes) was acknowledged"));
  EXPECT_THAT(run_check(the_check("racing-commits"), sick(Defect::kTwoWinners)).came,
              HasSubstr("two winners"));
  EXPECT_THAT(run_check(the_check("sessions-do-not-block"), sick(Defect::kHoldsALock)).came,
              HasSubstr("did not come to an end while B's session was open"));
}

TEST(Doctor, ABackendThatCannotBeMadeFailsEveryCheck) {
  const MakeBackend none = []() -> Result<std::unique_ptr<Backend>> {
    return Error(ErrorCode::kUnavailable, "nobody listens there");
  };
  for (const DoctorCheck& check : doctor_checks()) {
    const CheckResult result = run_check(check, none);
    EXPECT_EQ(result.outcome, CheckOutcome::kFailed);
    EXPECT_THAT(result.came, HasSubstr("nobody listens there"));
  }
}

}  // namespace
}  // namespace causalcheck
