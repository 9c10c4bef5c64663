#include "topologies/graph/family_layout.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "topologies/effective/addressing.h"

namespace overlane::graph {
namespace {

using effective::EffectiveDataplane;

constexpr std::string_view name_of(Family family) {
  return family == Family::Ipv4 ? "IPv4" : "IPv6";
}

/// Number of networks of `length` in a range, at most 2^32.
std::uint64_t count_of(const IpPrefix& range, std::uint8_t length) {
  if (length < range.length()) return 0;
  return std::uint64_t{1} << std::min(length - range.length(), 32);
}

/// The i-th network of `length` in a range, which must contain it.
IpPrefix nth_network(const IpPrefix& range, std::uint8_t length, std::uint64_t i) {
  constexpr int kHalf = 64;
  IpAddress network = range.network();
  const int bits = IpPrefix::containing(network, length).bits();
  (bits <= kHalf ? network.high : network.low) += i << (bits <= kHalf ? kHalf - bits : 128 - bits);
  return IpPrefix::containing(network, length);
}

std::optional<IpPrefix> first_of(const std::vector<IpPrefix>& ranges, Family family) {
  const auto found = std::ranges::find(ranges, family == Family::Ipv4, &IpPrefix::is_ipv4);
  return found == ranges.end() ? std::nullopt : std::optional(*found);
}

class LayoutBuilder {
 public:
  LayoutBuilder(const TopologyRequest& request, const std::vector<std::string>& zones,
                Family family)
      : request_(request),
        shoot_(*request.shoot),
        zones_(zones),
        family_(family),
        routes_(provider::profile_of(shoot_.provider).routes) {}

  Result<FamilyLayout> run() {
    if (auto known = take_ranges(); !known) return fail(known.error());
    layout_.allocated = request_.allocated;
    if (auto cut = family_ == Family::Ipv4 ? cut_ipv4() : cut_ipv6(); !cut) {
      return fail(cut.error());
    }
    if (layout_.delegation) return std::move(layout_);
    const std::uint64_t pod_cidrs = count_of(layout_.pods, layout_.pod_cidr_length);
    if (request_.nodes <= pod_cidrs) return std::move(layout_);
    return impossible(
        shoot_,
        fmt::format("{} nodes are requested, but the pod range {} holds {} pod CIDRs of /{}",
                    request_.nodes, layout_.pods.to_string(), pod_cidrs, layout_.pod_cidr_length),
        "spec.networking.pods", "give a larger pod range, a longer node mask, or fewer nodes");
  }

 private:
  Result<void> take_ranges() {
    const auto pods = first_of(shoot_.pods, family_);
    const auto nodes = first_of(shoot_.nodes, family_);
    if (!pods) return unknown("pods");
    if (!nodes) return unknown("nodes");
    layout_.pods = *pods;
    layout_.nodes = *nodes;
    return {};
  }

  Result<void> unknown(std::string_view whose) const {
    const bool in_spec = family_ == shoot_.primary_family();
    return impossible(
        shoot_, fmt::format("no document gives the {} range of the {}", name_of(family_), whose),
        fmt::format("{}.networking.{}", in_spec ? "spec" : "status", whose),
        fmt::format("give it in {}status.networking.{}, as a landscape shows it",
                    in_spec ? fmt::format("spec.networking.{} or ", whose) : "", whose));
  }

  std::uint32_t subnet_count() const {
    return shoot_.has_one_subnet() ? 1 : static_cast<std::uint32_t>(zones_.size());
  }

  /// Determines the subnets, given by documents or else equal parts of the node range, and how pod
  /// CIDRs are allocated.
  Result<void> cut_ipv4() {
    const std::uint32_t count = subnet_count();
    const auto bits = static_cast<int>(std::bit_width(count - 1));
    const auto length = static_cast<std::uint8_t>(std::min(32, layout_.nodes.length() + bits));
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::string_view zone = shoot_.has_one_subnet() ? std::string_view() : zones_[i];
      const effective::NodeSubnet* given = shoot_.node_subnets.find(zone);
      layout_.subnets.push_back(given == nullptr ? nth_network(layout_.nodes, length, i)
                                                 : IpPrefix(given->cidr));
    }
    layout_.pod_cidr_length = shoot_.node_cidr_mask_size;
    // GCP keeps the alias ranges of a shoot that was dual-stack.
    layout_.by_interface =
        (routes_.dual_stack_by_interface && shoot_.secondary_dataplane.has_value()) ||
        shoot_.dataplane_of(family_)->routes_by == effective::RoutesBy::CloudInterface;
    return {};
  }

  Result<void> cut_ipv6() {
    const std::uint32_t count = subnet_count();
    layout_.one_range = layout_.nodes.length() == kIpv6SubnetLength;
    if (!layout_.one_range && count_of(layout_.nodes, kIpv6SubnetLength) < count) {
      return impossible(shoot_,
                        fmt::format("the node range {} does not hold a /{} for each of {} subnets",
                                    layout_.nodes.to_string(), kIpv6SubnetLength, count),
                        "status.networking.nodes", "give a larger range");
    }
    for (std::uint32_t i = 0; i < count; ++i) {
      layout_.subnets.push_back(
          nth_network(layout_.nodes, kIpv6SubnetLength, layout_.one_range ? 0 : i));
    }
    layout_.pod_cidr_length = shoot_.node_cidr_mask_size_ipv6;
    layout_.delegation = routes_.ipv6_delegation;
    if (!layout_.delegation || layout_.pods.overlaps(layout_.nodes)) return {};
    return impossible(
        shoot_,
        fmt::format("{} allocates pods' IPv6 ranges from the nodes' subnets, but {} and the pods' "
                    "range {} do not overlap",
                    to_string(shoot_.provider), layout_.nodes.to_string(),
                    layout_.pods.to_string()),
        "status.networking.pods", "give the range of the VPC or subnet for both");
  }

  const TopologyRequest& request_;
  const EffectiveDataplane& shoot_;
  const std::vector<std::string>& zones_;
  Family family_;
  const provider::Routes& routes_;
  FamilyLayout layout_;
};

}  // namespace

NodeAddresses FamilyLayout::addresses(const NodePlace& place) const {
  const IpPrefix& subnet = subnets[place.subnet];
  const std::uint64_t machine = allocated.machines + (one_range ? place.node : place.machine);
  const std::uint64_t offset =
      effective::kFirstMachineOffset + machine % machine_capacity(place.subnet);
  NodeAddresses node{
      .address = subnet.network() + offset, .pod_cidr = {}, .interface_prefix = std::nullopt};
  if (!delegation) {
    const std::uint64_t pod_cidr = allocated.pod_cidrs + place.node;
    node.pod_cidr = nth_network(pods, pod_cidr_length, pod_cidr % count_of(pods, pod_cidr_length));
    if (by_interface) node.interface_prefix = node.pod_cidr;
    return node;
  }
  const IpPrefix prefix = nth_network(subnet, delegation->interface_length, offset);
  if (delegation->holds_node_address) node.address = prefix.network();
  node.pod_cidr = IpPrefix::containing(prefix.network(), delegation->pod_cidr_length);
  node.interface_prefix = prefix;
  return node;
}

std::uint64_t FamilyLayout::machine_capacity(std::uint32_t subnet) const {
  return static_cast<std::uint64_t>(effective::machine_addresses(subnets[subnet]));
}

Result<ByFamily<FamilyLayout>> family_layouts(const TopologyRequest& request,
                                              const std::vector<std::string>& zones) {
  ByFamily<FamilyLayout> layouts;
  for (const Family family : kFamilies) {
    if (request.shoot->dataplane_of(family) == nullptr) continue;
    auto layout = LayoutBuilder(request, zones, family).run();
    if (!layout) return fail(layout.error());
    layouts[family] = *std::move(layout);
  }
  return layouts;
}

tl::unexpected<Finding> impossible(const EffectiveDataplane& shoot, std::string message,
                                   std::string path, std::string hint) {
  const ObjectName object{"Shoot", shoot.namespace_, shoot.name};
  return fail(Finding{.rule = "impossible-topology",
                      .severity = Severity::Error,
                      .message = fmt::format("{}: {}", object.qualified(), message),
                      .object = object,
                      .path = std::move(path),
                      .place = shoot.place,
                      .hint = std::move(hint)});
}

}  // namespace overlane::graph
