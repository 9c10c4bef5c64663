#include "dataplane/forward/packet_transform.h"

#include <algorithm>
#include <array>

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

namespace {

constexpr std::uint32_t kIcmpHeaderBytes = 8;

/// Parameters of ICMP errors that differ between the families.
struct ErrorRules {
  std::uint8_t protocol;
  std::uint32_t header_bytes;
  std::uint32_t largest;
  std::uint8_t kept_tos;  ///< Bits that the error copies from the cause.
  std::uint8_t tos;       ///< Bits that the error sets.
};
/// IPTOS_TOS_MASK and IPTOS_PREC_INTERNETCONTROL, net/ipv4/icmp.c; IPV6_MIN_MTU, net/ipv6/icmp.c.
constexpr ErrorRules kIpv4Errors{kIcmp, kIpv4HeaderBytes, 576, 0x1e, 0xc0};
constexpr ErrorRules kIpv6Errors{kIcmpv6, kIpv6HeaderBytes, 1280, 0, 0};

struct TypeAndCode {
  std::uint8_t type;
  std::uint8_t code;
};
struct ReasonRow {
  TypeAndCode ipv4;
  TypeAndCode ipv6;
};
/// Types and codes, indexed by IcmpReason. In IPv6 an unreachable route causes "no route", too
/// (ip6_pkt_discard, net/ipv6/route.c).
constexpr std::array kReasons = {
    ReasonRow{{3, 0}, {1, 0}},  ReasonRow{{3, 1}, {1, 0}}, ReasonRow{{3, 1}, {1, 3}},
    ReasonRow{{3, 13}, {1, 1}}, ReasonRow{{3, 4}, {2, 0}}, ReasonRow{{11, 0}, {3, 0}},
    ReasonRow{{3, 3}, {1, 4}},  ReasonRow{{3, 2}, {4, 1}}, ReasonRow{{11, 1}, {3, 1}},
    ReasonRow{{12, 0}, {4, 0}},
};

}  // namespace

std::optional<Packet> icmp_error(IcmpReason reason, const Packet& cause, IpAddress source,
                                 std::uint32_t detail) {
  const IpFields& quoted = cause.outermost();
  const bool is_error = !cause.is_encapsulated() && cause.icmp.has_value();
  const bool ipv4 = quoted.is_ipv4();
  if (is_error || (ipv4 && quoted.fragment_offset != 0)) return std::nullopt;

  const ErrorRules& rules = ipv4 ? kIpv4Errors : kIpv6Errors;
  const ReasonRow& row = kReasons[static_cast<std::size_t>(reason)];
  const auto [type, code] = ipv4 ? row.ipv4 : row.ipv6;
  const bool outer = cause.is_encapsulated();
  const std::uint32_t headers = rules.header_bytes + kIcmpHeaderBytes;
  Packet error;
  error.inner = {.source = source,
                 .destination = quoted.source,
                 .total_length = std::min(headers + quoted.total_length, rules.largest),
                 .protocol = rules.protocol,
                 .ttl = encap::kHopLimit,
                 .tos = static_cast<std::uint8_t>((quoted.tos & rules.kept_tos) | rules.tos)};
  error.icmp = IcmpError{.type = type,
                         .code = code,
                         .next_hop_mtu = reason == IcmpReason::PacketTooBig ? detail : 0,
                         .quoted_source = quoted.source,
                         .quoted_destination = quoted.destination,
                         .quoted_protocol = quoted.protocol};
  if (is_parameter_problem(*error.icmp, quoted.family())) error.icmp->pointer = detail;
  if (quoted.fragment_offset == 0) {
    error.icmp->quoted_source_port = outer ? cause.outer_source_port : cause.source_port;
    error.icmp->quoted_destination_port =
        outer ? cause.outer_destination_port : cause.destination_port;
  }
  return error;
}

}  // namespace overlane::forward
