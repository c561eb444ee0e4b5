#pragma once

#include <cstdint>
#include <vector>

#include "checker/history.h"
#include "checker/timeline.h"
#include "checker/verdict.h"

namespace causalcheck {

/// The events of a history with the clauses between them as edges: P1 and P2 from the history
/// itself, P3 as they are added. For searches that run once per violation or once per history.
class ClauseGraph {
 public:
  /// Both must outlive the graph.
  ClauseGraph(const History& history, const Timeline& timeline);

  /// Adds the clause send(before) < send(after), learned from `operation`. Nothing for one message.
  void observed(MessageId before, MessageId after, OperationIndex operation);
  void forget_observed_order() { observed_.clear(); }
  [[nodiscard]] std::size_t observed_count() const { return observed_.size(); }

  /// The shortest chain of P1 and P2 clauses from the publish of `from` to that of any message for
  /// which `targets` is true; empty when there is none. One message is never its own target.
  [[nodiscard]] std::vector<Clause> chain(MessageId from, const std::vector<bool>& targets) const;

  /// A shortest cycle through one of the P3 clauses, that clause first; empty when there is none.
  [[nodiscard]] std::vector<Clause> shortest_cycle() const;

  /// Per message: whether it happens before a message for which `targets` is true.
  [[nodiscard]] std::vector<bool> before_any(const std::vector<bool>& targets) const;
  /// The events so that every clause, P3 among them, leads to an earlier one. REQUIRES: there is no
  /// cycle.
  [[nodiscard]] std::vector<std::uint32_t> backwards() const;
  /// Per message: the bits of all messages that a chain, P3 clauses among it, leads to. `bits` is
  /// per message; `order` what backwards() answers.
  [[nodiscard]] std::vector<std::uint64_t> ordered_before(
      const std::vector<std::uint64_t>& bits, const std::vector<std::uint32_t>& order) const;

 private:
  struct Edge {
    std::uint32_t to = 0;
    Clause clause{};
  };
  struct Observed {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    OperationIndex learned_from = 0;
  };
  template <class Visit>
  void for_each_edge(std::uint32_t event, Visit visit) const;
  [[nodiscard]] Clause clause(Principle why, std::uint32_t from, std::uint32_t to,
                              OperationIndex learned_from) const;
  template <class Found>
  std::vector<Clause> search(std::uint32_t from, bool with_observed, Found is_target) const;
  [[nodiscard]] std::vector<std::uint32_t> components() const;
  void index_observed() const;

  const History& history_;
  const Timeline& timeline_;
  std::vector<std::uint32_t> next_{};            // per event: the client's event after it
  std::vector<std::uint32_t> first_observer_{};  // per message: into observers_
  std::vector<std::uint32_t> observers_{};       // events that observe it
  std::vector<Observed> observed_{};
  mutable std::vector<std::uint32_t> first_observed_{};  // per event: into sorted observed_
  mutable std::vector<Observed> sorted_observed_{};
};

}  // namespace causalcheck
