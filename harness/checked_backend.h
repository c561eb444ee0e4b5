#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "harness/backend.h"

namespace causalcheck {

/// One call whose answer is against the interface, with everything that is wrong about it.
struct Misuse {
  std::string text{};
};

/// The checking wrapper that always sits between harness and adapter.
///
/// Forwards everything, and notes what an adapter does that harness/backend.h does not allow: a
/// slot where none was declared, none or a negative one where slots are, a topic that is not the
/// run's, an answer more than a second after the deadline, anything but an error to a poll of a
/// feed or a receive of a log with latest reads, a drain out of slot order, a session that is not
/// there, a declaration that changes. What the backend itself gets wrong (order, duplicates,
/// losses, two messages in one slot) is never misuse: it goes into the history and is judged.
///
/// Answers are passed on as they came. Calls that the *harness* may not make (more at once than
/// declared, after close, a reset with sessions open) are its own bugs and assert.
class CheckedBackend final : public Backend {
 public:
  /// `inner` must outlive this object.
  explicit CheckedBackend(Backend& inner);
  ~CheckedBackend() override;

  /// How long after its deadline a call may answer.
  static constexpr std::chrono::seconds kGrace{1};
  /// So many are kept; more teach nothing.
  static constexpr std::size_t kMisuseMax = 100;

  [[nodiscard]] BackendDeclaration declare() const override { return declared_; }
  [[nodiscard]] Result<void> reset(const RunInfo& run) override;
  [[nodiscard]] Result<std::unique_ptr<Session>> open(const ClientInfo& client, Runtime& runtime,
                                                      const ResumeToken* resume) override;
  [[nodiscard]] std::vector<std::string> nodes() const override;
  [[nodiscard]] Result<std::vector<Entry>> drain(std::string_view topic, std::string_view node,
                                                 Runtime& runtime) override;

  /// The misuse so far, in the order it happened, over all runs. Not while a session is busy.
  [[nodiscard]] const std::vector<Misuse>& misuse() const { return notebook_.entries; }

  /// What is wrapped; the optional powers are asked of it.
  [[nodiscard]] Backend& inner() { return inner_; }

 private:
  friend class CheckedSession;

  /// Sessions of many threads write here.
  struct Notebook {
    void note(std::string text);
    std::mutex mutex{};
    std::vector<Misuse> entries{};
    std::uint32_t sessions_open = 0;  // guarded as well
  };

  Backend& inner_;
  const BackendDeclaration declared_;
  std::vector<std::string> topics_{};
  mutable Notebook notebook_{};
};

}  // namespace causalcheck
