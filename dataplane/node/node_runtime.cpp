#include "dataplane/node/node_runtime.h"

#include "dataplane/node/node_state.h"

namespace overlane::node {

void forget_lost_devices(NodeRuntime& runtime, const NodeState& state) {
  runtime.connections.forget_masqueraded([&](DeviceName name, IpAddress address) {
    const Device* device = state.find_device(name);
    return device != nullptr && device->up && device->has(address);
  });
}

}  // namespace overlane::node
