#include "adapters/broadcast/network.h"

#include <algorithm>

namespace causalcheck {
namespace {

constexpr auto kLater = [](const auto& a, const auto& b) {
  return a.packet.at != b.packet.at ? a.packet.at > b.packet.at : a.order > b.order;
};

}  // namespace

void Network::grow(std::uint32_t nodes) {
  if (nodes <= inboxes_.size()) return;
  inboxes_.resize(nodes);
  links_.resize(nodes);
  for (std::vector<Link>& row : links_) row.resize(nodes, Link(defaults_));
}

Transit Network::send(NodeId from, NodeId to, std::uint64_t content, Time now, Runtime& runtime,
                      Passage passage) {
  const Transit transit = link(from, to).transmit(now, runtime, passage);
  for (const Time at : transit.arrivals()) put_back(to, {at, from, content}, at);
  return transit;
}

void Network::put_back(NodeId node, const Packet& packet, Time at) {
  std::vector<Pending>& inbox = inboxes_[node];
  inbox.push_back({{at, packet.from, packet.content}, ++sent_});
  std::push_heap(inbox.begin(), inbox.end(), kLater);
}

Time Network::next_arrival(NodeId node) const {
  return inboxes_[node].empty() ? Time::max() : inboxes_[node].front().packet.at;
}

std::optional<Packet> Network::take(NodeId node, Time until) {
  std::vector<Pending>& inbox = inboxes_[node];
  if (inbox.empty() || inbox.front().packet.at > until) return std::nullopt;
  const Packet packet = inbox.front().packet;
  std::pop_heap(inbox.begin(), inbox.end(), kLater);
  inbox.pop_back();
  return packet;
}

}  // namespace causalcheck
