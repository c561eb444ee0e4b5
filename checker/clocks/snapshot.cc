#include "checker/clocks/snapshot.h"

#include <cassert>

namespace causalcheck {

SnapshotStep SnapshotProcess::begin(SnapshotId id) {
  assert(id > id_);
  assert(!is_recording());
  id_ = id;
  for (Channel& channel : channels_) channel = {true, {}};
  open_ = channels_.size();
  SnapshotStep step;
  step.record_state = true;
  step.send_markers = true;
  step.complete = open_ == 0;
  return step;
}

SnapshotStep SnapshotProcess::start(SnapshotId id) { return begin(id); }

SnapshotStep SnapshotProcess::marker(ChannelId channel, SnapshotId id) {
  SnapshotStep step;
  if (id < id_ || (id == id_ && !channels_[channel].open)) {
    step.stale = true;
    return step;
  }
  if (id > id_) step = begin(id);
  channels_[channel].open = false;
  step.complete = --open_ == 0;
  return step;
}

void SnapshotProcess::message(ChannelId channel, ChannelMessage message) {
  if (channels_[channel].open) channels_[channel].messages.push_back(message);
}

}  // namespace causalcheck
