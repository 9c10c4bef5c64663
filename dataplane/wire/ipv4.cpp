#include "dataplane/wire/ipv4.h"

#include <cassert>

#include "dataplane/net/byte_order.h"
#include "dataplane/net/checksum.h"

namespace overlane::wire {
namespace {

constexpr std::uint16_t kDontFragment = 0x4000;
constexpr std::uint16_t kMoreFragments = 0x2000;
constexpr std::uint16_t kOffsetMask = 0x1fff;

}  // namespace

Result<Ipv4Header, Drop> parse_quoted_ipv4(std::span<const std::uint8_t> quote) {
  if (quote.size() < kIpv4Bytes) return fail(Drop::Malformed);
  const std::uint8_t* bytes = quote.data();
  const std::uint16_t flags = load_be16(bytes + 6);
  const Ipv4Header header{.header_bytes = static_cast<std::uint8_t>((bytes[0] & 0xf) * 4),
                          .tos = bytes[1],
                          .total_length = load_be16(bytes + 2),
                          .identification = load_be16(bytes + 4),
                          .dont_fragment = (flags & kDontFragment) != 0,
                          .more_fragments = (flags & kMoreFragments) != 0,
                          .fragment_offset = static_cast<std::uint16_t>((flags & kOffsetMask) * 8),
                          .ttl = bytes[8],
                          .protocol = bytes[9],
                          .source = {load_be32(bytes + 12)},
                          .destination = {load_be32(bytes + 16)}};
  const bool contradicts = bytes[0] >> 4 != 4 || header.header_bytes < kIpv4Bytes ||
                           header.header_bytes > quote.size() ||
                           header.total_length < header.header_bytes;
  if (contradicts) return fail(Drop::Malformed);
  return header;
}

Result<Ipv4Header, Drop> parse_ipv4(std::span<const std::uint8_t> packet) {
  const auto header = parse_quoted_ipv4(packet);
  if (!header) return header;
  if (internet_checksum(packet.first(header->header_bytes)) != 0) return fail(Drop::BadChecksum);
  if (header->total_length > packet.size()) return fail(Drop::Malformed);
  return header;
}

void write(const Ipv4Header& header, std::span<std::uint8_t> to) {
  assert(to.size() >= kIpv4Bytes && header.fragment_offset % 8 == 0);
  std::uint8_t* bytes = to.data();
  bytes[0] = 0x45;
  bytes[1] = header.tos;
  store_be16(bytes + 2, header.total_length);
  store_be16(bytes + 4, header.identification);
  store_be16(bytes + 6, (header.dont_fragment ? kDontFragment : 0u) |
                            (header.more_fragments ? kMoreFragments : 0u) |
                            header.fragment_offset / 8u);
  bytes[8] = header.ttl;
  bytes[9] = header.protocol;
  store_be16(bytes + 10, 0);
  store_be32(bytes + 12, header.source.bits);
  store_be32(bytes + 16, header.destination.bits);
  store_be16(bytes + 10, internet_checksum(to.first(kIpv4Bytes)));
}

}  // namespace overlane::wire
