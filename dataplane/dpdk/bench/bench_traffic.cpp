#include "dataplane/dpdk/bench/bench_traffic.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "dataplane/adjacency/fast_parse.h"
#include "dataplane/adjacency/rewrite_for_tx.h"
#include "dataplane/forward/forward.h"
#include "dataplane/forward/packet_builder.h"
#include "dataplane/wire/ip.h"

namespace overlane::dpdk {
namespace {

using Bytes = std::vector<std::uint8_t>;
using forward::Packet;

/// The inner frames of simple IMIX: 64, 594 and 1,518 bytes with FCS.
constexpr std::array<std::uint32_t, 12> kImix{60, 60, 590, 60, 60, 590, 1514, 60, 590, 60, 590, 60};

Packet flow(IpAddress source, IpAddress destination, std::uint32_t number, std::uint32_t bytes) {
  return forward::PacketBuilder::udp(source, destination)
      .ports(static_cast<std::uint16_t>(32768 + number % 28000), 5201)
      .length(bytes)
      .build();
}

/// The packet with headers and checksums, and a payload of zeros.
Bytes packet_bytes(const Packet& packet) {
  return wire::ip_packet(packet.flow(), packet.inner.total_length, packet.inner.ttl);
}

/// The frame that `peer` sends to `receiver` for this packet, addressed to the receiver's device.
Parsed<Bytes> wrapped(const node::NodeState& peer, const node::NodeState& receiver,
                      const Packet& packet) {
  node::NodeRuntime runtime;
  forward::Outcome outcome;
  forward::forward(peer, runtime, packet, forward::Ingress::Pod, {}, outcome);
  if (outcome.emissions.size() != 1 || outcome.emissions[0].egress != forward::Egress::Uplink) {
    return fail(fmt::format("{} does not send to {}", peer.member().name,
                            packet.inner.destination.to_string()));
  }
  const Packet& sent = outcome.emissions[0].packet;
  Packet inner = packet;
  --inner.inner.ttl;
  Bytes bytes = packet_bytes(inner);
  if (!sent.is_encapsulated()) return bytes;
  const node::Device* device = node::receiving_device(
      receiver, {sent.encapsulation, sent.outer.source, sent.vni, sent.outer_destination_port});
  adjacency::Pushers pushers;
  adjacency::add_pusher(peer, sent.encapsulation,
                        {.source = sent.outer.source,
                         .destination = sent.outer.destination,
                         .vni = sent.vni,
                         .destination_port = sent.outer_destination_port},
                        pushers, device == nullptr ? MacAddress{} : device->mac);
  bytes.insert(bytes.begin(), adjacency::kPushRoom, 0);
  const std::span<std::uint8_t> inside = std::span(bytes).subspan(adjacency::kPushRoom);
  const Family family = packet.inner.family();
  const encap::PerPacket per_packet{.flow_hash = encap::inner_flow_hash(inside, family)};
  const auto outer =
      family == Family::Ipv4
          ? adjacency::wrap<Family::Ipv4>(pushers, sent.encapsulation, 0, inside, per_packet)
          : adjacency::wrap<Family::Ipv6>(pushers, sent.encapsulation, 0, inside, per_packet);
  return Bytes(outer.begin(), outer.end());
}

/// The address of one of a node's pods in a family.
Parsed<IpAddress> pod_of(const node::NodeState& node, Family family, std::uint32_t number) {
  std::vector<IpAddress> pods;
  for (const node::LocalPod& pod : node.pods)
    if (pod.address.family() == family) pods.push_back(pod.address);
  if (pods.empty()) {
    return fail(fmt::format("{} has no pod with an {} address", node.member().name,
                            family == Family::Ipv4 ? "IPv4" : "IPv6"));
  }
  return pods[number % pods.size()];
}

}  // namespace

MacAddress BenchTraffic::mac_of(IpAddress address) {
  MacAddress mac{{2}};
  store_be32(mac.bytes.data() + 2, static_cast<std::uint32_t>(address.low));
  return mac;
}

Parsed<BenchTraffic> BenchTraffic::make(std::span<const node::NodeState> nodes, bool inbound,
                                        std::uint32_t flows, std::uint32_t routes,
                                        std::uint32_t size_bytes, const MacAddress& to,
                                        Family family) {
  const auto peers = nodes.subspan(1);
  if (peers.size() < routes)
    return fail(fmt::format("{} routes need as many other nodes, not {}", routes, peers.size()));
  const auto least =
      static_cast<std::uint32_t>(wire::kEthernetBytes + adjacency::min_bytes(family));
  if (size_bytes != 0 && size_bytes < least)
    return fail(fmt::format("a frame with UDP has {} bytes at least, not {}", least, size_bytes));
  std::vector<Bytes> frames;
  for (std::uint32_t i = 0; i < flows; ++i) {
    const node::NodeState& peer = peers[i % routes];
    const auto here = pod_of(nodes[0], family, i);
    const auto there = pod_of(peer, family, i / routes);
    if (!here) return fail(here.error());
    if (!there) return fail(there.error());
    const std::uint32_t frame_bytes = size_bytes != 0 ? size_bytes : kImix[i % kImix.size()];
    const auto bytes =
        std::max(frame_bytes, least) - static_cast<std::uint32_t>(wire::kEthernetBytes);
    const Packet packet = inbound ? flow(*there, *here, i, bytes) : flow(*here, *there, i, bytes);
    auto sent = inbound ? wrapped(peer, nodes[0], packet) : Parsed<Bytes>(packet_bytes(packet));
    if (!sent) return fail(sent.error());
    frames.push_back(wire::framed(*sent, to, mac_of(packet.inner.source)));
  }
  BenchTraffic traffic;
  for (const Bytes& frame : frames)
    traffic.stride_ = std::max(traffic.stride_, static_cast<std::uint32_t>(frame.size()));
  traffic.stride_ = (traffic.stride_ + kStride - 1) / kStride * kStride;
  for (const Bytes& frame : frames) {
    traffic.lengths_.push_back(static_cast<std::uint32_t>(frame.size()));
    traffic.bytes_.insert(traffic.bytes_.end(), frame.begin(), frame.end());
    traffic.bytes_.resize(traffic.lengths_.size() * traffic.stride_);
  }
  return traffic;
}

}  // namespace overlane::dpdk
