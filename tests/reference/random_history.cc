#include "tests/reference/random_history.h"

#include <rapidcheck.h>

#include <algorithm>
#include <set>

#include "tests/reference/chance.h"
#include "tests/reference/random_backend.h"
#include "tests/reference/random_mutation.h"

namespace causalcheck::reference {
namespace {

Declaration random_declaration(Chance& chance) {
  Declaration declared;
  declared.slots = static_cast<Slots>(chance.weighted({32, 42, 26}));
  declared.reads = static_cast<Reads>(chance.weighted({58, 42}));
  declared.level = static_cast<Level>(chance.weighted({14, 17, 69}));
  declared.scope = static_cast<Scope>(chance.weighted({46, 54}));
  declared.retries = static_cast<Retries>(chance.weighted({34, 50, 16}));
  for (const Guarantee id :
       {Guarantee::kReadYourWrites, Guarantee::kMonotonicReads, Guarantee::kMonotonicWrites,
        Guarantee::kWritesFollowReads, Guarantee::kRealTime}) {
    declared.claims.erase(id);
    if (chance.percent(97)) declared.claims.insert(id);
  }
  return declared;
}

/// An operation that was called and has not returned.
struct Open {
  OperationIndex operation = 0;
  Slot slot = kNoSlot;  // of a write that took effect already
  bool applied = false;
};

/// Lets a few clients loose on a RandomBackend, one mark of the instrumentation order after
/// another.
class Simulation {
 public:
  explicit Simulation(const rc::Random& random)
      : chance_(random),
        declared_(random_declaration(chance_)),
        flaw_(static_cast<Flaw>(chance_.weighted({29, 4, 14, 20, 14, 19}))),
        hands_back_own_(chance_.percent(50)),
        backend_(declared_, flaw_, hands_back_own_) {}

  History record() {
    settle();
    while (budget_ > 0 || !open_.empty()) step();
    if (declared_.reads == Reads::kFeed && chance_.percent(70)) catch_up();
    for (const OperationIndex late : late_) {
      if (chance_.percent(40)) take_effect(history_.operations[late]);
    }
    backend_.lose_something(chance_);
    if (chance_.percent(88)) drain();
    decorate();
    return std::move(history_);
  }

 private:
  void settle() {
    const std::size_t clients = 1 + chance_.weighted({3, 24, 44, 20, 9});
    for (ClientId c = 0; c < clients; ++c) history_.clients.push_back(client_label(c));
    if (clients > 1 && chance_.percent(15)) history_.clients.back() = "A~2";
    if (clients > 2 && chance_.percent(5)) history_.clients[1] = "A~3";
    const std::size_t topics = 1 + chance_.weighted({68, 23, 9});
    for (std::size_t t = 0; t < topics; ++t) history_.topics.push_back(std::string(1, "txy"[t]));
    for (std::size_t c = 0; c < clients; ++c) {
      role_.push_back(chance_.weighted({75, 15, 10}));
      sessions_.push_back(1);
    }
    budget_ = 12 - chance_.weighted({30, 14, 12, 8, 7, 6, 5, 4, 4, 3, 3, 2, 2});
    pipeline_ = 1 + chance_.weighted({60, 25, 15});
    start_share_ = chance_.weighted({1, 1}) == 0 ? 20 : 60;
    untrue_ = chance_.percent(30);
    new_sessions_ = chance_.percent(15);
  }

  /// The next position for a mark of `client`; at times the same as the mark before, if that leaves
  /// no two events of the client at one.
  Position mark(ClientId client, bool is_event, Position after = 0) {
    const bool may_share = at_ > after && (!is_event || eventful_.count(client) == 0);
    if (at_ == 0 || !may_share || !chance_.percent(10)) {
      ++at_;
      eventful_.clear();
    }
    if (is_event) eventful_.insert(client);
    return at_;
  }

  void step() {
    if (!late_.empty() && chance_.percent(12)) {
      const std::size_t which = chance_.below(late_.size());
      take_effect(history_.operations[late_[which]]);
      late_.erase(late_.begin() + static_cast<std::ptrdiff_t>(which));
    }
    if (chance_.percent(20)) backend_.lose_something(chance_);
    const auto client = static_cast<ClientId>(chance_.below(history_.clients.size()));
    const auto busy = std::count_if(open_.begin(), open_.end(), [&](const Open& open) {
      return history_.operations[open.operation].client == client;
    });
    const bool may_start = budget_ > 0 && static_cast<std::size_t>(busy) < pipeline_;
    if (may_start && (open_.empty() || chance_.percent(start_share_))) {
      --budget_;
      start(client);
    } else if (!open_.empty()) {
      const std::size_t which = chance_.below(open_.size());
      const Open open = open_[which];
      open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(which));
      finish(open);
    }
  }

  /// A client that was shown something new likes to answer it.
  bool wants_to_write(ClientId client) {
    if (role_[client] != 0) return role_[client] == 2;
    std::size_t share = history_.messages.empty() ? 85 : 38;
    if (answers_.erase(client) != 0) share = 80;
    return chance_.percent(share);
  }

  void start(ClientId client) {
    Operation operation;
    const bool writes = wants_to_write(client);
    operation.kind = writes ? OperationKind::kWrite : OperationKind::kRead;
    operation.client = client;
    operation.topic = static_cast<TopicId>(chance_.below(history_.topics.size()));
    operation.start = mark(client, writes);
    if (!writes && new_sessions_ && chance_.percent(15)) {
      ++sessions_[client];
      if (chance_.percent(70)) backend_.rewind(client);
    }
    operation.session = sessions_[client];
    if (writes) {
      operation.message = static_cast<MessageId>(history_.messages.size());
      history_.messages.push_back("m" + std::to_string(operation.message));
      operation.outcome = static_cast<Outcome>(chance_.weighted({77, 12, 11}));
      operation.is_delete = chance_.percent(6);
    } else {
      operation.outcome = static_cast<Outcome>(chance_.weighted({93, 2, 5}));
    }
    Open open;
    open.operation = static_cast<OperationIndex>(history_.operations.size());
    open.applied = writes && operation.outcome != Outcome::kFail &&
                   chance_.percent(operation.outcome == Outcome::kOk ? 35 : 20);
    if (open.applied) open.slot = take_effect(operation);
    history_.operations.push_back(operation);
    open_.push_back(open);
  }

  Slot take_effect(const Operation& write) {
    Slot slot = backend_.apply(write.client, write.topic, write.message, chance_);
    const bool twice = chance_.percent(declared_.retries == Retries::kNone ? 2 : 9);
    if (twice) {
      const Slot second = backend_.apply(write.client, write.topic, write.message, chance_);
      if (chance_.percent(50)) slot = second;
    }
    return slot;
  }

  void finish(Open open) {
    Operation& operation = history_.operations[open.operation];
    if (operation.outcome == Outcome::kInfo && chance_.percent(25)) {
      if (operation.is_write() && !open.applied && chance_.percent(50)) {
        late_.push_back(open.operation);
      }
      return;  // it never returns
    }
    if (operation.is_write()) {
      finish_write(operation, open);
    } else {
      finish_read(operation);
    }
    operation.end = mark(operation.client, !operation.is_write(), operation.start);
  }

  void finish_write(Operation& operation, Open open) {
    const bool lands = operation.outcome == Outcome::kOk ||
                       (operation.outcome == Outcome::kFail && untrue_ && chance_.percent(70)) ||
                       (operation.outcome == Outcome::kInfo && chance_.percent(25));
    if (lands && !open.applied) {
      open.slot = take_effect(operation);
    } else if (operation.outcome == Outcome::kInfo && !open.applied && chance_.percent(55)) {
      late_.push_back(open.operation);
    }
    const bool shows_slot =
        operation.outcome == Outcome::kOk ? !chance_.percent(3) : chance_.percent(5);
    if (shows_slot) operation.slot = open.slot;
    if (operation.outcome == Outcome::kOk)
      backend_.acknowledge(operation.client, operation.message);
  }

  void finish_read(Operation& operation) {
    if (operation.outcome != Outcome::kOk) {
      operation.undecodable = operation.outcome == Outcome::kInfo && chance_.percent(50);
      if (!chance_.percent(15)) return;  // else a line that shows what does not count
    }
    if (const auto entry = backend_.read(operation.client, operation.topic, chance_)) {
      operation.message = entry->message;
      operation.topic = entry->topic;
      operation.slot = entry->slot;
      answers_.insert(operation.client);
    }
  }

  /// At the end every reader asks each topic until nothing comes, or nearly.
  void catch_up() {
    for (ClientId client = 0; client < history_.clients.size(); ++client) {
      if (role_[client] == 2 || chance_.percent(15)) continue;
      for (TopicId topic = 0; topic < history_.topics.size(); ++topic) {
        for (std::size_t limit = chance_.below(7); limit > 0; --limit) {
          Operation read;
          read.client = client;
          read.topic = topic;
          read.session = sessions_[client];
          read.start = mark(client, false);
          finish_read(read);
          read.end = mark(client, true, read.start);
          history_.operations.push_back(read);
          if (read.message == kNothing) break;
        }
      }
    }
  }

  void drain() {
    at_ += 5;
    for (TopicId topic = 0; topic < history_.topics.size(); ++topic) {
      if (chance_.percent(8)) continue;
      std::vector<Entry> entries = backend_.drain(topic);
      if (entries.empty()) entries.push_back({kNothing, topic, kNoSlot});
      for (const Entry& entry : entries) {
        Operation line;
        line.topic = topic;
        line.message = entry.message;
        line.slot = entry.slot;
        line.start = ++at_;
        line.end = ++at_;
        if (chance_.percent(3)) {
          line.outcome = Outcome::kInfo;
          line.undecodable = chance_.percent(30);
          line.message = kNothing;
          if (chance_.percent(40)) line.slot = kNoSlot;
        }
        history_.operations.push_back(line);
      }
    }
  }

  void decorate() {
    history_.declared = declared_;
    history_.has_header = chance_.percent(70);
    if (chance_.percent(2)) history_.declared.slots = Slots::kNone;
    history_.payloads_checked = chance_.percent(60);
    history_.faults_asked = chance_.percent(20);
    if (chance_.percent(10)) {
      history_.leaves.push_back(
          {static_cast<ClientId>(chance_.below(history_.clients.size())), at_});
    }
    if (chance_.percent(30)) add_fault();
    if (chance_.percent(history_.payloads_checked ? 10 : 2)) show_what_nobody_wrote();
    if (chance_.percent(25)) add_payloads();
    if (chance_.percent(1)) show_another_run();
    const std::size_t mutations = chance_.weighted({56, 22, 12, 10});
    for (std::size_t i = 0; i < mutations; ++i) history_ = mutated(history_, chance_);
    for (Operation& operation : history_.operations) {
      if (operation.end == kNever) forget_answer(operation);
    }
  }

  /// Nobody knows what an operation that never returned would have answered.
  static void forget_answer(Operation& operation) {
    operation.outcome = Outcome::kInfo;
    operation.slot = kNoSlot;
    operation.undecodable = false;
    operation.foreign = false;
    if (operation.is_write()) return;
    operation.message = kNothing;
    operation.payload = 0;
  }

  void add_fault() {
    FaultWindow window;
    window.kind = "delay";
    const std::size_t target = chance_.below(3);
    if (target == 1) window.target = "n1";
    if (target == 2) window.target = chance_.pick(history_.clients);
    window.start = 1 + chance_.below(at_ + 1);
    if (!chance_.percent(20)) window.end = window.start + 1 + chance_.below(12);
    history_.faults.push_back(window);
  }

  void show_what_nobody_wrote() {
    for (Operation& operation : history_.operations) {
      if (operation.is_write() || !chance_.percent(40)) continue;
      operation.message = static_cast<MessageId>(history_.messages.size());
      history_.messages.emplace_back("ghost");
      return;
    }
  }

  void show_another_run() {
    for (Operation& operation : history_.operations) {
      if (!operation.is_write() && chance_.percent(30)) operation.foreign = true;
    }
  }

  void add_payloads() {
    for (const std::string& message : history_.messages) history_.payloads.push_back("p" + message);
    for (Operation& operation : history_.operations) {
      if (operation.message == kNothing || chance_.percent(10)) continue;
      operation.payload = operation.message + 1;
      if (chance_.percent(1)) {
        operation.payload = static_cast<std::uint32_t>(1 + chance_.below(history_.payloads.size()));
      }
    }
  }

  Chance chance_;
  Declaration declared_;
  Flaw flaw_;
  bool hands_back_own_;
  RandomBackend backend_;
  History history_{};
  std::vector<std::size_t> role_{};  // 0 reads and writes, 1 reads, 2 writes
  std::vector<std::uint32_t> sessions_{};
  std::vector<Open> open_{};
  std::vector<OperationIndex> late_{};  // writes that may still land
  std::set<ClientId> answers_{};        // clients that were shown something since they wrote
  std::size_t budget_ = 0;
  std::size_t pipeline_ = 1;
  std::size_t start_share_ = 50;
  bool untrue_ = false;  // what is told to have failed may have happened
  bool new_sessions_ = false;
  Position at_ = 0;
  std::set<ClientId> eventful_{};  // clients with an event at `at_`
};

}  // namespace

rc::Gen<History> random_history() {
  return [](const rc::Random& random, int) {
    return rc::shrinkable::shrinkRecur(Simulation(random).record(), [](const History& history) {
      return rc::seq::fromContainer(simpler(history));
    });
  };
}

}  // namespace causalcheck::reference
