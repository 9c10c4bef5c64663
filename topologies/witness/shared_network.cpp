#include "topologies/witness/shared_network.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "dataplane/wire/ip.h"
#include "topologies/compile/compile.h"
#include "topologies/effective/addressing.h"
#include "topologies/witness/placement.h"

namespace overlane::witness {
namespace {

using effective::EffectiveDataplane;

/// The shoot's name in texts: `called`, or "namespace/name" if that is empty.
std::string name_of(const EffectiveDataplane& shoot, const std::string& called) {
  return called.empty() ? ObjectName{"Shoot", shoot.namespace_, shoot.name}.qualified() : called;
}

/// The address `steps` after the first one if the range has at least `least_bits`; otherwise the
/// first one.
IpAddress inside(const IpPrefix& range, int least_bits, std::uint64_t steps) {
  const int bits = (range.is_ipv4() ? 32 : 128) - range.length();
  return bits >= least_bits ? range.network() + steps : range.network();
}

const std::vector<IpPrefix>& ranges(const EffectiveDataplane& shoot, Target side) {
  return side == Target::Pod ? shoot.pods : shoot.nodes;
}

bool any_overlaps(const std::vector<IpPrefix>& ranges, const IpPrefix& other) {
  return std::ranges::any_of(ranges, [&](const IpPrefix& range) { return range.overlaps(other); });
}

class WorldBuilder {
 public:
  WorldBuilder(const OverlapCase& overlap, Layout layout, bool of_second_node)
      : overlap_(overlap),
        family_(overlap.intersection.network().family()),
        layout_(layout),
        of_second_node_(of_second_node) {}

  Result<SharedNetwork> run() {
    for (const EffectiveDataplane* shoot : {overlap_.a, overlap_.b})
      if (auto known = shoot == nullptr ? Result<void>{} : check_supported(*shoot, family_); !known)
        return fail(known.error());
    shared_.near.shoot = overlap_.a;
    shared_.far.shoot = overlap_.b;
    shared_.near.name = name_of(*overlap_.a, overlap_.a_name);
    if (layout_ == Layout::CurrentPodCidrs) {
      const PlacementGoal anywhere{.side = Target::Outside, .range = overlap_.intersection};
      const auto laid = lay_out(*overlap_.a, shared_.near.name, anywhere);
      if (!laid) return fail(laid.error());
      if (!choose_contested(laid->topology, *overlap_.a))
        return no_address(*overlap_.a, overlap_.a_side);
    }
    auto far = make_far();
    if (!far) return fail(far.error());
    auto near = make_near();
    if (!near) return fail(near.error());
    JoinedStates joined = join(*std::move(near), *std::move(far), bystander(overlap_), overlap_);
    shared_.near.end = shared_.far.begin = joined.far_begins;
    shared_.far.end = joined.far_ends;
    shared_.bystander = std::move(joined.bystander);
    shared_.pods_reach_others = joined.pods_reach_others;
    shared_.states = std::move(joined.states);
    take(joined.assumptions);
    if (overlap_.b != nullptr) {
      note_other_overlaps(shared_.near, shared_.far, overlap_.a_side, overlap_.b_side);
      note_other_overlaps(shared_.far, shared_.near, overlap_.b_side, overlap_.a_side);
    }
    return std::move(shared_);
  }

 private:
  void take(const std::vector<std::string>& assumptions) {
    std::ranges::copy(assumptions, std::back_inserter(shared_.assumptions));
  }

  /// Notes pod and node ranges that overlap elsewhere: they are not kept disjoint.
  void note_other_overlaps(const PlacedOwner& one, const PlacedOwner& other, Target of_one,
                           Target of_other) {
    if (of_one == Target::Pod && of_other == Target::Node) return;
    for (const IpPrefix& pods : one.shoot->pods) {
      for (const IpPrefix& nodes : other.shoot->nodes) {
        if (!pods.overlaps(nodes)) continue;
        shared_.assumptions.push_back(
            fmt::format("pods {} of {} and nodes {} of {} overlap as well", pods.to_string(),
                        one.name, nodes.to_string(), other.name));
      }
    }
  }

  Result<NetworkMember> make_far() {
    if (overlap_.b == nullptr) {
      shared_.contested = inside(overlap_.intersection, 3, effective::kFirstMachineOffset);
      shared_.far.name = fmt::format("{} ({})", shared_.contested.to_string(),
                                     overlap_.network_relation == NetworkJoin::Connected
                                         ? "a host behind the connection"
                                         : "a host of the network");
      taken_ = {shared_.contested};
      return NetworkMember{shared_.far.name, nullptr,
                           host(shared_.far.name, shared_.contested, overlap_.intersection)};
    }
    shared_.far.name = name_of(*overlap_.b, overlap_.b_name);
    if (shared_.far.name == shared_.near.name) shared_.far.name += " (2)";
    auto laid =
        lay_out(*overlap_.b, shared_.far.name,
                {.side = layout_ == Layout::UntilConflict ? overlap_.b_side : Target::Outside,
                 .range = overlap_.intersection,
                 .pods_too = true,
                 .taken = {},
                 .taken_pod_cidrs = {}});
    if (!laid) return fail(laid.error());
    taken_ = addresses(laid->topology, Target::Node, family_);
    taken_subnets_ = subnets(laid->topology);
    for (const graph::Node& node : laid->topology.nodes())
      if (const auto* of = node.addresses.in(family_)) taken_pod_cidrs_.push_back(of->pod_cidr);
    if (layout_ == Layout::UntilConflict && !choose_contested(laid->topology, *overlap_.b))
      return no_address(*overlap_.b, overlap_.b_side);
    auto states = compile(*laid);
    if (!states) return fail(states.error());
    return NetworkMember{shared_.far.name, overlap_.b, *std::move(states)};
  }

  Result<compile::Compiled> compile(const PlacedShoot& laid) {
    auto states = compile_single_shoot(laid, family_);
    if (!states) return states;
    if (is_of_interface(*states)) {
      return unsupported(
          laid.shoot,
          "the cloud assigns its pod addresses to the nodes' interfaces; conflicts of "
          "these with another shoot are not modelled",
          "");
    }
    take(laid.assumptions);
    return states;
  }

  /// Whether the contested address belongs to an interface in a network of both shoots.
  bool is_of_interface(const compile::Compiled& states) const {
    if (overlap_.network_relation == NetworkJoin::Connected || overlap_.b_side != Target::Pod)
      return false;
    return overlap_.a_side == Target::Pod &&
           std::ranges::any_of(states.fabric.instances, [&](const node::Instance& instance) {
             return instance.owns(shared_.contested);
           });
  }

  /// Chooses an address of the shoot, in the intersection if its ranges contain the intersection.
  bool choose_contested(const graph::Topology& topology, const EffectiveDataplane& shoot) {
    constexpr std::uint64_t kSomeService = 20;
    if (overlap_.b_side == Target::Service) {
      shared_.contested = inside(overlap_.intersection, 5, kSomeService);
      return true;
    }
    std::vector<IpAddress> list = addresses(topology, overlap_.b_side, family_);
    if (any_overlaps(ranges(shoot, overlap_.b_side), overlap_.intersection))
      std::erase_if(list, [&](IpAddress a) { return !overlap_.intersection.contains(a); });
    if (list.empty()) return false;
    shared_.contested = list.front();
    const std::size_t of_first = overlap_.b_side == Target::Pod ? topology.pods_of(0).count : 1;
    if (of_second_node_ && list.size() > of_first) shared_.contested = list[of_first];
    return true;
  }

  tl::unexpected<Finding> no_address(const EffectiveDataplane& shoot, Target side) const {
    return unsupported(
        shoot,
        fmt::format("none of its {} has an address in {}", side == Target::Pod ? "pods" : "nodes",
                    overlap_.intersection.to_string()),
        "");
  }

  /// Whether a range contains the contested address, but no pod CIDR or node has it.
  bool lacks_address(const PlacedShoot& laid, Target side) const {
    if (side != Target::Pod && side != Target::Node) return false;
    if (!any_overlaps(ranges(laid.shoot, side), IpPrefix::host(shared_.contested))) return false;
    return std::ranges::none_of(laid.topology.nodes(), [&](const graph::Node& node) {
      const graph::NodeAddresses* of = node.addresses.in(family_);
      return of != nullptr && (side == Target::Pod ? of->pod_cidr.contains(shared_.contested)
                                                   : of->address == shared_.contested);
    });
  }

  std::vector<IpPrefix> subnets(const graph::Topology& topology) const {
    std::vector<IpPrefix> list;
    for (const graph::Subnet& subnet : topology.subnets())
      if (const IpPrefix* cidr = subnet.cidr.in(family_)) list.push_back(*cidr);
    return list;
  }

  bool collide(const std::vector<IpPrefix>& list) const {
    return std::ranges::any_of(
        list, [&](const IpPrefix& one) { return any_overlaps(taken_subnets_, one); });
  }

  Result<NetworkMember> make_near() {
    PlacementGoal goal{.side = overlap_.a_side,
                       .range = IpPrefix::host(shared_.contested),
                       .pods_too = overlap_.b_side == Target::Pod,
                       .taken = taken_,
                       .taken_pod_cidrs = taken_pod_cidrs_};
    if (goal.side == Target::Node && overlap_.network_relation == NetworkJoin::Connected) {
      goal.taken.clear();
    } else if (goal.side == Target::Node) {
      goal.side = Target::Outside;  // Addresses of one network are unique.
    }
    auto laid = lay_out(*overlap_.a, shared_.near.name, goal);
    if (!laid) return fail(laid.error());
    if (lacks_address(*laid, goal.side)) return no_address(*overlap_.a, goal.side);
    if (overlap_.b_side == Target::Node && goal.side == Target::Outside &&
        overlap_.a_side == Target::Node && collide(subnets(laid->topology))) {
      return unsupported(*overlap_.a, "subnets of both cannot exist in one network", "");
    }
    auto states = compile(*laid);
    if (!states) return fail(states.error());
    if (overlap_.a_side == Target::Service) {
      if (auto served = add_service(laid->topology, *states); !served) return fail(served.error());
    }
    return NetworkMember{shared_.near.name, overlap_.a, *std::move(states)};
  }

  /// Adds a Service whose endpoint is the first pod of the last node.
  Result<void> add_service(const graph::Topology& topology, compile::Compiled& states) {
    const EffectiveDataplane& shoot = *overlap_.a;
    if (!compile::service_proxy(shoot.dataplane.service_routing)) {
      return unsupported(shoot, "Overlane does not model the service proxy of this network type",
                         "describe it in a NetworkProvider file");
    }
    const std::vector<IpAddress> pods = addresses(topology, Target::Pod, family_);
    const std::uint32_t last = static_cast<std::uint32_t>(topology.nodes().size() - 1);
    const node::Service service{{shared_.contested, kServicePort, wire::kTcp},
                                {{pods.at(topology.pods_of(last).first), kServicePort}}};
    shared_.assumptions.push_back(fmt::format("{} has a Service at {} port {}", shared_.near.name,
                                              shared_.contested.to_string(), kServicePort));
    return compile::add_services({service}, shoot, 0, states);
  }

  const OverlapCase& overlap_;
  Family family_;
  Layout layout_;
  bool of_second_node_;  ///< Prefer a contested address of the second node.
  SharedNetwork shared_;
  std::vector<IpAddress> taken_;
  std::vector<IpPrefix> taken_pod_cidrs_;
  std::vector<IpPrefix> taken_subnets_;
};

}  // namespace

Result<SharedNetwork> make_shared_network(const OverlapCase& overlap, Layout layout) {
  // Prefer an address of the second node, so that the first node can send.
  auto shared = WorldBuilder(overlap, layout, true).run();
  if (shared || shared.error().rule != kUnsupported) return shared;
  auto other = WorldBuilder(overlap, layout, false).run();
  return other ? std::move(other) : std::move(shared);
}

}  // namespace overlane::witness
