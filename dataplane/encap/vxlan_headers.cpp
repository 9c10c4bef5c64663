#include "dataplane/encap/vxlan_headers.h"

#include "dataplane/encap/outer_header.h"
#include "dataplane/net/byte_order.h"
#include "dataplane/net/checksum.h"
#include "dataplane/wire/ethernet.h"
#include "dataplane/wire/udp.h"
#include "dataplane/wire/vxlan.h"

namespace overlane::encap {
namespace {

constexpr std::uint8_t kTcp = 6;
constexpr std::uint8_t kUdp = 17;

/// The ports are at the same place in TCP and UDP (and DCCP and SCTP); fragments have none.
FlowKey flow_of(const wire::Ipv4Header& inner, std::span<const std::uint8_t> payload) {
  FlowKey key{.source = inner.source, .destination = inner.destination, .protocol = inner.protocol};
  const bool has_ports = inner.protocol == kTcp || inner.protocol == kUdp;
  if (has_ports && !inner.is_fragment() && payload.size() >= 4) {
    key.source_port = load_be16(payload.data());
    key.destination_port = load_be16(payload.data() + 2);
  }
  return key;
}

}  // namespace

void write_vxlan_headers(const TunnelHeader& header, const wire::Ipv4Header& inner,
                         std::span<std::uint8_t> packet) {
  const std::size_t room = overhead(Encapsulation::Vxlan);
  const auto inner_payload = packet.subspan(room + inner.header_bytes);
  std::span<std::uint8_t> at = packet.subspan(wire::kIpv4Bytes);
  wire::write(wire::UdpHeader{.source_port = flow_source_port(flow_of(inner, inner_payload)),
                              .destination_port = header.destination_port,
                              .length = static_cast<std::uint16_t>(at.size())},
              at);
  at = at.subspan(wire::kUdpBytes);
  wire::write(wire::VxlanHeader{header.vni}, at);
  at = at.subspan(wire::kVxlanBytes);
  wire::write(wire::EthernetHeader{.destination = header.inner_destination_mac,
                                   .source = header.inner_source_mac},
              at);
}

Result<Popped, Drop> read_vxlan_headers(const wire::Ipv4Header& outer,
                                        std::span<std::uint8_t> payload) {
  const auto udp = wire::parse_udp(payload);
  if (!udp) return fail(udp.error());
  const auto segment = payload.first(udp->length);
  if (udp->checksum != 0 &&
      transport_checksum(outer.source, outer.destination, kUdp, segment) != 0) {
    return fail(Drop::BadChecksum);
  }
  const auto tunnelled = segment.subspan(wire::kUdpBytes);
  const auto vxlan = wire::parse_vxlan(tunnelled);
  if (!vxlan) return fail(vxlan.error());
  const auto frame = tunnelled.subspan(wire::kVxlanBytes);
  const auto ethernet = wire::parse_ethernet(frame);
  if (!ethernet) return fail(ethernet.error());
  if (ethernet->ether_type != wire::kEtherTypeIpv4) return fail(Drop::UnsupportedProtocol);
  return Popped{.header = {.vni = vxlan->vni,
                           .destination_port = udp->destination_port,
                           .inner_source_mac = ethernet->source,
                           .inner_destination_mac = ethernet->destination},
                .source_port = udp->source_port,
                .inner = frame.subspan(wire::kEthernetBytes)};
}

}  // namespace overlane::encap
