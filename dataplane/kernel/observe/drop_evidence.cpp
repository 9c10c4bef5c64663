#include "dataplane/kernel/observe/drop_evidence.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace overlane::kernel {
namespace {

/// One counter that moves with a drop. A name that begins with '*' stands for every counter that
/// ends with the rest.
struct Evidence {
  Drop drop;
  std::string_view counter;
};

constexpr std::array kEvidence = {
    // ip_rcv_core, ip6_rcv_core: net/ipv4/ip_input.c, net/ipv6/ip6_input.c.
    Evidence{Drop::Malformed, "IpInHdrErrors"},
    Evidence{Drop::Malformed, "IpExtInTruncatedPkts"},
    Evidence{Drop::Malformed, "Ip6InHdrErrors"},
    Evidence{Drop::Malformed, "Ip6InTruncatedPkts"},
    Evidence{Drop::Malformed, "* rx_errors"},
    // ip_frag_queue, ip_frag_reasm: net/ipv4/ip_fragment.c.
    Evidence{Drop::Malformed, "IpReasmFails"},
    Evidence{Drop::EcnCorrupted, "IpReasmFails"},
    Evidence{Drop::BadChecksum, "IpExtInCsumErrors"},
    Evidence{Drop::BadChecksum, "UdpInCsumErrors"},
    // ip_forward, ip6_forward.
    Evidence{Drop::TtlExpired, "IpInHdrErrors"},
    Evidence{Drop::TtlExpired, "Ip6InHdrErrors"},
    Evidence{Drop::MtuExceeded, "IpFragFails"},
    Evidence{Drop::MtuExceeded, "Ip6InTooBigErrors"},
    Evidence{Drop::MtuExceeded, "Ip6FragFails"},
    Evidence{Drop::MtuExceeded, "* tx_errors"},
    // __dev_forward_skb, net/core/dev.c.
    Evidence{Drop::ReceiveMtuExceeded, "* rx_dropped"},
    // ip_route_input_slow counts every failed lookup, ip_error the ones that are answered.
    Evidence{Drop::NoRoute, "route in_no_route"},
    Evidence{Drop::NoRoute, "IpOutNoRoutes"},
    Evidence{Drop::NoRoute, "Ip6InNoRoutes"},
    Evidence{Drop::NoRoute, "* tx_carrier"},
    Evidence{Drop::BlackholeRoute, "route in_no_route"},
    Evidence{Drop::BlackholeRoute, "Ip6InNoRoutes"},
    Evidence{Drop::UnreachableRoute, "route in_no_route"},
    Evidence{Drop::UnreachableRoute, "Ip6InNoRoutes"},
    Evidence{Drop::NotLocal, "IpInAddrErrors"},
    Evidence{Drop::NotLocal, "IpExtInNoRoutes"},
    Evidence{Drop::NotLocal, "route in_no_route"},
    Evidence{Drop::NotLocal, "Ip6InAddrErrors"},
    // fib_validate_source and ip_handle_martian_source, net/ipv4/route.c.
    Evidence{Drop::RpFilter, "TcpExtIPReversePathFilter"},
    Evidence{Drop::RpFilter, "route in_martian_src"},
    // The packet filters of set_up carry the reason's name.
    Evidence{Drop::SourceSpoofed, "rule source-spoofed"},
    Evidence{Drop::PacketFilter, "rule packet-filter"},
    Evidence{Drop::TunnelSource, "rule tunnel-source"},
    Evidence{Drop::NoEndpoints, "rule no-endpoints"},
    // vxlan_xmit without a forwarding entry; ip_tunnel_rcv and vxlan_ecn_decapsulate.
    Evidence{Drop::NoNeighbour, "* tx_dropped"},
    Evidence{Drop::EcnCorrupted, "* rx_errors"},
};

bool moved_by(const Counters& moved, std::string_view counter) {
  if (!counter.starts_with('*')) return moved.contains(std::string(counter));
  counter.remove_prefix(1);
  return std::ranges::any_of(moved,
                             [=](const auto& entry) { return entry.first.ends_with(counter); });
}

}  // namespace

bool bears_out(const Counters& moved, Drop drop) {
  return !has_evidence(drop) || std::ranges::any_of(kEvidence, [&](const Evidence& evidence) {
    return evidence.drop == drop && moved_by(moved, evidence.counter);
  });
}

bool has_evidence(Drop drop) {
  return std::ranges::find(kEvidence, drop, &Evidence::drop) != kEvidence.end();
}

std::string to_string(const Counters& moved) {
  std::string text;
  for (const auto& [name, value] : moved)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, value);
  return text;
}

}  // namespace overlane::kernel
