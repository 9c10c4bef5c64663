#pragma once

#include <optional>
#include <vector>

#include "topologies/compile/compile.h"

namespace overlane::compile {

/// Who translates Services in a shoot; nothing where a described extension does, whose way is not
/// known.
std::optional<node::ServiceProxy> service_proxy(effective::ServiceRouting routing);

/// Has all nodes translate these Services, as kube-proxy or the network's agent would, and leaves
/// the states as they are where that is not known. Fails as node::ServiceTable::make().
Result<void> add_services(std::vector<node::Service> services,
                          const effective::EffectiveDataplane& shoot, std::uint64_t seed,
                          Compiled& states);

}  // namespace overlane::compile
