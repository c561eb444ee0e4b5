#include "harness/object_log.h"

#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <optional>
#include <utility>

#include "harness/call_errors.h"
#include "harness/object_format.h"
#include "harness/object_log_session.h"
#include "harness/path_escape.h"

namespace causalcheck {
namespace {

constexpr Time kNoDeadline = Time::max();
// Gaps in a listing up to this size are looked into: the listing may lag behind the objects.
constexpr std::uint64_t kGapLooksMax = 1000;

// The slot in a key below `folder`; nullopt when it is none of ours.
std::optional<std::uint64_t> slot_of(std::string_view key, std::size_t folder_bytes) {
  const std::string_view digits = key.substr(folder_bytes);
  std::uint64_t slot = 0;
  const char* end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, slot);
  if (digits.size() != SlotKey::kDigits || error != std::errc() || stop != end ||
      slot > static_cast<std::uint64_t>(std::numeric_limits<Slot>::max())) {
    return std::nullopt;
  }
  return slot;
}

// Reads a log for the drain, slot by slot.
class Drainer {
 public:
  Drainer(ObjectStore& store, Runtime& runtime, std::string_view folder)
      : store_(store), runtime_(runtime), key_(folder) {}

  // Looks at `key_`, keeps what is there, moves on. False: nothing there.
  [[nodiscard]] Result<bool> look() {
    Entry& entry = entries_.emplace_back();
    const Result<bool> got = store_.get_into(key_.text(), entry.payload, runtime_, kNoDeadline);
    const std::uint64_t slot = key_.slot();
    key_.move_on();
    const bool undecodable = got.has_error() && got.error().code == ErrorCode::kUndecodable;
    if (!undecodable && (got.has_error() || !*got)) {
      entries_.pop_back();
      return got;
    }
    entry.slot = static_cast<Slot>(slot);
    const std::optional<ObjectTrailer> trailer =
        undecodable ? std::nullopt : read_trailer(entry.payload);
    entry.unreadable = !trailer;
    entry.payload.resize(trailer ? trailer->payload_bytes : 0);
    entry.is_delete = trailer && trailer->is_delete;
    return true;
  }

  // Looks at what lies between here and `slot`, and at `slot`.
  [[nodiscard]] Result<void> look_up_to(std::uint64_t slot) {
    if (slot < key_.slot()) return {};
    if (slot - key_.slot() > kGapLooksMax) key_.move_to(slot);
    while (key_.slot() <= slot) {
      if (const Result<bool> looked = look(); looked.has_error()) return looked.error();
    }
    return {};
  }

  [[nodiscard]] const SlotKey& next() const { return key_; }
  std::vector<Entry>& entries() { return entries_; }

 private:
  ObjectStore& store_;
  Runtime& runtime_;
  SlotKey key_;
  std::vector<Entry> entries_{};
};

}  // namespace

ObjectLog::ObjectLog(std::unique_ptr<ObjectStore> store, ObjectLogOptions options)
    : store_(std::move(store)), used_(store_.get()), options_(options) {}

ObjectLog::~ObjectLog() {
  // Nobody is left to hear of an error; what could not be removed stays.
  static_cast<void>(forget_run());
}

BackendDeclaration ObjectLog::declare() const {
  BackendDeclaration declared;
  declared.promises.slots = Slots::kContiguous;
  declared.promises.reads = options_.reads;
  declared.promises.level = Level::kTotal;
  declared.promises.scope = options_.reads == Reads::kFeed ? Scope::kTopic : Scope::kAll;
  declared.promises.retries = Retries::kNone;
  declared.promises.claims = {Guarantee::kReadYourWrites, Guarantee::kMonotonicReads,
                              Guarantee::kMonotonicWrites, Guarantee::kWritesFollowReads,
                              Guarantee::kRealTime};
  declared.promises.offers = all_judged(declared.promises);
  declared.execution = options_.execution;
  declared.concurrency = Concurrency::kPipelined;
  declared.interleaves = true;
  return declared;
}

Result<void> ObjectLog::forget_run() {
  if (run_.id.empty()) return {};
  Result<void> forgotten = store_->forget(escape_component(run_.id) + "/");
  if (forgotten.has_value()) run_.id.clear();
  return forgotten;
}

Result<void> ObjectLog::reset(const RunInfo& run) {
  if (run.id.empty()) return Error(ErrorCode::kRejected, "a run needs an id");
  if (Result<void> forgotten = forget_run(); forgotten.has_error()) return forgotten;
  run_ = run;
  folders_.resize(run.topics.size());
  for (std::size_t i = 0; i < run.topics.size(); ++i) {
    folders_[i] = escape_component(run.id) + "/" + escape_component(run.topics[i]) + "/log/";
  }
  return {};
}

Result<std::unique_ptr<Session>> ObjectLog::open(const ClientInfo&, Runtime& runtime,
                                                 const ResumeToken* resume) {
  auto session =
      std::make_unique<ObjectLogSession>(*used_, options_, runtime, run_.topics, folders_);
  if (resume != nullptr) {
    if (const Result<void> resumed = session->resume(*resume); resumed.has_error()) {
      return resumed.error();
    }
  }
  return std::unique_ptr<Session>(std::move(session));
}

Result<std::vector<Entry>> ObjectLog::drain(std::string_view topic, std::string_view,
                                            Runtime& runtime) {
  std::size_t index = 0;
  while (index < run_.topics.size() && run_.topics[index] != topic) ++index;
  if (index == run_.topics.size()) {
    return not_a_topic(topic);
  }
  const std::string& folder = folders_[index];
  const Result<std::vector<std::string>> listed = store_->list(folder, runtime, kNoDeadline);
  if (listed.has_error()) return listed.error();
  Drainer drainer(*store_, runtime, folder);
  drainer.entries().reserve(listed->size());
  std::size_t strangers = 0;
  for (const std::string& key : *listed) {
    const std::optional<std::uint64_t> slot =
        key == drainer.next().text() ? drainer.next().slot() : slot_of(key, folder.size());
    if (!slot) {
      ++strangers;
      continue;
    }
    if (const Result<void> looked = drainer.look_up_to(*slot); looked.has_error()) {
      return looked.error();
    }
  }
  while (true) {
    const Result<bool> more = drainer.look();
    if (more.has_error()) return more.error();
    // What is not listed and cannot be read may not be there at all.
    if (!*more || drainer.entries().back().unreadable) break;
  }
  // An object under our prefix that has no slot is there all the same, and nobody can say what it
  // is.
  for (std::size_t i = 0; i < strangers; ++i) drainer.entries().emplace_back().unreadable = true;
  return std::move(drainer.entries());
}

}  // namespace causalcheck
