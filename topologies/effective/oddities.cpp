#include <algorithm>
#include <variant>

#include <fmt/format.h>

#include "topologies/effective/admission.h"

namespace overlane::effective {
namespace {

using manifest::ClusterSpec;

Finding warn(const ClusterSpec& spec, const char* rule, std::string path, Place place,
             std::string message, std::string hint) {
  return {.rule = rule,
          .severity = Severity::Warning,
          .message = fmt::format("{}: {}", spec.object.qualified(), message),
          .object = spec.object,
          .path = std::move(path),
          .place = std::move(place),
          .hint = std::move(hint)};
}

/// Given ranges against assumed ones; two given ones are admission's business.
void compare(const ClusterSpec& spec, const char* role_a, const Decided<std::vector<IpPrefix>>& a,
             const char* role_b, const Decided<std::vector<IpPrefix>>& b, Findings& findings) {
  if (!a.basis.assumed && !b.basis.assumed) return;
  for (const IpPrefix& x : a.value)
    for (const IpPrefix& y : b.value)
      if (x.is_ipv4() && x.overlaps(y))
        findings.push_back(warn(spec, "overlapping-ranges", "spec.networking", spec.place,
                                fmt::format("{} {}{} overlap {} {}{}", role_a, x.to_string(),
                                            a.basis.assumed ? " (assumed)" : "", role_b,
                                            y.to_string(), b.basis.assumed ? " (assumed)" : ""),
                                "give the assumed range"));
}

void check_workers(const ClusterSpec& spec, const EffectiveDataplane& dataplane,
                   Findings& findings) {
  std::int64_t minimum = 0;
  std::int64_t maximum = 0;
  for (const manifest::WorkerPool& pool : spec.shoot.workers) {
    minimum += pool.minimum;
    maximum += pool.maximum;
  }
  if (maximum <= dataplane.max_nodes && dataplane.max_nodes > 0) return;
  const Place place = spec.shoot.workers.empty() ? spec.place : spec.shoot.workers.front().place;
  findings.push_back(
      warn(spec, "too-few-node-ranges", "spec.provider.workers", place,
           fmt::format("the workers may grow to {} nodes (at least {}), but the ranges hold {}",
                       maximum, minimum, dataplane.max_nodes),
           "nodes beyond that never get a pod range; use a larger pods range or node mask"));
}

void check_mtu(const ClusterSpec& spec, const EffectiveDataplane& effective, Findings& findings) {
  const auto* calico = std::get_if<manifest::CalicoConfig>(&spec.config);
  if (calico == nullptr || !calico->veth_mtu || calico->veth_mtu->value == 0) return;
  const Dataplane& dataplane = effective.dataplane;
  if (dataplane.pod_mtu + dataplane.overhead_bytes <= dataplane.link_mtu) return;
  findings.push_back(
      warn(spec, "mtu-too-large", calico->veth_mtu->path, calico->veth_mtu->place,
           fmt::format("vethMTU {} and {} bytes of headers exceed the link MTU {} by {}: full-size "
                       "packets are fragmented or lost",
                       dataplane.pod_mtu, dataplane.overhead_bytes, dataplane.link_mtu,
                       dataplane.pod_mtu + dataplane.overhead_bytes - dataplane.link_mtu),
           "write \"0\" and let Calico choose"));
}

void check_left_over_vxlan(const ClusterSpec& spec, const EffectiveDataplane& effective,
                           Findings& findings) {
  const auto* calico = std::get_if<manifest::CalicoConfig>(&spec.config);
  if (calico == nullptr || effective.row != "T5") return;
  findings.push_back(warn(spec, "vxlan-left-over", calico->vxlan->path, calico->vxlan->place,
                          "vxlan.enabled without an overlay makes calico-ipam hand out addresses "
                          "that the nodes' routes do not cover: pods on different nodes lose each "
                          "other",
                          "remove the vxlan block"));
}

}  // namespace

Findings oddities(const AdmissionInputs& inputs, const EffectiveDataplane& dataplane) {
  Findings findings;
  const Addressing& a = inputs.addressing;
  compare(inputs.spec, "pods", a.pods, "services", a.services, findings);
  compare(inputs.spec, "pods", a.pods, "nodes", a.nodes, findings);
  compare(inputs.spec, "services", a.services, "nodes", a.nodes, findings);
  check_workers(inputs.spec, dataplane, findings);
  check_mtu(inputs.spec, dataplane, findings);
  check_left_over_vxlan(inputs.spec, dataplane, findings);
  return findings;
}

}  // namespace overlane::effective
