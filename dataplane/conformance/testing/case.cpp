#include "dataplane/conformance/testing/case.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "dataplane/forward/forward.h"
#include "dataplane/forward/packet_transform.h"
#include "dataplane/forward/read_packet.h"
#include "dataplane/kernel/experiment/experiment.h"

namespace overlane::conformance::testing {
namespace {

using forward::Emission;
using forward::IpFields;

std::string protocol_name(const Packet& packet) {
  const IpFields& header = packet.inner;
  if (packet.icmp) {
    const forward::IcmpError& error = *packet.icmp;
    std::string text = fmt::format("icmp {}/{}", error.type, error.code);
    if (error.next_hop_mtu != 0) text += fmt::format(" mtu {}", error.next_hop_mtu);
    if (error.pointer != 0) text += fmt::format(" pointer {}", error.pointer);
    return text;
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
  // The testbed's kernels have no rate limit either, so that each packet of a row gets its error.
  state.sysctls.icmp_ratelimit = false;
  state.sysctls.route_error_cost = false;
  row.change(state);
  return state;
}

std::vector<std::uint8_t> bytes_of(const node::NodeState& state, const Arrival& arrival) {
  if (!arrival.bytes.empty()) return arrival.bytes;
  std::vector<std::uint8_t> bytes = kernel::wire_bytes(state, arrival.packet);
  if (!arrival.whole) return bytes;
  const std::vector<std::uint8_t> whole = kernel::wire_bytes(state, *arrival.whole);
  const IpFields& fragment = arrival.packet.inner;
  const auto from = whole.begin() + arrival.whole->inner.header_bytes() + fragment.fragment_offset;
  std::copy_n(from, fragment.payload_bytes(), bytes.begin() + fragment.header_bytes());
  return bytes;
}

forward::Outcome core_outcome(const node::NodeState& state, node::NodeRuntime& runtime,
                              const Arrival& arrival, Picos now) {
  forward::Outcome outcome;
  if (arrival.silence) {
    std::vector<Emission> errors;
    for (const auto& lost : runtime.reassembly.expire(now)) {
      forward::time_out(state, runtime, lost, now, outcome);
      std::ranges::move(outcome.emissions, std::back_inserter(errors));
    }
    return {.emissions = std::move(errors)};
  }
  const auto read = forward::read_packet(state, arrival.bytes);
  if (!arrival.bytes.empty() && !read) return {.drop = read.error()};
  forward::forward(state, runtime, arrival.bytes.empty() ? arrival.packet : *read, arrival.ingress,
                   now, outcome);
  return outcome;
}

reference::ByteOutcome byte_outcome(const node::NodeState& state, node::NodeRuntime& runtime,
                                    reference::HeldFragments& fragments, const Arrival& arrival,
                                    Picos now) {
  if (arrival.silence) {
    reference::ByteOutcome outcome;
    for (const auto& lost : runtime.reassembly.expire(now)) {
      std::ranges::move(reference::time_out(state, runtime, fragments, lost, now).sent,
                        std::back_inserter(outcome.sent));
    }
    return outcome;
  }
  return reference::forward(state, runtime, fragments, bytes_of(state, arrival), arrival.ingress,
                            now);
}

std::string describe(const forward::Outcome& outcome) {
  std::string text;
  for (const Emission& emission : outcome.emissions)
    text += (text.empty() ? "" : " + ") + describe(emission);
  if (outcome.held) text += "held";
  if (outcome.drop) {
    text += fmt::format("{}{}", text.empty() ? "" : "; ", overlane::to_string(*outcome.drop));
  }
  return text.empty() ? "nothing" : text;
}

std::vector<Case> all_cases() {
  std::vector<Case> rows;
  for (const auto part :
       {routing_cases, rp_filter_cases, device_cases, metadata_cases, fragment_cases,
        malformed_cases, loop_cases, masquerade_cases, transit_cases, transit_tunnel_cases,
        timeout_cases, local_cases, option_cases, tunnel_cases, mtu_cases, ecn_cases, ipv6_cases,
        wireguard_cases, service_cases})
    std::ranges::move(part(), std::back_inserter(rows));
  return rows;
}

void unchanged(node::NodeState&) {}
void track(node::NodeState& state) {
  use(state, {});
}
node::PacketFilter of_pools() {
  return {.masqueraded_sources = {net("100.96.0.0/16"), net("fd00:10:94::/46")},
          .unmasqueraded_destinations = {net("100.96.0.0/16"), net("fd00:10:94::/46")},
          .random_fully = false};
}
void masquerade(node::NodeState& state) {
  use(state, of_pools());
}
void use(node::NodeState& state, node::PacketFilter filter) {
  if (state.filter) filter.tunnel_guards = state.filter->tunnel_guards;
  filter.tracking = node::Tracking::All;
  state.filter = std::make_shared<const node::PacketFilter>(std::move(filter));
}

node::Device& device(node::NodeState& state, const char* name) {
  return *std::ranges::find(state.devices, node::DeviceName(name), &node::Device::name);
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
  const auto tunnel = std::ranges::find_if(devices, [&](const node::Device& device) {
    return device.encapsulation() == shape.encapsulation && device.underlay == underlay;
  });
  forward::encapsulate(packet, shape.encapsulation,
                       {.source = address(1),
                        .destination = address(0),
                        .vni = shape.encapsulation == Encapsulation::Wireguard
                                   ? node::wireguard_index(cluster.nodes[1])
                                   : tunnel->vni,
                        .destination_port = tunnel->udp_port,
                        .mtu = tunnel->mtu});
  return packet;
}

Arrival from_pod(Packet packet) {
  return {.ingress = forward::Ingress::Pod, .packet = std::move(packet)};
}
Arrival from_uplink(Packet packet) {
  return {.ingress = forward::Ingress::Uplink, .packet = std::move(packet)};
}
Arrival from_host(Packet packet) {
  if (packet.inner.identification == 0) packet.inner.identification = 7;
  return {.ingress = forward::Ingress::Host, .packet = std::move(packet)};
}
Arrival nothing_for(Picos time) {
  return {.silence = time};
}

}  // namespace overlane::conformance::testing
