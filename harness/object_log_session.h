#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/backend.h"
#include "harness/object_format.h"
#include "harness/object_log.h"
#include "harness/object_store.h"
#include "harness/slot_key.h"
#include "harness/turn_queue.h"

namespace causalcheck {

/// One client's connection to an ObjectLog. See there; only ObjectLog makes these.
class ObjectLogSession final : public Session {
 public:
  /// `topics[i]` lies in `folders[i]`; both outlive the session.
  ObjectLogSession(ObjectStore& store, ObjectLogOptions options, Runtime& runtime,
                   const std::vector<std::string>& topics, const std::vector<std::string>& folders);

  /// Goes on where `token` says. Errors: kRejected when close() gave no such token.
  [[nodiscard]] Result<void> resume(const ResumeToken& token);

  [[nodiscard]] Result<Ack> commit(const Message& message, Time deadline) override;
  [[nodiscard]] Result<std::optional<Entry>> poll(std::string_view topic, Time deadline) override;
  [[nodiscard]] Result<std::vector<Delivered>> receive(Time deadline) override;
  [[nodiscard]] Result<ResumeToken> close() override;

 private:
  /// Where this session stands in one topic. The reader and the writer, who may be at work at the
  /// same time, share nothing but `read_next`.
  struct Place {
    explicit Place(std::string_view folder) : read(folder), write(folder) {}
    SlotKey read;
    Entry last{};  // what lies before `read`; without a slot: nothing was read yet
    SlotKey write;
    std::atomic<std::uint64_t> read_next{0};
  };

  /// What one look at all topics brought, and the first problem on the way.
  struct Swept {
    std::vector<Delivered> batch{};
    std::optional<Error> problem{};
  };

  [[nodiscard]] Place* find(std::string_view topic);
  /// Looks into the slot at `key`, and puts what lies there into `entry`. False: nothing yet.
  /// Errors: kUndecodable when it is malformed; as the store says. (An answer of its own for the
  /// entry would cost more than the look.)
  [[nodiscard]] Result<bool> look(const SlotKey& key, Entry& entry, Time deadline);
  [[nodiscard]] Swept sweep(Time deadline);

  ObjectStore& store_;
  const ObjectLogOptions options_;
  Runtime& runtime_;
  const std::vector<std::string>& topics_;
  std::vector<std::unique_ptr<Place>> places_{};
  std::string content_{};  // of the object that `look` looks at; room for the next one
  TurnQueue turns_;
  ObjectWriter writer_{};  // used by whoever has the turn
};

}  // namespace causalcheck
