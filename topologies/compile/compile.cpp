#include "topologies/compile/compile.h"

#include <utility>

#include <fmt/format.h>

#include "topologies/compile/fabric.h"
#include "topologies/compile/node.h"

namespace overlane::compile {
namespace {

tl::unexpected<Finding> refuse(const effective::EffectiveDataplane& shoot, std::string rule,
                               std::string_view what, std::string path, std::string hint) {
  const ObjectName object{"Shoot", shoot.namespace_, shoot.name};
  return fail(Finding{.rule = std::move(rule),
                      .severity = Severity::Error,
                      .message = fmt::format("{}: {}", object.qualified(), what),
                      .object = object,
                      .path = std::move(path),
                      .place = shoot.place,
                      .hint = std::move(hint)});
}

/// Why the nodes of a shoot with IPv6 are not known; empty when they are.
std::string unknown_ipv6(const effective::EffectiveDataplane& shoot) {
  const bool calico = shoot.agent == effective::NodeAgent::CalicoNode;
  const provider::Profile& profile = provider::profile_of(shoot.provider);
  if (profile.admission.ipv6 == provider::Ipv6Rule::Forbidden)
    return fmt::format("provider {} has no shoots with IPv6", profile.name);
  if (profile.fabric.pods_without_ipv6)
    return fmt::format("on provider {} only load balancers have IPv6, and pods have none",
                       profile.name);
  if (!shoot.not_modelled_because.empty()) return std::string(shoot.not_modelled_because);
  const bool tunnels = shoot.dataplane.mode == effective::Mode::Overlay;
  if (!calico && tunnels && shoot.dataplane_of(Family::Ipv4) == nullptr)
    return "cilium's tunnel is known over IPv4 only, and the nodes have none";
  return "";
}

}  // namespace

Result<Compiled> compile(const graph::Topology& topology,
                         const effective::EffectiveDataplane& shoot) {
  const bool is_double = shoot.agent == effective::NodeAgent::CiliumAgent &&
                         shoot.dataplane.is_encrypted() &&
                         shoot.dataplane.mode == effective::Mode::Overlay;
  if (is_double) {
    return refuse(
        shoot, "unsupported-encryption",
        "cilium sends its tunnel's packets through WireGuard, and a tunnel in a tunnel is "
        "not simulated",
        "spec.networking.providerConfig.encryption",
        "with overlay.enabled: false, or without encryption, it can be run");
  }
  if (shoot.dataplane_of(Family::Ipv6) != nullptr) {
    if (const std::string why = unknown_ipv6(shoot); !why.empty()) {
      return refuse(shoot, "unsupported-ip-family", why, "spec.networking.ipFamilies",
                    "with ipFamilies: [IPv4], or with overlay.enabled: false, its nodes are known");
    }
  }
  Compiled compiled;
  compiled.fabric = fabric_state(topology, shoot, compiled.findings);
  compiled.nodes = node_states(topology, shoot);
  return compiled;
}

}  // namespace overlane::compile
