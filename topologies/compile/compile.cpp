#include "topologies/compile/compile.h"

#include <fmt/format.h>

#include "topologies/compile/fabric.h"
#include "topologies/compile/node.h"

namespace overlane::compile {

Result<Compiled> compile(const graph::Topology& topology,
                         const effective::EffectiveDataplane& shoot) {
  if (shoot.cni != effective::Cni::Calico) {
    const ObjectName object{"Shoot", shoot.namespace_, shoot.name};
    return fail(Finding{.rule = "unsupported-cni",
                        .severity = Severity::Error,
                        .message = fmt::format("{}: simulating {} is not supported yet",
                                               object.qualified(), to_string(shoot.cni)),
                        .object = object,
                        .path = "spec.networking.type",
                        .place = shoot.place,
                        .hint = "overlane explain covers it; run needs type: calico"});
  }
  Compiled compiled;
  compiled.fabric = fabric_state(topology, shoot, compiled.findings);
  compiled.nodes = node_states(topology, shoot);
  return compiled;
}

}  // namespace overlane::compile
