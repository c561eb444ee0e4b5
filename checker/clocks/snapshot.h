#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace causalcheck {

/// One snapshot among those of a run, from 1.
using SnapshotId = std::uint64_t;
/// An index into a process's channels, those in and those out each from 0.
using ChannelId = std::uint32_t;
/// What the links call a message; nothing here looks inside.
using ChannelMessage = std::uint64_t;

/// What a process has to do before it does anything else.
struct SnapshotStep {
  /// Record your own state, now: nothing may be sent or received in between.
  bool record_state = false;
  /// Then send a marker of this snapshot on every channel out, before any other message.
  bool send_markers = false;
  /// This process's part of the snapshot is complete.
  bool complete = false;
  /// The marker does not belong to the snapshot under way: of an older one, or a second copy. It
  /// was ignored; on channels that keep their order and neither lose nor double it does not happen.
  bool stale = false;
  bool operator==(const SnapshotStep&) const = default;
};

/// One process's side of the snapshots of Chandy and Lamport (1985). A pure state machine: whoever
/// drives the links tells it what arrives and does what it asks for.
///
/// The recorded states of all processes form a consistent cut, and the recorded channels hold
/// exactly what was sent inside and received outside of it, provided that each channel hands over
/// everything in the order sent. One snapshot at a time.
class SnapshotProcess {
 public:
  explicit SnapshotProcess(std::size_t channels_in) : channels_(channels_in) {}

  /// This process begins snapshot `id`, which must be later than any before and not overlap one.
  [[nodiscard]] SnapshotStep start(SnapshotId id);
  /// A marker of snapshot `id` came in on `channel`.
  [[nodiscard]] SnapshotStep marker(ChannelId channel, SnapshotId id);
  /// A message came in on `channel`. To be told before the process acts on it.
  void message(ChannelId channel, ChannelMessage message);

  /// The latest snapshot that this process has a part in; 0: none.
  [[nodiscard]] SnapshotId id() const { return id_; }
  [[nodiscard]] bool is_recording() const { return open_ > 0; }
  /// What was under way on `channel`, in order: final once the marker on it came.
  [[nodiscard]] const std::vector<ChannelMessage>& recorded(ChannelId channel) const {
    return channels_[channel].messages;
  }

 private:
  struct Channel {
    bool open = false;  // recording, until its marker comes
    std::vector<ChannelMessage> messages{};
  };
  [[nodiscard]] SnapshotStep begin(SnapshotId id);
  std::vector<Channel> channels_;
  SnapshotId id_ = 0;
  std::size_t open_ = 0;  // channels that are being recorded
};

}  // namespace causalcheck
