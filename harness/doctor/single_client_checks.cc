// What one client, or one after another, must find.
#include <fmt/format.h>

#include "harness/checked_session.h"
#include "harness/doctor/checks.h"
#include "harness/doctor/patient.h"

namespace causalcheck {
namespace {

using Client = Patient::Client;

std::string slot_text(const std::optional<Slot>& slot) {
  return slot ? fmt::format("slot {}", *slot) : "no slot";
}

/// `who` must have read `sent`.
void expect_read(Client& who, const Committed& sent, std::string_view topic = "x") {
  const std::optional<Entry> entry = who.read_until(sent.payload, topic);
  expect(entry.has_value(), fmt::format("{} read nothing after {} was acknowledged", who.label(),
                                        shown_payload(sent.payload)));
  expect(entry->payload == sent.payload,
         fmt::format("{} read {} where {} was acknowledged", who.label(),
                     shown_payload(entry->payload), shown_payload(sent.payload)));
  expect(entry->slot == sent.slot,
         fmt::format("{} read {} at {}, which was acknowledged at {}", who.label(),
                     shown_payload(sent.payload), slot_text(entry->slot), slot_text(sent.slot)));
}

void declaration(Patient& patient) {
  const Declaration& promises = patient.declared().promises;
  const GuaranteeSet judged = all_judged(promises);
  for (const Guarantee id : all_guarantees()) {
    expect(!promises.offers.contains(id) || judged.contains(id),
           fmt::format("it offers {} and does not claim it", to_string(id)));
  }
  expect(!patient.backend().nodes().empty(), "nodes() is empty");
}

void reads_nothing_at_first(Patient& patient) {
  patient.reset("empty");
  patient.alone([&](Runtime& runtime) {
    Client a = patient.open(0, runtime);
    for (int i = 0; i < 2; ++i) {
      const std::optional<Entry> entry = a.read();
      expect(!entry.has_value(), "A read " + or_nothing(entry) + " from a topic nobody wrote to");
    }
    patient.expect_drained(runtime, {});
  });
}

void the_other_read(Patient& patient) {
  patient.reset("other-read");
  patient.alone([&](Runtime& runtime) {
    Client a = patient.open(0, runtime);
    a.commit("A1");
    if (patient.is_feed()) {
      expect(a.session().poll("x", a.soon()).has_error(),
             "poll answered, and the backend declares reads: feed");
    } else {
      expect(a.session().receive(a.soon()).has_error(),
             "receive answered, and the backend declares reads: latest");
    }
  });
}

void payloads(Patient& patient) {
  patient.reset("payloads");
  patient.alone([&](Runtime& runtime) {
    std::vector<Committed> commits;
    {
      Client writer = patient.open(0, runtime);
      Client reader = patient.open(1, runtime);
      for (const std::string& payload : awkward_payloads()) {
        commits.push_back(writer.commit(payload));
        expect_read(reader, commits.back());
        // A feed need not hand back what is one's own.
        if (!patient.is_feed()) {
          expect_read(writer, commits.back());
        } else if (const std::optional<Entry> own = writer.read()) {
          expect(own->payload == payload,
                 fmt::format("A was handed {} where {} was acknowledged",
                             shown_payload(own->payload), shown_payload(payload)));
        }
      }
    }
    patient.expect_drained(runtime, commits);
  });
}

void slots(Patient& patient) {
  patient.reset("slots");
  patient.alone([&](Runtime& runtime) {
    Client a = patient.open(0, runtime);
    Client b = patient.open(1, runtime);
    std::optional<Slot> last_x;
    std::optional<Slot> last_y;
    for (int i = 0; i < 6; ++i) {
      const bool on_y = i % 3 == 0;
      Client& writer = i % 2 == 0 ? a : b;
      const Committed done = writer.commit("m" + std::to_string(i), on_y ? "y" : "x");
      expect(done.slot.has_value() == patient.has_slots(),
             fmt::format("a commit was acknowledged with {}, and the backend declares slots: {}",
                         slot_text(done.slot), to_string(patient.declared().promises.slots)));
      std::optional<Slot>& last = on_y ? last_y : last_x;
      if (last) {
        expect(done.slot > last, fmt::format("a commit got slot {} after one at slot {} of the "
                                             "same topic was acknowledged",
                                             *done.slot, *last));
        expect(patient.declared().promises.slots != Slots::kContiguous || *done.slot == *last + 1,
               fmt::format("slot {} follows slot {}, and the backend declares slots: contiguous",
                           *done.slot, *last));
      }
      last = done.slot;
    }
  });
}

void open_changes_nothing(Patient& patient) {
  patient.reset("open");
  patient.alone([&](Runtime& runtime) {
    Client writer = patient.open(0, runtime);
    const Committed done = writer.commit("A1");
    { const Client passing = patient.open(1, runtime); }
    static_cast<void>(patient.open(2, runtime).close());
    patient.expect_drained(runtime, {done});
    const Committed next = writer.commit("A2");
    patient.expect_drained(runtime, {done, next});
  });
}

void deletes(Patient& patient) {
  patient.reset("deletes");
  patient.alone([&](Runtime& runtime) {
    Client writer = patient.open(0, runtime);
    Client reader = patient.open(1, runtime);
    writer.commit("A1");
    static_cast<void>(reader.read_until("A1"));
    const Result<Ack> ack = writer.session().commit({"x", "A2", true}, writer.soon());
    expect(ack.has_value(), "the commit of a delete failed: " + describe(ack.error()));
    const std::optional<Entry> entry = reader.read_until("A2");
    expect(entry.has_value() && entry->is_delete && entry->payload == "A2",
           "B read " + or_nothing(entry) + " after delete 'A2' was acknowledged");
    const std::vector<Entry> drained = patient.drain(runtime);
    expect(!drained.empty() && drained.back().is_delete,
           "the drain ends with " +
               (drained.empty() ? std::string("nothing") : describe(drained.back())));
  });
}

void topics_apart(Patient& patient) {
  const std::vector<std::string> topics = {"x", "x/y", "", "X", "%", "log"};
  patient.reset("topics", topics);
  patient.alone([&](Runtime& runtime) {
    Client client = patient.open(0, runtime);
    for (const std::string& topic : topics) {
      const Committed done = client.commit("in " + topic, topic);
      patient.expect_drained(runtime, {done}, topic);
      if (!patient.is_feed()) expect_read(client, done, topic);
    }
  });
}

}  // namespace

std::vector<DoctorCheck> single_client_checks() {
  return {
      {"declaration", "what it offers is among what it claims, and it has at least one node",
       "declare() lists a guarantee in `offers` that is in neither `level` nor `claims`",
       &declaration},
      {"reads-nothing-at-first", "a topic nobody wrote to reads as nothing and drains as nothing",
       "reset keeps the data of the run before, or a missing key is answered with an empty value",
       &reads_nothing_at_first},
      {"other-read-refused", "the kind of read it does not declare is an error",
       "poll (or receive) is left to answer nothing where it should answer kRejected",
       &the_other_read},
      {"payloads",
       "what was committed is read back by its own session, by another one and by the drain, byte "
       "for byte: nothing, 1 MiB, every Unicode plane, quotes, newlines, NUL, all 256 bytes",
       "a text column or a C string where bytes are meant; quoting; a limit on the size of a value",
       &payloads},
      {"slots",
       "slots grow with each acknowledged commit of a topic and are as declared: one after the "
       "other when contiguous, none when none",
       "the slot is counted by the session and not by the store, or over all topics at once",
       &slots},
      {"open-changes-nothing", "opening and closing sessions changes no data",
       "open writes a marker, or registers the client, in the log itself", &open_changes_nothing},
      {"deletes", "a delete comes back as a delete, with its payload",
       "the flag Message::is_delete is not stored beside the payload", &deletes},
      {"topics-apart", "what is written to one topic shows in no other, whatever their names are",
       "topic names are joined with '/' and not escaped, or the case of letters is ignored",
       &topics_apart},
  };
}

}  // namespace causalcheck
