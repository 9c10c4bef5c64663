#pragma once

#include <algorithm>
#include <array>
#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

#include "dataplane/encap/outer_rules.h"
#include "dataplane/forward/packet.h"
#include "dataplane/node/state/world.h"
#include "dataplane/node/testing/cluster.h"
#include "sim/random/stream.h"

namespace overlane::reference::testing {

/// Generates random clusters whose states have been changed at random, and random packets, most of
/// which no well-configured sender would send. Equal seeds give equal clusters and packets.
class RandomWorld {
 public:
  explicit RandomWorld(std::uint64_t seed)
      : random_(seed, StreamUse::Pattern, 0), obstacles_(seed, StreamUse::Pattern, 1) {}

  node::testing::Cluster cluster() {
    const node::testing::ClusterShape shape{
        .encapsulation =
            overlane::kEncapsulations[random_.below(kEncapsulations.size())].encapsulation,
        .cross_subnet = one_in(3),
        .nodes = 3,
        .subnets = static_cast<std::uint32_t>(1 + random_.below(2)),
        .link_mtu = pick<std::uint32_t>({576, 1460, 1500, 9001}),
        .underlay = one_in(3) ? Family::Ipv6 : Family::Ipv4,
        .tunnel_map = one_in(3)};
    shape_ = fitting(shape);
    auto cluster = make_cluster(shape_);
    addresses_ = {node::testing::ip("8.8.8.8"), node::testing::ip("100.96.200.1"), kService,
                  kService + 1};
    addresses_v6_ = {node::testing::ip("2001:db8::8"), node::testing::ip("fd00:10:96:c8::1"),
                     kServiceV6};
    for (std::uint32_t i = 0; i < shape.nodes; ++i) {
      const node::Member& self = cluster.nodes[i].member();
      using node::testing::pod;
      using node::testing::pod_v6;
      for (const IpAddress address :
           {self.ipv4->node, self.ipv4->tunnel, pod(i), pod(i), pod(i, 1)}) {
        addresses_.push_back(address);
      }
      for (const IpAddress address :
           {self.ipv6->node, self.ipv6->tunnel, pod_v6(i), pod_v6(i), pod_v6(i, 1)}) {
        addresses_v6_.push_back(address);
      }
    }
    for (auto& state : cluster.nodes) {
      if (!one_in(3)) add_rules(state);
      const std::uint64_t changes = random_.below(4);
      for (std::uint64_t change = 0; change < changes; ++change)
        tamper(state);
    }
    tamper(cluster.fabric);
    // Drawn from obstacles_, as in tamper(), so that the draws of random_ do not change.
    if (obstacles_.below(8) == 0) hide_peers(cluster.nodes[obstacles_.below(cluster.nodes.size())]);
    if (obstacles_.below(3) == 0)
      for (node::NodeState& state : cluster.nodes)
        put_pods_on_link(state);
    return cluster;
  }

  /// A random packet, with or without tunnel headers.
  forward::Packet packet(bool may_be_tunnelled) {
    forward::Packet packet = bare(family());
    if (may_be_tunnelled && one_in(2)) wrap(packet);
    return packet;
  }

  /// A packet as a pod of that node usually sends it: unfragmented TCP or UDP, mostly IPv6, mostly
  /// with hops left.
  forward::Packet usual_packet(std::uint32_t node) {
    const Family family = one_in(3) ? Family::Ipv4 : Family::Ipv6;
    forward::Packet packet;
    forward::IpFields& header = packet.inner;
    draw_header(header, family);
    const auto number = static_cast<std::uint32_t>(random_.below(2));
    header.source = family == Family::Ipv4 ? node::testing::pod(node, number)
                                           : node::testing::pod_v6(node, number);
    if (!one_in(10)) header.ttl = static_cast<std::uint8_t>(2 + random_.below(254));
    if (!one_in(4)) header.tos = 0;
    header.total_length = static_cast<std::uint32_t>(60 + random_.below(one_in(4) ? 1500 : 400));
    header.protocol = one_in(2) ? forward::kUdp : forward::kTcp;
    packet.source_port = static_cast<std::uint16_t>(10'000 + random_.below(30'000));
    packet.destination_port = static_cast<std::uint16_t>(random_.below(4'000));
    if (header.protocol == forward::kTcp) packet.tcp_flags = tcp_flags();
    return packet;
  }

  /// Change a state at random: at most one property of a node, several of a fabric.
  void tamper(node::NodeState& state) { change(state); }
  void tamper(node::FabricState& fabric) {
    change(fabric);
    // Drawn from a stream of their own, so that later draws of random_ do not change.
    std::swap(random_, obstacles_);
    add_obstacles(fabric);
    std::swap(random_, obstacles_);
  }

  /// A packet in return: an answer of the same protocol, or an ICMP error about `packet` from its
  /// receiver or a router.
  forward::Packet answer_to(const forward::Packet& packet) {
    const Family family = packet.inner.family();
    forward::Packet answer;
    draw_header(answer.inner, family);
    answer.inner.ttl = 64;
    answer.inner.source = packet.inner.destination;
    answer.inner.destination = packet.inner.source;
    answer.inner.total_length = static_cast<std::uint32_t>(104 + random_.below(900));
    answer.inner.protocol = packet.inner.protocol;
    const bool is_echo = packet.inner.is_icmp();
    answer.source_port = is_echo ? packet.source_port : packet.destination_port;
    answer.destination_port = is_echo ? echo(family) : packet.source_port;
    if (packet.inner.protocol == forward::kTcp) answer.tcp_flags = tcp_flags();
    if (!packet.icmp && one_in(3)) {
      if (one_in(2)) answer.inner.source = address(family);
      answer.inner.protocol = family == Family::Ipv4 ? forward::kIcmp : forward::kIcmpv6;
      answer.source_port = answer.destination_port = 0;
      answer.tcp_flags = 0;
      answer.icmp = icmp(family);
      answer.icmp->quoted_source = packet.inner.source;
      answer.icmp->quoted_destination = packet.inner.destination;
      answer.icmp->quoted_protocol = packet.inner.protocol;
      answer.icmp->quoted_source_port = packet.source_port;
      answer.icmp->quoted_destination_port = packet.destination_port;
    }
    return answer;
  }

  bool one_in(std::uint64_t n) { return random_.below(n) == 0; }
  std::uint64_t below(std::uint64_t n) { return random_.below(n); }

 private:
  /// Makes the routes to peers in other subnets unreachable, as BIRD does during a migration.
  void hide_peers(node::NodeState& state) {
    auto table = std::make_shared<node::ClusterTable>(*state.cluster);
    table->ipv4.other_subnet = {.via = node::PeerRoute::Via::Unreachable,
                                .protocol = node::RouteProtocol::Bird};
    node::NodeEditor(state).set_cluster(table);
  }
  /// Makes IPv6 pods of other nodes neighbours on the uplink, as pods of one subnet are on AWS.
  void put_pods_on_link(node::NodeState& state) {
    const auto usual = node::lookup(state, node::testing::ip("2001:db8::8"));
    if (!usual || usual->pod != nullptr) return;
    node::Route route = usual->route;
    route.via.reset();
    node::NodeEditor editor(state);
    for (std::uint32_t i = 0; i < shape_.nodes; ++i) {
      const auto to_pod = node::lookup(state, node::testing::pod_v6(i));
      if (to_pod && to_pod->pod == nullptr && to_pod->route.device == route.device)
        editor.remove_route(to_pod->destination);
    }
    editor.set_route(*IpPrefix::parse("fd00:10:94::/46"), route);
  }
  template <typename T>
  T pick(std::initializer_list<T> values) {
    return values.begin()[random_.below(values.size())];
  }
  /// Adds a security group with about half of the instances and wide rules, so that packets pass.
  void add_group(node::FabricState& fabric) {
    const auto index = static_cast<std::uint32_t>(fabric.groups.size());
    node::SecurityGroup group{.name = "group", .every_instance = one_in(4)};
    while (group.rules.empty() || one_in(2)) {
      node::FabricRule rule{
          .source =
              pick({node::RuleSource::Networks, node::RuleSource::GroupInterfaces,
                    node::RuleSource::GroupAddresses, node::RuleSource::GroupFixedAddresses})};
      while (one_in(2))
        rule.networks.push_back(
            IpPrefix::containing(address(Family::Ipv4), pick<std::uint8_t>({8, 16, 24})));
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

  /// Corrects a random shape: the encapsulation must run over the underlay.
  static node::testing::ClusterShape fitting(node::testing::ClusterShape shape) {
    if (!runs_over(shape.encapsulation, shape.underlay)) {
      shape.underlay = shape.underlay == Family::Ipv4 ? Family::Ipv6 : Family::Ipv4;
    }
    const bool has_vni =
        shape.encapsulation == Encapsulation::Vxlan || shape.encapsulation == Encapsulation::Geneve;
    shape.tunnel_map = shape.tunnel_map && has_vni;
    return shape;
  }

  inline static const IpAddress kService = node::testing::ip("100.64.0.20");
  inline static const IpAddress kServiceV6 = node::testing::ip("fd00:64::20");

  IpAddress address(Family family) {
    const auto& addresses = family == Family::Ipv4 ? addresses_ : addresses_v6_;
    return addresses[random_.below(addresses.size())];
  }
  Family family() { return one_in(3) ? Family::Ipv6 : Family::Ipv4; }

  void change(node::NodeState& state) {
    auto& device = state.devices[random_.below(state.devices.size())];
    const auto table = node::main_table(state);
    switch (random_.below(14)) {
      case 0:
      case 1:
        if (!table.empty())
          node::NodeEditor(state).remove_route(table[random_.below(table.size())].destination);
        return;
      case 2:
        lose_device(state, node::DeviceName(device.name));
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
        state.filter = nullptr;
        return;
      case 8:
        state.kernel.tunnel_pmtu_honours_inner_df = false;
        return;
      case 9:
        if (one_in(3)) device.addresses.clear();
        if (device.kind == node::DeviceKind::Vxlan) device.vni = pick<std::uint32_t>({4096, 5});
        return;
      case 10:
        if (!state.pods.empty()) state.pods[0].mtu = pick<std::uint32_t>({100, 576, 1500});
        return;
      default:
        add_route(state);
    }
  }

  /// Adds the rules of Felix and kube-proxy: connection tracking and masquerading of pods.
  void add_rules(node::NodeState& state) {
    node::PacketFilter filter = *state.filter;
    filter.tracking = pick({node::Tracking::Off, node::Tracking::Translated,
                            node::Tracking::Translated, node::Tracking::All, node::Tracking::All});
    if (!one_in(4)) {
      filter.masqueraded_sources = {node::testing::net("100.96.0.0/16"),
                                    node::testing::net("fd00:10:96::/48")};
      filter.unmasqueraded_destinations = filter.masqueraded_sources;
    }
    if (one_in(3)) filter.unmasqueraded_destinations = {node::testing::net("10.250.0.0/16")};
    if (one_in(2))
      filter.nat_ports =
          node::PortRange{50'000, one_in(2) ? std::uint16_t{50'001} : std::uint16_t{65'535}};
    if (one_in(4)) filter.masqueraded_destinations = {node::testing::net("8.8.8.8/32")};
    if (one_in(2)) filter.tunnel_devices = {state.devices.back().name};
    filter.random_fully = one_in(2);
    if (one_in(2)) filter.untracked_udp_ports = {node::kCalicoVxlanPort, 53};
    state.filter = std::make_shared<const node::PacketFilter>(std::move(filter));
    if (one_in(2)) add_services(state);
  }

  /// Adds Services, whose ports have some endpoints or none.
  void add_services(node::NodeState& state) {
    std::vector<node::Service> list;
    for (const IpAddress front : {kService, kService + 1, kServiceV6}) {
      for (const std::uint8_t protocol : {std::uint8_t{6}, std::uint8_t{17}}) {
        if (one_in(4)) continue;
        list.push_back({{front, 443, protocol}, {}});
        while (!one_in(3))
          list.back().endpoints.push_back(
              {address(front.family()), pick<std::uint16_t>({443, 3000})});
      }
    }
    std::vector<IpPrefix> pods;
    if (one_in(2)) pods = {node::testing::net("100.96.0.0/16")};
    using enum node::ServiceProxy;
    state.services = std::make_shared<const node::ServiceTable>(
        node::ServiceTable::make(pick({Iptables, Iptables, Ipvs, Nftables, CalicoEbpf, Cilium}),
                                 std::move(list), std::move(pods), random_.below(9))
            .value());
  }

  std::uint8_t tcp_flags() {
    return pick<std::uint8_t>({0x02, 0x02, 0x12, 0x10, 0x10, 0x11, 0x04, 0x00});
  }

  /// Removes a device, but seldom the uplink, because a node without it drops nearly all packets.
  void lose_device(node::NodeState& state, node::DeviceName name) {
    if (name != "eth0" || one_in(5)) node::NodeEditor(state).remove_device(name);
    if (!state.devices.empty()) return;
    state.devices.push_back({.name = "lo", .kind = node::DeviceKind::Loopback});
  }

  void add_route(node::NodeState& state) {
    const Family family = this->family();
    const bool ipv4 = family == Family::Ipv4;
    if (one_in(8)) {
      node::NodeEditor(state).add_local_route(
          IpPrefix::containing(address(family), ipv4 ? pick<std::uint8_t>({24, 32}) : 64));
      return;
    }
    const auto length =
        ipv4 ? pick<std::uint8_t>({0, 16, 24, 32}) : pick<std::uint8_t>({0, 48, 64, 128});
    node::Route route{.kind = pick({node::RouteKind::Unicast, node::RouteKind::Unicast,
                                    node::RouteKind::Unicast, node::RouteKind::Blackhole,
                                    node::RouteKind::Unreachable, node::RouteKind::Prohibit})};
    if (route.kind == node::RouteKind::Unicast) {
      route.device = pick<const char*>({"eth0", "tunl0", "vxlan.calico", "lo", "eth9"});
      if (one_in(3)) route.device = state.devices.back().name;
      if (one_in(2)) route.via = address(family);
      if (one_in(4)) route.tunnel_destination = address(shape_.underlay);
      if (one_in(4)) route.mtu = pick<std::uint32_t>({60, 100, 576, 1400, 1500});
    }
    node::NodeEditor(state).set_route(IpPrefix::containing(address(family), length), route);
  }

  void change(node::FabricState& fabric) {
    if (one_in(4)) fabric.mtu = pick<std::uint32_t>({100, 576, 1400, 1500});
    if (one_in(2)) fabric.egress_mtu = pick<std::uint32_t>({100, 576, 1280});
    if (one_in(4)) fabric.decrementing_hops = static_cast<std::uint8_t>(random_.below(3));
    if (one_in(4)) fabric.honours_next_hop = false;
    if (one_in(4)) fabric.link_layer_answers = node::LinkLayerAnswers::WithinSubnet;
    if (one_in(8)) fabric.dropped_protocols.push_back(pick<std::uint8_t>({4, 6, 17}));
    auto& routes = fabric.route_tables[0].routes;
    if (one_in(4)) {
      routes.set(IpPrefix::containing(address(Family::Ipv4), pick<std::uint8_t>({0, 16, 24, 32})),
                 {.target = pick({node::FabricTarget::Local, node::FabricTarget::Instance,
                                  node::FabricTarget::Blackhole, node::FabricTarget::Internet,
                                  node::FabricTarget::Foreign}),
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
      if (one_in(8)) instance.prefixes.push_back(IpPrefix::containing(address(Family::Ipv4), 28));
      if (!one_in(4)) continue;
      instance.source_destination_check = true;
      if (one_in(2)) instance.allowed.push_back(IpPrefix::containing(address(Family::Ipv4), 24));
    }
  }

  void add_obstacles(node::FabricState& fabric) {
    if (one_in(8)) fabric.denied = {deny_rule(), deny_rule()};
    if (one_in(8)) fabric.path_mtu = path_mtu();
    if (one_in(2)) fabric.subnets.back().zone = "b";
    if (!one_in(4)) return;
    for (node::Subnet& subnet : fabric.subnets)
      subnet.zone.clear();
    for (node::Instance& instance : fabric.instances)
      instance.zone = one_in(2) ? "a" : "b";
  }

  node::DenyRule deny_rule() {
    node::DenyRule rule{.protocol = pick<std::uint8_t>({1, 1, 4, 6, 17, 58, 132}),
                        .disabled = one_in(8)};
    if (one_in(3)) rule.port = pick<std::uint16_t>({443, 4'000, 4'789});
    if (one_in(3)) rule.icmp_type = pick<std::uint8_t>({2, 3, 8, 11});
    if (one_in(4)) rule.icmp_code = pick<std::uint8_t>({0, 4});
    return rule;
  }

  node::FabricPathMtu path_mtu() {
    return {.within_zone = pick<std::uint32_t>({0, 100, 1280, 1400}),
            .across_zones = pick<std::uint32_t>({0, 576, 1400, 9001}),
            .silent = one_in(3)};
  }

  void draw_header(forward::IpFields& fields, Family family) {
    fields.source = address(family);
    fields.destination = address(family);
    const bool ipv4 = family == Family::Ipv4;
    fields.identification = ipv4 ? static_cast<std::uint16_t>(random_.next()) : 0u;
    fields.dont_fragment = ipv4 && one_in(2);
    fields.flow_label = ipv4 ? 0 : static_cast<std::uint32_t>(random_.below(1 << 20));
    fields.ttl = pick<std::uint8_t>({0, 1, 2, 3, 64, 64, 64, 64, 64, 255});
    fields.tos = static_cast<std::uint8_t>(random_.next());
  }

  forward::Packet bare(Family family) {
    forward::Packet packet;
    forward::IpFields& header = packet.inner;
    draw_header(header, family);
    header.total_length = static_cast<std::uint32_t>(one_in(2) ? 104 + random_.below(100)
                                                               : 104 + random_.below(8898));
    const std::uint8_t icmp_protocol = family == Family::Ipv4 ? forward::kIcmp : forward::kIcmpv6;
    header.protocol = pick<std::uint8_t>({forward::kUdp, forward::kTcp, icmp_protocol, 132});
    if (one_in(8)) {
      header.fragment_offset = static_cast<std::uint16_t>(8 * random_.below(200));
      header.more_fragments = header.fragment_offset == 0 || one_in(2);
      header.identification = one_in(2) ? 7 : static_cast<std::uint16_t>(random_.next());
      header.total_length =
          header.header_bytes() + static_cast<std::uint32_t>(8 * (6 + random_.below(100)));
    }
    if (header.fragment_offset != 0) return packet;
    if (header.protocol == forward::kUdp || header.protocol == forward::kTcp) {
      // Answers go to the source port, so it is no port of a tunnel: the answer would be decoded as
      // a tunnel packet.
      packet.source_port = one_in(2) ? std::uint16_t{4'000}
                                     : static_cast<std::uint16_t>(10'000 + random_.below(30'000));
      packet.destination_port =
          one_in(2) ? std::uint16_t{443} : static_cast<std::uint16_t>(random_.below(4'000));
    }
    if (header.protocol == forward::kTcp) packet.tcp_flags = tcp_flags();
    if (!header.is_icmp()) return packet;
    if (!header.is_fragment() && one_in(2)) {
      packet.icmp = icmp(family);
    } else {
      packet.source_port = static_cast<std::uint16_t>(random_.below(5));
      packet.destination_port = echo(family);
    }
    return packet;
  }

  /// Type and code of an echo request or, less often, its reply.
  std::uint16_t echo(Family family) {
    if (family == Family::Ipv4) return pick<std::uint16_t>({0x0800, 0x0800, 0x0000});
    return pick<std::uint16_t>({0x8000, 0x8000, 0x8100});
  }

  forward::IcmpError icmp(Family family) {
    const bool ipv4 = family == Family::Ipv4;
    forward::IcmpError error{
        .type = ipv4 ? pick<std::uint8_t>({3, 3, 11}) : pick<std::uint8_t>({1, 2, 3}),
        .quoted_source = address(family),
        .quoted_destination = address(family),
        .quoted_protocol = pick<std::uint8_t>({4, 6, 17})};
    if (ipv4 && error.type == 3) error.code = pick<std::uint8_t>({0, 1, 4, 4});
    if (is_packet_too_big(error, family)) {
      error.next_hop_mtu = pick<std::uint32_t>({0, 500, 576, 1000, 1300, 1400});
    }
    if (error.quoted_protocol != 4) error.quoted_source_port = 4000;
    return error;
  }

  /// An encapsulation that can carry a packet of that family, mostly the cluster's own.
  Encapsulation tunnel_for(Family inner) {
    if (carries(shape_.encapsulation, inner) && shape_.encapsulation != Encapsulation::None &&
        !one_in(4)) {
      return shape_.encapsulation;
    }
    return inner == Family::Ipv4 ? pick({Encapsulation::Ipip, Encapsulation::Ip6Tnl,
                                         Encapsulation::Vxlan, Encapsulation::Geneve})
                                 : pick({Encapsulation::Sit, Encapsulation::Ip6Tnl,
                                         Encapsulation::Vxlan, Encapsulation::Geneve});
  }

  void wrap(forward::Packet& packet) {
    const Family inner = packet.inner.family();
    packet.encapsulation = tunnel_for(inner);
    Family underlay = packet.encapsulation == shape_.encapsulation
                          ? node::testing::underlay(shape_, inner)
                          : family();
    if (!runs_over(packet.encapsulation, underlay)) {
      underlay = underlay == Family::Ipv4 ? Family::Ipv6 : Family::Ipv4;
    }
    forward::IpFields& outer = packet.outer;
    draw_header(outer, underlay);
    const bool ipv4 = underlay == Family::Ipv4;
    if (!one_in(4)) outer.source = node::testing::ip(ipv4 ? "10.250.0.5" : "fd00:10:250::5");
    if (!one_in(4)) outer.destination = node::testing::ip(ipv4 ? "10.250.0.4" : "fd00:10:250::4");
    if (one_in(2)) outer.tos = static_cast<std::uint8_t>(outer.tos & ~1);
    outer.protocol = encap::outer_protocol(packet.encapsulation, inner);
    outer.total_length = packet.inner.total_length + overhead(packet.encapsulation, underlay);
    if (packet.encapsulation == Encapsulation::Wireguard) {
      packet.padding = static_cast<std::uint16_t>(one_in(3) ? 0 : random_.below(40));
      outer.total_length += packet.padding;
    }
    if (one_in(16)) outer.total_length -= 8;
    if (one_in(16)) outer.total_length += 8;
    if (outer.protocol != forward::kUdp) return;
    const bool vxlan = packet.encapsulation == Encapsulation::Vxlan;
    packet.outer_source_port = static_cast<std::uint16_t>(32768 + random_.below(28'000));
    packet.outer_destination_port = vxlan ? node::kCalicoVxlanPort : node::kGenevePort;
    if (packet.encapsulation == shape_.encapsulation && vxlan && shape_.tunnel_map)
      packet.outer_destination_port = node::kCiliumVxlanPort;
    packet.vni = pick<std::uint32_t>({4096, 4096, 256, 256, 5});
    if (packet.encapsulation != Encapsulation::Wireguard) return;
    packet.vni = pick<std::uint32_t>({0, 1, 2, 2, 2, 2, 3, 9});
    packet.outer_destination_port =
        ipv4 ? node::kCalicoWireguardPort : node::kCalicoWireguardPortV6;
    packet.outer_source_port = one_in(2) ? packet.outer_destination_port : packet.outer_source_port;
  }

  RandomStream random_;
  RandomStream obstacles_;
  std::vector<IpAddress> addresses_;
  std::vector<IpAddress> addresses_v6_;
  node::testing::ClusterShape shape_;
};

}  // namespace overlane::reference::testing
