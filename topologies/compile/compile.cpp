#include "topologies/compile/compile.h"

#include <fmt/format.h>

#include "topologies/compile/fabric.h"
#include "topologies/compile/node.h"

namespace overlane::compile {

Result<Compiled> compile(const graph::Topology& topology,
                         const effective::EffectiveDataplane& shoot) {
  if (shoot.dataplane.encryption == effective::Encryption::WireGuard) {
    const ObjectName object{"Shoot", shoot.namespace_, shoot.name};
    return fail(Finding{
        .rule = "unsupported-encryption",
        .severity = Severity::Error,
        .message = fmt::format("{}: node states with WireGuard are not known", object.qualified()),
        .object = object,
        .path = "spec.networking.providerConfig",
        .place = shoot.place,
        .hint = "overlane explain covers it; without encryption it can be run"});
  }
  Compiled compiled;
  compiled.fabric = fabric_state(topology, shoot, compiled.findings);
  compiled.nodes = node_states(topology, shoot);
  return compiled;
}

}  // namespace overlane::compile
