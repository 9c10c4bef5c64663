#include "dataplane/conformance/testing/case.h"

#include <algorithm>

#include <fmt/format.h>

#include "dataplane/forward/encapsulate.h"
#include "dataplane/kernel/wire_bytes.h"

namespace overlane::conformance::testing {
namespace {

using forward::Emission;
using forward::IpFields;
using forward::Packet;

std::string protocol_name(const Packet& packet) {
  const IpFields& header = packet.inner;
  if (packet.icmp) {
    const forward::IcmpError& error = *packet.icmp;
    const std::string mtu =
        error.next_hop_mtu == 0 ? "" : fmt::format(" mtu {}", error.next_hop_mtu);
    return fmt::format("icmp {}/{}{}", error.type, error.code, mtu);
  }
  if (header.is_icmp()) return "icmp";
  if (header.protocol == forward::kUdp) return "udp";
  if (header.protocol == forward::kTcp) return "tcp";
  return fmt::format("protocol {}", header.protocol);
}

std::string describe(const IpFields& header, std::string_view what) {
  std::string text =
      fmt::format("{} > {} {} {} ttl {}", header.source.to_string(), header.destination.to_string(),
                  what, header.total_length, header.ttl);
  if (header.tos != 0) text += fmt::format(" tos {:02x}", header.tos);
  if (header.dont_fragment) text += " DF";
  if (header.is_fragment()) {
    text += fmt::format(" at {}{}", header.fragment_offset, header.more_fragments ? " MF" : "");
  }
  return text;
}

std::string describe(const Packet& packet) {
  const bool hidden = packet.is_encapsulated() && packet.outer.fragment_offset != 0;
  const std::string inner = describe(packet.inner, protocol_name(packet));
  if (!packet.is_encapsulated()) return inner;
  const std::string outer = describe(packet.outer, to_string(packet.encapsulation));
  return hidden ? outer : outer + " | " + inner;
}

std::string describe(const Emission& emission) {
  switch (emission.egress) {
    case forward::Egress::Pod:
      return "pod " + describe(emission.packet);
    case forward::Egress::Host:
      return "host " + describe(emission.packet);
    case forward::Egress::Uplink:
      return fmt::format("uplink via {} {}", emission.next_hop.to_string(),
                         describe(emission.packet));
  }
  return "";
}

}  // namespace

node::NodeState state_of(const Case& row) {
  node::NodeState state = make_cluster(row.shape).nodes[0];
  // As the kernels of the testbed are set up, so that each packet of a row is answered.
  state.sysctls.icmp_ratelimit = false;
  state.sysctls.route_error_cost = false;
  row.change(state);
  return state;
}

std::vector<std::uint8_t> bytes_of(const node::NodeState& state, const Arrival& arrival) {
  return arrival.bytes.empty() ? kernel::wire_bytes(state, arrival.packet) : arrival.bytes;
}

std::string describe(const forward::Outcome& outcome) {
  std::string text;
  for (const Emission& emission : outcome.emissions)
    text += (text.empty() ? "" : " + ") + describe(emission);
  if (outcome.held) text += "held";
  if (outcome.drop) {
    text += fmt::format("{}{}", text.empty() ? "" : "; ", overlane::to_string(*outcome.drop));
  }
  return text;
}

std::vector<Case> all_cases() {
  std::vector<Case> rows;
  for (const auto part : {routing_cases, rp_filter_cases, device_cases, metadata_cases,
                          fragment_cases, malformed_cases, loop_cases, masquerade_cases,
                          tunnel_cases, mtu_cases, ecn_cases, ipv6_cases})
    std::ranges::move(part(), std::back_inserter(rows));
  return rows;
}

void unchanged(node::NodeState&) {}

node::Device& device(node::NodeState& state, const char* name) {
  return *std::ranges::find(state.devices, node::DeviceName(name), &node::Device::name);
}

Packet udp(IpAddress source, IpAddress destination, std::uint32_t bytes) {
  return {.inner = {.source = source,
                    .destination = destination,
                    .total_length = bytes,
                    .protocol = forward::kUdp},
          .source_port = 40000,
          .destination_port = 53};
}
Packet df(Packet packet) {
  packet.inner.dont_fragment = true;
  return packet;
}
Packet ttl(std::uint8_t hops, Packet packet) {
  packet.inner.ttl = hops;
  return packet;
}
Packet tos(std::uint8_t value, Packet packet) {
  packet.inner.tos = value;
  return packet;
}

Packet tunnelled(const node::testing::ClusterShape& shape, Packet packet) {
  const Family underlay = node::testing::underlay(shape, packet.inner.family());
  const bool ipv4 = underlay == Family::Ipv4;
  const auto address = [&](std::uint32_t node) {
    return ipv4 ? node_address(shape, node) : node_address_v6(shape, node);
  };
  const auto cluster = make_cluster(shape);
  const auto& devices = cluster.nodes[0].devices;
  const auto tunnel = std::ranges::find(devices, shape.encapsulation, &node::Device::encapsulation);
  forward::encapsulate(packet, shape.encapsulation,
                       {.source = address(1),
                        .destination = address(0),
                        .vni = tunnel->vni,
                        .destination_port = tunnel->udp_port});
  return packet;
}

Arrival from_pod(Packet packet) {
  return {.ingress = forward::Ingress::Pod, .packet = std::move(packet)};
}
Arrival from_uplink(Packet packet) {
  return {.ingress = forward::Ingress::Uplink, .packet = std::move(packet)};
}

}  // namespace overlane::conformance::testing
