#include "dataplane/forward/encapsulate.h"

#include "dataplane/encap/flow_port.h"
#include "dataplane/encap/outer_rules.h"

namespace overlane::forward {

void encapsulate(Packet& packet, Encapsulation encapsulation, const TunnelEnds& ends) {
  const encap::OuterRules rules = encap::outer_rules(encapsulation);
  const IpFields& inner = packet.inner;
  const std::uint32_t length = inner.total_length + overhead(encapsulation);
  packet.encapsulation = encapsulation;
  packet.outer = {.source = ends.source,
                  .destination = ends.destination,
                  .total_length = static_cast<std::uint16_t>(length),
                  .dont_fragment = encap::outer_df(rules, inner.dont_fragment),
                  .protocol = encap::outer_protocol(encapsulation, Family::Ipv4),
                  .ttl = encap::outer_ttl(rules, inner.ttl),
                  .tos = encap::outer_tos(rules, inner.tos)};
  if (rules.has_flow_port()) {
    packet.outer_source_port = encap::flow_source_port(rules, packet.flow());
    packet.outer_destination_port = ends.destination_port;
    packet.vni = ends.vni;
  }
}

bool decapsulate(Packet& packet) {
  const auto ecn =
      encap::inner_ecn(encap::ecn_of(packet.inner.tos), encap::ecn_of(packet.outer.tos));
  if (!ecn) return false;
  packet.inner.tos = encap::with_ecn(packet.inner.tos, *ecn);
  packet.encapsulation = Encapsulation::None;
  packet.outer = {};
  packet.outer_source_port = 0;
  packet.outer_destination_port = 0;
  packet.vni = 0;
  return true;
}

}  // namespace overlane::forward
