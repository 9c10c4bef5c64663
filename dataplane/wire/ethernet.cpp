#include "dataplane/wire/ethernet.h"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "dataplane/net/byte_order.h"

namespace overlane::wire {

Result<EthernetHeader, Drop> parse_ethernet(std::span<const std::uint8_t> frame) {
  if (frame.size() < kEthernetBytes) return fail(Drop::Malformed);
  EthernetHeader header;
  std::memcpy(header.destination.bytes.data(), frame.data(), 6);
  std::memcpy(header.source.bytes.data(), frame.data() + 6, 6);
  header.ether_type = load_be16(frame.data() + 12);
  return header;
}

void write(const EthernetHeader& header, std::span<std::uint8_t> to) {
  assert(to.size() >= kEthernetBytes);
  std::memcpy(to.data(), header.destination.bytes.data(), 6);
  std::memcpy(to.data() + 6, header.source.bytes.data(), 6);
  store_be16(to.data() + 12, header.ether_type);
}

std::vector<std::uint8_t> framed(std::span<const std::uint8_t> packet,
                                 const MacAddress& destination, const MacAddress& source) {
  const bool is_ipv6 = !packet.empty() && packet[0] >> 4 == 6;
  std::vector<std::uint8_t> frame(kEthernetBytes + packet.size());
  write(EthernetHeader{destination, source, is_ipv6 ? kEtherTypeIpv6 : kEtherTypeIpv4}, frame);
  std::ranges::copy(packet, frame.begin() + kEthernetBytes);
  return frame;
}

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
