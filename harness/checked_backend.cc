#include "harness/checked_backend.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <utility>

#include "harness/checked_session.h"

namespace causalcheck {
namespace {

bool same(const BackendDeclaration& a, const BackendDeclaration& b) {
  return a.promises == b.promises && a.execution == b.execution && a.concurrency == b.concurrency &&
         a.interleaves == b.interleaves && a.reads_clock == b.reads_clock && a.lag_max == b.lag_max;
}

}  // namespace

void CheckedBackend::Notebook::note(std::string text) {
  const std::lock_guard lock(mutex);
  if (entries.size() < kMisuseMax) entries.push_back({std::move(text)});
}

CheckedBackend::CheckedBackend(Backend& inner) : inner_(inner), declared_(inner.declare()) {}

CheckedBackend::~CheckedBackend() { assert(notebook_.sessions_open == 0); }

Result<void> CheckedBackend::reset(const RunInfo& run) {
  assert(notebook_.sessions_open == 0);
  assert(!run.id.empty());
  topics_ = run.topics;
  Result<void> answer = inner_.reset(run);
  if (!same(inner_.declare(), declared_)) {
    notebook_.note("declare() answered something else than before; it must be constant");
  }
  return answer;
}

Result<std::unique_ptr<Session>> CheckedBackend::open(const ClientInfo& client, Runtime& runtime,
                                                      const ResumeToken* resume) {
  Result<std::unique_ptr<Session>> answer = inner_.open(client, runtime, resume);
  if (answer.has_error()) return answer;
  if (*answer == nullptr) {
    std::string text =
        fmt::format("open({}) answered neither a session nor an error", client.label);
    notebook_.note(text);
    return Error(ErrorCode::kUnavailable, std::move(text));
  }
  return std::unique_ptr<Session>(
      std::make_unique<CheckedSession>(*this, *std::move(answer), client.label, runtime));
}

std::vector<std::string> CheckedBackend::nodes() const {
  std::vector<std::string> answer = inner_.nodes();
  if (answer.empty()) notebook_.note("nodes() answered none; a backend has at least one");
  return answer;
}

Result<std::vector<Entry>> CheckedBackend::drain(std::string_view topic, std::string_view node,
                                                 Runtime& runtime) {
  assert(std::find(topics_.begin(), topics_.end(), topic) != topics_.end());
  Result<std::vector<Entry>> answer = inner_.drain(topic, node, runtime);
  if (answer.has_error()) return answer;
  Problems problems;
  Slot before = 0;
  for (const Entry& entry : *answer) {
    if (!entry.unreadable || entry.slot) {
      problems.check_slot(entry.slot, declared_.promises.slots, "an entry");
    }
    if (!entry.slot) continue;
    // Two messages in one slot are for the checker to judge.
    if (*entry.slot < before) {
      problems.add(fmt::format("slot {} comes after slot {}", *entry.slot, before));
    }
    before = *entry.slot;
  }
  if (!problems.empty()) {
    notebook_.note(problems.text(fmt::format("drain({}, '{}')", topic, node),
                                 fmt::format("{} entries", answer->size())));
  }
  return answer;
}

}  // namespace causalcheck
