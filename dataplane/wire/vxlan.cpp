#include "dataplane/wire/vxlan.h"

#include <cassert>

#include "dataplane/net/byte_order.h"

namespace overlane::wire {

std::optional<Inspected<VxlanHeader>> inspect_vxlan(std::span<const std::uint8_t> payload) {
  if (payload.size() < kVxlanBytes) return std::nullopt;
  const VxlanHeader header{.vni = load_be24(payload.data() + 4),
                           .flags = payload[0],
                           .reserved_24 = load_be24(payload.data() + 1),
                           .reserved_8 = payload[7]};
  Problems problems;
  problems.add(Problem::VniNotValid, (header.flags & kVxlanVni) == 0);
  problems.add(Problem::ReservedBits, (header.flags & ~kVxlanVni) != 0 || header.reserved_24 != 0 ||
                                          header.reserved_8 != 0);
  return Inspected<VxlanHeader>{header, problems};
}

Result<VxlanHeader, Drop> parse_vxlan(std::span<const std::uint8_t> payload) {
  return accepted(inspect_vxlan(payload));
}

void write(const VxlanHeader& header, std::span<std::uint8_t> to) {
  assert(to.size() >= kVxlanBytes && header.vni < 1u << 24 && header.reserved_24 < 1u << 24);
  to[0] = header.flags;
  store_be24(to.data() + 1, header.reserved_24);
  store_be24(to.data() + 4, header.vni);
  to[7] = header.reserved_8;
}

namespace {

constexpr std::uint8_t kReservedFlags = 0xc0;
constexpr std::uint8_t kInstance = 0x08;
constexpr std::uint8_t kNextProtocol = 0x04;
constexpr std::uint8_t kFlooded = 0x02;
constexpr std::uint8_t kMaintenance = 0x01;

}  // namespace

bool is_vxlan_gpe(std::uint16_t destination_port, std::span<const std::uint8_t> payload) {
  return destination_port == kVxlanGpePort ||
         (!payload.empty() && (payload[0] & kNextProtocol) != 0);
}

std::optional<Inspected<VxlanGpeHeader>> inspect_vxlan_gpe(std::span<const std::uint8_t> payload) {
  if (payload.size() < kVxlanGpeBytes) return std::nullopt;
  const std::uint8_t flags = payload[0];
  const VxlanGpeHeader header{.version = static_cast<std::uint8_t>(flags >> 4 & 3),
                              .has_vni = (flags & kInstance) != 0,
                              .has_next_protocol = (flags & kNextProtocol) != 0,
                              .is_flooded = (flags & kFlooded) != 0,
                              .is_maintenance = (flags & kMaintenance) != 0,
                              .reserved_16 = load_be16(payload.data() + 1),
                              .next_protocol = payload[3],
                              .vni = load_be24(payload.data() + 4),
                              .reserved_8 = payload[7]};
  Problems problems;
  problems.add(Problem::WrongVersion, header.version != 0);
  problems.add(Problem::VniNotValid, !header.has_vni);
  problems.add(Problem::ReservedBits,
               (flags & kReservedFlags) != 0 || header.reserved_16 != 0 || header.reserved_8 != 0);
  return Inspected<VxlanGpeHeader>{header, problems};
}

Result<VxlanGpeHeader, Drop> parse_vxlan_gpe(std::span<const std::uint8_t> payload) {
  return accepted(inspect_vxlan_gpe(payload));
}

void write(const VxlanGpeHeader& header, std::span<std::uint8_t> to) {
  assert(to.size() >= kVxlanGpeBytes && header.version < 4 && header.vni < 1u << 24);
  to[0] = static_cast<std::uint8_t>(header.version << 4 | (header.has_vni ? kInstance : 0) |
                                    (header.has_next_protocol ? kNextProtocol : 0) |
                                    (header.is_flooded ? kFlooded : 0) |
                                    (header.is_maintenance ? kMaintenance : 0));
  store_be16(to.data() + 1, header.reserved_16);
  to[3] = header.next_protocol;
  store_be24(to.data() + 4, header.vni);
  to[7] = header.reserved_8;
}

}  // namespace overlane::wire
