#include "harness/report/data_block.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "checker/clocks/history_clocks.h"
#include "checker/explain.h"
#include "checker/timeline.h"
#include "harness/json_text.h"
#include "harness/report/conflict.h"
#include "harness/report/window.h"

namespace causalcheck {
namespace {

constexpr std::uint64_t kExactMax = (std::uint64_t{1} << 53U) - 1;

/// JSON, written front to back.
class Writer {
 public:
  void open(char bracket) {
    comma();
    out_ += bracket;
    fresh_ = true;
  }
  void close(char bracket) {
    out_ += bracket;
    fresh_ = false;
  }
  void key(std::string_view name) {
    comma();
    append_json_string(out_, name);
    out_ += ':';
    fresh_ = true;
  }
  void text(std::string_view value) {
    comma();
    append_json_string(out_, value);
  }
  template <class Number>
  void number(Number value) {
    comma();
    fmt::format_to(std::back_inserter(out_), "{}", value);
  }
  void truth(bool value) {
    comma();
    out_ += value ? "true" : "false";
  }
  void null() {
    comma();
    out_ += "null";
  }
  void texts(std::string_view name, const std::vector<std::string>& values) {
    key(name);
    open('[');
    for (const std::string& value : values) text(value);
    close(']');
  }
  [[nodiscard]] std::string take() { return std::move(out_); }

 private:
  void comma() {
    if (!fresh_) out_ += ',';
    fresh_ = false;
  }

  std::string out_{};
  bool fresh_ = true;
};

/// The positions of a history as a page can hold them.
class Positions {
 public:
  explicit Positions(const History& history) {
    Position largest = 0;
    const auto look = [&](Position p) {
      if (p != kNever) largest = std::max(largest, p);
    };
    const auto each = [&](auto visit) {
      for (const Operation& o : history.operations) {
        visit(o.start);
        visit(o.end);
      }
      for (const FaultWindow& f : history.faults) {
        visit(f.start);
        visit(f.end);
      }
      for (const Leave& l : history.leaves) visit(l.at);
    };
    each(look);
    if (largest <= kExactMax) return;
    each([&](Position p) {
      if (p != kNever) all_.push_back(p);
    });
    std::sort(all_.begin(), all_.end());
    all_.erase(std::unique(all_.begin(), all_.end()), all_.end());
  }
  [[nodiscard]] bool renumbered() const { return !all_.empty(); }
  [[nodiscard]] Position operator()(Position p) const {
    if (all_.empty()) return p;
    return static_cast<Position>(std::lower_bound(all_.begin(), all_.end(), p) - all_.begin()) + 1;
  }

 private:
  std::vector<Position> all_{};
};

/// What of a history a page holds, and under which numbers: those of the whole when it is all.
class Part {
 public:
  Part(const History& history, std::vector<OperationIndex> kept)
      : history_(history), kept_(std::move(kept)) {
    if (whole()) return;
    message_.assign(history.messages.size(), kNothing);
    for (const OperationIndex i : kept_) {
      const MessageId m = history.operations[i].message;
      if (m == kNothing || message_[m] != kNothing) continue;
      message_[m] = static_cast<MessageId>(messages_.size());
      messages_.push_back(history.messages[m]);
    }
  }
  [[nodiscard]] bool whole() const { return kept_.size() == history_.operations.size(); }
  [[nodiscard]] const std::vector<OperationIndex>& operations() const { return kept_; }
  [[nodiscard]] std::size_t left_out() const { return history_.operations.size() - kept_.size(); }
  [[nodiscard]] const std::vector<std::string>& messages() const {
    return whole() ? history_.messages : messages_;
  }
  /// kNothing: it is not in this part.
  [[nodiscard]] MessageId message(MessageId m) const {
    return whole() || m == kNothing ? m : message_[m];
  }
  [[nodiscard]] std::size_t place(OperationIndex i) const {
    if (whole()) return i;
    return static_cast<std::size_t>(std::lower_bound(kept_.begin(), kept_.end(), i) -
                                    kept_.begin());
  }

 private:
  const History& history_;
  std::vector<OperationIndex> kept_;
  std::vector<MessageId> message_{};
  std::vector<std::string> messages_{};
};

template <class Value>
void column(Writer& w, std::string_view name, const History& history, const Part& part,
            Value value) {
  w.key(name);
  w.open('[');
  for (const OperationIndex i : part.operations()) value(history.operations[i]);
  w.close(']');
}

template <class Has>
void index_list(Writer& w, std::string_view name, const History& history, const Part& part,
                Has has) {
  w.key(name);
  w.open('[');
  for (std::size_t i = 0; i < part.operations().size(); ++i) {
    if (has(history.operations[part.operations()[i]])) w.number(i);
  }
  w.close(']');
}

/// Steps and clocks of a part: what is left out counts in them.
void clocks(Writer& w, const History& history, const Timeline& timeline, const Part& part) {
  const EventClocks all(history, timeline);
  const auto event = [&](OperationIndex i) {
    const std::uint32_t e = timeline.event_of[i];
    return e != kNoEvent && timeline.events[e].operation == i ? e : kNoEvent;
  };
  w.key("step");
  w.open('[');
  for (const OperationIndex i : part.operations()) {
    w.number(event(i) == kNoEvent ? 0 : timeline.events[event(i)].at.step);
  }
  w.close(']');
  w.key("clock");
  w.open('[');
  for (const OperationIndex i : part.operations()) {
    if (event(i) == kNoEvent) {
      w.null();
      continue;
    }
    w.open('[');
    for (const std::uint32_t step : all.clock(event(i))) w.number(step);
    w.close(']');
  }
  w.close(']');
}

void columns(Writer& w, const History& history, const Timeline& timeline, const Part& part,
             const Positions& positions) {
  w.key("columns");
  w.open('{');
  // -1 stands for "none": the drain, nothing read, no slot, never returned.
  column(w, "client", history, part, [&](const Operation& o) {
    w.number(o.is_drain() ? -1 : static_cast<std::int64_t>(o.client));
  });
  std::string kinds;
  std::string outcomes;
  for (const OperationIndex i : part.operations()) {
    const Operation& o = history.operations[i];
    kinds += o.is_write() ? 'w' : 'r';
    const Outcome outcome = final_outcome(o);
    outcomes += outcome == Outcome::kOk ? 'o' : outcome == Outcome::kFail ? 'f' : 'i';
  }
  w.key("kind");
  w.text(kinds);
  w.key("outcome");
  w.text(outcomes);
  column(w, "topic", history, part, [&](const Operation& o) { w.number(o.topic); });
  column(w, "message", history, part, [&](const Operation& o) {
    const MessageId m = part.message(o.message);
    w.number(m == kNothing ? -1 : static_cast<std::int64_t>(m));
  });
  column(w, "slot", history, part, [&](const Operation& o) {
    if (o.slot != kNoSlot && static_cast<std::uint64_t>(o.slot) > kExactMax) {
      w.text(std::to_string(o.slot));
    } else {
      w.number(o.slot);
    }
  });
  column(w, "start", history, part, [&](const Operation& o) { w.number(positions(o.start)); });
  column(w, "span", history, part, [&](const Operation& o) {
    if (o.end == kNever) {
      w.number(-1);
    } else {
      w.number(positions(o.end) - positions(o.start));
    }
  });
  const auto any = [&](auto has) {
    return std::any_of(history.operations.begin(), history.operations.end(), has);
  };
  if (any([](const Operation& o) { return o.session != 1; })) {
    column(w, "session", history, part, [&](const Operation& o) { w.number(o.session); });
  }
  if (any([](const Operation& o) { return o.node != 0; })) {
    column(w, "node", history, part, [&](const Operation& o) { w.number(o.node); });
  }
  if (!part.whole()) clocks(w, history, timeline, part);
  index_list(w, "deletes", history, part, [](const Operation& o) { return o.is_delete; });
  index_list(w, "undecodable", history, part, [](const Operation& o) { return o.undecodable; });
  index_list(w, "foreign", history, part, [](const Operation& o) { return o.foreign; });
  w.close('}');
}

void clause(Writer& w, const Clause& c, const Part& part) {
  w.open('[');
  w.number(static_cast<int>(c.why));
  w.number(c.before.client);
  w.number(c.before.step);
  w.number(c.after.client);
  w.number(c.after.step);
  w.number(part.place(c.learned_from));
  w.close(']');
}

void violation(Writer& w, const ViolationGroup& group, const History& shown, const Part& part) {
  const Violation& v = *group.violation;
  w.open('{');
  w.key("guarantees");
  w.open('[');
  for (const Guarantee id : group.guarantees) w.text(to_string(id));
  w.close(']');
  w.key("sentence");
  w.text(sentence(v, shown));
  w.key("class");
  w.text(class_of(v));
  w.key("contradiction");
  w.truth(v.contradiction);
  w.key("fingerprint");
  w.text(fingerprint(v));
  w.key("broken");
  if (v.broken) {
    clause(w, *v.broken, part);
  } else {
    w.null();
  }
  w.key("chain");
  w.open('[');
  for (const Clause& c : v.chain) clause(w, c, part);
  w.close(']');
  w.key("operations");
  w.open('[');
  for (const OperationIndex i : v.operations) w.number(part.place(i));
  w.close(']');
  w.close('}');
}

void declared(Writer& w, const Declaration& d) {
  w.key("declared");
  w.open('{');
  const auto word = [&](std::string_view name, std::string_view value) {
    w.key(name);
    w.text(value);
  };
  word("slots", to_string(d.slots));
  word("reads", to_string(d.reads));
  word("level", to_string(d.level));
  word("scope", to_string(d.scope));
  word("retries", to_string(d.retries));
  w.close('}');
}

void run(Writer& w, const ReportedRun& reported) {
  const History& history = reported.file->history;
  const Report& report = *reported.report;
  const Positions positions(history);
  const Timeline timeline = timeline_of(history);
  const Part part(history, operations_for_page(report, history, timeline));
  w.open('{');
  w.key("name");
  w.text(reported.name);
  w.key("verdict");
  w.text(to_string(report.verdict));
  w.key("why");
  w.text(report.why);
  declared(w, history.declared);
  if (!part.whole()) {
    w.key("left_out");
    w.number(part.left_out());
  }
  w.key("renumbered");
  w.truth(positions.renumbered());
  w.texts("clients", history.clients);
  w.texts("topics", history.topics);
  w.texts("messages", part.messages());
  w.texts("nodes", history.nodes);
  columns(w, history, timeline, part, positions);
  // What only the payloads can tell, which are not here.
  w.key("conflicted");
  w.open('[');
  for (MessageId m = 0; m < timeline.messages.size(); ++m) {
    if (timeline.messages[m].conflicted && part.message(m) != kNothing) w.number(part.message(m));
  }
  w.close(']');
  const auto position = [&](Position p) {
    if (p == kNever) {
      w.null();
    } else {
      w.number(positions(p));
    }
  };
  w.key("faults");
  w.open('[');
  for (const FaultWindow& fault : history.faults) {
    w.open('[');
    w.text(fault.kind);
    w.text(fault.target);
    position(fault.start);
    position(fault.end);
    w.close(']');
  }
  w.close(']');
  w.key("leaves");
  w.open('[');
  for (const Leave& leave : history.leaves) {
    w.open('[');
    w.number(leave.client);
    position(leave.at);
    w.close(']');
  }
  w.close(']');
  w.texts("other", reported.file->other_lines);
  w.key("violations");
  w.open('[');
  const History shown = with_short_names(history);
  for (const ViolationGroup& group : violation_groups(report)) violation(w, group, shown, part);
  w.close(']');
  w.close('}');
}

}  // namespace

std::string data_block(const std::vector<ReportedRun>& runs, Grounding grounding) {
  Writer w;
  w.open('{');
  w.key("version");
  w.number(1);
  w.key("grounding");
  w.text(grounding == Grounding::kInstrumentation ? "instrumentation" : "happened-before");
  w.key("runs");
  w.open('[');
  for (const ReportedRun& reported : runs) run(w, reported);
  w.close(']');
  w.close('}');
  return w.take();
}

}  // namespace causalcheck
