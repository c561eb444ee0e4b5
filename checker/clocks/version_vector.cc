#include "checker/clocks/version_vector.h"

#include <algorithm>

namespace causalcheck {

VectorClock VersionedObject::known() const {
  VectorClock all;
  for (const Version& version : versions_) all.merge(version.vector);
  return all;
}

std::optional<Version> VersionedObject::write(ProcessId replica, std::string value) {
  Version version{known(), std::move(value)};
  if (version.vector.tick(replica) != ClockStatus::kOk) return std::nullopt;
  versions_ = {version};
  return version;
}

void VersionedObject::receive(const Version& version) {
  for (const Version& old : versions_) {
    const ClockOrder order = compare(version.vector, old.vector);
    if (order == ClockOrder::kBefore || order == ClockOrder::kEqual) return;
  }
  std::erase_if(versions_, [&](const Version& old) {
    return compare(old.vector, version.vector) == ClockOrder::kBefore;
  });
  versions_.push_back(version);
}

}  // namespace causalcheck
