#include "dataplane/wire/vlan.h"

#include <cassert>

#include "dataplane/net/byte_order.h"

namespace overlane::wire {

Result<VlanTag, Drop> parse_vlan(std::span<const std::uint8_t> behind_ether_type) {
  if (behind_ether_type.size() < kVlanTagBytes) return fail(Drop::Malformed);
  const std::uint16_t control = load_be16(behind_ether_type.data());
  return VlanTag{.priority = static_cast<std::uint8_t>(control >> 13),
                 .drop_eligible = (control & 0x1000) != 0,
                 .vlan_id = static_cast<std::uint16_t>(control & 0xfff),
                 .ether_type = load_be16(behind_ether_type.data() + 2)};
}

void write(const VlanTag& tag, std::span<std::uint8_t> to) {
  assert(to.size() >= kVlanTagBytes && tag.priority < 8 && tag.vlan_id < 0x1000);
  store_be16(to.data(), static_cast<std::uint32_t>(tag.priority << 13) |
                            (tag.drop_eligible ? 0x1000u : 0u) | tag.vlan_id);
  store_be16(to.data() + 2, tag.ether_type);
}

}  // namespace overlane::wire
