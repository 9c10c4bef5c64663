#include "topologies/witness/questions.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "dataplane/forward/packet_builder.h"
#include "dataplane/node/state/socket_route.h"
#include "dataplane/wire/ip_protocol.h"
#include "dataplane/wire/tcp.h"
#include "topologies/compile/compile.h"

namespace overlane::witness {
namespace {

using effective::Mode;

constexpr std::uint16_t kClientPort = 40'000;
constexpr std::uint16_t kPodPort = 80;
/// Of the node ports, which the security groups of Gardener's shoots let in from everywhere.
constexpr std::uint16_t kNodePort = 30'080;
constexpr std::uint16_t kKubeletPort = 10'250;

/// Who sends or is meant.
struct Candidate {
  std::uint32_t node = 0;
  bool is_pod = false;
  IpAddress address;
};

class Asking {
 public:
  Asking(const World& world, const Case& view)
      : world_(world), view_(view), family_(world.contested.family()) {}

  std::vector<Question> run() {
    switch (view_.a_side) {
      case Target::Service:
        ask_a_service();
        break;
      case Target::Pod:
        view_.b_side == Target::Pod ? ask_pods() : ask_with_nodes_in_pod_range();
        break;
      case Target::Node:
        ask_with_nodes_in_node_range();
        break;
      case Target::Outside:
        break;
    }
    return std::move(questions_);
  }

 private:
  const node::NodeState& state(std::uint32_t node) const { return world_.states.nodes[node]; }

  std::vector<Candidate> pods_of(const Owner& owner) const {
    std::vector<Candidate> list;
    for (std::uint32_t i = owner.begin; i < owner.end; ++i)
      for (const node::LocalPod& pod : state(i).pods)
        if (pod.address.family() == family_) list.push_back({i, true, pod.address});
    return list;
  }
  std::vector<Candidate> nodes_of(const Owner& owner) const {
    std::vector<Candidate> list;
    for (std::uint32_t i = owner.begin; i < owner.end; ++i)
      if (const auto address = state(i).address(family_)) list.push_back({i, false, *address});
    return list;
  }

  static std::optional<Candidate> at(const std::vector<Candidate>& list, IpAddress address) {
    const auto found = std::ranges::find(list, address, &Candidate::address);
    return found == list.end() ? std::nullopt : std::optional(*found);
  }
  static std::optional<Candidate> elsewhere(const std::vector<Candidate>& list,
                                            std::uint32_t node) {
    const auto found =
        std::ranges::find_if(list, [=](const Candidate& end) { return end.node != node; });
    return found == list.end() ? std::nullopt : std::optional(*found);
  }

  /// The node with a pod CIDR that contains the address; else the owner's last one.
  std::uint32_t node_with_pod_cidr(const Owner& owner, IpAddress address) const {
    for (std::uint32_t i = owner.begin; i < owner.end; ++i) {
      const node::MemberAddresses* member = state(i).member().in(family_);
      if (member != nullptr && member->pod_cidr.contains(address)) return i;
    }
    return owner.end - 1;
  }

  std::string name(const Candidate& end) const {
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

  Question question(const Candidate& from, const Candidate& to, std::uint16_t port,
                    std::uint16_t source_port = kClientPort) const {
    // The source of a node's packet depends on its route.
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
  void ask(const std::optional<Candidate>& from, const std::optional<Candidate>& to,
           std::uint16_t port, int rank = 0) {
    if (!from || !to) return;
    questions_.push_back(question(*from, *to, port));
    questions_.back().rank = rank;
  }

  bool is_routed(const Owner& owner) const {
    return owner.shoot != nullptr && owner.shoot->dataplane_of(family_)->mode == Mode::Routed;
  }
  void ask_pods() {
    const std::vector<Candidate> pods = pods_of(world_.near);
    auto own = at(pods, world_.contested);
    if (!own) {
      const std::uint32_t node = node_with_pod_cidr(world_.near, world_.contested);
      own = *std::ranges::find(pods, node, &Candidate::node);
    }
    const auto from = elsewhere(pods, own->node);
    ask(from, own, kPodPort);
    const auto other = at(pods_of(world_.far), world_.contested);
    if (world_.pods_reach_others && is_routed(world_.far)) ask(from, other, kNodePort);
    if (other && !is_routed(world_.near) && is_routed(world_.far) && own->address == other->address)
      ask_for_answer(*own, *other);
    if (view_.network_relation == NetworkRelation::OneRouteTable)
      ask_with_common_table(from, *own, other);
  }

  /// A common route table has routes to all routed pods.
  void ask_with_common_table(const std::optional<Candidate>& from, const Candidate& own,
                             const std::optional<Candidate>& other) {
    if (!is_routed(world_.near)) {
      if (is_routed(world_.far)) ask(from, other, kNodePort, 2);
      return;
    }
    if (world_.bystander) {
      const std::uint32_t node = world_.bystander->node;
      ask(Candidate{node, false, *state(node).address(family_)}, own, kNodePort, 1);
      questions_.back().assumption = world_.bystander->assumption;
    }
    if (other && is_routed(world_.far))
      ask(elsewhere(pods_of(world_.far), other->node), own, kNodePort, 2);
  }

  /// The reply of a node to an overlay pod that was not masqueraded.
  void ask_for_answer(const Candidate& pod, const Candidate& other) {
    const auto node = elsewhere(nodes_of(world_.far), other.node);
    if (!node) return;
    const path::Trace sent = path::trace(world_.states, question(pod, *node, kNodePort).request);
    const bool bare = std::ranges::any_of(sent.arrived, [&](const path::Arrived& arrived) {
      return arrived.place == name(*node) && arrived.as.inner.source == pod.address;
    });
    if (bare) questions_.push_back(question(*node, pod, kClientPort, kNodePort));
  }

  /// Nodes or hosts of others have addresses in the pod range.
  void ask_with_nodes_in_pod_range() {
    const std::vector<Candidate> pods = pods_of(world_.near);
    const std::uint32_t node = node_with_pod_cidr(world_.near, world_.contested);
    const auto from = elsewhere(pods, node);
    const std::vector<Candidate> others = nodes_of(world_.far);
    const auto other = at(others, world_.contested);
    ask(from, other, world_.far.shoot == nullptr ? kServicePort : kNodePort);
    ask(from, *std::ranges::find(pods, node, &Candidate::node), kPodPort);
    if (world_.far.shoot == nullptr) return;
    ask(elsewhere(others, other->node), other, kKubeletPort);
    // A common route table has routes to all routed pods.
    if (view_.network_relation == NetworkRelation::OneRouteTable && is_routed(world_.near))
      ask(elsewhere(others, other->node), *std::ranges::find(pods, node, &Candidate::node),
          kNodePort);
  }

  void ask_with_nodes_in_node_range() {
    const auto own = at(nodes_of(world_.near), world_.contested);
    const auto from = elsewhere(pods_of(world_.near), own ? own->node : world_.near.end - 1);
    ask(from, at(nodes_of(world_.far), world_.contested),
        world_.far.shoot == nullptr ? kServicePort : kNodePort);
  }

  /// The endpoint is on the last node.
  void ask_a_service() {
    const auto pods = pods_of(world_.near);
    const Candidate from = pods.front();
    const node::ServiceTable& table = *state(from.node).services;
    const node::Endpoint endpoint = table.services().front().endpoints.front();
    const auto backend = at(pods, endpoint.address);
    const auto meant = view_.b_side == Target::Service ? backend
                       : view_.b_side == Target::Pod   ? at(pods_of(world_.far), world_.contested)
                                                       : at(nodes_of(world_.far), world_.contested);
    Question asked = question(from, *meant, kServicePort);
    asked.destination = world_.contested;
    asked.request.packet = tcp(from.address, endpoint.address, kClientPort, kServicePort);
    asked.request.service = path::ServiceFront{.address = world_.contested,
                                               .port = kServicePort,
                                               .translator = std::string(to_string(table.proxy())),
                                               .in_pod = table.translates_at_socket(wire::kTcp)};
    questions_.push_back(std::move(asked));
  }

  const World& world_;
  const Case& view_;
  Family family_;
  std::vector<Question> questions_;
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

Case swapped(Case view) {
  std::swap(view.a, view.b);
  std::swap(view.a_side, view.b_side);
  std::swap(view.a_name, view.b_name);
  return view;
}

}  // namespace

std::vector<Case> views(const Case& asked) {
  Case overlap = asked;
  if (overlap.b == nullptr) overlap.b_side = Target::Outside;
  if (rank(overlap.a_side) < rank(overlap.b_side)) overlap = swapped(overlap);
  if (overlap.b_side == Target::Outside) overlap.b = nullptr;
  const bool two_sided = overlap.a_side == overlap.b_side && overlap.a_side != Target::Service;
  return two_sided ? std::vector{overlap, swapped(overlap)} : std::vector{overlap};
}

std::vector<Question> questions(const World& world, const Case& view) {
  return Asking(world, view).run();
}

}  // namespace overlane::witness
