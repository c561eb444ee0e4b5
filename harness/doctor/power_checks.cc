// Whether the optional powers that a backend offers do anything, and leave it alive.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>

#include "harness/checked_session.h"
#include "harness/doctor/checks.h"
#include "harness/doctor/patient.h"

namespace causalcheck {
namespace {

using Client = Patient::Client;

constexpr std::uint64_t kCrashesMax = 20;

/// A client that opened after all is over must find a backend that works.
void expect_alive(Patient& patient, Runtime& runtime, std::string_view after) {
  const ClientInfo info{7, client_label(7), 1};
  for (int tries = 0; tries < 3; ++tries) {
    Client late = patient.open(info, runtime);
    const std::string payload = fmt::format("late {}", tries);
    const Result<Ack> ack = late.session().commit({"x", payload, false}, late.soon());
    if (ack.has_error()) continue;
    const std::vector<Entry> entries = patient.drain(runtime);
    expect(std::any_of(entries.begin(), entries.end(),
                       [&](const Entry& e) { return e.payload == payload; }),
           fmt::format("what was acknowledged after {} is not there at the drain", after));
    return;
  }
  throw CheckFailed{fmt::format("after {} three sessions could not commit", after)};
}

using Stop = std::function<Result<void>(Runtime&)>;

/// `stop` strikes while others commit; that has to be felt by somebody.
void strikes(Patient& patient, std::string_view name, const Stop& stop) {
  bool was_in_flight = false;
  bool felt = false;
  const std::uint64_t tries = patient.on_threads() ? Patient::kSeeds : kCrashesMax;
  for (std::uint64_t seed = 0; seed < tries && !felt; ++seed) {
    patient.reset(fmt::format("{}-{}", name, seed));
    std::atomic<std::uint32_t> in_flight = 0;
    std::atomic<bool> failed_once = false;
    patient.together(3, seed, [&](std::uint32_t id, Client& client) {
      if (id == 2) {
        for (std::uint64_t i = 0; i < 2 + seed; ++i) client.runtime().yield();
        was_in_flight = was_in_flight || in_flight > 0;
        const Result<void> done = stop(client.runtime());
        expect(done.has_value(), fmt::format("the {} failed: {}", name, describe(done.error())));
        return;
      }
      client.open();
      for (int i = 1; i <= 6; ++i) {
        const std::string payload = client.label() + std::to_string(i);
        ++in_flight;
        const Result<Ack> ack = client.session().commit({"x", payload, false}, client.soon());
        --in_flight;
        if (ack.has_value()) continue;
        failed_once = true;
        client.open();
      }
    });
    felt = failed_once;
    patient.alone(
        [&](Runtime& runtime) { expect_alive(patient, runtime, fmt::format("the {}", name)); });
  }
  if (felt) return;
  if (!was_in_flight) {
    throw CheckSkipped{
        fmt::format("no commit was in flight at any {}: nothing can be seen of it", name)};
  }
  throw CheckFailed{
      fmt::format("{} times a {} struck commits in flight, and every one of them was "
                  "acknowledged all the same",
                  tries, name)};
}

void crash(Patient& patient) {
  auto* power = dynamic_cast<Crashable*>(&patient.inner());
  if (power == nullptr) throw CheckSkipped{"it offers no crash"};
  strikes(patient, "crash", [&](Runtime& runtime) {
    return power->crash_and_restart(patient.backend().nodes().front(), runtime);
  });
}

void power_loss(Patient& patient) {
  auto* power = dynamic_cast<PowerLosable*>(&patient.inner());
  if (power == nullptr) throw CheckSkipped{"it offers no loss of power"};
  strikes(patient, "loss of power", [&](Runtime& runtime) {
    return power->lose_power(patient.backend().nodes().front(), runtime);
  });
}

/// Calls `power` for every node.
void for_all(Patient& patient, std::string_view name,
             const std::function<Result<void>(std::string_view)>& power) {
  for (const std::string& node : patient.backend().nodes()) {
    const Result<void> done = power(node);
    expect(done.has_value(),
           fmt::format("{} of node '{}' failed: {}", name, node, describe(done.error())));
  }
}

void pause(Patient& patient) {
  auto* power = dynamic_cast<Pausable*>(&patient.inner());
  if (power == nullptr) throw CheckSkipped{"it offers no pause"};
  patient.reset("pause");
  patient.alone([&](Runtime& runtime) {
    {
      Client a = patient.open(0, runtime);
      a.commit("A1");
      for_all(patient, "the pause", [&](std::string_view node) { return power->pause(node); });
      const Result<Ack> ack =
          a.session().commit({"x", "A2", false}, runtime.now() + std::chrono::milliseconds(200));
      for_all(patient, "the resume", [&](std::string_view node) { return power->resume(node); });
      expect(ack.has_error(), "a commit was acknowledged while every node was paused");
    }
    expect_alive(patient, runtime, "the pause");
  });
}

void partition(Patient& patient) {
  auto* power = dynamic_cast<Partitionable*>(&patient.inner());
  if (power == nullptr) throw CheckSkipped{"it offers no partition"};
  const std::vector<std::string> nodes = patient.backend().nodes();
  if (nodes.size() < 2) throw CheckSkipped{"it has one node, and nothing to cut it off from"};
  for (const std::string& cut : nodes) {
    patient.reset("partition-" + cut);
    patient.alone([&](Runtime& runtime) {
      bool acknowledged = false;
      bool lacking = false;
      {
        Client a = patient.open(0, runtime);
        const auto must = [&](const Result<void>& done, std::string_view what) {
          expect(done.has_value(),
                 fmt::format("the {} of node '{}' failed: {}", what, cut, describe(done.error())));
        };
        must(power->cut(cut), "cut");
        const Time until = runtime.now() + std::chrono::milliseconds(500);
        acknowledged = a.session().commit({"x", "A1", false}, until).has_value();
        runtime.sleep_until(runtime.now() + std::chrono::milliseconds(100));
        for (const std::string& node : nodes) {
          const auto entries = patient.backend().drain("x", node, runtime);
          lacking = lacking || entries.has_error() ||
                    std::none_of(entries->begin(), entries->end(),
                                 [](const Entry& e) { return e.payload == "A1"; });
        }
        must(power->heal(cut), "healing");
      }
      expect(!acknowledged || lacking,
             fmt::format("with node '{}' cut off a commit was acknowledged and reached every node",
                         cut));
      expect_alive(patient, runtime, fmt::format("node '{}' was cut off and healed", cut));
    });
  }
}

}  // namespace

std::vector<DoctorCheck> power_checks() {
  return {
      {"crash-kills", "a crash is felt by commits in flight, and the backend works again after it",
       "crash_and_restart does nothing, or a wrapper retries what was lost", &crash},
      {"power-loss-kills",
       "a loss of power is felt by commits in flight, and the backend works again after it",
       "lose_power does nothing, or a wrapper retries what was lost", &power_loss},
      {"pause-pauses", "nothing is acknowledged while every node is paused, and all goes on after",
       "the wrong process is stopped (a shell and not its child), or a proxy answers", &pause},
      {"partition-cuts",
       "what is committed while a node is cut off does not reach every node, and all goes on after",
       "one direction only is cut, or connections that were open stay", &partition},
  };
}

}  // namespace causalcheck
