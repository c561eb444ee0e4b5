// The fast checker and the slow one judge the same random histories alike, on every guarantee,
// whether the fast one sees the whole history or watches it grow.
//
// CAUSALCHECK_AGREEMENT_RUNS=1000000 judges a million histories instead of ten thousand, and
// CAUSALCHECK_AGREEMENT_SEED=N takes others.

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "checker/checker.h"
#include "checker/shorthand.h"
#include "tests/history_of.h"
#include "tests/reference/random_history.h"
#include "tests/reference/random_mutation.h"
#include "tests/reference/reference_checker.h"
#include "tests/reference/reference_order.h"

namespace causalcheck::reference {
namespace {

constexpr std::uint64_t kRunsDefault = 10'000;
constexpr std::uint64_t kSeedDefault = 20'260'101;

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

History history_of_seed(std::uint64_t seed) { return random_history()(rc::Random(seed)).value(); }

/// A call or a return, as the recorder would tell the checker of it.
struct Mark {
  Position at = 0;
  bool is_return = false;
  OperationIndex operation = 0;
};

std::vector<Mark> marks_of(const History& history) {
  std::vector<Mark> marks;
  for (OperationIndex i = 0; i < history.operations.size(); ++i) {
    marks.push_back({history.operations[i].start, false, i});
    if (history.operations[i].end != kNever) marks.push_back({history.operations[i].end, true, i});
  }
  std::stable_sort(marks.begin(), marks.end(), [](const Mark& a, const Mark& b) {
    return std::pair(a.at, a.is_return) < std::pair(b.at, b.is_return);
  });
  return marks;
}

/// What the fast checker says of a history that it watches grow: an operation appears at its call,
/// knowing only what the caller knows then, and is completed at its return.
struct Watched {
  Report report{};
  std::optional<Guarantee> promised{};  // the first violation, once it was no longer pending
};

Watched watch(const History& history) {
  History growing = history;
  growing.operations.clear();
  growing.operations.reserve(history.operations.size());
  std::vector<OperationIndex> index(history.operations.size());
  Watched watched;
  Checker checker;
  checker.begin(growing);
  for (const Mark& mark : marks_of(history)) {
    const Operation& whole = history.operations[mark.operation];
    if (mark.is_return) {
      growing.operations[index[mark.operation]] = whole;
      checker.completed(index[mark.operation]);
    } else {
      Operation called = whole;
      called.end = kNever;
      called.outcome = Outcome::kInfo;
      called.slot = kNoSlot;
      if (!whole.is_write()) called.message = kNothing;
      called.payload = whole.is_write() ? whole.payload : 0;
      called.undecodable = false;
      called.foreign = false;
      index[mark.operation] = static_cast<OperationIndex>(growing.operations.size());
      growing.operations.push_back(called);
      checker.invoked(index[mark.operation]);
    }
    const Violation* violation = checker.first_violation();
    if (violation != nullptr && !violation->pending && !watched.promised) {
      watched.promised = violation->guarantee;
    }
  }
  watched.report = checker.finish();
  return watched;
}

std::string difference(std::string_view who, const ReferenceReport& expected, const Report& got) {
  for (const Guarantee id : all_guarantees()) {
    if (got[id].answer == expected[id]) continue;
    return fmt::format("{}: {} should be {}, got {}", who, to_string(id), to_string(expected[id]),
                       to_string(got[id].answer));
  }
  if (got.contaminated != expected.contaminated) {
    return fmt::format("{}: contaminated should be {}", who, expected.contaminated);
  }
  if (got.verdict != expected.verdict) {
    return fmt::format("{}: verdict should be {}, got {}", who, to_string(expected.verdict),
                       to_string(got.verdict));
  }
  return "";
}

bool a_failed_id_is_tried_again(const History& history) {
  std::set<MessageId> failed;
  for (const Operation& operation : history.operations) {
    if (!operation.is_write()) continue;
    const bool fails = operation.end != kNever && operation.outcome == Outcome::kFail;
    if (fails) failed.insert(operation.message);
    if (!fails && failed.contains(operation.message)) return true;
  }
  return false;
}

/// Where the checkers differ on this history, in words; empty when they agree.
std::string disagreement(const History& history) {
  const ReferenceReport expected = reference_check(history);
  std::string found = difference("whole", expected, check(history));
  if (!found.empty()) return found;
  found = difference("literal grounding", reference_check(history, Grounding::kInstrumentation),
                     check(history, Grounding::kInstrumentation));
  if (!found.empty()) return found;
  const Watched watched = watch(history);
  found = difference("watched", expected, watched.report);
  if (!found.empty()) return found;
  // That an id stood for two messages may come out later, and takes its lines out of all other
  // rows.
  const bool ids_tell_apart = expected[Guarantee::kFifo] != Answer::kNotApplicable;
  // Likewise that an id which failed, and was seen, is tried again afterwards.
  const bool tried_again =
      watched.promised == Guarantee::kOutcome && a_failed_id_is_tried_again(history);
  if (watched.promised && ids_tell_apart && !tried_again &&
      expected[*watched.promised] != Answer::kBreaks) {
    return fmt::format("watched: promised a violation of {}, which did not stay",
                       to_string(*watched.promised));
  }
  return "";
}

/// How often each guarantee broke, held where it could have broken, and was not judged.
struct Shares {
  std::array<std::uint64_t, kGuaranteeCount> breaks{};
  std::array<std::uint64_t, kGuaranteeCount> holds_nontrivially{};
  std::array<std::uint64_t, kGuaranteeCount> not_applicable{};
  std::array<std::uint64_t, 3> verdicts{};
  std::uint64_t contaminated = 0;
  std::uint64_t runs = 0;

  void add(const Report& report) {
    ++runs;
    ++verdicts[static_cast<std::size_t>(report.verdict)];
    contaminated += report.contaminated ? 1 : 0;
    for (std::size_t i = 0; i < kGuaranteeCount; ++i) {
      const Judgement& judgement = report.guarantees[i];
      breaks[i] += judgement.answer == Answer::kBreaks ? 1 : 0;
      not_applicable[i] += judgement.answer == Answer::kNotApplicable ? 1 : 0;
      holds_nontrivially[i] += judgement.answer == Answer::kHolds && judgement.judged > 0 ? 1 : 0;
    }
  }

  [[nodiscard]] double percent(std::uint64_t count) const {
    return 100.0 * static_cast<double>(count) / static_cast<double>(runs);
  }

  void print() const {
    fmt::print("{:<20} {:>8} {:>10} {:>8}\n", "of all histories, %", "breaks", "holds*", "n/a");
    for (const Guarantee id : all_guarantees()) {
      const auto i = static_cast<std::size_t>(id);
      fmt::print("{:<20} {:>8.1f} {:>10.1f} {:>8.1f}\n", to_string(id), percent(breaks[i]),
                 percent(holds_nontrivially[i]), percent(not_applicable[i]));
    }
    fmt::print("* and something in the history could have broken it\n");
    fmt::print(
        "verdicts: holds {:.1f}, breaks {:.1f}, unknown {:.1f}, of which contaminated {:.1f}\n",
        percent(verdicts[0]), percent(verdicts[1]), percent(verdicts[2]), percent(contaminated));
  }
};

TEST(Agreement, FastAndSlowJudgeEveryRandomHistoryAlike) {
  const std::uint64_t runs = from_environment("CAUSALCHECK_AGREEMENT_RUNS", kRunsDefault);
  const std::uint64_t seed = from_environment("CAUSALCHECK_AGREEMENT_SEED", kSeedDefault);
  Shares shares;
  std::map<std::string, std::uint64_t> differences;  // in words; and the first seed of each kind
  for (std::uint64_t run = 0; run < runs; ++run) {
    const History history = history_of_seed(seed + run);
    const std::string found = disagreement(history);
    if (!found.empty()) differences.emplace(found, seed + run);
    shares.add(check(history));
  }
  for (const auto& [words, at] : differences) {
    ADD_FAILURE() << "CAUSALCHECK_AGREEMENT_SEED=" << at << " " << words << "\n"
                  << describe(smallest_where(history_of_seed(at),
                                             [&words = words](const History& history) {
                                               return disagreement(history) == words;
                                             }));
  }
  shares.print();
  if (runs < kRunsDefault) return;  // too few for shares
  for (const Guarantee id : all_guarantees()) {
    const auto i = static_cast<std::size_t>(id);
    EXPECT_GE(shares.percent(shares.breaks[i]), 5.0) << to_string(id);
    EXPECT_GE(shares.percent(shares.holds_nontrivially[i]), 20.0) << to_string(id);
  }
}

TEST(Agreement, RandomHistoriesAreWellFormed) {
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    EXPECT_TRUE(is_well_formed(history_of_seed(seed))) << seed;
  }
}

TEST(Agreement, ACommonOrderExistsExactlyWhereTheClosureHasNoCycle) {
  std::size_t with_order = 0;
  std::size_t without_order = 0;
  for (std::uint64_t seed = 0; seed < 8000; ++seed) {
    const History history = history_of_seed(seed);
    if (reference_check(history).contaminated) continue;
    const Model model(history);
    if (model.usable().size() > 7) continue;
    for (TopicId topic = 0; topic < history.topics.size(); ++topic) {
      const auto clauses = total_clauses(model, topic);
      const bool by_closure = common_order_by_closure(model, clauses);
      ASSERT_EQ(common_order_by_permutations(model, clauses), by_closure) << describe(history);
      if (!clauses.empty()) ++(by_closure ? with_order : without_order);
    }
  }
  EXPECT_GE(with_order, 500U);
  EXPECT_GE(without_order, 500U);
}

TEST(Agreement, ShorthandKeepsTheJudgement) {
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    History history = history_of_seed(seed);
    // Shorthand has no word for two marks at one position; spread them out as it writes them.
    Position at = 0;
    for (const Mark& mark : marks_of(history)) {
      Operation& operation = history.operations[mark.operation];
      (mark.is_return ? operation.end : operation.start) = ++at;
    }
    history.faults.clear();
    History again = history_of(to_shorthand(history), history.declared);
    again.declared = history.declared;
    again.has_header = history.has_header;
    again.payloads_checked = history.payloads_checked;
    again.faults_asked = history.faults_asked;
    ASSERT_EQ(reference_check(again), reference_check(history)) << describe(history);
  }
}

TEST(Agreement, ShrinkingLeavesNothingThatCanBeLeftOut) {
  const auto breaks_causal = [](const History& history) {
    return reference_check(history)[Guarantee::kCausal] == Answer::kBreaks;
  };
  Declaration feed;
  feed.reads = Reads::kFeed;
  const History history = history_of("D! B! C<D1 C<B1 C! D<B1 A<C3 D<C3 A<B1 A<D1", feed);
  ASSERT_TRUE(breaks_causal(history));
  const History smallest = smallest_where(history, breaks_causal);
  EXPECT_EQ(to_shorthand(smallest), "B! C<B1 C! D<C2");
}

}  // namespace
}  // namespace causalcheck::reference
