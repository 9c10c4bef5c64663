#include "dataplane/node/runtime/node_runtime.h"

#include <algorithm>

#include "dataplane/node/state/node_state.h"

namespace overlane::node {

void forget_lost_devices(NodeRuntime& runtime, const NodeState& state) {
  runtime.connections.forget_masqueraded([&](DeviceName name, IpAddress address) {
    const Device* device = state.find_device(name);
    if (device != nullptr) return device->up && device->has(address);
    // A pod that reaches itself through a Service: its veth has no address of its own.
    return is_local(state, address) && std::ranges::any_of(state.pods, [=](const LocalPod& pod) {
             return state.pod_device(pod.address) == name;
           });
  });
}

}  // namespace overlane::node
