#include <array>

#include <fmt/format.h>

#include "topologies/effective/rule_tables.h"

namespace overlane::effective {
namespace {

using manifest::Field;

constexpr const char* kShootValidation = "gardener/gardener pkg/api/core/validation/shoot.go";

struct Range {
  const char* role;
  const Field<IpPrefix>* given;
};

std::array<Range, 3> ranges_of(const NetworkInputs& in) {
  return {
      {{"pods", &in.spec.pods}, {"services", &in.spec.services}, {"nodes", &in.spec.shoot.nodes}}};
}

bool overlap_ipv4(const IpPrefix& a, const IpPrefix& b) {
  return a.is_ipv4() && a.overlaps(b);
}

void check_family(const NetworkInputs& in, RuleReport& report) {
  if (in.families.is_dual_stack()) return;
  const bool ipv4 = in.families.primary() == Family::Ipv4;
  for (const Range& range : ranges_of(in))
    if (*range.given && (*range.given)->value.is_ipv4() != ipv4)
      report.add(**range.given, fmt::format("{} is no {} range, but the shoot is {}",
                                            (*range.given)->value.to_string(),
                                            ipv4 ? "IPv4" : "IPv6", ipv4 ? "IPv4" : "IPv6"));
}

/// gardener/gardener pkg/apis/core/v1beta1/constants: used by the VPN between seed and shoot.
void check_reserved(const NetworkInputs& in, RuleReport& report) {
  for (const Range& range : ranges_of(in)) {
    if (!*range.given) continue;
    const manifest::Given<IpPrefix>& given = **range.given;
    for (std::uint32_t octet = 240; octet <= 244; ++octet)
      if (overlap_ipv4(given.value, Ipv4Prefix{{octet << 24}, 8}))
        report.add(given, fmt::format("{} lies in {}.0.0.0/8, which Gardener reserves for the VPN; "
                                      "scheduling refuses it",
                                      given.value.to_string(), octet));
  }
}

void check_disjoint(const NetworkInputs& in, RuleReport& report) {
  const auto ranges = ranges_of(in);
  for (std::size_t i = 0; i < ranges.size(); ++i)
    for (std::size_t j = i + 1; j < ranges.size(); ++j) {
      if (!*ranges[i].given || !*ranges[j].given) continue;
      const auto& a = **ranges[i].given;
      const auto& b = **ranges[j].given;
      if (overlap_ipv4(a.value, b.value))
        report.add(a, fmt::format("{} {} overlaps {} {}", ranges[i].role, a.value.to_string(),
                                  ranges[j].role, b.value.to_string()));
    }
}

/// The field that decides the mask, for the place of a finding.
std::string mask_path(const NetworkInputs& in) {
  const auto& given = in.spec.shoot.node_cidr_mask_size;
  return given ? given->path : "spec.kubernetes.kubelet.maxPods";
}

Place mask_place(const NetworkInputs& in) {
  const auto& given = in.spec.shoot.node_cidr_mask_size;
  return given ? given->place : in.spec.place;
}

void check_mask_bounds(const NetworkInputs& in, RuleReport& report) {
  const bool ipv4 = in.families.has(Family::Ipv4);
  const std::int64_t least = ipv4 ? 16 : 64;
  const std::int64_t most = ipv4 ? 28 : 124;
  const std::int64_t mask = in.addressing.node_cidr_mask_size.value;
  if (mask < least || mask > most)
    report.add(mask_path(in), mask_place(in),
               fmt::format("the node mask /{} is outside /{} to /{}", mask, least, most));
}

void check_mask_room(const NetworkInputs& in, RuleReport& report) {
  const std::int64_t mask = in.addressing.node_cidr_mask_size.value;
  if (!in.families.has(Family::Ipv4) || mask < 0 || mask > 32) return;
  const std::int64_t addresses = (std::int64_t{1} << (32 - mask)) - 2;
  const std::uint32_t pods = in.addressing.max_pods.value;
  if (addresses < pods)
    report.add(
        mask_path(in), mask_place(in),
        fmt::format("a node's /{} has {} addresses, fewer than {} pods", mask, addresses, pods),
        fmt::format("use nodeCIDRMaskSize {} or smaller, or lower maxPods",
                    default_node_mask(pods)));
}

constexpr Check<NetworkInputs> kChecks[] = {
    {{.id = "cidr-family",
      .section = "N4",
      .title = "Single-stack shoots have ranges of their own IP family.",
      .why = "Gardener's validation refuses a range of the other family, unless the shoot is "
             "dual-stack.",
      .remedy = "give a range of the shoot's family or set ipFamilies",
      .source = kShootValidation},
     check_family},
    {{.id = "reserved-range",
      .section = "§3.1",
      .title = "Ranges lie outside those that Gardener's VPN uses.",
      .why = "240.0.0.0/8 to 244.0.0.0/8 stand for the networks on both sides of the VPN between "
             "seed and shoot. A shoot with such a range is refused when it is scheduled.",
      .remedy = "choose another range",
      .source = "gardener/gardener pkg/apis/core/v1beta1/constants/types_constants.go"},
     check_reserved},
    {{.id = "ranges-overlap",
      .section = "§3.2",
      .title = "Pods, services and nodes of a shoot are disjoint.",
      .why = "An address that two ranges hold cannot be routed; admission refuses the shoot.",
      .remedy = "pods, services and nodes must be disjoint",
      .source = "gardener/gardener plugin/pkg/shoot/validator/admission.go"},
     check_disjoint},
    {{.id = "node-mask-bounds",
      .section = "§3.4",
      .title = "The node mask lies between /16 and /28, for IPv6 between /64 and /124.",
      .why = "Gardener's validation knows no other sizes for the pod range of a node.",
      .remedy = "choose another nodeCIDRMaskSize or maxPods",
      .source = kShootValidation},
     check_mask_bounds},
    {{.id = "node-mask-too-small",
      .section = "§3.4",
      .title = "A node's pod range has an address for each of its pods.",
      .why = "Gardener's validation refuses a mask whose addresses, but two, are fewer than the "
             "largest maxPods.",
      .remedy = "use a smaller nodeCIDRMaskSize, or lower maxPods",
      .source = kShootValidation},
     check_mask_room},
};

}  // namespace

std::span<const Check<NetworkInputs>> gardener_checks() {
  return kChecks;
}

}  // namespace overlane::effective
