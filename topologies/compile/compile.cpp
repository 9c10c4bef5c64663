#include "topologies/compile/compile.h"

#include <utility>

#include <fmt/format.h>

#include "topologies/cni/profiles.h"
#include "topologies/compile/fabric.h"
#include "topologies/compile/node.h"

namespace overlane::compile {
namespace {

using cni::Unsupported;

tl::unexpected<Finding> refuse(const effective::EffectiveDataplane& shoot, std::string rule,
                               const Unsupported& unsupported) {
  const ObjectName object{"Shoot", shoot.namespace_, shoot.name};
  return fail(Finding{.rule = std::move(rule),
                      .severity = Severity::Error,
                      .message = fmt::format("{}: {}", object.qualified(), unsupported.why),
                      .object = object,
                      .path = std::string(unsupported.path),
                      .place = shoot.place,
                      .hint = std::string(unsupported.hint)});
}

/// Why a shoot with IPv6 cannot be simulated; empty: it can.
std::string unsupported_ipv6(const effective::EffectiveDataplane& shoot,
                             const cni::NodeCompiler& cni) {
  const provider::Profile& profile = provider::profile_of(shoot.provider);
  if (profile.admission.ipv6 == provider::Ipv6Rule::Forbidden)
    return fmt::format("provider {} has no shoots with IPv6", profile.name);
  if (profile.fabric.pods_without_ipv6)
    return fmt::format("on provider {} only load balancers have IPv6, and pods have none",
                       profile.name);
  if (!shoot.not_modelled_because.empty()) return std::string(shoot.not_modelled_because);
  return cni.unsupported_ipv6 == nullptr ? "" : std::string(cni.unsupported_ipv6(shoot));
}

}  // namespace

Result<Compiled> compile(const graph::Topology& topology,
                         const effective::EffectiveDataplane& shoot) {
  const cni::NodeCompiler& cni = cni::profile_of(shoot.agent).nodes;
  if (cni.unsupported_encryption != nullptr) {
    if (const auto unsupported = cni.unsupported_encryption(shoot))
      return refuse(shoot, "unsupported-encryption", *unsupported);
  }
  if (shoot.dataplane_of(Family::Ipv6) != nullptr) {
    if (const std::string why = unsupported_ipv6(shoot, cni); !why.empty()) {
      return refuse(
          shoot, "unsupported-ip-family",
          {.why = why,
           .path = "spec.networking.ipFamilies",
           .hint = "with ipFamilies: [IPv4], or with overlay.enabled: false, its nodes are known"});
    }
  }
  Compiled compiled;
  compiled.fabric = fabric_state(topology, shoot, compiled.findings);
  compiled.nodes = node_states(topology, shoot);
  return compiled;
}

}  // namespace overlane::compile
