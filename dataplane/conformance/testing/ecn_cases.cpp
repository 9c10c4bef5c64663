#include <array>

#include <fmt/format.h>

#include "dataplane/conformance/testing/case.h"

namespace overlane::conformance::testing {
namespace {

using node::testing::ClusterShape;

struct Ecn {
  std::uint8_t bits;
  const char* name;
};
constexpr std::array kEcn{Ecn{0, "Not-ECT"}, Ecn{2, "ECT(0)"}, Ecn{1, "ECT(1)"}, Ecn{3, "CE"}};

constexpr std::uint8_t kDropped = 0xff;
/// The inner ECN field after decapsulation (RFC 6040, figure 4, and Linux since 5.11), by inner
/// (row) and outer field in the order of kEcn.
constexpr std::uint8_t kDecapsulated[4][4] = {
    {0, 0, 0, kDropped}, {2, 2, 1, 3}, {1, 1, 1, 3}, {3, 3, 3, 3}};
/// The outer ECN field on encapsulation. RFC 6040 copies CE; here as in Linux it becomes ECT(0)
/// (INET_ECN_encapsulate, include/net/inet_ecn.h).
constexpr std::uint8_t kEncapsulated[4] = {0, 2, 1, 2};

constexpr std::uint8_t kDscp = 0xb8;

struct Tunnel {
  const char* name;
  ClusterShape shape;
  bool ipv6_inside;
};
const Tunnel kTunnels[] = {
    {"ipip", kIpip, false},   {"sit", kSit, true},        {"ip6tnl", kIp6Tnl, false},
    {"vxlan", kVxlan, false}, {"geneve", kGeneve, false}, {"vxlan over IPv6", kVxlan, true},
};

IpAddress own_pod(const Tunnel& tunnel) {
  return tunnel.ipv6_inside ? pod_v6(0) : pod(0);
}
IpAddress far_pod(const Tunnel& tunnel) {
  return tunnel.ipv6_inside ? pod_v6(1) : pod(1);
}

std::string line(const Tunnel& tunnel, std::uint8_t ecn) {
  return fmt::format("pod {} > {} udp 100 ttl 63 tos {:02x}", far_pod(tunnel).to_string(),
                     own_pod(tunnel).to_string(), kDscp | ecn);
}

Case received(const Tunnel& tunnel, std::size_t inner, std::size_t outer) {
  forward::Packet packet =
      tunnelled(tunnel.shape, tos(kDscp | kEcn[inner].bits, udp(far_pod(tunnel), own_pod(tunnel))));
  packet.outer.tos = kEcn[outer].bits;
  const std::uint8_t result = kDecapsulated[inner][outer];
  return {fmt::format("{} brings {} in {}", tunnel.name, kEcn[inner].name, kEcn[outer].name),
          tunnel.shape,
          unchanged,
          {from_uplink(packet)},
          {result == kDropped ? "ecn-corrupted" : line(tunnel, result)},
          ""};
}

Case sent(const Tunnel& tunnel, std::size_t inner) {
  const forward::Packet packet =
      tos(kDscp | kEcn[inner].bits, udp(own_pod(tunnel), far_pod(tunnel)));
  forward::Packet expected = tunnelled(tunnel.shape, ttl(63, packet));
  std::swap(expected.outer.source, expected.outer.destination);
  expected.outer.tos = kEncapsulated[inner];
  forward::Outcome outcome;
  outcome.emissions.push_back({forward::Egress::Uplink, expected, expected.outer.destination});
  return {fmt::format("{} takes {} out and no DSCP", tunnel.name, kEcn[inner].name),
          tunnel.shape,
          unchanged,
          {from_pod(packet)},
          {describe(outcome)},
          ""};
}

}  // namespace

std::vector<Case> ecn_cases() {
  std::vector<Case> rows;
  for (const Tunnel& tunnel : kTunnels) {
    for (std::size_t inner = 0; inner < kEcn.size(); ++inner) {
      rows.push_back(sent(tunnel, inner));
      for (std::size_t outer = 0; outer < kEcn.size(); ++outer)
        rows.push_back(received(tunnel, inner, outer));
    }
  }
  return rows;
}

}  // namespace overlane::conformance::testing
