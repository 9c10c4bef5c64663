#pragma once

#include "dataplane/forward/node_decision.h"

namespace overlane::forward {

/// The Service that a connection opening with such a packet goes to, if that has endpoints and
/// packets bear its address. IPVS finds it in INPUT and sends what it has translated past FORWARD:
/// here it stands where iptables' rules do, and only the state's ip_forward tells the difference.
template <typename Lookup, typename Observer>
const node::Service* NodeDecision<Lookup, Observer>::service_of(
    const node::ConntrackTuple& tuple) const {
  const node::ServiceTable* table = services();
  if (table == nullptr || table->translates_at_socket(tuple.protocol)) return nullptr;
  const node::Service* service =
      table->find({tuple.destination, tuple.destination_port, tuple.protocol});
  return service == nullptr || service->endpoints.empty() ? nullptr : service;
}

/// KUBE-SERVICES of nat's PREROUTING and OUTPUT, for the connection that track_ opens.
template <typename Lookup, typename Observer>
void NodeDecision<Lookup, Observer>::redirect(const node::Service& service,
                                              const node::ConntrackTuple& tuple) {
  const auto choice = node::choose_endpoint(*services(), service, tuple, runtime_.service_turns);
  if (!choice) return;
  node::ConntrackTable::redirect(*track_, choice->endpoint.address, choice->endpoint.port);
  track_->is_marked = choice->masqueraded;
}

/// KUBE-POSTROUTING, behind Felix's rules. MASQUERADE takes the address of the device that the
/// packet leaves through, or, as a pod's veth has none, the node's (inet_select_addr).
template <typename Lookup, typename Observer>
std::optional<node::Masquerade> NodeDecision<Lookup, Observer>::marked(
    const Packet& packet, const node::Device* device) const {
  if (!track_ || !track_->is_marked) return std::nullopt;
  const Family family = packet.outermost().family();
  auto address = device == nullptr ? std::nullopt : device->address(family);
  if (!address) address = lookup_.state().address(family);
  if (!address) return std::nullopt;
  return node::Masquerade{{.by = node::MasqueradeRule::By::Mark},
                          {.source = *address, .random_fully = true}};
}

/// Whether the packet was refused there, as no endpoint takes it; its sender hears of it.
template <typename Lookup, typename Observer>
bool NodeDecision<Lookup, Observer>::is_refused(const Packet& packet, node::ServiceRefusal where) {
  if (packet.icmp || packet.is_encapsulated() || !is_to_service(packet)) return false;
  const IpFields& header = packet.inner;
  const node::ServicePort front{header.destination, packet.destination_port, header.protocol};
  if (node::refusal(*services(), front) != where) return false;
  answer(IcmpReason::PortUnreachable, packet);
  drop(Drop::NoEndpoints, packet, {.service = services()->find(front)});
  return true;
}

}  // namespace overlane::forward
