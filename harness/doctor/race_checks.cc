// What must come of clients that are at work together, under the scheduler or on threads.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "harness/checked_session.h"
#include "harness/doctor/checks.h"
#include "harness/doctor/patient.h"

namespace causalcheck {
namespace {

using Client = Patient::Client;

constexpr std::uint32_t kRacers = Patient::kRacers;

void racing_commits(Patient& patient) {
  for (std::uint64_t seed = 0; seed < Patient::kSeeds; ++seed) {
    patient.reset("race-" + std::to_string(seed));
    std::vector<std::vector<Committed>> commits(kRacers);
    patient.together(kRacers, seed, [&](std::uint32_t id, Client& client) {
      client.open();
      for (int i = 1; i <= 3; ++i) {
        commits[id].push_back(client.commit(client.label() + std::to_string(i)));
      }
    });
    std::vector<Committed> all;
    for (const std::vector<Committed>& of_one : commits) {
      for (std::size_t i = 0; i < of_one.size(); ++i) {
        for (const Committed& other : all) {
          expect(!patient.has_slots() || other.slot != of_one[i].slot,
                 fmt::format("{} and {} were both acknowledged at slot {}: two winners",
                             other.payload, of_one[i].payload, of_one[i].slot.value_or(-1)));
        }
        all.push_back(of_one[i]);
        expect(
            !patient.has_slots() || i == 0 || of_one[i].slot > of_one[i - 1].slot,
            fmt::format("{} got slot {}, and its author's {} before it slot {}", of_one[i].payload,
                        of_one[i].slot.value_or(-1), of_one[i == 0 ? 0 : i - 1].payload,
                        of_one[i == 0 ? 0 : i - 1].slot.value_or(-1)));
      }
    }
    patient.alone([&](Runtime& runtime) { patient.expect_drained(runtime, all); });
    if (patient.declared().promises.slots != Slots::kContiguous) continue;
    const auto [low, high] = std::minmax_element(
        all.begin(), all.end(), [](const auto& a, const auto& b) { return a.slot < b.slot; });
    expect(*high->slot - *low->slot + 1 == static_cast<Slot>(all.size()),
           fmt::format("{} commits fill the slots {} to {}: there are holes", all.size(),
                       *low->slot, *high->slot));
  }
}

void interleaves(Patient& patient) {
  if (!patient.declared().interleaves) throw CheckSkipped{"it does not say that it interleaves"};
  if (patient.on_threads()) throw CheckSkipped{"what threads do inside a call is not seen"};
  DeterministicScheduler& scheduler = patient.scheduler();
  std::uint64_t switches = 0;
  for (std::uint64_t seed = 0; seed < Patient::kSeeds; ++seed) {
    patient.reset("interleaves-" + std::to_string(seed));
    patient.together(2, seed, [&](std::uint32_t, Client& client) {
      client.open();
      const OperationScope inside(scheduler);
      client.commit(client.label());
      if (!patient.is_feed()) {
        static_cast<void>(client.read());
        return;
      }
      // Until it has to wait.
      while (!client.receive(std::chrono::milliseconds(5)).empty()) {
      }
    });
    switches += scheduler.switches_inside();
  }
  expect(switches > 0, fmt::format("no client was ever let on inside an operation of another one, "
                                   "in {} races of two",
                                   Patient::kSeeds));
}

void never_back(Patient& patient) {
  const GuaranteeSet& claims = patient.declared().promises.claims;
  if (patient.is_feed() || !patient.has_slots() || !claims.contains(Guarantee::kReadYourWrites) ||
      !claims.contains(Guarantee::kMonotonicReads)) {
    throw CheckSkipped{"it is a feed, has no slots, or does not claim so"};
  }
  for (std::uint64_t seed = 0; seed < Patient::kSeeds; ++seed) {
    patient.reset("readers-" + std::to_string(seed));
    patient.together(kRacers, seed, [&](std::uint32_t, Client& client) {
      client.open();
      for (int i = 1; i <= 3; ++i) {
        Slot known = *client.commit(client.label() + std::to_string(i)).slot;
        for (int k = 0; k < 2; ++k) {
          const std::optional<Entry> entry = client.read();
          expect(entry && entry->slot >= known,
                 fmt::format("{}, which had written or read slot {}, read {}", client.label(),
                             known, entry ? describe(*entry) : "nothing"));
          known = *entry->slot;
        }
      }
    });
  }
}

void feed_is_complete(Patient& patient) {
  if (!patient.is_feed()) throw CheckSkipped{"it is no feed"};
  for (std::uint64_t seed = 0; seed < Patient::kSeeds; ++seed) {
    patient.reset("feed-" + std::to_string(seed), {"x"});
    std::vector<std::vector<std::string>> handed(kRacers);
    patient.together(kRacers, seed, [&](std::uint32_t id, Client& client) {
      client.open();
      if (id < 2) {
        for (int i = 1; i <= 3; ++i) client.commit(client.label() + std::to_string(i));
        return;
      }
      while (handed[id].size() < 6) {
        const std::vector<Delivered> some = client.receive(std::chrono::seconds(20));
        expect(!some.empty(), fmt::format("{} was handed {} of 6 messages, and then nothing more",
                                          client.label(), handed[id].size()));
        for (const Delivered& one : some) handed[id].push_back(one.entry.payload);
      }
    });
    std::vector<std::string> durable;
    patient.alone([&](Runtime& runtime) {
      for (const Entry& entry : patient.drain(runtime)) durable.push_back(entry.payload);
    });
    const bool in_order = patient.has_slots() && patient.declared().promises.level == Level::kTotal;
    if (!in_order) std::sort(durable.begin(), durable.end());
    for (std::uint32_t id = 2; id < kRacers; ++id) {
      if (!in_order) std::sort(handed[id].begin(), handed[id].end());
      expect(handed[id] == durable,
             fmt::format("{} was not handed what the drain shows{}: {} messages and {}, the first "
                         "{} and {}",
                         client_label(id), in_order ? ", in its order" : "", handed[id].size(),
                         durable.size(), handed[id].empty() ? "none" : handed[id].front(),
                         durable.empty() ? "none" : durable.front()));
    }
  }
}

void pipeline(Patient& patient) {
  if (patient.declared().concurrency != Concurrency::kPipelined) {
    throw CheckSkipped{"it does not declare that its sessions take several commits at once"};
  }
  if (!patient.has_slots() || patient.on_threads()) {
    throw CheckSkipped{"it has no slots, or the order of calls of threads is not known"};
  }
  for (std::uint64_t seed = 0; seed < Patient::kSeeds; ++seed) {
    patient.reset("pipeline-" + std::to_string(seed));
    Client a = patient.open(0, patient.scheduler().runtime_of(0, Time::zero()));
    std::vector<Committed> called(3);
    std::size_t calls = 0;
    patient.together(3, seed, [&](std::uint32_t, Client& caller) {
      caller.runtime().yield();
      const std::size_t call = calls++;
      called[call] = a.commit("A" + std::to_string(call));
    });
    for (std::size_t i = 1; i < called.size(); ++i) {
      expect(called[i - 1].slot < called[i].slot,
             fmt::format("the commit called as number {} got slot {}, and the one before it slot "
                         "{}",
                         i + 1, *called[i].slot, *called[i - 1].slot));
    }
  }
}

std::string transcript(Patient& patient, const std::string& run) {
  patient.reset(run);
  std::string lines;
  patient.together(3, 7, [&](std::uint32_t id, Client& client) {
    client.open();
    for (int i = 0; i < 2; ++i) {
      const Committed done = client.commit("m", id == 2 ? "y" : "x");
      lines += fmt::format("{} wrote slot {}\n", client.label(), done.slot.value_or(-1));
      std::string seen;
      if (patient.is_feed()) {
        for (const Delivered& one : client.receive(std::chrono::seconds(20))) {
          seen += fmt::format(" {} {}", one.topic, one.entry.slot.value_or(-1));
        }
      } else if (const std::optional<Entry> entry = client.read()) {
        seen = fmt::format(" x {}", entry->slot.value_or(-1));
      }
      lines += fmt::format("{} read{}\n", client.label(), seen);
    }
  });
  return lines + fmt::format("{} steps", patient.scheduler().steps());
}

void one_seed_one_run(Patient& patient) {
  if (patient.on_threads()) throw CheckSkipped{"it runs on threads"};
  const std::string first = transcript(patient, "one-seed-1");
  const auto compare = [&](const std::string& again, std::string_view how) {
    std::size_t at = 0;
    while (at < first.size() && at < again.size() && first[at] == again[at]) ++at;
    const std::size_t line = at == 0 ? 0 : first.rfind('\n', at - 1) + 1;
    expect(again == first, fmt::format("one seed gave two different runs {}: '{}' and '{}'", how,
                                       first.substr(line, first.find('\n', line) - line),
                                       again.substr(line, again.find('\n', line) - line)));
  };
  compare(transcript(patient, "one-seed-2"), "after a reset");
  patient.replace();
  compare(transcript(patient, "another-id"), "on a new backend");
}

}  // namespace

std::vector<DoctorCheck> race_checks() {
  return {
      {"racing-commits",
       "of commits that race for a slot exactly one wins it: each acknowledged commit has a slot "
       "of its own, over several sessions, and the drain shows all of them",
       "looking for a free slot and taking it are two steps; the condition of the create is "
       "ignored",
       &racing_commits},
      {"interleaves", "a backend that declares `interleaves` lets others on inside its operations",
       "no Runtime::yield between the steps of commit and poll", &interleaves},
      {"readers-never-go-back",
       "while others write nobody reads behind what it read or wrote before",
       "reads are served by a replica or a cache that lags", &never_back},
      {"feed-is-complete", "everything that was committed is handed to every reader, once",
       "the cursor is moved past a slot that was taken and not written yet", &feed_is_complete},
      {"pipeline-keeps-order", "pipelined commits of a session take effect in the order of calls",
       "each commit goes its own way to the store and nothing keeps them in line", &pipeline},
      {"one-seed-one-run",
       "the same choices give the same run again, after a reset and on a new backend",
       "time, chance or the order of a hash table that does not come from the Runtime",
       &one_seed_one_run},
  };
}

}  // namespace causalcheck
