#include "dataplane/conformance/testing/fragments.h"
#include "dataplane/forward/packet_transform.h"

namespace overlane::conformance::testing {
namespace {

void soon(NodeState& state) {
  state.sysctls.ipfrag_time = 1;
  state.sysctls.ip6frag_time = 1;
}
void soon_tracked(NodeState& state) {
  soon(state);
  track(state);
}

/// One of two fragments, and then a time without packets that is longer than the reassembly
/// timeout.
Arrivals fragment_alone(Arrival (*from)(Packet), const Packet& whole, std::size_t which) {
  const std::uint32_t end = whole.inner.is_ipv4() ? 980 : 960;
  return {as_fragments(from, whole, {400, end})[which], nothing_for(milliseconds(1600))};
}

void soon_strict(NodeState& state) {
  soon_tracked(state);
  device(state, "eth0").rp_filter = 1;
}

/// The first outer fragment of a tunnel packet, and then a time without packets.
Arrivals outer_alone(const node::testing::ClusterShape& shape) {
  Packet whole = tunnelled(shape, udp(pod(1), pod(0), 1000));
  whole.outer.identification = 77;
  return {from_uplink(forward::fragment_of(whole, 0, 400)), nothing_for(milliseconds(1600))};
}

Packet icmp_error() {
  Packet packet = udp(kServer, kNode, 1000);
  packet.inner.protocol = forward::kIcmp;
  packet.source_port = packet.destination_port = 0;
  packet.icmp = forward::IcmpError{.type = 3,
                                   .code = 1,
                                   .quoted_source = kNode,
                                   .quoted_destination = kServer,
                                   .quoted_protocol = forward::kUdp};
  return packet;
}

/// A later fragment, without the ports that only the first one has.
Packet later(Packet packet) {
  packet.inner.identification = 77;
  packet.inner.fragment_offset = 800;
  packet.source_port = packet.destination_port = 0;
  return packet;
}
Packet too_late(IpAddress destination) {
  Packet packet = later(udp(kServerV6, destination, 500));
  packet.inner.fragment_offset = 65528;
  return packet;
}
Packet echo(Packet packet) {
  packet.inner.protocol = forward::kIcmpv6;
  return packet;
}

}  // namespace

std::vector<Case> timeout_cases() {
  return {
      {"a first fragment whose others do not come is answered",
       kRouted,
       soon,
       fragment_alone(from_uplink, udp(kServer, kNode, 1000), 0),
       {"held", "uplink via 10.250.0.1 10.250.0.4 > 192.0.2.10 icmp 11/1 448 ttl 64 tos c0"},
       ""},
      {"a later fragment whose first does not come ends silently",
       kRouted,
       soon,
       fragment_alone(from_uplink, udp(kServer, kNode, 1000), 1),
       {"held", "nothing"},
       ""},
      {"a pod's first fragment for the node is answered",
       kRouted,
       soon,
       fragment_alone(from_pod, udp(pod(0), kNode, 1000), 0),
       {"held", "pod 10.250.0.4 > 100.96.1.10 icmp 11/1 448 ttl 64 tos c0"},
       ""},
      {"tracked, a first fragment for the node is answered",
       kRouted,
       soon_tracked,
       fragment_alone(from_uplink, udp(kServer, kNode, 1000), 0),
       {"held", "uplink via 10.250.0.1 10.250.0.4 > 192.0.2.10 icmp 11/1 448 ttl 64 tos c0"},
       ""},
      {"tracked, a pod's first fragment for the node is answered",
       kRouted,
       soon_tracked,
       fragment_alone(from_pod, udp(pod(0), kNode, 1000), 0),
       {"held", "pod 10.250.0.4 > 100.96.1.10 icmp 11/1 448 ttl 64 tos c0"},
       ""},
      {"tracked, a first fragment in transit ends silently",
       kRouted,
       soon_tracked,
       fragment_alone(from_uplink, udp(kServer, pod(0), 1000), 0),
       {"held", "nothing"},
       ""},
      {"tracked, a first fragment from where rp_filter takes none ends silently",
       kRouted,
       soon_strict,
       fragment_alone(from_uplink, udp(pod(0, 1), kNode, 1000), 0),
       {"held", "nothing"},
       ""},
      {"a first fragment that the node sends ends silently",
       kRouted,
       soon_tracked,
       fragment_alone(from_host, udp(kNode, kServer, 1000), 0),
       {"held", "nothing"},
       ""},
      {"a first fragment of an ICMP error is not answered",
       kRouted,
       soon,
       fragment_alone(from_uplink, icmp_error(), 0),
       {"held", "nothing"},
       ""},
      {"a first outer fragment of VXLAN is answered",
       kVxlan,
       soon,
       outer_alone(kVxlan),
       {"held", "uplink via 10.250.0.5 10.250.0.4 > 10.250.0.5 icmp 11/1 448 ttl 64 tos c0"},
       ""},
      {"a first outer fragment of IPIP is answered",
       kIpip,
       soon,
       outer_alone(kIpip),
       {"held", "uplink via 10.250.0.5 10.250.0.4 > 10.250.0.5 icmp 11/1 448 ttl 64 tos c0"},
       ""},
      {"IPv6: a first fragment whose others do not come is answered",
       kRouted,
       soon,
       fragment_alone(from_uplink, udp(kServerV6, kNodeV6, 1000), 0),
       {"held", "uplink via fd00:10:250::1 fd00:10:250::4 > 2001:db8::10 icmp 3/1 496 ttl 64"},
       ""},
      {"IPv6: a later fragment whose first does not come ends silently",
       kRouted,
       soon,
       fragment_alone(from_uplink, udp(kServerV6, kNodeV6, 1000), 1),
       {"held", "nothing"},
       ""},
      {"IPv6: tracked, a first fragment for the node is answered",
       kRouted,
       soon_tracked,
       fragment_alone(from_uplink, udp(kServerV6, kNodeV6, 1000), 0),
       {"held", "uplink via fd00:10:250::1 fd00:10:250::4 > 2001:db8::10 icmp 3/1 496 ttl 64"},
       ""},
      {"IPv6: tracked, a first fragment in transit is answered as well",
       kRouted,
       soon_tracked,
       fragment_alone(from_uplink, udp(kServerV6, pod_v6(0), 1000), 0),
       {"held", "uplink via fd00:10:250::1 fd00:10:250::4 > 2001:db8::10 icmp 3/1 496 ttl 64"},
       ""},
      {"IPv6: a first fragment that the node sends ends silently",
       kRouted,
       soon_tracked,
       fragment_alone(from_host, udp(kNodeV6, kServerV6, 1000), 0),
       {"held", "nothing"},
       ""},
      {"IPv6: a fragment for the node that ends between multiples of 8 is answered",
       kRouted,
       unchanged,
       as_fragments(from_uplink, udp(kServerV6, kNodeV6, 1000), {404, 960}),
       {"uplink via fd00:10:250::1 fd00:10:250::4 > 2001:db8::10 icmp 4/0 pointer 4 500 ttl 64; "
        "malformed",
        "held"},
       ""},
      {"IPv6: a later fragment that ends between multiples of 8 is answered too",
       kRouted,
       unchanged,
       as_fragments(from_uplink, udp(kServerV6, kNodeV6, 1000), {400, 804, 960}),
       {"held",
        "uplink via fd00:10:250::1 fd00:10:250::4 > 2001:db8::10 icmp 4/0 pointer 4 500 ttl 64; "
        "malformed",
        "held"},
       ""},
      {"IPv6: tracked, a fragment for the node that ends between multiples of 8 is answered",
       kRouted,
       track,
       as_fragments(from_uplink, udp(kServerV6, kNodeV6, 1000), {404, 960}),
       {"uplink via fd00:10:250::1 fd00:10:250::4 > 2001:db8::10 icmp 4/0 pointer 4 500 ttl 64; "
        "malformed",
        "held"},
       ""},
      {"IPv6: a fragment for the node that ends too late is answered",
       kRouted,
       unchanged,
       {from_uplink(too_late(kNodeV6))},
       {"uplink via fd00:10:250::1 fd00:10:250::4 > 2001:db8::10 icmp 4/0 pointer 42 548 ttl 64; "
        "malformed"},
       ""},
      {"IPv6: tracked, a fragment for the node that ends too late is lost silently",
       kRouted,
       track,
       {from_uplink(too_late(kNodeV6))},
       {"malformed"},
       ""},
      {"IPv6: tracked, a fragment in transit that ends too late is lost silently",
       kRouted,
       track,
       {from_uplink(too_late(pod_v6(0)))},
       {"malformed"},
       ""},
      {"IPv6: a later fragment in transit is answered as any packet is",
       kRouted,
       unchanged,
       {from_uplink(later(ttl(1, udp(kServerV6, pod_v6(0), 500))))},
       {"uplink via fd00:10:250::1 fd00:10:250::4 > 2001:db8::10 icmp 3/0 548 ttl 64; ttl-expired"},
       ""},
      {"IPv6: a later fragment of ICMPv6 in transit is answered as any packet is",
       kRouted,
       unchanged,
       {from_uplink(later(echo(ttl(1, udp(kServerV6, pod_v6(0), 500)))))},
       {"uplink via fd00:10:250::1 fd00:10:250::4 > 2001:db8::10 icmp 3/0 548 ttl 64; ttl-expired"},
       ""},
  };
}

}  // namespace overlane::conformance::testing
