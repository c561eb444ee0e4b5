#pragma once

#include <string_view>

#include "harness/runtime.h"

namespace causalcheck {

/// What becomes of one packet on a link inside a backend.
struct PacketFate {
  bool lost = false;         // it never arrives
  bool twice = false;        // it arrives twice
  bool answer_lost = false;  // it arrives, and its acknowledgement does not
  Time delay{};              // how much longer it takes
};

/// Who decides over packets: the faults of a run.
class LinkFaults {
 public:
  LinkFaults() = default;
  LinkFaults(const LinkFaults&) = delete;
  LinkFaults& operator=(const LinkFaults&) = delete;
  virtual ~LinkFaults() = default;

  /// What becomes of a packet that is sent now from one process to another; labels are those of
  /// ClientInfo, or the backend's own words. Never waits.
  [[nodiscard]] virtual PacketFate fate(std::string_view from, std::string_view to,
                                        Runtime& runtime) = 0;
};

/// Optional power: a backend whose processes talk to each other over links of its own. It has to
/// recover from lost packets by itself.
class Linked {
 public:
  virtual ~Linked() = default;
  /// From here on `faults` is asked about each packet; null: nobody is. It outlives its use.
  virtual void use_link_faults(LinkFaults* faults) = 0;
};

}  // namespace causalcheck
