// What every object store must do, where there is one below a backend.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "harness/checked_session.h"
#include "harness/doctor/checks.h"
#include "harness/doctor/patient.h"
#include "harness/object_store.h"

namespace causalcheck {
namespace {

using Client = Patient::Client;

/// The store below the backend, for one client.
class Store {
 public:
  Store(Patient& patient, Runtime& runtime) : runtime_(runtime) {
    auto* backed = dynamic_cast<StoreBacked*>(&patient.inner());
    if (backed == nullptr) throw CheckSkipped{"it is not made of an object store"};
    store_ = &backed->store();
  }
  Created create(std::string_view key, std::string_view content) {
    const auto answer = store_->create_if_absent(key, content, runtime_, soon());
    expect(answer.has_value(),
           fmt::format("creating '{}' failed: {}", key, describe(answer.error())));
    return *answer;
  }
  void must_create(std::string_view key, std::string_view content) {
    expect(create(key, content) == Created::kCreated,
           fmt::format("creating the fresh key '{}' said that it is taken", key));
  }
  std::optional<std::string> get(std::string_view key) {
    const auto answer = store_->get(key, runtime_, soon());
    expect(answer.has_value(),
           fmt::format("getting '{}' failed: {}", key, describe(answer.error())));
    return *answer;
  }
  void expect_content(std::string_view key, std::string_view content, std::string_view when) {
    const std::optional<std::string> got = get(key);
    expect(got.has_value(), fmt::format("'{}' is not there {}", key, when));
    expect(*got == content, fmt::format("'{}' holds {} {}, and {} was created", key,
                                        shown_payload(*got), when, shown_payload(content)));
  }
  void expect_list(std::string_view prefix, const std::vector<std::string>& keys) {
    const auto answer = store_->list(prefix, runtime_, soon());
    expect(answer.has_value(),
           fmt::format("listing '{}' failed: {}", prefix, describe(answer.error())));
    expect(*answer == keys, fmt::format("listing '{}' gave [{}], not [{}]", prefix,
                                        fmt::join(*answer, ", "), fmt::join(keys, ", ")));
  }
  void forget(std::string_view prefix) {
    const auto done = store_->forget(prefix);
    expect(done.has_value(),
           fmt::format("forgetting '{}' failed: {}", prefix, describe(done.error())));
  }

 private:
  Time soon() { return runtime_.now() + std::chrono::seconds(20); }

  Runtime& runtime_;
  ObjectStore* store_ = nullptr;
};

void with_store(Patient& patient, const std::function<void(Store&)>& body) {
  patient.reset("store");
  patient.alone([&](Runtime& runtime) {
    Store store(patient, runtime);
    body(store);
  });
}

void create_once(Patient& patient) {
  with_store(patient, [](Store& store) {
    expect(!store.get("store/x/0").has_value(), "a key that nobody created has content");
    store.must_create("store/x/0", "first");
    for (const char* content : {"second", "first"}) {
      expect(store.create("store/x/0", content) == Created::kTaken,
             fmt::format("a second create, of '{}', was acknowledged as created", content));
    }
    store.expect_content("store/x/0", "first", "after a second create");
  });
}

void keeps_bytes(Patient& patient) {
  with_store(patient, [](Store& store) {
    int number = 0;
    for (const std::string& payload : awkward_payloads()) {
      const std::string key = "store/bytes/" + std::to_string(number++);
      store.must_create(key, payload);
      store.expect_content(key, payload, "after its create");
    }
  });
}

void lists(Patient& patient) {
  with_store(patient, [](Store& store) {
    // Slots of a log, what would be a slot of none, and other names; in byte order.
    const std::vector<std::string> keys = {"store/a/log/00000000000000000000",
                                           "store/a/log/00000000000000000001",
                                           "store/a/log/00000000000000000009",
                                           "store/a/log/99999999999999999999",
                                           "store/a/log/x",
                                           "store/a0",
                                           "store/b/log/00000000000000000000"};
    const auto first = [&](std::ptrdiff_t n) {
      return std::vector<std::string>(keys.begin(), keys.begin() + n);
    };
    for (const std::string& key : keys) store.must_create(key, key);
    store.expect_list("store/", keys);
    store.expect_list("store/a/log/", first(5));
    store.expect_list("store/a", first(6));
    store.expect_list("store/a/log/0000000000000000000", first(3));
    store.expect_list("nowhere/", {});
    for (const std::string& key : keys) {
      store.expect_content(key, key, "beside its neighbours");
      expect(store.create(key, "again") == Created::kTaken,
             fmt::format("a second create of '{}' was acknowledged as created", key));
    }
  });
}

void forgets(Patient& patient) {
  with_store(patient, [](Store& store) {
    const std::string slot = "one/x/00000000000000000000";
    for (const std::string& key : {slot, std::string("one/y"), std::string("two/x")}) {
      store.must_create(key, key);
    }
    store.forget("one/");
    store.expect_list("one", {});
    store.expect_list("two", {"two/x"});
    expect(!store.get("one/y").has_value(), "'one/y' is still there after forgetting 'one/'");
    expect(!store.get(slot).has_value(), "a slot is still there after forgetting 'one/'");
    store.must_create(slot, "again");
    store.expect_content(slot, "again", "after it was forgotten and created again");
  });
}

void one_winner(Patient& patient) {
  for (const bool one_session : {false, true}) {
    if (one_session && patient.on_threads()) continue;  // there all share one runtime anyway
    for (std::uint64_t seed = 0; seed < Patient::kSeeds; ++seed) {
      patient.reset("race-" + std::to_string(seed));
      const std::string key = fmt::format("store/race-{}/{}", one_session ? 1 : 2, seed);
      std::vector<Created> answers(Patient::kRacers, Created::kTaken);
      Runtime* shared = nullptr;
      patient.together(Patient::kRacers, seed, [&](std::uint32_t racer, Client& client) {
        // A session is known to a store by its runtime.
        if (one_session && shared == nullptr) shared = &client.runtime();
        Store store(patient, one_session ? *shared : client.runtime());
        client.runtime().yield();
        answers[racer] = store.create(key, client.label());
      });
      const auto winners = std::count(answers.begin(), answers.end(), Created::kCreated);
      expect(winners == 1,
             fmt::format("{} of {} racing creates of a fresh key were acknowledged as "
                         "created, {}",
                         winners, Patient::kRacers,
                         one_session ? "over one session" : "over several sessions"));
      const auto winner = std::find(answers.begin(), answers.end(), Created::kCreated);
      patient.alone([&](Runtime& runtime) {
        Store(patient, runtime)
            .expect_content(key, client_label(static_cast<ClientId>(winner - answers.begin())),
                            "after a race that its creator won");
      });
    }
  }
}

}  // namespace

std::vector<DoctorCheck> store_checks() {
  return {
      {"store-creates-once", "a second create of a key is refused and changes nothing",
       "put without a condition, or a condition that the server ignores (If-None-Match: *)",
       &create_once},
      {"store-keeps-bytes", "an object holds what it was created with, byte for byte",
       "content goes through a text type, or an empty object counts as a missing one",
       &keeps_bytes},
      {"store-lists", "a listing gives the keys with the prefix, all of them, in byte order",
       "a page limit, an order of its own, or a folder where a prefix is meant", &lists},
      {"store-forgets", "forget removes what has the prefix and nothing else",
       "the prefix is matched without its '/', or the wildcards in it are not escaped", &forgets},
      {"store-has-one-winner",
       "of K racing creates of a fresh key exactly one is told that it created it, and its content "
       "stays; over several sessions and over one",
       "looking and creating are two steps (no O_EXCL, no unique key, no compare-and-set)",
       &one_winner},
  };
}

}  // namespace causalcheck
