#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "topologies/rules/lint_conditions.h"
#include "topologies/rules/rule_tables.h"

// Rules about the pod CIDR of a node (nodeCIDRMaskSize): whether the mask is valid, whether the pod
// range has enough pod CIDRs for the workers' nodes, and whether each pod CIDR has enough addresses
// for a node's pods.
namespace overlane::rules {

using effective::default_node_mask;
using effective::NetworkInputs;
namespace {

constexpr const char* kShootValidation = "gardener/gardener pkg/api/core/validation/shoot.go";

/// The prefix lengths that Gardener's validation accepts for the pod CIDR of a node.
struct MaskBounds {
  std::int64_t min;
  std::int64_t max;
};
constexpr MaskBounds kIpv4Bounds{16, 28};
constexpr MaskBounds kIpv6Bounds{64, 124};

/// Path of the field that decides the mask, for a finding.
std::string mask_path(const NetworkInputs& in) {
  const auto& given = in.spec.shoot.node_cidr_mask_size;
  return given ? given->path : "spec.kubernetes.kubelet.maxPods";
}

SourceLocation mask_place(const NetworkInputs& in) {
  const auto& given = in.spec.shoot.node_cidr_mask_size;
  return given ? given->place : in.spec.place;
}

void check_mask_bounds(const NetworkInputs& in, RuleReport& report) {
  const MaskBounds bounds = in.families.has(Family::Ipv4) ? kIpv4Bounds : kIpv6Bounds;
  const std::int64_t mask = in.addressing.spec_node_mask.value;
  if (mask < bounds.min || mask > bounds.max)
    report.add(
        mask_path(in), mask_place(in),
        fmt::format("the node mask /{} is outside /{} to /{}", mask, bounds.min, bounds.max));
}

void check_second_mask_bounds(const NetworkInputs& in, RuleReport& report) {
  const auto& mask = in.spec.shoot.node_cidr_mask_size_ipv6;
  if (!mask || !in.families.is_dual_stack()) return;
  if (mask->value < kIpv6Bounds.min || mask->value > kIpv6Bounds.max)
    report.add(*mask, fmt::format("the node mask /{} for IPv6 is outside /{} to /{}", mask->value,
                                  kIpv6Bounds.min, kIpv6Bounds.max));
}

void check_mask_room(const NetworkInputs& in, RuleReport& report) {
  const std::int64_t mask = in.addressing.spec_node_mask.value;
  if (!in.families.has(Family::Ipv4) || mask < 0 || mask > 32) return;
  const std::int64_t addresses = (std::int64_t{1} << (32 - mask)) - 2;
  const std::uint32_t pods = in.addressing.max_pods.value;
  if (addresses < pods)
    report.add(
        mask_path(in), mask_place(in),
        fmt::format("a node's /{} has {} addresses, fewer than {} pods", mask, addresses, pods),
        fmt::format("use a nodeCIDRMaskSize of at most {}, or lower maxPods",
                    std::min(default_node_mask(pods), kIpv4Bounds.max)));
}

void check_ipv6_mask_unused(const NetworkInputs& in, RuleReport& report) {
  const auto& mask = in.spec.shoot.node_cidr_mask_size_ipv6;
  if (mask && !in.families.has(Family::Ipv6))
    report.add(*mask, fmt::format("{} is given, but the shoot is IPv4-only", mask->path));
}

void check_given_twice(const NetworkInputs& in, RuleReport& report) {
  const manifest::ShootSpec& shoot = in.spec.shoot;
  if (shoot.node_cidr_mask_size && shoot.node_cidr_mask_size_ipv6 && !in.families.has(Family::Ipv4))
    report.add(*shoot.node_cidr_mask_size_ipv6,
               "an IPv6-only shoot gives both nodeCIDRMaskSize and nodeCIDRMaskSizeIPv6");
}

constexpr Check<NetworkInputs> kNodeMaskChecks[] = {
    {{.id = "node-mask-bounds",
      .section = "§3.4",
      .title = "The node mask is out of bounds.",
      .why = "Gardener's validation allows no other sizes for the pod CIDR of a node.",
      .remedy = "choose another nodeCIDRMaskSize or maxPods",
      .source = kShootValidation},
     check_mask_bounds},
    {{.id = "node-mask-ipv6-bounds",
      .section = "§3.4",
      .title = "The IPv6 node mask of a dual-stack shoot is out of bounds.",
      .why = "Gardener's validation allows no other sizes for the pod CIDR of a node.",
      .remedy = "choose another nodeCIDRMaskSizeIPv6",
      .source = kShootValidation},
     check_second_mask_bounds},
    {{.id = "node-mask-too-small",
      .section = "§3.4",
      .title = "A node's pod CIDR has fewer addresses than the node may have pods.",
      .why = "Gardener's validation refuses a mask whose usable addresses (all but two) are fewer "
             "than the largest maxPods.",
      .remedy = "use a smaller nodeCIDRMaskSize, or lower maxPods",
      .source = kShootValidation},
     check_mask_room},
    {{.id = "node-mask-ipv6-without-ipv6",
      .section = "§3.4",
      .title = "An IPv4-only shoot has an IPv6 node mask.",
      .why = "Gardener's validation forbids the field unless IPv6 is among the families.",
      .remedy = "remove nodeCIDRMaskSizeIPv6, or add IPv6 to ipFamilies",
      .source = kShootValidation},
     check_ipv6_mask_unused},
    {{.id = "node-mask-given-twice",
      .section = "§3.4",
      .title = "A single-stack shoot gives two node masks.",
      .why = "Both fields would set the mask of the same family; Gardener's validation refuses the "
             "pair.",
      .remedy = "remove one of the two fields",
      .source = kShootValidation},
     check_given_twice},
};

}  // namespace

std::span<const Check<NetworkInputs>> node_mask_checks() {
  return kNodeMaskChecks;
}

using effective::GivenRange;
using effective::kDefaultNodeMaskIpv6;
using effective::pod_cidr_count;
namespace {

/// The pod range of the checked family if it is smaller than one node's pod CIDR; otherwise null.
const IpPrefix* too_small_for_a_node(const LintInputs& in) {
  const bool ipv4 = in.shoot.families.has(Family::Ipv4);
  const auto pods = std::ranges::find(in.dataplane.pods, ipv4, &IpPrefix::is_ipv4);
  const bool too_small = pods != in.dataplane.pods.end() &&
                         pod_cidr_count(*pods, in.shoot.addressing.node_cidr_mask_size.value) == 0;
  return too_small ? &*pods : nullptr;
}

/// Number of nodes beyond the available addresses or pod CIDRs.
struct NodeShortage {
  NodeCount count;
  std::int64_t limit = 0;
  std::string who;      ///< "the workers".
  std::string because;  ///< Why `limit` is the limit.

  bool is_at_minimum() const { return count.minimum > limit; }
  std::string message() const {
    return is_at_minimum()
               ? fmt::format("{} need {} nodes at least, but {} is the limit: {}", who,
                             count.minimum, limit, because)
               : fmt::format("{} may grow to {} nodes (at least {}), but {} is the limit: {}", who,
                             count.maximum, count.minimum, limit, because);
  }
};

/// Number of a pool's nodes in one of its zones. Zones have equal numbers; if the number is not
/// divisible, the first zones have one more (gardener/gardener
/// extensions/pkg/controller/worker/machines.go, DistributeOverZones).
std::int64_t nodes_in_zone(std::int64_t nodes, std::size_t zone, std::size_t zones) {
  const auto divisor = static_cast<std::int64_t>(zones);
  return nodes / divisor + (static_cast<std::int64_t>(zone) < nodes % divisor ? 1 : 0);
}

NodeCount count_nodes_in_zone(const manifest::ShootSpec& shoot, std::string_view zone) {
  NodeCount count;
  for (const manifest::WorkerPool& pool : shoot.workers)
    for (std::size_t i = 0; i < pool.zones.size(); ++i)
      if (pool.zones[i] == zone) {
        count.minimum += nodes_in_zone(pool.minimum, i, pool.zones.size());
        count.maximum += nodes_in_zone(pool.maximum, i, pool.zones.size());
      }
  return count;
}

std::optional<NodeShortage> shortage_in_zones(const LintInputs& in) {
  std::optional<NodeShortage> worst;
  for (const effective::NodeSubnet& subnet : in.dataplane.node_subnets.given) {
    if (subnet.zone.empty()) continue;
    const NodeCount count = count_nodes_in_zone(in.shoot.spec.shoot, subnet.zone);
    const std::int64_t limit = effective::machine_addresses(subnet.cidr);
    if (count.maximum <= limit) continue;
    NodeShortage shortage{
        count, limit, fmt::format("the workers in zone {}", subnet.zone),
        fmt::format("so many nodes have an address in its subnet {}", subnet.cidr.to_string())};
    if (!worst || (shortage.is_at_minimum() && !worst->is_at_minimum()))
      worst = std::move(shortage);
  }
  return worst;
}

std::optional<NodeShortage> node_shortage(const LintInputs& in) {
  if (too_small_for_a_node(in) != nullptr) return std::nullopt;
  const auto limit = in.dataplane.max_nodes;
  const NodeCount count = count_nodes(in.shoot.spec.shoot);
  if (!limit || count.maximum <= *limit) return shortage_in_zones(in);
  return NodeShortage{count, *limit, "the workers",
                      fmt::format("{}", in.shoot.addressing.max_nodes.basis.because)};
}

void check_workers_maximum(const LintInputs& in, RuleReport& report) {
  const auto shortage = node_shortage(in);
  if (shortage && !shortage->is_at_minimum())
    report.add("spec.provider.workers", place_of_workers(in), shortage->message(),
               hint_of_fixed_range(in,
                                   "lower the workers' maximum: a live shoot keeps its ranges "
                                   "and node mask"));
}

void check_workers_minimum(const LintInputs& in, RuleReport& report) {
  const auto shortage = node_shortage(in);
  if (shortage && shortage->is_at_minimum())
    report.add("spec.provider.workers", place_of_workers(in), shortage->message(),
               hint_of_fixed_range(in,
                                   "lower the workers' minimum: a live shoot keeps its ranges "
                                   "and node mask"));
}

void check_one_node(const LintInputs& in, RuleReport& report) {
  const IpPrefix* pods = too_small_for_a_node(in);
  if (pods == nullptr) return;
  const std::string message =
      fmt::format("pods {} are smaller than one node's /{}", pods->to_string(),
                  in.shoot.addressing.node_cidr_mask_size.value);
  const auto& ranges = in.shoot.addressing.given;
  const auto given = std::ranges::find(ranges, *pods, &GivenRange::value);
  const std::string hint = hint_of_fixed_range(in, kOtherRanges);
  if (given != ranges.end())
    report.add(*given->given, message, hint);
  else
    report.add(message, hint);
}

void check_aws_dual_stack(const LintInputs& in, RuleReport& report) {
  const std::int64_t mask = in.shoot.addressing.spec_node_mask.value;
  const std::int64_t real = in.shoot.addressing.node_cidr_mask_size.value;
  if (mask == real) return;
  const auto& given = in.shoot.spec.shoot.node_cidr_mask_size;
  const std::string message =
      fmt::format("the IPv4 node mask would be /{}, but every node gets a /{}", mask, real);
  if (given)
    report.add(*given, message);
  else
    report.add(message);
}

void check_ipv6_default(const LintInputs& in, RuleReport& report) {
  const manifest::ShootSpec& shoot = in.shoot.spec.shoot;
  if (!in.shoot.families.has(Family::Ipv6) || shoot.node_cidr_mask_size_ipv6 ||
      (!in.shoot.families.is_dual_stack() && shoot.node_cidr_mask_size))
    return;
  const auto pods = std::ranges::find(in.dataplane.pods, false, &IpPrefix::is_ipv4);
  if (pods == in.dataplane.pods.end()) return;
  constexpr std::int64_t kBitsForNodes = 16;
  constexpr std::int64_t kLongest = 124;
  const std::int64_t derived = std::min(pods->length() + kBitsForNodes, kLongest);
  if (derived != kDefaultNodeMaskIpv6)
    report.add(
        fmt::format("no IPv6 node mask is given: /{} by default, /{} in newer releases, which "
                    "derive it from the pods' {}",
                    kDefaultNodeMaskIpv6, derived, pods->to_string()));
}

constexpr const char* kNetworkingDocs =
    "gardener/gardener docs/usage/networking/shoot_networking.md";

constexpr Check<LintInputs> kNodeRangeLints[] = {
    {{.id = "minimum-exceeds-node-ranges",
      .section = "§3.4",
      .severity = Severity::Error,
      .enforcer = Enforcer::Reconcile,
      .title = "The ranges or the CloudProfile do not allow the minimum number of nodes.",
      .why = "Gardener compares the workers' minimum neither with the pod range nor with the "
             "subnets. A machine without an address is not created, and a node without a pod CIDR "
             "is not ready: the reconciliation of the shoot waits for them and fails.",
      .remedy = "use larger ranges, or lower the workers' minimum",
      .source = "gardener/gardener issue 5298; gardener/gardener issue 7779"},
     check_workers_minimum},
    {{.id = "too-few-node-ranges",
      .section = "§3.4",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "The ranges or the CloudProfile do not allow the maximum number of nodes.",
      .why = "Gardener compares the workers' maximum neither with the pod range nor with the "
             "subnets. A node beyond them never gets a pod CIDR or an address and is unusable; the "
             "autoscaler stops at the CloudProfile's limit.",
      .remedy = "use larger ranges or a longer node mask, or lower the workers' maximum",
      .source = "gardener/gardener issue 5298; gardener/gardener issue 7779"},
     check_workers_maximum},
    {{.id = "pods-smaller-than-a-node",
      .section = "§3.4",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "The pod range is smaller than the pod CIDR of one node.",
      .why = "Gardener does not reject a pods prefix that is longer than the node mask, and then "
             "no node gets a pod CIDR.",
      .remedy = "use a larger pods range, or a larger nodeCIDRMaskSize with a smaller maxPods",
      .source = kNetworkingDocs},
     check_one_node},
    {{.id = "aws-dual-stack-node-mask",
      .section = "§3.4",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "A dual-stack shoot on AWS has another IPv4 node mask than /24.",
      .why =
          "The provider's IPAM controller gives every node of a dual-stack shoot a /24, regardless "
          "of the mask. The maximum number of nodes differs from what the mask suggests.",
      .remedy = "plan with /24, or give nodeCIDRMaskSize: 24",
      .source = "gardener-extension-provider-aws docs/usage/ipv6.md"},
     check_aws_dual_stack},
    {{.id = "ipv6-node-mask-by-release",
      .section = "§3.4",
      .severity = Severity::Note,
      .enforcer = Enforcer::None,
      .title = "A shoot with IPv6 leaves its IPv6 node mask to Gardener's release.",
      .why = "Releases differ in the default: /64, or the pods' prefix plus 16 bits, at most /124. "
             "The field cannot be changed later.",
      .remedy = "give nodeCIDRMaskSizeIPv6",
      .source = kNetworkingDocs},
     check_ipv6_default},
};

}  // namespace

std::span<const Check<LintInputs>> node_range_lints() {
  return kNodeRangeLints;
}

}  // namespace overlane::rules
