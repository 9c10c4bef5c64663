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

}  // namespace overlane::wire
