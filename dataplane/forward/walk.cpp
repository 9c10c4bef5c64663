#include "dataplane/forward/walk.h"

#include <iterator>
#include <utility>

namespace overlane::forward {

Walk WalkSender::send(std::uint32_t from_node, const Packet& packet) {
  walk_ = {.packet = packet};
  delivered_bytes_ = 0;
  source_ = packet.inner.source;
  destination_ = packet.inner.destination;
  const bool from_host = node::is_local(nodes_[from_node], source_);
  walker_.push({{from_node, from_host ? Ingress::Host : Ingress::Pod, {packet}, std::nullopt}});
  walker_.run(*this);
  const bool whole = delivered_bytes_ + packet.inner.header_bytes() >= packet.inner.total_length;
  if (!whole && !walk_.drop) walk_.drop = Drop::NoSuchPod;
  return std::exchange(walk_, {});
}

void WalkSender::enter(const InTransit<Load>& transit) {
  const Load& load = transit.load;
  std::vector<Step> unseen;
  Outcome outcome;
  if (!load.is_reply) walk_.nodes.push_back(transit.node);
  forward(nodes_[transit.node], runtimes_[transit.node], load.packet, transit.ingress, Picos{},
          outcome, load.is_reply ? &unseen : &walk_.steps);
  if (outcome.drop && !walk_.drop && !load.is_reply) walk_.drop = outcome.drop;
  Walker<Load>::Packets leaving;
  for (const Emission& emission : outcome.emissions) {
    const bool is_reply = load.is_reply || emission.is_reply;
    if (!is_reply) walk_.packet = emission.packet;
    const bool at_host = emission.egress == Egress::Host &&
                         emission.packet.inner.destination == (is_reply ? source_ : destination_);
    if (emission.egress == Egress::Pod || at_host) arrive(emission.packet, is_reply);
    if (emission.egress != Egress::Uplink) continue;
    leaving.push_back({transit.node, transit.ingress, {emission.packet, is_reply}, emission});
  }
  walker_.push(std::move(leaving));
}

std::optional<WalkSender::Load> WalkSender::crossed(InTransit<Load>& transit,
                                                    FabricOutcome& outcome,
                                                    std::vector<Step>& steps) {
  if (!transit.load.is_reply) {
    walk_.steps.insert(walk_.steps.end(), std::move_iterator(steps.begin()),
                       std::move_iterator(steps.end()));
    if (outcome.drop && !walk_.drop) walk_.drop = outcome.drop;
  }
  transit.load.packet = outcome.packet;
  if (!outcome.reply) return std::nullopt;
  return Load{*std::move(outcome.reply), true};
}

void WalkSender::arrive(const Packet& packet, bool is_reply) {
  if (!is_reply) {
    delivered_bytes_ += packet.inner.payload_bytes();
  } else if (packet.inner.destination == source_ && packet.icmp) {
    is_told_ |= node::is_packet_too_big(*packet.icmp, source_.family());
  }
}

Walk walk(std::span<const node::NodeState> nodes, const node::FabricState& fabric,
          std::uint32_t from_node, const Packet& packet) {
  return WalkSender(nodes, fabric).send(from_node, packet);
}

}  // namespace overlane::forward
