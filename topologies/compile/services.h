#pragma once

#include <optional>
#include <vector>

#include "topologies/compile/compile.h"

namespace overlane::compile {

/// The proxy that translates Services in a shoot; nullopt for a declarative network type that
/// replaces kube-proxy, which is not modelled.
std::optional<node::ServiceProxy> service_proxy(effective::ServiceRouting routing);

/// Adds these Services to all nodes, translated as by kube-proxy or the CNI's agent. Does not
/// change the states where service_proxy() is nullopt. Fails like node::ServiceTable::make().
Result<void> add_services(std::vector<node::Service> services,
                          const effective::EffectiveDataplane& shoot, std::uint64_t seed,
                          Compiled& states);

}  // namespace overlane::compile
