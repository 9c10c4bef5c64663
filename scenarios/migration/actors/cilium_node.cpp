#include "scenarios/migration/actors/cilium_node.h"

#include <fmt/format.h>

namespace overlane::migration {

std::string CiliumNode::start(node::WorldEditor& world, std::uint32_t node, Picos /*now*/) {
  const bool is_back = objects_.is_configuration_back;
  const node::NodeState& before = (is_back ? transition_.to : transition_.from).nodes[node];
  const node::NodeState& after = (is_back ? transition_.from : transition_.to).nodes[node];
  node::NodeEditor& editor = world.node(node);
  for (const node::Device& device : before.devices)
    if (after.find_device(device.name) == nullptr) editor.remove_device(device.name);
  for (const node::Device& device : after.devices)
    editor.set_device(device);
  editor.set_cluster(after.cluster);
  for (const auto& [destination, route] : before.routes)
    if (after.routes.find(destination) == nullptr) editor.remove_route(destination);
  for (const auto& [destination, route] : after.routes)
    editor.set_route(destination, route);
  editor.set_filter(after.filter);
  editor.set_services(after.services);
  announce_by_bgp(is_back ? transition_.from : transition_.to, node, world);
  return fmt::format("{}: the agent has loaded the datapath: {}", after.member().name,
                     mode_name((is_back ? transition_.before : transition_.after).dataplane));
}

std::string CiliumNode::start_on_new_node(node::WorldEditor& world, std::uint32_t node, Picos now) {
  announce_pods(world, node);
  return start(world, node, now);
}

}  // namespace overlane::migration
