#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "adapters/broadcast/link.h"
#include "harness/runtime.h"

namespace causalcheck {

/// A node of a simulated network. Dense from 0.
using NodeId = std::uint32_t;

/// What arrives somewhere. `content` is whatever the sender said.
struct Packet {
  Time at{};
  NodeId from = 0;
  std::uint64_t content = 0;
};

/// Nodes with a link in each direction between any two, and what is under way on them.
///
/// Nothing happens by itself: whoever drives a node takes what has arrived there. Packets that
/// arrive at one time come in the order in which they were sent, so FIFO links are FIFO.
class Network {
 public:
  explicit Network(const LinkSettings& links) : defaults_(links) {}

  /// Makes room for `nodes` nodes in all. New links have the settings given at the start.
  void grow(std::uint32_t nodes);
  [[nodiscard]] std::uint32_t nodes() const { return static_cast<std::uint32_t>(inboxes_.size()); }
  /// Valid until the network grows.
  [[nodiscard]] Link& link(NodeId from, NodeId to) { return links_[from][to]; }

  /// Sends `content` at `now`. Answers what becomes of it; the copies are under way then.
  Transit send(NodeId from, NodeId to, std::uint64_t content, Time now, Runtime& runtime,
               Passage passage = Passage::kAtRisk);
  /// `packet`, which `node` has taken and could not use, arrives again at `at`.
  void put_back(NodeId node, const Packet& packet, Time at);

  /// When the next packet arrives at `node`; Time::max() when none is under way.
  [[nodiscard]] Time next_arrival(NodeId node) const;
  /// The next packet that has arrived at `node` by `until`.
  [[nodiscard]] std::optional<Packet> take(NodeId node, Time until);

 private:
  struct Pending {
    Packet packet{};
    std::uint64_t order = 0;
  };

  LinkSettings defaults_;
  std::vector<std::vector<Link>> links_{};       // by sender, then receiver
  std::vector<std::vector<Pending>> inboxes_{};  // by node, a heap with the next arrival on top
  std::uint64_t sent_ = 0;
};

}  // namespace causalcheck
