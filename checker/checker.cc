#include "checker/checker.h"

#include <algorithm>
#include <map>
#include <utility>

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
  if (deps_.size() >= known * width_) return;
  // By doubling, so that most messages cost no resizing, and not beyond what is known at first.
  const std::size_t room = std::max({known, 2 * (deps_.size() / width_), std::size_t{64}});
  deps_.resize(room * width_, 0);
  seen_.resize(room * width_, 0);
  if (cross_mode_) cross_.resize(room * cross_width(), 0);
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
  while (called_.size() <= operation) {  // cheaper by one than by resize
    called_.push_back(false);
    returned_.push_back(false);
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
  if (!o.is_write()) note_payload(operation);
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
  struct Digests {
    std::uint32_t first = 0;
    bool differ = false;
    void add(std::uint32_t digest) {
      if (first != 0 && first != digest) differ = true;
      if (first == 0) first = digest;
    }
  };
  struct Lines {
    std::uint32_t sends = 0;  // write lines that did not fail
    bool written = false;
    Digests all{};
    Digests read{};
  };
  std::vector<Lines> lines(messages_.size());
  for (const OperationIndex i : operations) {
    const Operation& o = op(i);
    if (o.message == kNothing) continue;
    Lines& of = lines[o.message];
    const bool is_write = o.is_write() && !o.is_drain();
    if (o.payload != 0 && (is_write || outcome_known(i))) {
      of.all.add(o.payload);
      if (!is_write) of.read.add(o.payload);
    }
    if (!is_write) continue;
    of.written = true;
    if (!outcome_known(i) || final_outcome(o) != Outcome::kFail) ++of.sends;
  }
  for (std::size_t i = 0; i < messages_.size(); ++i) {
    MessageState& m = messages_[i];
    m.failed = lines[i].written && lines[i].sends == 0;
    // What failed tells nothing of the payload.
    m.conflicted = lines[i].sends > 1 || (m.failed ? lines[i].read.differ : lines[i].all.differ);
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
    const bool named =
        std::any_of(violation.chain.begin(), violation.chain.end(),
                    [&](const Clause& c) { return names(c.before, o) || names(c.after, o); });
    const bool shown =
        std::any_of(violation.operations.begin(), violation.operations.end(),
                    [&](OperationIndex other) { return op(other).message == o.message; });
    if (named || shown) publishes.push_back(i);
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

/// Reads and drain lines that showed a message which, by then, nobody had written to their topic.
void Checker::Impl::judge_orphans() {
  if (orphans_.empty()) return;
  struct Written {
    Position first = kNever;
    bool anywhere = false;
  };
  std::map<std::pair<MessageId, TopicId>, Written> written;
  for (const OperationIndex i : orphans_) written[{op(i).message, op(i).topic}] = {};
  std::map<MessageId, Position> first_write;  // on any topic
  for (const Operation& o : history_->operations) {
    if (!o.is_write() || o.is_drain()) continue;
    const auto [first, fresh] = first_write.try_emplace(o.message, o.start);
    if (!fresh) first->second = std::min(first->second, o.start);
    const auto here = written.find({o.message, o.topic});
    if (here != written.end()) here->second.anywhere = true;
  }
  for (auto& [key, value] : written) {
    if (value.anywhere) value.first = first_write[key.first];
  }
  for (const OperationIndex i : orphans_) {
    const Operation& o = op(i);
    const MessageState& m = messages_[o.message];
    const Written& here = written[{o.message, o.topic}];
    if (here.anywhere && here.first < o.end) {
      // Written there, but not by the line that counts: an id that failed, or stood for two
      // messages.
      if (m.failed) {
        found(Guarantee::kOutcome, {.reason = Reason::kFailedIsVisible, .operation = i});
      }
    } else if (here.anywhere || !history_->payloads_checked) {
      contaminated_ = "\"" + history_->messages[o.message] + "\" was observed " +
                      (here.anywhere ? "before it was published" : "and nobody wrote it");
    } else {
      found(Guarantee::kIntegrity, {.reason = Reason::kNobodyWrote, .operation = i});
    }
  }
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
  for (MessageState& m : messages_) {
    if (m.sent) m.done = true;
  }
  counts_.info += open_count_;
  for (const Leave& leave : history_->leaves) {
    if (leave.client < clients_.size()) clients_[leave.client].left = true;
  }
  judge_orphans();
  if (foreign_) contaminated_ = "a payload of another run was observed";
  if (!contaminated_.empty()) return contaminated_report(contaminated_);

  judge_drain();
  judge_first_slots();
  judge_effects_at_readers();
  judge_effects_at_drain();
  agreed_before_.assign(clients_.size() / kClientsAtOnce + 1, {});
  if (history_->declared.level == Level::kTotal) judge_common_order();
  judge_delivery();
  judge_identity_of_log();
  judge_integrity();
  judge_info_real_time();

  Report report;
  fill(report);
  return report;
}

}  // namespace causalcheck
