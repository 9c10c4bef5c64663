#include "dataplane/wire/ipv6.h"

#include <cassert>

#include "dataplane/net/byte_order.h"

namespace overlane::wire {
namespace {

IpAddress load_address(const std::uint8_t* from) {
  IpAddress address;
  address.high = load_be64(from);
  address.low = load_be64(from + 8);
  return address;
}

void store_address(std::uint8_t* to, const IpAddress& address) {
  store_be64(to, address.high);
  store_be64(to + 8, address.low);
}

Ipv6Header load_ipv6(const std::uint8_t* bytes) {
  const std::uint32_t first = load_be32(bytes);
  return {.traffic_class = static_cast<std::uint8_t>(first >> 20),
          .flow_label = first & 0xfffff,
          .payload_length = load_be16(bytes + 4),
          .next_header = bytes[6],
          .hop_limit = bytes[7],
          .source = load_address(bytes + 8),
          .destination = load_address(bytes + 24)};
}

/// Validates the header by itself.
Problems problems_of_header(const Ipv6Header& header, std::span<const std::uint8_t> bytes) {
  Problems problems;
  problems.add(Problem::WrongVersion, bytes[0] >> 4 != 6);
  problems.add(Problem::MappedAddress, header.source.is_ipv4() || header.destination.is_ipv4());
  return problems;
}

Problems problems_of(const Ipv6Header& header, std::span<const std::uint8_t> packet) {
  Problems problems = problems_of_header(header, packet);
  problems.add(Problem::LengthBeyondPacket, header.payload_length > packet.size() - kIpv6Bytes);
  return problems;
}

}  // namespace

std::optional<Inspected<Ipv6Header>> inspect_ipv6(std::span<const std::uint8_t> packet) {
  if (packet.size() < kIpv6Bytes) return std::nullopt;
  const Ipv6Header header = load_ipv6(packet.data());
  return Inspected<Ipv6Header>{header, problems_of(header, packet)};
}

Result<Ipv6Header, Drop> parse_ipv6(std::span<const std::uint8_t> packet) {
  if (packet.size() < kIpv6Bytes) return fail(Drop::Malformed);
  const Ipv6Header header = load_ipv6(packet.data());
  return accepted(header, problems_of(header, packet));
}

Result<Ipv6Header, Drop> parse_quoted_ipv6(std::span<const std::uint8_t> quote) {
  if (quote.size() < kIpv6Bytes) return fail(Drop::Malformed);
  const Ipv6Header header = load_ipv6(quote.data());
  return accepted(header, problems_of_header(header, quote));
}

void write(const Ipv6Header& header, std::span<std::uint8_t> to) {
  assert(to.size() >= kIpv6Bytes && header.flow_label < 1u << 20);
  std::uint8_t* bytes = to.data();
  store_be32(bytes, 6u << 28 | std::uint32_t{header.traffic_class} << 20 | header.flow_label);
  store_be16(bytes + 4, header.payload_length);
  bytes[6] = header.next_header;
  bytes[7] = header.hop_limit;
  store_address(bytes + 8, header.source);
  store_address(bytes + 24, header.destination);
}

}  // namespace overlane::wire
