#include "dataplane/wire/udp.h"

#include <cassert>

#include "dataplane/net/byte_order.h"

namespace overlane::wire {

Result<UdpHeader, Drop> parse_udp(std::span<const std::uint8_t> segment) {
  if (segment.size() < kUdpBytes) return fail(Drop::Malformed);
  const UdpHeader header{.source_port = load_be16(segment.data()),
                         .destination_port = load_be16(segment.data() + 2),
                         .length = load_be16(segment.data() + 4),
                         .checksum = load_be16(segment.data() + 6)};
  if (header.length < kUdpBytes || header.length > segment.size()) return fail(Drop::Malformed);
  return header;
}

void write(const UdpHeader& header, std::span<std::uint8_t> to) {
  assert(to.size() >= kUdpBytes);
  store_be16(to.data(), header.source_port);
  store_be16(to.data() + 2, header.destination_port);
  store_be16(to.data() + 4, header.length);
  store_be16(to.data() + 6, header.checksum);
}

}  // namespace overlane::wire
