#include "topologies/compile/compile.h"

#include <utility>

#include <fmt/format.h>

#include "topologies/compile/fabric.h"
#include "topologies/compile/node.h"

namespace overlane::compile {
namespace {

/// The clouds hand pods' IPv6 ranges to machines in ways of their own (prefix delegation, alias
/// ranges), which the fabric's state does not know.
bool routes_ipv6(effective::Provider provider) {
  switch (provider) {
    case effective::Provider::Aws:
    case effective::Provider::Gcp:
    case effective::Provider::Azure:
    case effective::Provider::OpenStack:
    case effective::Provider::AliCloud:
      return false;
    case effective::Provider::Metal:
    case effective::Provider::Local:
    case effective::Provider::Other:
      return true;
  }
  return false;
}

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

}  // namespace

Result<Compiled> compile(const graph::Topology& topology,
                         const effective::EffectiveDataplane& shoot) {
  if (shoot.dataplane.encryption == effective::Encryption::WireGuard) {
    return refuse(shoot, "unsupported-encryption", "node states with WireGuard are not known",
                  "spec.networking.providerConfig",
                  "overlane explain covers it; without encryption it can be run");
  }
  if (topology.vpc().ipv6 && !routes_ipv6(topology.vpc().provider)) {
    return refuse(shoot, "unsupported-ip-family",
                  fmt::format("how {} routes IPv6 pods is not known", to_string(shoot.provider)),
                  "spec.networking.ipFamilies", "with ipFamilies: [IPv4] it can be run");
  }
  Compiled compiled;
  compiled.fabric = fabric_state(topology, shoot, compiled.findings);
  compiled.nodes = node_states(topology, shoot);
  return compiled;
}

}  // namespace overlane::compile
