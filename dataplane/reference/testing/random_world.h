#pragma once

#include <algorithm>
#include <array>
#include <initializer_list>
#include <vector>

#include "dataplane/forward/packet.h"
#include "dataplane/node/testing/cluster.h"
#include "sim/random/stream.h"

namespace overlane::reference::testing {

/// Draws clusters that someone has tampered with, and packets that nobody in their right mind
/// sends.
class RandomWorld {
 public:
  explicit RandomWorld(std::uint64_t seed) : random_(seed, StreamUse::Pattern, 0) {}

  node::testing::Cluster cluster() {
    constexpr std::array kEncapsulations{Encapsulation::None, Encapsulation::Ipip,
                                         Encapsulation::Vxlan};
    const node::testing::ClusterShape shape{
        .encapsulation = kEncapsulations[random_.below(3)],
        .cross_subnet = one_in(3),
        .nodes = 3,
        .subnets = static_cast<std::uint32_t>(1 + random_.below(2)),
        .link_mtu = pick<std::uint32_t>({576, 1460, 1500, 9001})};
    encapsulation_ = shape.encapsulation;
    auto cluster = make_cluster(shape);
    addresses_ = {node::testing::ip("8.8.8.8"), node::testing::ip("100.96.200.1")};
    for (std::uint32_t i = 0; i < shape.nodes; ++i) {
      const auto& self = cluster.nodes[i].member();
      for (const IpAddress address : {self.address, self.tunnel_address, node::testing::pod(i),
                                      node::testing::pod(i), node::testing::pod(i, 1)}) {
        addresses_.push_back(address);
      }
    }
    for (auto& state : cluster.nodes) {
      const std::uint64_t changes = random_.below(4);
      for (std::uint64_t change = 0; change < changes; ++change)
        tamper(state);
    }
    tamper(cluster.fabric);
    return cluster;
  }

  /// A packet that stands anywhere: bare or in a tunnel.
  forward::Packet packet(bool may_be_tunnelled) {
    forward::Packet packet = bare();
    if (may_be_tunnelled && one_in(2)) wrap(packet);
    return packet;
  }

  bool one_in(std::uint64_t n) { return random_.below(n) == 0; }
  std::uint64_t below(std::uint64_t n) { return random_.below(n); }

 private:
  template <typename T>
  T pick(std::initializer_list<T> values) {
    return values.begin()[random_.below(values.size())];
  }
  IpAddress address() { return addresses_[random_.below(addresses_.size())]; }

  void tamper(node::NodeState& state) {
    auto& device = state.devices[random_.below(state.devices.size())];
    const auto table = node::main_table(state);
    switch (random_.below(14)) {
      case 0:
      case 1:
        if (!table.empty()) remove_route(state, table[random_.below(table.size())].destination);
        return;
      case 2:
        lose_device(state, std::string(device.name));
        return;
      case 3:
        device.up = one_in(2);
        return;
      case 4:
        device.mtu = pick<std::uint32_t>({68, 100, 576, 1000, 1400, 1500, 9001});
        return;
      case 5:
        state.sysctls.rp_filter_all = static_cast<std::uint8_t>(random_.below(3));
        device.rp_filter = static_cast<std::uint8_t>(random_.below(3));
        return;
      case 6:
        state.sysctls.ip_forward = !one_in(2);
        return;
      case 7:
        state.tunnel_sources = node::TunnelSources::Any;
        return;
      case 8:
        state.kernel.tunnel_pmtu_honours_inner_df = false;
        return;
      case 9:
        if (one_in(3)) device.address.reset();
        if (device.kind == node::DeviceKind::Vxlan) device.vni = pick<std::uint32_t>({4096, 5});
        return;
      case 10:
        if (!state.pods.empty()) state.pods[0].mtu = pick<std::uint32_t>({100, 576, 1500});
        return;
      default:
        add_route(state);
    }
  }

  /// Removes a device, but mostly not the uplink: without it nothing else can be seen.
  void lose_device(node::NodeState& state, const std::string& name) {
    if (name != "eth0" || one_in(5)) remove_device(state, name);
    if (!state.devices.empty()) return;
    state.devices.push_back({.name = "lo", .kind = node::DeviceKind::Loopback});
  }

  void add_route(node::NodeState& state) {
    const auto length = pick<std::uint8_t>({0, 16, 24, 32});
    node::Route route{
        .kind = pick({node::RouteKind::Unicast, node::RouteKind::Unicast, node::RouteKind::Unicast,
                      node::RouteKind::Blackhole, node::RouteKind::Unreachable})};
    if (route.kind == node::RouteKind::Unicast) {
      route.device = pick<const char*>({"eth0", "tunl0", "vxlan.calico", "lo", "eth9"});
      if (one_in(3)) route.device = state.devices.back().name;
      if (one_in(2)) route.via = address();
      if (one_in(4)) route.mtu = pick<std::uint32_t>({60, 100, 576, 1400, 1500});
    }
    set_route(state, IpPrefix::containing(address(), length), route);
  }

  void tamper(node::FabricState& fabric) {
    if (one_in(4)) fabric.mtu = pick<std::uint32_t>({100, 576, 1400, 1500});
    if (one_in(4)) fabric.decrementing_hops = static_cast<std::uint8_t>(random_.below(3));
    if (one_in(4)) fabric.honours_next_hop = false;
    if (one_in(8)) fabric.dropped_protocols.push_back(pick<std::uint8_t>({4, 6, 17}));
    auto& routes = fabric.route_tables[0].routes;
    if (one_in(4)) {
      routes.set(IpPrefix::containing(address(), pick<std::uint8_t>({0, 16, 24, 32})),
                 {.target = pick({node::FabricTarget::Local, node::FabricTarget::Instance,
                                  node::FabricTarget::Blackhole, node::FabricTarget::Internet}),
                  .instance = static_cast<std::uint32_t>(random_.below(fabric.instances.size()))});
    }
    if (one_in(4)) {
      const auto victim =
          *(routes.begin() + static_cast<std::ptrdiff_t>(random_.below(routes.size())));
      routes.erase(victim.first);
    }
    if (one_in(4)) fabric.drops_disordered_fragments = true;
    while (one_in(3))
      add_group(fabric);
    for (auto& instance : fabric.instances) {
      if (!one_in(4)) continue;
      instance.source_destination_check = true;
      if (one_in(2)) instance.allowed.push_back(IpPrefix::containing(address(), 24));
    }
  }

  /// A group of half the instances, with few holes so that packets still pass.
  void add_group(node::FabricState& fabric) {
    const auto index = static_cast<std::uint32_t>(fabric.groups.size());
    node::SecurityGroup group{.name = "group", .every_instance = one_in(4)};
    while (group.rules.empty() || one_in(2)) {
      node::FabricRule rule{
          .source =
              pick({node::RuleSource::Networks, node::RuleSource::GroupInterfaces,
                    node::RuleSource::GroupAddresses, node::RuleSource::GroupFixedAddresses})};
      while (one_in(2))
        rule.networks.push_back(IpPrefix::containing(address(), pick<std::uint8_t>({8, 16, 24})));
      while (one_in(3))
        rule.protocols.push_back(pick<std::uint8_t>({1, 4, 6, 17}));
      while (one_in(3))
        rule.ports.push_back({0, static_cast<std::uint16_t>(random_.below(40'000))});
      group.rules.push_back(rule);
    }
    fabric.groups.push_back(group);
    for (auto& instance : fabric.instances)
      if (one_in(2)) instance.groups.push_back(index);
  }

  void draw_header(forward::IpFields& fields) {
    fields.source = address();
    fields.destination = address();
    fields.identification = static_cast<std::uint16_t>(random_.next());
    fields.dont_fragment = one_in(2);
    fields.ttl = pick<std::uint8_t>({0, 1, 2, 3, 64, 64, 64, 64, 64, 255});
    fields.tos = static_cast<std::uint8_t>(random_.next());
  }

  forward::Packet bare() {
    forward::Packet packet;
    draw_header(packet.inner);
    packet.inner.total_length =
        static_cast<std::uint16_t>(one_in(2) ? 60 + random_.below(100) : 60 + random_.below(8942));
    packet.inner.protocol = pick<std::uint8_t>({forward::kUdp, forward::kTcp, forward::kIcmp, 132});
    if (one_in(8)) {
      packet.inner.fragment_offset = static_cast<std::uint16_t>(8 * random_.below(200));
      packet.inner.more_fragments = packet.inner.fragment_offset == 0 || one_in(2);
      packet.inner.total_length = static_cast<std::uint16_t>(20 + 8 * (5 + random_.below(100)));
      if (one_in(2)) packet.inner.identification = 7;
    }
    if (packet.inner.fragment_offset != 0) return packet;
    if (packet.inner.protocol == forward::kUdp || packet.inner.protocol == forward::kTcp) {
      packet.source_port = static_cast<std::uint16_t>(random_.below(40'000));
      packet.destination_port = static_cast<std::uint16_t>(random_.below(4'000));
    }
    if (packet.inner.protocol == forward::kIcmp && one_in(2)) packet.icmp = icmp();
    return packet;
  }

  forward::IcmpError icmp() {
    forward::IcmpError error{.type = pick<std::uint8_t>({3, 3, 11}),
                             .quoted_source = address(),
                             .quoted_destination = address(),
                             .quoted_protocol = pick<std::uint8_t>({4, 6, 17})};
    if (error.type == 3) error.code = pick<std::uint8_t>({0, 1, 4, 4});
    if (error.type == 3 && error.code == 4) {
      error.next_hop_mtu = pick<std::uint16_t>({0, 500, 576, 1000, 1400});
    }
    if (error.quoted_protocol != 4) error.quoted_source_port = 4000;
    return error;
  }

  void wrap(forward::Packet& packet) {
    packet.encapsulation = pick({Encapsulation::Ipip, Encapsulation::Vxlan});
    if (encapsulation_ != Encapsulation::None && !one_in(4)) packet.encapsulation = encapsulation_;
    draw_header(packet.outer);
    if (!one_in(4)) packet.outer.source = node::testing::ip("10.250.0.5");
    if (!one_in(4)) packet.outer.destination = node::testing::ip("10.250.0.4");
    if (one_in(2)) packet.outer.tos = static_cast<std::uint8_t>(packet.outer.tos & ~1);
    const bool vxlan = packet.encapsulation == Encapsulation::Vxlan;
    packet.outer.protocol = vxlan ? forward::kUdp : forward::kIpip;
    packet.outer.total_length =
        static_cast<std::uint16_t>(packet.inner.total_length + overhead(packet.encapsulation));
    if (one_in(16))
      packet.outer.total_length = static_cast<std::uint16_t>(packet.outer.total_length - 8);
    if (one_in(16))
      packet.outer.total_length = static_cast<std::uint16_t>(packet.outer.total_length + 8);
    if (!vxlan) return;
    packet.outer_source_port = static_cast<std::uint16_t>(32768 + random_.below(28'000));
    packet.outer_destination_port = node::kCalicoVxlanPort;
    packet.vni = pick<std::uint32_t>({4096, 4096, 4096, 5});
  }

  RandomStream random_;
  std::vector<IpAddress> addresses_;
  Encapsulation encapsulation_ = Encapsulation::None;
};

}  // namespace overlane::reference::testing
