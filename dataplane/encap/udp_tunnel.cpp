#include "dataplane/encap/udp_tunnel.h"

namespace overlane::encap {

bool udp_checksum_is_right(const OuterPacket& outer, std::size_t length) {
  const bool ipv4 = outer.bytes[0] >> 4 == 4;
  const auto addresses = ipv4 ? outer.bytes.subspan(12, 8) : outer.bytes.subspan(8, 32);
  const std::uint32_t sum = std::uint32_t{ones_complement_sum(addresses)} + kUdp +
                            static_cast<std::uint32_t>(length) +
                            ones_complement_sum(outer.payload().first(length));
  return fold(sum) == 0xffff;
}

}  // namespace overlane::encap
