#include "topologies/path/outside.h"

#include <algorithm>
#include <array>

namespace overlane::path {
bool is_global(IpAddress address) {
  constexpr std::array kLocal = {Ipv4Prefix{{0x00000000}, 8},  Ipv4Prefix{{0x0a000000}, 8},
                                 Ipv4Prefix{{0x64400000}, 10}, Ipv4Prefix{{0x7f000000}, 8},
                                 Ipv4Prefix{{0xa9fe0000}, 16}, Ipv4Prefix{{0xac100000}, 12},
                                 Ipv4Prefix{{0xc0a80000}, 16}, Ipv4Prefix{{0xe0000000}, 3}};
  constexpr std::uint64_t kNat64 = 0x0064'ff9b'0000'0000;  // 64:ff9b::/96 (RFC 6052)
  if (!address.is_ipv4()) {
    return address.high >> 61 == 1 ||  // 2000::/3
           (address.high == kNat64 && address.low >> 32 == 0);
  }
  return std::ranges::none_of(
      kLocal, [=](const Ipv4Prefix& network) { return network.contains(address.ipv4()); });
}

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
