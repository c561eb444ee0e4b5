// Whether an adapter says what is true when something went wrong: "it did not happen" only when it
// did not, "it happened" only when it did, and else that nobody knows.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "harness/checked_session.h"
#include "harness/doctor/checks.h"
#include "harness/doctor/patient.h"
#include "harness/object_store.h"

namespace causalcheck {
namespace {

using Client = Patient::Client;

/// A commit, and what the adapter said of it.
struct Answered {
  std::string payload{};
  std::optional<Error> error{};  // none: acknowledged
};

Answered try_commit(Client& client, std::string payload, Time patience) {
  const Result<Ack> ack =
      client.session().commit({"x", payload, false}, client.runtime().now() + patience);
  Answered answered{std::move(payload), std::nullopt};
  if (ack.has_error()) answered.error = ack.error();
  return answered;
}

void expect_truth(Patient& patient, Runtime& runtime, const std::vector<Answered>& all) {
  const std::vector<Entry> entries = patient.drain(runtime);
  const bool lists_all = patient.has_slots() || patient.is_feed();
  for (const Answered& one : all) {
    const bool is_there = std::any_of(entries.begin(), entries.end(),
                                      [&](const Entry& e) { return e.payload == one.payload; });
    if (!one.error) {
      expect(is_there || !lists_all, fmt::format("the commit of {} was acknowledged, and the drain "
                                                 "does not show it",
                                                 one.payload));
    } else if (outcome_of(one.error->code) == Outcome::kFail) {
      expect(!is_there, fmt::format("the commit of {} ended with {}, which says that it did not "
                                    "happen, and the drain shows it",
                                    one.payload, describe(*one.error)));
    }
  }
}

void no_time(Patient& patient) {
  patient.reset("no-time");
  patient.alone([&](Runtime& runtime) {
    std::vector<Answered> all;
    {
      Client a = patient.open(0, runtime);
      all.push_back(try_commit(a, "A1", Time::zero()));
    }
    expect_truth(patient, runtime, all);
  });
}

void short_deadlines(Patient& patient) {
  for (std::uint64_t seed = 0; seed < Patient::kSeeds; ++seed) {
    patient.reset("deadlines-" + std::to_string(seed));
    std::vector<std::vector<Answered>> all(Patient::kRacers);
    patient.together(Patient::kRacers, seed, [&](std::uint32_t id, Client& client) {
      client.open();
      int number = 0;
      for (const int patience_us : {0, 1, 2, 3, 5, 8, 20, 100}) {
        all[id].push_back(try_commit(client, client.label() + std::to_string(++number),
                                     std::chrono::microseconds(patience_us)));
        // After a commit of unknown outcome the harness opens a new session.
        if (all[id].back().error) client.open();
      }
    });
    patient.alone([&](Runtime& runtime) {
      for (const std::vector<Answered>& of_one : all) expect_truth(patient, runtime, of_one);
    });
  }
}

/// Forwards, but for one call that fails as told.
class FailingStore final : public ObjectStore {
 public:
  enum class Call : std::uint8_t { kCreate, kGet };

  explicit FailingStore(ObjectStore& inner) : inner_(inner) {}

  /// The next such call fails with `code`; when `applied`, after it took effect.
  void fail_next(Call call, ErrorCode code, bool applied) {
    call_ = call;
    error_ = Error(code, "injected by the conformance kit");
    applied_ = applied;
  }

  Result<Created> create_if_absent(std::string_view key, std::string_view content, Runtime& runtime,
                                   Time deadline) override {
    const std::optional<Error> error = take(Call::kCreate);
    if (error && !applied_) return *error;
    Result<Created> answer = inner_.create_if_absent(key, content, runtime, deadline);
    if (error) return *error;
    return answer;
  }
  Result<std::optional<std::string>> get(std::string_view key, Runtime& runtime,
                                         Time deadline) override {
    if (const std::optional<Error> error = take(Call::kGet)) return *error;
    return inner_.get(key, runtime, deadline);
  }
  Result<std::vector<std::string>> list(std::string_view prefix, Runtime& runtime,
                                        Time deadline) override {
    return inner_.list(prefix, runtime, deadline);
  }
  Result<void> forget(std::string_view prefix) override { return inner_.forget(prefix); }

 private:
  std::optional<Error> take(Call call) {
    if (call != call_) return std::nullopt;
    return std::exchange(error_, std::nullopt);
  }

  ObjectStore& inner_;
  Call call_ = Call::kCreate;
  std::optional<Error> error_{};
  bool applied_ = false;
};

std::string_view name_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::kOk:
      return "ok";
    case Outcome::kFail:
      return "fail";
    case Outcome::kInfo:
      return "info";
  }
  return "info";
}

void injected_errors(Patient& patient) {
  auto* backed = dynamic_cast<StoreBacked*>(&patient.inner());
  if (backed == nullptr) {
    throw CheckSkipped{"it is not made of an object store, so that no error can be put below it"};
  }
  FailingStore failing(backed->store());
  backed->use_store(&failing);
  constexpr std::array<ErrorCode, 5> kCodes = {ErrorCode::kRejected, ErrorCode::kUnavailable,
                                               ErrorCode::kDeadline, ErrorCode::kConnectionLost,
                                               ErrorCode::kUndecodable};
  for (const ErrorCode code : kCodes) {
    for (const bool applied : {false, true}) {
      if (applied && outcome_of(code) == Outcome::kFail) continue;  // a store may not say so
      const std::string what =
          fmt::format("{} from the store, {}", to_string(code),
                      applied ? "after the object was created" : "before anything was created");
      patient.reset("injected");
      patient.alone([&](Runtime& runtime) {
        std::vector<Answered> all;
        {
          Client a = patient.open(0, runtime);
          failing.fail_next(FailingStore::Call::kCreate, code, applied);
          all.push_back(try_commit(a, "A1", std::chrono::seconds(20)));
          const Outcome said = all.back().error ? outcome_of(all.back().error->code) : Outcome::kOk;
          expect(said == outcome_of(code), fmt::format("{}: the commit ended {}, and not {}", what,
                                                       name_of(said), name_of(outcome_of(code))));
          a.open();
          all.push_back(try_commit(a, "A2", std::chrono::seconds(20)));
          expect(!all.back().error, what + ": the next session's commit failed as well");
          if (!patient.is_feed()) {
            failing.fail_next(FailingStore::Call::kGet, code, false);
            // What cannot be decoded may be passed when something newer can.
            const auto answer = a.session().poll("x", a.soon());
            expect(answer.has_error() || (*answer && (*answer)->payload == "A2"),
                   fmt::format("{} from the store: the poll answered {}", to_string(code),
                               answer.has_error() || !*answer ? "nothing" : describe(**answer)));
            const std::optional<Entry> entry = a.open().read();
            expect(entry && entry->payload == "A2",
                   fmt::format("after a failed poll the next one read {}",
                               entry ? describe(*entry) : "nothing"));
          }
        }
        expect_truth(patient, runtime, all);
      });
    }
  }
  backed->use_store(nullptr);
}

}  // namespace

std::vector<DoctorCheck> error_checks() {
  return {
      {"no-time-no-lie",
       "a commit whose deadline has come says what is true: ok and it is there, kRejected or "
       "kUnavailable and it is not, or that nobody knows",
       "the deadline is looked at after the request was sent, and answered with kUnavailable",
       &no_time},
      {"short-deadlines",
       "commits that race with hardly any time say what is true, as the drain then shows",
       "a time-out is reported as kRejected or kUnavailable, or as an acknowledgement",
       &short_deadlines},
      {"injected-errors",
       "every error that the store can give comes out as the outcome it stands for: fail for "
       "kRejected and kUnavailable, info for all others",
       "a catch-all that turns every error into one; a silent retry", &injected_errors},
  };
}

}  // namespace causalcheck
