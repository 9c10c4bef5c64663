#include "dataplane/wire/icmp.h"

#include <cassert>

#include "dataplane/net/byte_order.h"
#include "dataplane/net/checksum.h"

namespace overlane::wire {

Result<IcmpHeader, Drop> parse_icmp(std::span<const std::uint8_t> message) {
  if (message.size() < kIcmpBytes) return fail(Drop::Malformed);
  if (internet_checksum(message) != 0) return fail(Drop::BadChecksum);
  IcmpHeader header{.type = message[0], .code = message[1]};
  if (header.type == kIcmpUnreachable && header.code == kIcmpFragmentationNeeded) {
    header.next_hop_mtu = load_be16(message.data() + 6);
  }
  return header;
}

void write(const IcmpHeader& header, std::span<std::uint8_t> message) {
  assert(message.size() >= kIcmpBytes);
  message[0] = header.type;
  message[1] = header.code;
  store_be16(message.data() + 2, 0);
  store_be16(message.data() + 4, 0);
  store_be16(message.data() + 6, header.next_hop_mtu);
  store_be16(message.data() + 2, internet_checksum(message));
}

}  // namespace overlane::wire
