#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "harness/backend.h"
#include "harness/object_store.h"

namespace causalcheck {

/// How an ObjectLog is read, and who calls it.
struct ObjectLogOptions {
  Reads reads = Reads::kLatest;
  Execution execution = Execution::kDeterministic;
};

/// A log made of objects: turns any ObjectStore into a Backend.
///
/// The message in slot n of a topic is the object `<run>/<topic>/log/<n, 20 digits>`, claimed by a
/// conditional create (harness/object_format.h says how it lies there; run and topic are escaped).
/// A writer tries the slot after the last one it knows of, and on "taken" the next one; on an
/// ambiguous answer it says so and never tries the same message again. A reader looks for the slot
/// after the last one it read, until there is none. What a reader knows comes from reading alone,
/// never from what the same session wrote: so a store whose reads lag is seen to lag. Every
/// primitive is preceded by a yield.
///
/// Why it promises what it declares: a slot is only tried when the one before was seen, so slots
/// are contiguous; a store whose single objects are linearizable makes each log linearizable, and
/// linearizable logs compose (Herlihy and Wing 1990), so the order holds across topics for polls. A
/// feed reads its topics one after another, and what it hands over of two topics has no order:
/// there the scope is the topic.
class ObjectLog : public Backend, public StoreBacked {
 public:
  ObjectLog(std::unique_ptr<ObjectStore> store, ObjectLogOptions options);
  ~ObjectLog() override;

  [[nodiscard]] BackendDeclaration declare() const override;
  [[nodiscard]] Result<void> reset(const RunInfo& run) override;
  [[nodiscard]] Result<std::unique_ptr<Session>> open(const ClientInfo& client, Runtime& runtime,
                                                      const ResumeToken* resume) override;
  /// Lists the topic, looks at each slot up to the last one listed, and goes on from there as a
  /// reader would: what is listed and cannot be got is not there, what can be got is.
  [[nodiscard]] Result<std::vector<Entry>> drain(std::string_view topic, std::string_view node,
                                                 Runtime& runtime) override;

  [[nodiscard]] ObjectStore& store() override { return *store_; }
  void use_store(ObjectStore* store) override { used_ = store == nullptr ? store_.get() : store; }

 protected:
  /// What sessions call: the store below, or what stands in for it.
  [[nodiscard]] ObjectStore& used_store() { return *used_; }

 private:
  [[nodiscard]] Result<void> forget_run();

  std::unique_ptr<ObjectStore> store_;
  ObjectStore* used_;  // by sessions
  ObjectLogOptions options_;
  RunInfo run_{};
  std::vector<std::string> folders_{};  // "<run>/<topic>/log/", by index of the topic
};

}  // namespace causalcheck
