#include "topologies/witness/placement.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "dataplane/forward/packet_builder.h"
#include "topologies/effective/addressing.h"
#include "topologies/path/trace.h"

namespace overlane::witness {

namespace {

using effective::EffectiveDataplane;
using graph::NodeAddresses;
using graph::Topology;

/// Index of the subnet of `length` that contains `address`, counted from the start of the range;
/// nullopt if it does not fit 64 bits, or if the address is outside.
std::optional<std::uint64_t> network_number(const IpPrefix& range, std::uint8_t length,
                                            IpAddress address) {
  constexpr int kHalf = 64;
  constexpr int kAll = 128;
  if (!range.contains(address)) return std::nullopt;
  const int bits = IpPrefix::containing(address, length).bits();
  const IpAddress first = range.network();
  if (bits <= kHalf) return (address.high - first.high) >> (kHalf - bits);
  if (address.high != first.high) return std::nullopt;
  return (address.low - first.low) >> (kAll - bits);
}

class Placing {
 public:
  Placing(const EffectiveDataplane& shoot, const std::string& name, const PlacementGoal& goal)
      : shoot_(shoot), name_(name), goal_(goal), family_(goal.range.network().family()) {}

  Result<PlacedShoot> run() {
    leave_unknown_family();
    if (goal_.side == Target::Pod) put_overlapping_range_first(shoot_.pods);
    if (goal_.side == Target::Node) put_overlapping_range_first(shoot_.nodes);
    auto topology = build();
    if (!topology) return fail(topology.error());
    if (goal_.side == Target::Pod) place_pods(*topology);
    if (goal_.side == Target::Node) place_machines(*topology);
    if (moved_) topology = build();
    if (topology) topology = keep_apart(*std::move(topology));
    if (!topology) return fail(topology.error());
    add_assumptions(*topology);
    return PlacedShoot{std::move(shoot_), *std::move(topology), std::move(assumptions_)};
  }

 private:
  Result<Topology> build() {
    const graph::TopologyRequest request{.shoot = &shoot_,
                                         .nodes = nodes_,
                                         .pods_per_node = 2,
                                         .allocated = allocated_,
                                         .name_prefix = name_ + " "};
    auto topology = Topology::build(request);
    if (topology || nodes_ == 1) return topology;
    // The range may have room for one pod CIDR only.
    graph::TopologyRequest one = request;
    one.nodes = 1;
    auto alone = Topology::build(one);
    return alone ? std::move(alone) : std::move(topology);
  }

  /// Removes the IP family other than the goal's if it has no pod or node ranges.
  void leave_unknown_family() {
    const Family other = family_ == Family::Ipv4 ? Family::Ipv6 : Family::Ipv4;
    const effective::Dataplane* unknown = shoot_.dataplane_of(other);
    if (unknown == nullptr || unknown->mode != effective::Mode::Routed) return;
    const auto is_of = [&](const IpPrefix& range) { return range.network().family() == other; };
    if (std::ranges::any_of(shoot_.pods, is_of) && std::ranges::any_of(shoot_.nodes, is_of)) return;
    shoot_.dataplane = effective::Dataplane(*shoot_.dataplane_of(family_));
    shoot_.secondary_dataplane.reset();
    shoot_.ip_families = {family_ == Family::Ipv4 ? "IPv4" : "IPv6"};
    for (auto* ranges : {&shoot_.pods, &shoot_.nodes, &shoot_.services})
      std::erase_if(*ranges, is_of);
  }

  /// Topologies are built from the first range of each family, so puts the overlapping ones first.
  void put_overlapping_range_first(std::vector<IpPrefix>& ranges) {
    std::ranges::stable_partition(
        ranges, [&](const IpPrefix& range) { return range.overlaps(goal_.range); });
  }

  const NodeAddresses* addresses(const Topology& topology, std::size_t node) const {
    return topology.nodes()[node].addresses.in(family_);
  }

  void place_pods(const Topology& topology) {
    const NodeAddresses* node = addresses(topology, 0);
    if (node == nullptr) return;
    const IpPrefix& first = node->pod_cidr;
    for (const IpPrefix& range : shoot_.pods) {
      if (!range.overlaps(goal_.range)) continue;
      const IpAddress start = std::max(range.network(), goal_.range.network());
      if (!allocate_pod_cidrs(topology, *node, range, start)) return;
      const IpPrefix pod_cidr = IpPrefix::containing(start, first.length());
      if (goal_.pods_too && pod_cidr.contains(goal_.range)) allocate_pods(pod_cidr);
      return;
    }
  }

  /// Marks earlier pod CIDRs as allocated, so that the next node gets the pod CIDR at `start`. If
  /// the goal has room for this one only, the second node gets it, and the first node sends.
  bool allocate_pod_cidrs(const Topology& topology, const NodeAddresses& node,
                          const IpPrefix& range, IpAddress start) {
    std::optional<std::uint64_t> number;
    const IpPrefix* subnet = subnet_of(topology, start);
    const bool by_machine = node.interface_prefix && subnet != nullptr && !node.address.is_ipv4();
    if (by_machine) {
      number = network_number(*subnet, node.interface_prefix->length(), start);
      if (number && *number < effective::kFirstMachineOffset) return true;
      if (number) *number -= effective::kFirstMachineOffset;
    } else {
      number = network_number(range, node.pod_cidr.length(), start);
    }
    if (!number) return false;
    const bool alone = goal_.range.length() >= node.pod_cidr.length();
    const std::uint64_t before = alone && *number > 0 ? *number - 1 : *number;
    if (before > std::numeric_limits<std::uint32_t>::max()) return false;
    (by_machine ? moved_machines_ : moved_pod_cidrs_) = before != 0;
    if (by_machine) allocated_.machines = static_cast<std::uint32_t>(before);
    if (!by_machine) allocated_.pod_cidrs = before;
    moved_ = true;
    return true;
  }

  /// Marks earlier pod addresses as allocated, so that the next pod gets the first address of the
  /// goal, or the third if the goal is a whole network.
  void allocate_pods(const IpPrefix& pod_cidr) {
    const auto size_bits = (goal_.range.is_ipv4() ? 32 : 128) - goal_.range.length();
    const std::uint64_t inside = size_bits > 1 ? graph::kFirstPodOffset : 0;
    const std::uint64_t wanted = goal_.range.network().low - pod_cidr.network().low + inside;
    if (wanted < graph::kFirstPodOffset || wanted > std::numeric_limits<std::uint32_t>::max())
      return;
    allocated_.pods = static_cast<std::uint32_t>(wanted) - graph::kFirstPodOffset;
  }

  const IpPrefix* subnet_of(const Topology& topology, IpAddress address) const {
    for (const graph::Subnet& subnet : topology.subnets()) {
      const IpPrefix* cidr = subnet.cidr.in(family_);
      if (cidr != nullptr && cidr->contains(address)) return cidr;
    }
    return nullptr;
  }

  void place_machines(const Topology& topology) {
    for (std::uint32_t subnet = 0; subnet < topology.subnets().size(); ++subnet) {
      const IpPrefix* cidr = topology.subnets()[subnet].cidr.in(family_);
      if (cidr == nullptr || !cidr->overlaps(goal_.range)) continue;
      nodes_ = std::max(nodes_, subnet + 1);
      moved_ = true;
      if (!cidr->contains(goal_.range)) return;
      allocate_machines(*cidr, topology.subnets().size() == 1);
      return;
    }
  }

  /// Marks earlier machine addresses as allocated, so that the next machine gets the first address
  /// of the goal, or the fourth if the goal is a whole network.
  void allocate_machines(const IpPrefix& subnet, bool one_subnet) {
    constexpr int kWholeNetworkBits = 3;
    const int all_bits = subnet.is_ipv4() ? 32 : 128;
    const auto number =
        network_number(subnet, static_cast<std::uint8_t>(all_bits), goal_.range.network());
    if (!number || *number > std::numeric_limits<std::uint32_t>::max()) return;
    auto before = static_cast<std::uint32_t>(*number);
    if (all_bits - goal_.range.length() < kWholeNetworkBits) {
      if (before < effective::kFirstMachineOffset) return;
      before -= effective::kFirstMachineOffset;
      if (one_subnet && before > 0) --before;
    }
    allocated_.machines = before;
    moved_machines_ = before != 0;
  }

  /// Skips addresses and pod CIDRs until none of the nodes is in PlacementGoal::taken.
  Result<Topology> keep_apart(Topology topology) {
    constexpr int kTries = 64;
    for (int i = 0; i < kTries; ++i) {
      const bool address = any_node(topology, [&](const NodeAddresses& node) {
        return std::ranges::find(goal_.taken, node.address) != goal_.taken.end();
      });
      const bool pod_cidr = any_node(topology, [&](const NodeAddresses& node) {
        return std::ranges::any_of(goal_.taken_pod_cidrs, [&](const IpPrefix& taken) {
          return taken.overlaps(node.pod_cidr);
        });
      });
      const bool pod_cidrs_are_free = pod_cidr && goal_.side != Target::Pod;
      if (!address && !pod_cidrs_are_free) break;
      if (address) allocated_.machines += static_cast<std::uint32_t>(goal_.taken.size());
      if (pod_cidrs_are_free) allocated_.pod_cidrs += topology.nodes().size();
      moved_apart_ |= address;
      pod_cidrs_apart_ |= pod_cidrs_are_free;
      auto next = build();
      if (!next) return next;
      topology = *std::move(next);
    }
    return topology;
  }

  template <typename Predicate>
  bool any_node(const Topology& topology, Predicate is_so) const {
    for (std::size_t i = 0; i < topology.nodes().size(); ++i) {
      const NodeAddresses* node = addresses(topology, i);
      if (node != nullptr && is_so(*node)) return true;
    }
    return false;
  }

  void add_assumptions(const Topology& topology) {
    for (std::size_t i = 0; i < topology.nodes().size(); ++i) {
      const NodeAddresses* node = addresses(topology, i);
      if (node == nullptr || !(goal_.side == Target::Pod ? node->pod_cidr.overlaps(goal_.range)
                                                         : goal_.range.contains(node->address)))
        continue;
      if (moved_pod_cidrs_) {
        assumptions_.push_back(
            fmt::format("{} has allocated pod CIDRs up to {}", name_, node->pod_cidr.to_string()));
      }
      if (moved_machines_) {
        assumptions_.push_back(fmt::format("{} has allocated node addresses up to {}", name_,
                                           node->address.to_string()));
      }
      break;
    }
    const NodeAddresses& first = *addresses(topology, 0);
    if (moved_apart_) {
      assumptions_.push_back(fmt::format("{}'s nodes have separate addresses, from {} on", name_,
                                         first.address.to_string()));
    }
    if (pod_cidrs_apart_) {
      assumptions_.push_back(fmt::format("{}'s nodes have separate pod CIDRs, from {} on", name_,
                                         first.pod_cidr.to_string()));
    }
  }

  EffectiveDataplane shoot_;
  const std::string& name_;
  const PlacementGoal& goal_;
  Family family_;
  std::uint32_t nodes_ = 2;
  graph::Allocated allocated_;
  bool moved_ = false;
  bool moved_pod_cidrs_ = false;
  bool moved_machines_ = false;
  bool moved_apart_ = false;
  bool pod_cidrs_apart_ = false;
  std::vector<std::string> assumptions_;
};

}  // namespace

Result<PlacedShoot> lay_out(const EffectiveDataplane& shoot, const std::string& name,
                            const PlacementGoal& goal) {
  return Placing(shoot, name, goal).run();
}

tl::unexpected<Finding> unsupported(const effective::EffectiveDataplane& shoot, std::string message,
                                    std::string hint) {
  const ObjectName object{"Shoot", shoot.namespace_, shoot.name};
  return fail(Finding{.rule = std::string(kUnsupported),
                      .severity = Severity::Note,
                      .message = fmt::format("{}: {}", object.qualified(), message),
                      .object = object,
                      .place = shoot.place,
                      .hint = std::move(hint)});
}

Result<void> check_supported(const effective::EffectiveDataplane& shoot, Family family) {
  if (shoot.opaque) {
    return unsupported(shoot,
                       fmt::format("Overlane does not model the network type \"{}\"", shoot.cni),
                       "describe it in a NetworkProvider file");
  }
  if (shoot.dataplane_of(family) == nullptr)
    return unsupported(shoot, "its pods have no addresses of the range's family", "");
  return {};
}

Result<compile::Compiled> compile_single_shoot(const PlacedShoot& laid, Family family) {
  constexpr std::uint16_t kBytes = 100;
  auto states = compile::compile(laid.topology, laid.shoot);
  if (!states) return states;
  const std::vector<IpAddress> pods = addresses(laid.topology, Target::Pod, family);
  const forward::Packet probe =
      forward::PacketBuilder::udp(pods.front(), pods.back()).length(kBytes).dont_fragment().build();
  if (!path::walk(*states, 0, probe).delivered()) {
    return unsupported(laid.shoot, "its pods do not reach each other even without other shoots",
                       "run overlane trace");
  }
  return states;
}

std::vector<IpAddress> addresses(const graph::Topology& topology, Target side, Family family) {
  std::vector<IpAddress> list;
  if (side == Target::Pod) {
    for (const graph::Pod& pod : topology.pods())
      if (const IpAddress* address = pod.address.in(family)) list.push_back(*address);
  } else {
    for (const graph::Node& node : topology.nodes())
      if (const auto* of = node.addresses.in(family)) list.push_back(of->address);
  }
  return list;
}

}  // namespace overlane::witness
