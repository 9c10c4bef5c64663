#include "dataplane/forward/walk.h"

#include <iterator>
#include <utility>

#include "dataplane/forward/node_decision.h"
#include "dataplane/forward/state_lookup.h"
#include "dataplane/forward/step_observer.h"

namespace overlane::forward {
namespace {

/// Records the addresses that routes are looked up for.
class NotedLookup : public StateLookup {
 public:
  NotedLookup(const node::NodeState& state, std::vector<IpAddress>& looked_up)
      : StateLookup(state), looked_up_(looked_up) {}

  auto route(IpAddress address) const {
    looked_up_.push_back(address);
    return StateLookup::route(address);
  }

 private:
  std::vector<IpAddress>& looked_up_;
};

}  // namespace

const Walk& WalkSender::send(std::uint32_t from_node, const Packet& packet) {
  walk_.drop.reset();
  walk_.steps.clear();
  walk_.nodes.clear();
  walk_.fabric_lookups.clear();
  walk_.looked_up.clear();
  walk_.routed_to.clear();
  walk_.packet = packet;
  if (options_.outcome_only) runtimes_.clear();
  delivered_bytes_ = 0;
  source_ = packet.inner.source;
  destination_ = packet.inner.destination;
  const bool from_host = node::is_local(nodes_[from_node], source_);
  walker_.push({from_node, from_host ? Ingress::Host : Ingress::Pod, {packet}, std::nullopt});
  walker_.run(*this);
  const bool whole = delivered_bytes_ + packet.inner.header_bytes() >= packet.inner.total_length;
  if (!whole && !walk_.drop) walk_.drop = Drop::NoSuchPod;
  return walk_;
}

void WalkSender::drop(Drop reason) {
  if (!walk_.drop) walk_.drop = reason;
  if (options_.outcome_only) walker_.clear();
}

void WalkSender::enter(const InTransit<Load>& transit) {
  const Load& load = transit.load;
  if (!load.is_reply) walk_.nodes.push_back(transit.node);
  if (options_.stopped != nullptr && options_.stopped->contains(transit.node)) {
    if (!load.is_reply) drop(Drop::NodeGone);
    return;
  }
  decide(transit);
  if (outcome_.drop && !load.is_reply) drop(*outcome_.drop);
  if (walk_.drop && options_.outcome_only) return;
  for (const Emission& emission : outcome_.emissions) {
    const bool is_reply = load.is_reply || emission.is_reply;
    if (!is_reply) walk_.packet = emission.packet;
    const bool at_host = emission.egress == Egress::Host &&
                         emission.packet.inner.destination == (is_reply ? source_ : destination_);
    if (emission.egress == Egress::Pod || at_host) arrive(emission.packet, is_reply);
  }
  // The first emission is pushed last, so that it moves next.
  for (auto emission = outcome_.emissions.rbegin(); emission != outcome_.emissions.rend();
       ++emission) {
    if (emission->egress != Egress::Uplink) continue;
    const bool is_reply = load.is_reply || emission->is_reply;
    if (!is_reply) {
      walk_.fabric_lookups.push_back(emission->packet.outermost().destination);
      walk_.fabric_lookups.push_back(emission->next_hop);
    }
    walker_.push({transit.node, transit.ingress, {emission->packet, is_reply}, *emission});
  }
}

void WalkSender::decide(const InTransit<Load>& transit) {
  const node::NodeState& state = nodes_[transit.node];
  node::NodeRuntime& runtime = runtimes_[transit.node];
  const Load& load = transit.load;
  if (options_.outcome_only) {
    outcome_.clear();
    NoObserver observer;
    NodeDecision(NotedLookup(state, walk_.looked_up), observer, runtime, Picos{}, outcome_)
        .run(load.packet, transit.ingress);
    return;
  }
  std::vector<Step> unseen;
  forward(state, runtime, load.packet, transit.ingress, Picos{}, outcome_,
          load.is_reply ? &unseen : &walk_.steps);
}

std::optional<WalkSender::Load> WalkSender::crossed(InTransit<Load>& transit,
                                                    FabricOutcome& outcome,
                                                    std::vector<Step>& steps) {
  transit.load.packet = outcome.packet;
  if (!transit.load.is_reply) {
    if (outcome.routed_to) walk_.routed_to.push_back(*outcome.routed_to);
    walk_.steps.insert(walk_.steps.end(), std::move_iterator(steps.begin()),
                       std::move_iterator(steps.end()));
    if (outcome.drop) drop(*outcome.drop);
  }
  if (!outcome.reply || options_.outcome_only) return std::nullopt;
  return Load{*std::move(outcome.reply), true};
}

void WalkSender::arrive(const Packet& packet, bool is_reply) {
  if (!is_reply) {
    delivered_bytes_ += packet.inner.payload_bytes();
  } else if (packet.inner.destination == source_ && packet.icmp) {
    got_packet_too_big_ |= node::is_packet_too_big(*packet.icmp, source_.family());
  }
}

Walk walk(std::span<const node::NodeState> nodes, const node::FabricState& fabric,
          std::uint32_t from_node, const Packet& packet) {
  return WalkSender(nodes, fabric).send(from_node, packet);
}

}  // namespace overlane::forward
