#include <algorithm>

#include <fmt/format.h>

#include "topologies/rules/subject_tables.h"

namespace overlane::rules {

using effective::default_node_mask;
using effective::NetworkInputs;
namespace {

constexpr const char* kShootValidation = "gardener/gardener pkg/api/core/validation/shoot.go";

/// Of the sizes that Gardener's validation knows for the pod range of a node.
struct MaskBounds {
  std::int64_t least;
  std::int64_t most;
};
constexpr MaskBounds kIpv4Bounds{16, 28};
constexpr MaskBounds kIpv6Bounds{64, 124};

/// The field that decides the mask, for the place of a finding.
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
  if (mask < bounds.least || mask > bounds.most)
    report.add(
        mask_path(in), mask_place(in),
        fmt::format("the node mask /{} is outside /{} to /{}", mask, bounds.least, bounds.most));
}

void check_second_mask_bounds(const NetworkInputs& in, RuleReport& report) {
  const auto& mask = in.spec.shoot.node_cidr_mask_size_ipv6;
  if (!mask || !in.families.is_dual_stack()) return;
  if (mask->value < kIpv6Bounds.least || mask->value > kIpv6Bounds.most)
    report.add(*mask, fmt::format("the node mask /{} for IPv6 is outside /{} to /{}", mask->value,
                                  kIpv6Bounds.least, kIpv6Bounds.most));
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
                    std::min(default_node_mask(pods), kIpv4Bounds.most)));
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

}  // namespace overlane::rules
