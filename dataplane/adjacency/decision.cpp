#include "dataplane/adjacency/decision.h"

#include <vector>

#include "dataplane/forward/packet_builder.h"

namespace overlane::adjacency {
namespace {

using forward::Packet;
using forward::PacketBuilder;

Packet around(const WayIn& way, Packet packet) {
  if (way.encapsulation != Encapsulation::None) encapsulate(packet, way.encapsulation, way.ends);
  return packet;
}

/// What the decision makes of a packet.
Packet applied(const Decision& decision, Packet packet) {
  --packet.inner.ttl;
  if (decision.encapsulation != Encapsulation::None) {
    encapsulate(packet, decision.encapsulation, decision.ends);
  }
  return packet;
}

Packet udp(IpAddress source, IpAddress destination, std::uint32_t bytes) {
  return PacketBuilder::udp(source, destination).ports(40000, 5201).length(bytes).build();
}

/// Of those that take adjacencies.
std::vector<Packet> every_kind(IpAddress source, IpAddress destination) {
  const bool ipv4 = destination.is_ipv4();
  const std::uint32_t bytes = ipv4 ? 40 : 60;
  constexpr std::uint8_t kSyn = 0x02;
  constexpr std::uint8_t kAck = 0x10;
  constexpr std::uint8_t kSctp = 132;
  constexpr std::uint16_t kEchoRequest = 8 * 256;
  const Packet datagram = udp(source, destination, bytes);
  Packet syn = datagram;
  syn.inner.protocol = forward::kTcp;
  syn.tcp_flags = kSyn;
  Packet ack = syn;
  ack.tcp_flags = kAck;
  // The full path takes other kinds of IPv6 packets.
  if (!ipv4) return {datagram, syn, ack};
  Packet echo = datagram;
  echo.inner.protocol = forward::kIcmp;
  echo.source_port = 7;
  echo.destination_port = kEchoRequest;
  Packet other = datagram;
  other.inner.protocol = kSctp;
  other.source_port = other.destination_port = 0;
  Packet error = other;
  error.inner.protocol = forward::kIcmp;
  error.icmp = forward::IcmpError{.type = 3,
                                  .code = 1,
                                  .quoted_source = destination,
                                  .quoted_destination = source,
                                  .quoted_protocol = forward::kUdp,
                                  .quoted_source_port = datagram.destination_port,
                                  .quoted_destination_port = datagram.source_port};
  return {datagram, syn, ack, echo, other, error};
}

}  // namespace

bool Decider::passes(const WayIn& way, IpAddress source, IpAddress destination) {
  return probe_
      .single(around(way, udp(source, destination, least_bytes(destination.family()))), way.ingress)
      .has_value();
}

std::optional<Decision> Decider::decision(const WayIn& way, IpAddress source,
                                          IpAddress destination) {
  std::optional<Decision> all;
  for (const Packet& packet : every_kind(source, destination)) {
    const auto one = decide(way, packet);
    if (!one || (all && *all != *one)) return std::nullopt;
    all = one;
  }
  return all;
}

std::optional<Decision> Decider::decide(const WayIn& way, const Packet& packet) {
  const auto emission = probe_.single(around(way, packet), way.ingress);
  if (!emission || emission->egress == forward::Egress::Host) return std::nullopt;
  const Packet& sent = emission->packet;
  if (sent.encapsulation == Encapsulation::Wireguard) return std::nullopt;
  Decision decision{.egress = emission->egress, .next_hop = emission->next_hop};
  if (sent.is_encapsulated()) {
    decision.encapsulation = sent.encapsulation;
    decision.ends = {.source = sent.outer.source,
                     .destination = sent.outer.destination,
                     .vni = sent.vni,
                     .destination_port = sent.outer_destination_port};
  }
  Packet expected = applied(decision, packet);
  expected.outer.identification = sent.outer.identification;
  return expected == sent ? std::optional(decision) : std::nullopt;
}

std::uint32_t Decider::largest(const WayIn& way, const Decision& decision, IpAddress source,
                               IpAddress destination) {
  const auto fits = [&](std::uint32_t bytes) {
    const Packet packet = udp(source, destination, bytes);
    Packet whole = packet;
    // IPv6 knows nothing else.
    whole.inner.dont_fragment = destination.is_ipv4();
    return decide(way, packet) == decision && decide(way, whole) == decision;
  };
  // Most packets meet the same MTU.
  const std::uint32_t least = least_bytes(destination.family());
  std::uint32_t& last = last_largest_[destination.is_ipv4() ? 0 : 1];
  if (last >= least && fits(last) && !fits(last + 1)) return last;
  std::uint32_t low = least - 1;
  std::uint32_t high = 65536;
  while (high - low > 1) {
    const std::uint32_t middle = (low + high) / 2;
    (fits(middle) ? low : high) = middle;
  }
  return last = low;
}

}  // namespace overlane::adjacency
