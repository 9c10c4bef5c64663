#include "dataplane/wire/vxlan.h"

#include <cassert>

#include "dataplane/net/byte_order.h"

namespace overlane::wire {
namespace {

constexpr std::uint8_t kVniValid = 0x08;

}  // namespace

Result<VxlanHeader, Drop> parse_vxlan(std::span<const std::uint8_t> payload) {
  if (payload.size() < kVxlanBytes || (payload[0] & kVniValid) == 0) return fail(Drop::Malformed);
  return VxlanHeader{.vni = load_be24(payload.data() + 4)};
}

void write(const VxlanHeader& header, std::span<std::uint8_t> to) {
  assert(to.size() >= kVxlanBytes && header.vni < 1u << 24);
  store_be32(to.data(), std::uint32_t{kVniValid} << 24);
  store_be24(to.data() + 4, header.vni);
  to[7] = 0;
}

}  // namespace overlane::wire
