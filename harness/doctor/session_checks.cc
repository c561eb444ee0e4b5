// What several sessions, runs and backends owe each other.
#include <fmt/format.h>

#include "harness/checked_session.h"
#include "harness/doctor/checks.h"
#include "harness/doctor/patient.h"

namespace causalcheck {
namespace {

using Client = Patient::Client;

// The second run's slots too, or the same plan would not give the same history.
void reset_isolates(Patient& patient) {
  std::vector<std::optional<Slot>> first;
  for (int run = 0; run < 3; ++run) {
    patient.reset("isolated-" + std::to_string(run));
    patient.alone([&](Runtime& runtime) {
      for (const char* topic : {"x", "y"}) {
        const std::vector<Entry> left = patient.drain(runtime, topic);
        expect(left.empty(), fmt::format("after the reset topic '{}' still holds {} message{} of "
                                         "the run before",
                                         topic, left.size(), left.size() == 1 ? "" : "s"));
      }
      Client a = patient.open(0, runtime);
      const std::optional<Entry> entry = a.read();
      expect(!entry, "after the reset A read " + or_nothing(entry));
      std::vector<std::optional<Slot>> slots;
      for (const char* topic : {"x", "y", "x"}) {
        slots.push_back(a.commit("A of run " + std::to_string(run), topic).slot);
      }
      if (run == 0) first = slots;
      expect(slots == first || patient.on_threads(),
             fmt::format("the same commits got other slots after a reset: the first of them {} and "
                         "before {}",
                         slots[0].value_or(-1), first[0].value_or(-1)));
    });
  }
}

void two_backends(Patient& patient) {
  patient.reset("one");
  const std::unique_ptr<Backend> other = patient.make();
  const auto reset_other = [&](const std::string& run) {
    const Result<void> done = other->reset({run, {"x", "y"}});
    expect(done.has_value(), "the reset of a second backend failed: " + describe(done.error()));
  };
  reset_other("other");
  patient.alone([&](Runtime& runtime) {
    Client here = patient.open(0, runtime);
    const Committed done = here.commit("A1");
    {
      const auto there = other->open({0, "A", 1}, runtime, nullptr);
      expect(there.has_value(), "opening a session of a second backend failed");
      const Result<Ack> ack = (*there)->commit({"x", "B1", false}, here.soon());
      expect(ack.has_value(), "a commit to a second backend failed: " + describe(ack.error()));
    }
    patient.expect_drained(runtime, {done});
    reset_other("other-2");
    patient.expect_drained(runtime, {done});
  });
}

void reconnect(Patient& patient) {
  patient.reset("reconnect");
  patient.alone([&](Runtime& runtime) {
    Client a = patient.open(0, runtime);
    Client b = patient.open(1, runtime);
    b.commit("B1");
    const std::optional<Entry> before = a.read_until("B1");
    expect(before && before->payload == "B1", "A read " + or_nothing(before) + ", not B1");
    const ResumeToken token = a.close();
    a.open(&token);
    if (patient.is_feed()) {
      const std::optional<Entry> after = a.read();
      expect(!after, "with its resume token A was handed again " + or_nothing(after));
    } else {
      const std::optional<Entry> after = a.read_until("B1");
      expect(after && after->payload == "B1",
             "with its resume token A read " + or_nothing(after) + ", and before it B1");
    }
    const Committed next = b.commit("B2");
    const std::optional<Entry> entry = a.read_until("B2");
    expect(entry && entry->payload == "B2" && entry->slot == next.slot,
           "after B2 was acknowledged A read " + or_nothing(entry));
  });
}

void restart(Patient& patient) {
  patient.reset("restart");
  patient.alone([&](Runtime& runtime) {
    Client b = patient.open(1, runtime);
    b.commit("B1");
    for (const ClientInfo& info : {ClientInfo{0, "A", 1}, ClientInfo{2, "A~2", 2}}) {
      const std::optional<Entry> entry = patient.open(info, runtime).read_until("B1");
      expect(entry && entry->payload == "B1",
             fmt::format("{}, which opened without a resume token, read {} and not B1 from the "
                         "start",
                         info.label, or_nothing(entry)));
    }
  });
}

void no_blocking(Patient& patient) {
  patient.reset("no-blocking");
  std::uint32_t commits = 0;
  patient.together(2, 1, [&](std::uint32_t id, Client& client) {
    client.open();
    // Neither ends its session while the other is at work, and A reads nothing of what B writes.
    for (int i = 1; i <= 3; ++i) {
      client.commit(client.label() + std::to_string(i));
      if (id == 1 && !patient.is_feed()) static_cast<void>(client.read());
    }
    if (patient.on_threads()) return;
    ++commits;
    std::uint32_t waits = 0;
    while (commits < 2) {
      expect(++waits < 100'000,
             fmt::format("{} was done, and the other client's commits did not come "
                         "to an end while {}'s session was open",
                         client.label(), client.label()));
      client.runtime().sleep_until(client.runtime().now() + std::chrono::microseconds(100));
    }
  });
}

}  // namespace

std::vector<DoctorCheck> session_checks() {
  return {
      {"reset-isolates",
       "after a reset nothing of the run before is read or drained, and the same commits get the "
       "same slots",
       "names in the store do not begin with RunInfo::id, or a counter lives on over resets",
       &reset_isolates},
      {"two-backends-do-not-meet",
       "two backends made alike, reset for different runs, never see each other's messages, and "
       "the reset of one removes nothing of the other",
       "reset empties the whole store and not just what this object created", &two_backends},
      {"reconnect-resumes",
       "a client that comes back with its resume token reads on where it was, without a repeat",
       "close returns an empty token, or open ignores it", &reconnect},
      {"restart-starts-over", "a client that comes without a token reads from the start",
       "positions are kept per label and not in the token", &restart},
      {"sessions-do-not-block",
       "a client makes progress while another one's session is open, whatever that one reads",
       "a transaction, cursor or lock is held open between the calls of a session", &no_blocking},
  };
}

}  // namespace causalcheck
