#include <algorithm>

#include "dataplane/net/byte_order.h"
#include "dataplane/net/testing/require.h"
#include "dataplane/wire/icmp.h"
#include "dataplane/wire/ip.h"
#include "dataplane/wire/testing/bytes.h"

// Fuzz target of ip.h and icmp.h: decodes every input as IPv4, IPv6, ICMP and ICMPv6.

namespace overlane::wire {
namespace {

using testing::Bytes;
using testing::require;
using testing::require_same_bytes;

/// Checks that a parsed header is written as the same bytes. A checksum of zero has two forms, of
/// which write() makes only one (RFC 1624, section 3).
void check_round_trip(const Ipv4Header& header, std::span<const std::uint8_t> packet) {
  Bytes bytes(packet.begin(), packet.end());
  write(header, bytes);
  require(parse_ipv4(bytes, ZeroLength::MeansFrame).value() == header);
  const bool has_other_zero = load_be16(packet.data() + 10) == 0xffff;
  require(has_other_zero || std::equal(bytes.begin(), bytes.end(), packet.begin()));
}

void check_ipv4(std::span<const std::uint8_t> bytes) {
  const auto inspected = inspect_ipv4(bytes, ZeroLength::MeansFrame);
  require(inspected.has_value() == (bytes.size() >= kIpv4Bytes));
  const auto header = parse_ipv4(bytes, ZeroLength::MeansFrame);
  if (header) {
    check_round_trip(*header, bytes);
    const std::size_t size = packet_of(*header, bytes).size();
    require(size >= header->header_bytes && size <= bytes.size());
    require(parse_ipv4(bytes).has_value() == (header->total_length != 0));
    require(parse_quoted_ipv4(bytes).has_value() == (header->total_length != 0));
  } else {
    require(!parse_ipv4(bytes));
  }
}

/// Sets the right checksum, so that the checks behind it are reached.
void check_with_right_checksum(std::span<const std::uint8_t> bytes) {
  const auto header = parse_quoted_ipv4(bytes);
  if (!header) return;
  Bytes right(bytes.begin(), bytes.end());
  write(*header, right);
  check_ipv4(right);
}

void check_options(const Ipv6Extension& extension) {
  if (extension.kind != kHopByHop && extension.kind != kDestinationOptions) return;
  Ipv6Options options(extension);
  std::size_t size = 2;
  while (const auto option = options.next())
    size += option->type == kPad1 ? 1 : 2 + option->data.size();
  require(options.malformed() ? size < extension.bytes.size() : size == extension.bytes.size());
}

/// Checks that extension headers follow each other without a gap and end inside the packet.
void check_extensions(std::span<const std::uint8_t> packet) {
  Ipv6Extensions extensions(packet);
  std::size_t end = kIpv6Bytes;
  while (const auto extension = extensions.next()) {
    require(extension->offset == end);
    end += extension->bytes.size();
    check_options(*extension);
  }
  require(end <= packet.size() && end == extensions.offset());
  const auto upper = find_upper_layer(packet);
  require(upper.has_value() == !extensions.malformed());
  if (upper && upper->fragment) {
    require(upper->fragment_header_offset + kFragmentHeaderBytes <= upper->offset);
  }
}

void check_ipv6(std::span<const std::uint8_t> bytes) {
  require(inspect_ipv6(bytes).has_value() == (bytes.size() >= kIpv6Bytes));
  const auto header = parse_ipv6(bytes);
  if (!header) return;
  require(parse_quoted_ipv6(bytes).value() == *header);
  require_same_bytes(*header, kIpv6Bytes, bytes);
  check_extensions(packet_of(*header, bytes));
}

/// Checks that a message with a right checksum is parsed as it was written, and that a known type
/// without reserved bits is written as it was parsed.
void check_round_trip(const Inspected<IcmpHeader>& inspected,
                      std::span<const std::uint8_t> message) {
  Bytes written(message.begin(), message.end());
  write(inspected.header, written);
  require(parse_icmp(written).value() == inspected.header);
  const bool is_canonical =
      !icmp_name(inspected.header.type).empty() && !inspected.problems.has(Problem::ReservedBits);
  if (is_canonical) {
    require(std::equal(written.begin(), written.begin() + 2, message.begin()));
    require(std::equal(written.begin() + 4, written.end(), message.begin() + 4));
  }
}

void check_icmp(std::span<const std::uint8_t> message) {
  const auto inspected = inspect_icmp(message);
  require(inspected.has_value() == (message.size() >= kIcmpBytes));
  if (inspected) check_round_trip(*inspected, message);
}

const IpAddress kSource = IpAddress::parse("2001:db8::1").value();
const IpAddress kDestination = IpAddress::parse("2001:db8::2").value();

/// Checks that a message with a right checksum is parsed as it was written.
void check_round_trip(const Icmpv6Header& header, std::span<const std::uint8_t> message) {
  Bytes written(message.begin(), message.end());
  write(header, kSource, kDestination, written);
  require(parse_icmpv6(kSource, kDestination, written).value() == header);
  require(
      std::equal(written.begin() + kIcmpv6Bytes, written.end(), message.begin() + kIcmpv6Bytes));
}

void check_icmpv6(std::span<const std::uint8_t> message) {
  const auto inspected = inspect_icmpv6(kSource, kDestination, message);
  require(inspected.has_value() == (message.size() >= kIcmpv6Bytes));
  if (inspected) check_round_trip(inspected->header, message);
}

}  // namespace
}  // namespace overlane::wire

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  overlane::wire::check_ipv4({data, size});
  overlane::wire::check_with_right_checksum({data, size});
  overlane::wire::check_ipv6({data, size});
  overlane::wire::check_icmp({data, size});
  overlane::wire::check_icmpv6({data, size});
  return 0;
}
