#include "topologies/path/outside.h"

#include <algorithm>
#include <array>

namespace overlane::path {
bool is_global(IpAddress address) {
  constexpr std::array kLocal = {Ipv4Prefix{{0x00000000}, 8},  Ipv4Prefix{{0x0a000000}, 8},
                                 Ipv4Prefix{{0x64400000}, 10}, Ipv4Prefix{{0x7f000000}, 8},
                                 Ipv4Prefix{{0xa9fe0000}, 16}, Ipv4Prefix{{0xac100000}, 12},
                                 Ipv4Prefix{{0xc0a80000}, 16}, Ipv4Prefix{{0xe0000000}, 3}};
  if (!address.is_ipv4()) return address.high >> 61 == 1;  // 2000::/3
  return std::ranges::none_of(
      kLocal, [=](const Ipv4Prefix& network) { return network.contains(address.ipv4()); });
}

bool leaves_vpc(const node::FabricState& fabric, const forward::Packet& packet,
                std::uint32_t from) {
  const node::Instance& instance = fabric.instances[from];
  const forward::IpFields& header = packet.outermost();
  const auto& table = fabric.route_tables[fabric.subnets[instance.subnet].route_table];
  const auto* entry = table.routes.longest_match(header.destination);
  return entry != nullptr && entry->second.target == node::FabricTarget::Internet &&
         is_global(header.destination) &&
         std::ranges::find(instance.addresses, header.source) != instance.addresses.end();
}

}  // namespace overlane::path
