#include "dataplane/forward/encapsulate.h"

#include "dataplane/encap/flow_port.h"
#include "dataplane/encap/outer_rules.h"
#include "dataplane/encap/wireguard/wireguard.h"

namespace overlane::forward {

void encapsulate(Packet& packet, Encapsulation encapsulation, const TunnelEnds& ends) {
  const Family underlay = ends.destination.family();
  const encap::OuterRules rules = encap::outer_rules(encapsulation, underlay);
  const IpFields& inner = packet.inner;
  packet.encapsulation = encapsulation;
  if (encapsulation == Encapsulation::Wireguard) {
    packet.padding = static_cast<std::uint16_t>(wireguard::padding(inner.total_length, ends.mtu));
  }
  packet.outer = {
      .source = ends.source,
      .destination = ends.destination,
      .total_length = inner.total_length + overhead(encapsulation, underlay) + packet.padding,
      .dont_fragment = underlay == Family::Ipv4 && encap::outer_df(rules, inner.must_stay_whole()),
      .protocol = encap::outer_protocol(encapsulation, inner.family()),
      .ttl = encap::outer_ttl(rules, inner.ttl),
      .tos = encap::outer_tos(rules, inner.tos)};
  if (rules.flow == encap::FlowField::FlowLabel) {
    packet.outer.flow_label = encap::flow_label(flow_hash(packet.flow()));
  }
  if (rules.udp_checksum == encap::UdpChecksum::None) return;
  packet.outer_source_port =
      rules.has_flow_port() ? encap::flow_source_port(rules, packet.flow()) : ends.destination_port;
  packet.outer_destination_port = ends.destination_port;
  packet.vni = ends.vni;
}

bool decapsulate(Packet& packet) {
  const auto ecn =
      encap::inner_ecn(encap::ecn_of(packet.inner.tos), encap::ecn_of(packet.outer.tos));
  if (!ecn && packet.encapsulation != Encapsulation::Wireguard) return false;
  if (ecn) packet.inner.tos = encap::with_ecn(packet.inner.tos, *ecn);
  packet.encapsulation = Encapsulation::None;
  packet.outer = {};
  packet.outer_source_port = 0;
  packet.outer_destination_port = 0;
  packet.vni = 0;
  packet.padding = 0;
  return true;
}

}  // namespace overlane::forward
