#include "topologies/witness/candidate_packets.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "dataplane/forward/packet_builder.h"
#include "dataplane/node/state/node_state.h"
#include "dataplane/wire/ip.h"
#include "dataplane/wire/transport.h"
#include "topologies/compile/compile.h"

namespace overlane::witness {
namespace {

using effective::Mode;

constexpr std::uint16_t kClientPort = 40'000;
constexpr std::uint16_t kPodPort = 80;
/// A node port. The security groups of Gardener's shoots accept node ports from everywhere.
constexpr std::uint16_t kNodePort = 30'080;
constexpr std::uint16_t kKubeletPort = 10'250;

/// The sender or the intended receiver of a packet.
struct PacketEnd {
  std::uint32_t node = 0;
  bool is_pod = false;
  IpAddress address;
};

class PacketChooser {
 public:
  PacketChooser(const SharedNetwork& shared, const OverlapCase& view)
      : shared_(shared), view_(view), family_(shared.contested.family()) {}

  std::vector<CandidatePacket> run() {
    switch (view_.a_side) {
      case Target::Service:
        add_service_packet();
        break;
      case Target::Pod:
        view_.b_side == Target::Pod ? add_pod_packets() : add_packets_to_nodes_in_pod_range();
        break;
      case Target::Node:
        add_packets_to_nodes_in_node_range();
        break;
      case Target::Outside:
        break;
    }
    return std::move(packets_);
  }

 private:
  const node::NodeState& state(std::uint32_t node) const { return shared_.states.nodes[node]; }

  std::vector<PacketEnd> pods_of(const PlacedOwner& owner) const {
    std::vector<PacketEnd> list;
    for (std::uint32_t i = owner.begin; i < owner.end; ++i)
      for (const node::LocalPod& pod : state(i).pods)
        if (pod.address.family() == family_) list.push_back({i, true, pod.address});
    return list;
  }
  std::vector<PacketEnd> nodes_of(const PlacedOwner& owner) const {
    std::vector<PacketEnd> list;
    for (std::uint32_t i = owner.begin; i < owner.end; ++i)
      if (const auto address = state(i).address(family_)) list.push_back({i, false, *address});
    return list;
  }

  static std::optional<PacketEnd> at(const std::vector<PacketEnd>& list, IpAddress address) {
    const auto found = std::ranges::find(list, address, &PacketEnd::address);
    return found == list.end() ? std::nullopt : std::optional(*found);
  }
  static std::optional<PacketEnd> elsewhere(const std::vector<PacketEnd>& list,
                                            std::uint32_t node) {
    const auto found =
        std::ranges::find_if(list, [=](const PacketEnd& end) { return end.node != node; });
    return found == list.end() ? std::nullopt : std::optional(*found);
  }

  /// The node with a pod CIDR that contains the address; without one, the owner's last node.
  std::uint32_t node_with_pod_cidr(const PlacedOwner& owner, IpAddress address) const {
    for (std::uint32_t i = owner.begin; i < owner.end; ++i) {
      const node::MemberAddresses* member = state(i).member().in(family_);
      if (member != nullptr && member->pod_cidr.contains(address)) return i;
    }
    return owner.end - 1;
  }

  std::string name(const PacketEnd& end) const {
    return end.is_pod ? path::pod_name(state(end.node), end.address)
                      : state(end.node).member().name;
  }

  static forward::Packet tcp(IpAddress source, IpAddress destination, std::uint16_t source_port,
                             std::uint16_t destination_port) {
    return forward::PacketBuilder::tcp(source, destination, wire::kTcpSyn)
        .ports(source_port, destination_port)
        .dont_fragment()
        .build();
  }

  CandidatePacket packet_between(const PacketEnd& from, const PacketEnd& to, std::uint16_t port,
                                 std::uint16_t source_port = kClientPort) const {
    // The source address of a node's packet depends on its route.
    const IpAddress source =
        from.is_pod ? from.address : node::socket_route(state(from.node), to.address).source;
    return {.sender = name(from),
            .meant = name(to),
            .destination = to.address,
            .port = port,
            .request = {.from_node = from.node,
                        .from_pod = from.is_pod,
                        .packet = tcp(source, to.address, source_port, port),
                        .service = {}},
            .assumption = {}};
  }
  void add(const std::optional<PacketEnd>& from, const std::optional<PacketEnd>& to,
           std::uint16_t port, int rank = 0) {
    if (!from || !to) return;
    packets_.push_back(packet_between(*from, *to, port));
    packets_.back().rank = rank;
  }

  bool is_routed(const PlacedOwner& owner) const {
    return owner.shoot != nullptr && owner.shoot->dataplane_of(family_)->mode == Mode::Routed;
  }
  void add_pod_packets() {
    const std::vector<PacketEnd> pods = pods_of(shared_.near);
    auto own = at(pods, shared_.contested);
    if (!own) {
      const std::uint32_t node = node_with_pod_cidr(shared_.near, shared_.contested);
      own = *std::ranges::find(pods, node, &PacketEnd::node);
    }
    const auto from = elsewhere(pods, own->node);
    add(from, own, kPodPort);
    const auto other = at(pods_of(shared_.far), shared_.contested);
    if (shared_.pods_reach_others && is_routed(shared_.far)) add(from, other, kNodePort);
    if (other && !is_routed(shared_.near) && is_routed(shared_.far) &&
        own->address == other->address)
      add_reply(*own, *other);
    if (view_.network_relation == NetworkJoin::OneRouteTable)
      add_packets_over_common_table(from, *own, other);
  }

  /// Packets over a common route table, which has routes to all routed pods.
  void add_packets_over_common_table(const std::optional<PacketEnd>& from, const PacketEnd& own,
                                     const std::optional<PacketEnd>& other) {
    if (!is_routed(shared_.near)) {
      if (is_routed(shared_.far)) add(from, other, kNodePort, 2);
      return;
    }
    if (shared_.bystander) {
      const std::uint32_t node = shared_.bystander->node;
      add(PacketEnd{node, false, *state(node).address(family_)}, own, kNodePort, 1);
      packets_.back().assumption = shared_.bystander->assumption;
    }
    if (other && is_routed(shared_.far))
      add(elsewhere(pods_of(shared_.far), other->node), own, kNodePort, 2);
  }

  /// Adds the reply of a node to an overlay pod whose packet was not masqueraded.
  void add_reply(const PacketEnd& pod, const PacketEnd& other) {
    const auto node = elsewhere(nodes_of(shared_.far), other.node);
    if (!node) return;
    const path::Trace sent =
        path::trace(shared_.states, packet_between(pod, *node, kNodePort).request);
    const bool bare = std::ranges::any_of(sent.arrived, [&](const path::DeliveredPacket& arrived) {
      return arrived.place == name(*node) && arrived.as.inner.source == pod.address;
    });
    if (bare) packets_.push_back(packet_between(*node, pod, kClientPort, kNodePort));
  }

  /// Adds packets for the case that nodes or hosts of others have addresses in the pod range.
  void add_packets_to_nodes_in_pod_range() {
    const std::vector<PacketEnd> pods = pods_of(shared_.near);
    const std::uint32_t node = node_with_pod_cidr(shared_.near, shared_.contested);
    const auto from = elsewhere(pods, node);
    const std::vector<PacketEnd> others = nodes_of(shared_.far);
    const auto other = at(others, shared_.contested);
    add(from, other, shared_.far.shoot == nullptr ? kServicePort : kNodePort);
    add(from, *std::ranges::find(pods, node, &PacketEnd::node), kPodPort);
    if (shared_.far.shoot == nullptr) return;
    add(elsewhere(others, other->node), other, kKubeletPort);
    // A common route table has routes to all routed pods.
    if (view_.network_relation == NetworkJoin::OneRouteTable && is_routed(shared_.near))
      add(elsewhere(others, other->node), *std::ranges::find(pods, node, &PacketEnd::node),
          kNodePort);
  }

  void add_packets_to_nodes_in_node_range() {
    const auto own = at(nodes_of(shared_.near), shared_.contested);
    const auto from = elsewhere(pods_of(shared_.near), own ? own->node : shared_.near.end - 1);
    add(from, at(nodes_of(shared_.far), shared_.contested),
        shared_.far.shoot == nullptr ? kServicePort : kNodePort);
  }

  /// Adds a packet to a Service, whose endpoint is on the last node.
  void add_service_packet() {
    const auto pods = pods_of(shared_.near);
    const PacketEnd from = pods.front();
    const node::ServiceTable& table = *state(from.node).services;
    const node::Endpoint endpoint = table.services().front().endpoints.front();
    const auto backend = at(pods, endpoint.address);
    const auto meant = view_.b_side == Target::Service ? backend
                       : view_.b_side == Target::Pod   ? at(pods_of(shared_.far), shared_.contested)
                                                     : at(nodes_of(shared_.far), shared_.contested);
    CandidatePacket packet = packet_between(from, *meant, kServicePort);
    packet.destination = shared_.contested;
    packet.request.packet = tcp(from.address, endpoint.address, kClientPort, kServicePort);
    packet.request.service = path::ServiceFront{.address = shared_.contested,
                                                .port = kServicePort,
                                                .translator = std::string(to_string(table.proxy())),
                                                .in_pod = table.translates_at_socket(wire::kTcp)};
    packets_.push_back(std::move(packet));
  }

  const SharedNetwork& shared_;
  const OverlapCase& view_;
  Family family_;
  std::vector<CandidatePacket> packets_;
};

int rank(Target side) {
  switch (side) {
    case Target::Outside:
      return 0;
    case Target::Node:
      return 1;
    case Target::Pod:
      return 2;
    case Target::Service:
      return 3;
  }
  return 0;
}

OverlapCase swapped(OverlapCase view) {
  std::swap(view.a, view.b);
  std::swap(view.a_side, view.b_side);
  std::swap(view.a_name, view.b_name);
  return view;
}

}  // namespace

std::vector<OverlapCase> views(const OverlapCase& given) {
  OverlapCase overlap = given;
  if (overlap.b == nullptr) overlap.b_side = Target::Outside;
  if (rank(overlap.a_side) < rank(overlap.b_side)) overlap = swapped(overlap);
  if (overlap.b_side == Target::Outside) overlap.b = nullptr;
  const bool two_sided = overlap.a_side == overlap.b_side && overlap.a_side != Target::Service;
  return two_sided ? std::vector{overlap, swapped(overlap)} : std::vector{overlap};
}

std::vector<CandidatePacket> candidate_packets(const SharedNetwork& shared,
                                               const OverlapCase& view) {
  return PacketChooser(shared, view).run();
}

}  // namespace overlane::witness
