#include "dataplane/wire/udp.h"

#include <cassert>

#include "dataplane/net/byte_order.h"

namespace overlane::wire {
namespace {

UdpHeader load_udp(const std::uint8_t* bytes) {
  return {.source_port = load_be16(bytes),
          .destination_port = load_be16(bytes + 2),
          .length = load_be16(bytes + 4),
          .checksum = load_be16(bytes + 6)};
}

Problems problems_of(const UdpHeader& header, std::span<const std::uint8_t> segment,
                     ZeroLength zero) {
  const bool is_whole_frame = header.length == 0 && zero == ZeroLength::MeansFrame;
  Problems problems;
  problems.add(Problem::LengthTooShort, header.length < kUdpBytes && !is_whole_frame);
  problems.add(Problem::LengthBeyondPacket, header.length > segment.size());
  return problems;
}

}  // namespace

std::optional<Inspected<UdpHeader>> inspect_udp(std::span<const std::uint8_t> segment,
                                                ZeroLength zero) {
  if (segment.size() < kUdpBytes) return std::nullopt;
  const UdpHeader header = load_udp(segment.data());
  return Inspected<UdpHeader>{header, problems_of(header, segment, zero)};
}

Result<UdpHeader, Drop> parse_udp(std::span<const std::uint8_t> segment, ZeroLength zero) {
  if (segment.size() < kUdpBytes) return fail(Drop::Malformed);
  const UdpHeader header = load_udp(segment.data());
  return accepted(header, problems_of(header, segment, zero));
}

void write(const UdpHeader& header, std::span<std::uint8_t> to) {
  assert(to.size() >= kUdpBytes);
  store_be16(to.data(), header.source_port);
  store_be16(to.data() + 2, header.destination_port);
  store_be16(to.data() + 4, header.length);
  store_be16(to.data() + 6, header.checksum);
}

}  // namespace overlane::wire
