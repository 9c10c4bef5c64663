#include "sim/fabric/path.h"

namespace overlane::fabric {

Picos latency(const Paths& paths, const node::FabricState& state, std::uint32_t from,
              std::uint32_t to) {
  const node::Subnet& a = state.subnets[state.instances[from].subnet];
  const node::Subnet& b = state.subnets[state.instances[to].subnet];
  return a.zone == b.zone ? paths.within_zone : paths.across_zones;
}

}  // namespace overlane::fabric
