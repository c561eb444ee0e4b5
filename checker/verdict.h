#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "checker/declaration.h"
#include "checker/history.h"

namespace causalcheck {

/// Why one event must precede another (docs/semantics.md, "Clauses").
enum class Principle : std::uint8_t {
  kClientOrder = 1,        // P1: a client's own order
  kSendBeforeReceive = 2,  // P2: a publish precedes every observation of it
  kObservedOrder = 3,      // P3: what a client observed first was published first
};

/// One event: a client's step, and the number that grounds it. Printed like "C2".
struct Symbol {
  ClientId client = 0;
  std::uint32_t step = 0;  // the client's own count from 1; 0 is the synthetic start
  Position number = 0;     // its grounding; 0 for step 0
  bool operator==(const Symbol&) const = default;
};

/// The claim "`before` happened before `after`", and the operation that taught it.
struct Clause {
  Principle why = Principle::kClientOrder;
  Symbol before{};
  Symbol after{};
  OperationIndex learned_from = 0;
  bool operator==(const Clause&) const = default;
};

/// The concrete way in which a guarantee was broken. Each belongs to one rule of docs/semantics.md.
enum class Reason : std::uint8_t {
  kObservedAgainstOrder,    // a message was observed after one that it precedes
  kReadNothing,             // nothing was read where something had to be there
  kReadOlder,               // an older message (no slots) was read
  kReadSmallerSlot,         // a smaller slot was read
  kFirstSlotsAgainstOrder,  // the log holds an effect in front of its cause
  kEffectWithoutCause,      // at the end a reader or the log has the effect and not the cause
  kNoCommonOrder,           // the orders of all receivers close a cycle
  kRefutedByRecordedOrder,  // --grounding instrumentation: false by event numbers only
  kMissingAtDrain,          // an acknowledged message is not in the durable log
  kReplacedAtDrain,         // its slot, or its topic, holds another message
  kNeverDelivered,          // an acknowledged message did not reach a live reader
  kSlotHeldTwoMessages,
  kIdStoodForTwoMessages,
  kHoleInLog,
  kMessageInTwoSlots,
  kFailedIsVisible,
  kNobodyWrote,
  kPayloadDiffers,
  kUndecodable,
  kAgainstRealTime,  // a later operation has the smaller slot
};

/// One way in which a history breaks a guarantee. A value; every text and picture is a function of
/// it.
struct Violation {
  Guarantee guarantee = Guarantee::kCausal;
  Reason reason = Reason::kObservedAgainstOrder;
  /// True when no order of events can satisfy `broken`: it and `chain` close a cycle. False when
  /// only the recorded order, or the backend's own slots, are at odds with it.
  bool contradiction = false;
  std::optional<Clause> broken{};
  /// The shortest chain of clauses from `broken.after` to `broken.before`.
  std::vector<Clause> chain{};
  /// The operations a reader has to look at, in the order in which the sentence names them.
  std::vector<OperationIndex> operations{};
  /// Publishes on the chain whose outcome is still open: while there is one, the violation may go
  /// away.
  bool pending = false;
  bool operator==(const Violation&) const = default;
};

enum class Answer : std::uint8_t { kHolds, kBreaks, kNotApplicable };

/// How one guarantee came out.
struct Judgement {
  Answer answer = Answer::kNotApplicable;
  /// How often it was judged where it could have failed. 0 with kHolds: nothing could have broken
  /// it.
  std::uint64_t judged = 0;
  /// How often it failed. `violation` is the first of them.
  std::uint64_t broken = 0;
  std::optional<Violation> violation{};
  /// For kNotApplicable: the reason, a clause in words.
  std::string why{};
  /// False when the backend does not claim it; the answer is then kNotApplicable, unless asked for.
  bool claimed = false;
  bool operator==(const Judgement&) const = default;
};

/// What the run exercised.
struct Counts {
  std::uint64_t operations = 0;        // of clients, without the drain
  std::uint64_t publishes = 0;         // events
  std::uint64_t observes = 0;          // events
  std::uint64_t foreign_observes = 0;  // of another client's message
  std::uint64_t clauses_p1 = 0;
  std::uint64_t clauses_p2 = 0;
  std::uint64_t clauses_p3 = 0;  // observed pairs that the judged level orders
  std::uint64_t reads_nothing = 0;
  std::uint64_t repeats = 0;     // latest: an equal answer again
  std::uint64_t duplicates = 0;  // feed: a copy after the first
  std::uint64_t skipped = 0;     // latest: slots jumped over by a reader
  std::uint64_t overlaps = 0;    // operations called while another client's was open
  std::uint64_t info = 0;        // operations with unknown outcome
  std::uint64_t fail = 0;
  bool operator==(const Counts&) const = default;
};

enum class Verdict : std::uint8_t { kHolds, kBreaks, kUnknown };

/// The judgement of one history.
struct Report {
  Verdict verdict = Verdict::kUnknown;
  std::string why{};  // for kUnknown
  bool contaminated = false;
  bool cut_off = false;
  bool vacuous = false;
  std::array<Judgement, kGuaranteeCount> guarantees{};
  Counts counts{};

  [[nodiscard]] const Judgement& operator[](Guarantee id) const {
    return guarantees[static_cast<std::size_t>(id)];
  }
  [[nodiscard]] Judgement& operator[](Guarantee id) {
    return guarantees[static_cast<std::size_t>(id)];
  }
  bool operator==(const Report&) const = default;
};

/// How P3 is read at level `total`: by happened-before, or literally by event number as the
/// prototypes did (`send(previous) < send(m)`).
enum class Grounding : std::uint8_t { kHappenedBefore, kInstrumentation };

std::string_view to_string(Principle why);
std::string_view to_string(Reason reason);
std::string_view to_string(Answer answer);
std::string_view to_string(Verdict verdict);

/// Eight hex digits, equal for violations of one kind: same guarantee, same reason, same class.
std::string fingerprint(const Violation& violation);

}  // namespace causalcheck
