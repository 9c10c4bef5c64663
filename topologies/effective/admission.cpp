#include "topologies/effective/admission.h"

#include <algorithm>
#include <array>
#include <variant>

#include <fmt/format.h>

namespace overlane::effective {
namespace {

using manifest::ClusterSpec;
using manifest::CniType;

Finding refuse(const ClusterSpec& spec, std::string path, Place place, std::string message,
               std::string hint) {
  return {.rule = "not-admitted",
          .message = fmt::format("{}: {}", spec.object.qualified(), message),
          .object = spec.object,
          .path = std::move(path),
          .place = std::move(place),
          .hint = std::move(hint)};
}

const manifest::Field<manifest::Overlay>& overlay_block(const ClusterSpec& spec) {
  return std::visit(
      [](const auto& config) -> const manifest::Field<manifest::Overlay>& {
        return config.overlay;
      },
      spec.config);
}

std::optional<Finding> check_ip_families(const AdmissionInputs& in) {
  if (!in.spec.ip_families) return std::nullopt;
  const auto& [families, place, path] = *in.spec.ip_families;
  if (std::ranges::find(families, "IPv6") == families.end()) return std::nullopt;
  const bool single = families.size() == 1;
  if (in.rules.ipv6 == Ipv6Rule::Forbidden || (single && in.rules.ipv6 == Ipv6Rule::DualOnly))
    return refuse(in.spec, path, place,
                  fmt::format("provider {} does not support {}", in.rules.name,
                              single ? "IPv6-only shoots" : "dual-stack shoots"),
                  "use ipFamilies: [IPv4]");
  if (in.rules.ipv6_needs_routed && in.overlay.enabled != false)
    return refuse(
        in.spec, path, place,
        fmt::format("provider {} admits IPv6 only with overlay.enabled: false", in.rules.name),
        "set overlay.enabled: false");
  return Finding{.rule = "unsupported-ip-family",
                 .message = fmt::format("{}: {} shoots are not modelled yet",
                                        in.spec.object.qualified(), single ? "IPv6" : "dual-stack"),
                 .object = in.spec.object,
                 .path = path,
                 .place = place,
                 .hint = "only IPv4 shoots are explained"};
}

std::optional<Finding> check_overlay(const AdmissionInputs& in) {
  const auto& block = overlay_block(in.spec);
  if (!block) return std::nullopt;
  const bool mutated = in.rules.new_calico_overlay || in.rules.new_cilium_overlay;
  if (!block->value.enabled && mutated)
    return refuse(in.spec, block->path, block->place,
                  fmt::format("admission of provider {} fails on an overlay block without the key "
                              "enabled",
                              in.rules.name),
                  "write overlay.enabled: true or false");
  if (in.spec.cni == CniType::Calico && in.overlay.enabled == true &&
      !in.rules.calico_overlay_refused_by.empty())
    return refuse(in.spec, block->value.enabled->path, block->value.enabled->place,
                  fmt::format("provider {} does not admit calico with an overlay: its validator "
                              "refuses every one ({})",
                              in.rules.name, in.rules.calico_overlay_refused_by),
                  "set overlay.enabled: false or leave the overlay block out");
  return std::nullopt;
}

std::optional<Finding> check_kube_proxy(const AdmissionInputs& in) {
  const auto& enabled = in.spec.shoot.kube_proxy_enabled;
  if (in.spec.cni != CniType::Calico || !enabled || enabled->value) return std::nullopt;
  const auto& ebpf = std::get<manifest::CalicoConfig>(in.spec.config).ebpf;
  if (ebpf && ebpf->value) return std::nullopt;
  return refuse(in.spec, enabled->path, enabled->place,
                "calico needs kube-proxy unless its eBPF dataplane is on",
                "set ebpfDataplane.enabled: true in the providerConfig, or enable kube-proxy");
}

/// gardener/gardener pkg/api/core/validation/shoot.go: 16 to 28, and room for every pod.
std::optional<Finding> check_node_mask(const AdmissionInputs& in) {
  const auto& given = in.spec.shoot.node_cidr_mask_size;
  const std::int64_t mask = in.addressing.node_cidr_mask_size.value;
  const std::string path = given ? given->path : "spec.kubernetes.kubelet.maxPods";
  const Place place = given ? given->place : in.spec.place;
  if (mask < 16 || mask > 28)
    return refuse(in.spec, path, place,
                  fmt::format("the node mask /{} is outside /16 to /28", mask),
                  "choose another nodeCIDRMaskSize or maxPods");
  const std::int64_t addresses = (std::int64_t{1} << (32 - mask)) - 2;
  if (addresses >= in.addressing.max_pods.value) return std::nullopt;
  return refuse(in.spec, path, place,
                fmt::format("a node's /{} has {} addresses, fewer than {} pods", mask, addresses,
                            in.addressing.max_pods.value),
                fmt::format("use nodeCIDRMaskSize {} or smaller, or lower maxPods",
                            default_node_mask(in.addressing.max_pods.value)));
}

struct Range {
  const char* role;
  const Decided<std::vector<IpPrefix>>* ranges;
  const manifest::Field<IpPrefix>* given;
};

std::array<Range, 3> ranges_of(const AdmissionInputs& in) {
  return {{{"pods", &in.addressing.pods, &in.spec.pods},
           {"services", &in.addressing.services, &in.spec.services},
           {"nodes", &in.addressing.nodes, &in.spec.shoot.nodes}}};
}

bool overlap(const IpPrefix& a, const IpPrefix& b) {
  return a.is_ipv4() && a.overlaps(b);
}

/// gardener/gardener pkg/apis/core/v1beta1/constants: used by the VPN between seed and shoot.
std::optional<Finding> check_ranges(const AdmissionInputs& in) {
  const auto ranges = ranges_of(in);
  for (const Range& range : ranges) {
    if (!*range.given) continue;
    const manifest::Given<IpPrefix>& given = **range.given;
    if (!given.value.is_ipv4())
      return refuse(
          in.spec, given.path, given.place,
          fmt::format("{} is no IPv4 range, but the shoot is IPv4", given.value.to_string()),
          "give an IPv4 range or set ipFamilies");
    for (std::uint32_t octet = 240; octet <= 244; ++octet)
      if (overlap(given.value, Ipv4Prefix{{octet << 24}, 8}))
        return refuse(in.spec, given.path, given.place,
                      fmt::format("{} lies in {}.0.0.0/8, which Gardener reserves for the VPN; "
                                  "scheduling refuses it",
                                  given.value.to_string(), octet),
                      "choose another range");
  }
  for (std::size_t i = 0; i < ranges.size(); ++i)
    for (std::size_t j = i + 1; j < ranges.size(); ++j) {
      if (!*ranges[i].given || !*ranges[j].given) continue;
      const auto& a = **ranges[i].given;
      const auto& b = **ranges[j].given;
      if (overlap(a.value, b.value))
        return refuse(in.spec, a.path, a.place,
                      fmt::format("{} {} overlaps {} {}", ranges[i].role, a.value.to_string(),
                                  ranges[j].role, b.value.to_string()),
                      "pods, services and nodes must be disjoint");
    }
  return std::nullopt;
}

}  // namespace

std::optional<Finding> refused_by_admission(const AdmissionInputs& inputs) {
  for (const auto check :
       {check_ip_families, check_overlay, check_kube_proxy, check_ranges, check_node_mask})
    if (auto finding = check(inputs)) return finding;
  return std::nullopt;
}

}  // namespace overlane::effective
