#include "topologies/path/outside.h"

#include <algorithm>

#include "dataplane/net/prefix.h"

namespace overlane::path {
namespace {

const std::pair<IpPrefix, node::FabricRoute>* route_of(const node::FabricState& fabric,
                                                       std::uint32_t from, IpAddress destination) {
  const node::Subnet& subnet = fabric.subnets[fabric.instances[from].subnet];
  return fabric.route_tables[subnet.route_table].routes.longest_match(destination);
}

}  // namespace

bool is_known_outside(const node::FabricState& fabric, IpAddress source, std::uint32_t from) {
  const node::Instance& instance = fabric.instances[from];
  if (std::ranges::find(instance.addresses, source) != instance.addresses.end()) return true;
  if (source.is_ipv4() || !is_global(source)) return false;
  const auto* entry = route_of(fabric, from, source);
  if (entry == nullptr) return false;
  const auto& [prefix, route] = *entry;
  return route.target == node::FabricTarget::Instance ? route.instance == from
                                                      : instance.owns(source);
}

bool leaves_vpc(const node::FabricState& fabric, const forward::Packet& packet,
                std::uint32_t from) {
  const forward::IpFields& header = packet.outermost();
  const auto* entry = route_of(fabric, from, header.destination);
  return entry != nullptr && entry->second.target == node::FabricTarget::Internet &&
         is_global(header.destination) && is_known_outside(fabric, header.source, from);
}

}  // namespace overlane::path
