#include "checker/checker.h"

#include <algorithm>
#include <cassert>

#include "checker/checker_impl.h"

namespace causalcheck {

Checker::Checker(Grounding grounding) : impl_(std::make_unique<Impl>(grounding)) {}
Checker::~Checker() = default;
void Checker::begin(const History& history) { impl_->begin(history); }
void Checker::invoked(OperationIndex operation) { impl_->invoked(operation); }
void Checker::completed(OperationIndex operation) { impl_->completed(operation); }
const Violation* Checker::first_violation() { return impl_->first_violation(); }
Report Checker::finish() { return impl_->finish(); }
Report Checker::check_whole(const History& history) {
  impl_->begin(history);
  return impl_->check_whole();
}

Report check(const History& history, Grounding grounding) {
  return Checker(grounding).check_whole(history);
}

namespace {

// Room for `count` without growing at each newcomer; a multiple of four suits vector instructions.
std::uint32_t capacity_for(std::size_t count) {
  std::uint32_t width = 4;
  while (width < count) width = width < 16 ? width + 4 : width + width / 4 / 4 * 4;
  return width;
}

}  // namespace

void Checker::Impl::begin(const History& history) {
  history_ = &history;
  knowledge_ = Knowledge::kNothingYet;
  const Declaration& declared = history.declared;
  slots_ = declared.slots != Slots::kNone;
  feed_ = declared.reads == Reads::kFeed;
  one_scope_ = feed_ && declared.scope == Scope::kAll;
  called_.clear();
  returned_.clear();
  clear();
}

/// Forgets what was judged, and makes the tables as large as the history asks for now.
void Checker::Impl::clear() {
  const Declaration& declared = history_->declared;
  width_ = capacity_for(history_->clients.size());
  topics_ = static_cast<std::uint32_t>(std::max<std::size_t>(history_->topics.size(), 1));
  cross_mode_ = !feed_ && declared.scope == Scope::kAll && topics_ > 1;

  const std::size_t clients = history_->clients.size();
  messages_.clear();
  deps_.clear();
  seen_.clear();
  cross_.clear();
  grow_messages();
  clients_.assign(clients, {});
  past_.assign(clients * width_, 0);
  cross_clients_.assign(cross_mode_ ? clients * cross_width() : 0, 0);
  readers_.assign(clients * topics_, {});
  reader_vectors_.assign(clients * topics_ * kVectors * width_, 0);
  last_ok_read_.assign(feed_ ? clients * topics_ : 0, kNoOperation);
  floors_.assign(topics_, kNoSlot);
  slot_table_.resize(topics_);
  for (auto& table : slot_table_) table.clear();
  slot_map_.resize(topics_);
  for (auto& map : slot_map_) map.clear();
  old_sessions_.clear();
  ticket_.clear();
  open_.clear();
  open_vectors_.clear();
  free_tickets_.clear();
  open_count_ = 0;
  drained_.resize(topics_);
  for (auto& lines : drained_) lines.clear();
  orphans_.clear();
  foreign_ = false;
  contaminated_.clear();
  dirty_ = false;
  counts_ = {};
  judgements_.fill({});
  findings_.fill(std::nullopt);
  found_order_.clear();
  first_.reset();
}

void Checker::Impl::grow_messages() {
  const std::size_t known = history_->messages.size();
  if (messages_.size() >= known) return;
  messages_.resize(known);
  deps_.resize(known * width_, 0);
  seen_.resize(known * width_, 0);
  if (cross_mode_) cross_.resize(known * cross_width(), 0);
}

void Checker::Impl::grow_clients() {
  const std::size_t clients = history_->clients.size();
  clients_.resize(clients);
  past_.resize(clients * width_, 0);
  if (cross_mode_) cross_clients_.resize(clients * cross_width(), 0);
  readers_.resize(clients * topics_);
  reader_vectors_.resize(clients * topics_ * kVectors * width_, 0);
  if (feed_) last_ok_read_.resize(clients * topics_, kNoOperation);
}

bool Checker::Impl::outcome_known(OperationIndex operation) const {
  switch (knowledge_) {
    case Knowledge::kNothingYet:
      return false;
    case Knowledge::kCompletedOnes:
      return returned_[operation];
    case Knowledge::kEverything:
      return true;
  }
  return false;
}

void Checker::Impl::invoked(OperationIndex operation) {
  if (called_.size() <= operation) {
    called_.resize(history_->operations.size(), false);
    returned_.resize(history_->operations.size(), false);
  }
  called_[operation] = true;
  feed_call(operation);
}

void Checker::Impl::completed(OperationIndex operation) {
  returned_[operation] = true;
  feed_return(operation);
}

void Checker::Impl::feed_call(OperationIndex operation) {
  const Operation& o = op(operation);
  if (o.is_drain()) return;
  if (history_->clients.size() > width_ || history_->topics.size() > topics_) return rebuild();
  if (o.client >= clients_.size()) grow_clients();
  grow_messages();
  ++counts_.operations;
  ClientState& client = clients_[o.client];
  if (open_count_ > client.open) ++counts_.overlaps;
  ++client.open;
  ++open_count_;
  if (ticket_.size() <= operation) ticket_.resize(history_->operations.size());
  if (o.is_write()) {
    call_write(operation);
  } else {
    call_read(operation);
  }
}

void Checker::Impl::feed_return(OperationIndex operation) {
  const Operation& o = op(operation);
  grow_messages();
  if (o.foreign) foreign_ = true;
  if (o.message != kNothing && o.payload != 0) {
    MessageState& m = messages_[o.message];
    if (m.payload != 0 && m.payload != o.payload && !m.conflicted) {
      m.conflicted = true;
      dirty_ = true;
    }
    m.payload = o.payload;
  }
  if (o.is_drain()) return return_drain(operation);
  --clients_[o.client].open;
  --open_count_;
  if (o.outcome == Outcome::kInfo) ++counts_.info;
  if (o.outcome == Outcome::kFail) ++counts_.fail;
  if (o.is_write()) {
    return_write(operation);
  } else {
    return_read(operation);
    free_tickets_.push_back(ticket_[operation]);
  }
}

/// Judges all that was fed again, now that more outcomes are known.
void Checker::Impl::rebuild() {
  clear();
  const Knowledge before = knowledge_;
  if (knowledge_ == Knowledge::kNothingYet) knowledge_ = Knowledge::kCompletedOnes;
  std::vector<OperationIndex> calls = by_start(*history_);
  std::erase_if(calls, [&](OperationIndex i) { return i >= called_.size() || !called_[i]; });
  std::vector<OperationIndex> returns = calls;
  std::erase_if(returns, [&](OperationIndex i) { return !returned_[i]; });
  feed_in_order(calls, std::move(returns));
  knowledge_ = before;
  dirty_ = false;
}

/// Feeds calls (in order) and returns merged by position; at one position calls come first.
void Checker::Impl::feed_in_order(const std::vector<OperationIndex>& calls,
                                  std::vector<OperationIndex> returns) {
  classify_known(calls);
  const auto earlier = [&](OperationIndex a, OperationIndex b) { return op(a).end < op(b).end; };
  if (!std::is_sorted(returns.begin(), returns.end(), earlier)) {
    std::stable_sort(returns.begin(), returns.end(), earlier);
  }
  std::size_t next = 0;
  for (const OperationIndex call : calls) {
    while (next < returns.size() && op(returns[next]).end < op(call).start) {
      feed_return(returns[next++]);
    }
    feed_call(call);
  }
  while (next < returns.size()) feed_return(returns[next++]);
}

/// Notes which messages failed or are conflicted before anything is judged, as far as it is known.
void Checker::Impl::classify_known(const std::vector<OperationIndex>& operations) {
  std::vector<std::uint8_t> sends(messages_.size(), 0);
  std::vector<std::uint32_t> payloads(messages_.size(), 0);
  for (const OperationIndex i : operations) {
    const Operation& o = op(i);
    if (o.message == kNothing) continue;
    MessageState& m = messages_[o.message];
    if (o.payload != 0 && (o.is_write() || outcome_known(i))) {
      if (payloads[o.message] != 0 && payloads[o.message] != o.payload) m.conflicted = true;
      payloads[o.message] = o.payload;
    }
    if (!o.is_write()) continue;
    const bool failed = outcome_known(i) && final_outcome(o) == Outcome::kFail;
    if (!failed && sends[o.message] < 2) ++sends[o.message];
    m.written = true;
  }
  for (std::size_t i = 0; i < messages_.size(); ++i) {
    MessageState& m = messages_[i];
    if (sends[i] > 1) m.conflicted = true;
    if (m.written && sends[i] == 0) m.failed = true;
    m.written = false;
  }
}

Report Checker::Impl::check_whole() {
  knowledge_ = Knowledge::kEverything;
  const std::vector<OperationIndex> calls = by_start(*history_);
  std::vector<OperationIndex> returns = calls;
  std::erase_if(returns, [&](OperationIndex i) { return op(i).end == kNever; });
  feed_in_order(calls, std::move(returns));
  return finish();
}

void Checker::Impl::found(Guarantee guarantee, Finding finding) {
  const auto index = static_cast<std::size_t>(guarantee);
  ++judgements_[index].broken;
  if (findings_[index]) return;
  findings_[index] = std::move(finding);
  found_order_.push_back(guarantee);
}

/// The publishes that `violation` speaks of: those of its clauses and of its operations.
std::vector<OperationIndex> Checker::Impl::publishes_of(const Violation& violation) const {
  const auto names = [](const Symbol& symbol, const Operation& o) {
    return symbol.client == o.client && symbol.number == o.start;
  };
  std::vector<OperationIndex> publishes;
  for (OperationIndex i = 0; i < called_.size(); ++i) {
    const Operation& o = op(i);
    if (!called_[i] || !o.is_write() || o.is_drain()) continue;
    const bool named = std::any_of(
        violation.chain.begin(), violation.chain.end(),
        [&](const Clause& c) { return names(c.before, o) || names(c.after, o); });
    const auto& operations = violation.operations;
    if (named || std::find(operations.begin(), operations.end(), i) != operations.end()) {
      publishes.push_back(i);
    }
  }
  return publishes;
}

const Violation* Checker::Impl::first_violation() {
  if (dirty_) rebuild();
  const Declaration& declared = history_->declared;
  for (const Guarantee guarantee : found_order_) {
    if (!is_claimed(declared, guarantee)) continue;
    if (!first_ || first_->guarantee != guarantee) {
      first_ = describe(guarantee, *findings_[static_cast<std::size_t>(guarantee)]);
      rests_on_ = publishes_of(*first_);
    }
    first_->pending = std::any_of(rests_on_.begin(), rests_on_.end(),
                                  [&](OperationIndex i) { return !returned_[i]; });
    return &*first_;
  }
  return nullptr;
}

Report Checker::Impl::finish() {
  // From here on an operation that has not returned is one that never will.
  if (knowledge_ != Knowledge::kEverything) {
    knowledge_ = Knowledge::kEverything;
    for (const MessageState& m : messages_) {
      if (m.sent && !m.done && (m.observed || cross_mode_)) dirty_ = true;
    }
    if (dirty_) rebuild();
  }
  counts_.info += open_count_;
  for (const Leave& leave : history_->leaves) {
    if (leave.client < clients_.size()) clients_[leave.client].left = true;
  }

  const bool checked = history_->payloads_checked;
  for (const OperationIndex i : orphans_) {
    const MessageState& m = messages_[op(i).message];
    const bool known = m.written && m.topic == op(i).topic;
    if (known && m.first_write < op(i).end) continue;  // only a failed write came before it
    if (known || !checked) {
      contaminated_ = "\"" + history_->messages[op(i).message] + "\" was " +
                      (known ? "observed before it was published" : "observed and nobody wrote it");
    } else {
      found(Guarantee::kIntegrity, {.reason = Reason::kNobodyWrote, .operation = i});
    }
  }
  if (foreign_) contaminated_ = "a payload of another run was observed";
  if (!contaminated_.empty()) return contaminated_report(contaminated_);

  judge_drain();
  judge_first_slots();
  judge_effects_at_readers();
  judge_effects_at_drain();
  judge_delivery();
  judge_identity_of_log();
  judge_integrity();
  judge_info_real_time();
  if (history_->declared.level == Level::kTotal) judge_common_order();

  Report report;
  fill(report);
  return report;
}

}  // namespace causalcheck
