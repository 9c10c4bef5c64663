#include "dataplane/reference/connection_bytes.h"

#include <algorithm>

#include "dataplane/net/byte_order.h"
#include "dataplane/net/checksum.h"
#include "dataplane/reference/ip_bytes.h"

namespace overlane::reference {
namespace {

constexpr std::uint8_t kTcpProtocol = 6;
constexpr std::uint8_t kUdpProtocol = 17;
constexpr std::uint8_t kIcmp = 1;
constexpr std::uint8_t kIcmpv6 = 58;
constexpr std::size_t kIcmpHeader = 8;

struct Layout {
  std::size_t header = 0;    ///< Bytes.
  std::size_t checksum = 0;  ///< Where it stands.
};
/// Nothing for protocols that are not looked into.
std::optional<Layout> layout_of(std::uint8_t protocol) {
  switch (protocol) {
    case kTcpProtocol:
      return Layout{20, 16};
    case kUdpProtocol:
      return Layout{8, 6};
    case kIcmp:
    case kIcmpv6:
      return Layout{8, 2};
    default:
      return std::nullopt;
  }
}

/// What the checksum covers; of UDP as much as its header says.
Bytes transport_of(const Bytes& packet) {
  const forward::IpFields header = header_of(packet);
  Bytes bytes(packet.begin() + static_cast<std::ptrdiff_t>(payload_at(packet)), packet.end());
  if (header.protocol == kUdpProtocol && bytes.size() >= 8) {
    bytes.resize(std::min<std::size_t>(bytes.size(), load_be16(bytes.data() + 4)));
  }
  return bytes;
}

std::uint16_t transport_sum(const Bytes& packet) {
  const forward::IpFields header = header_of(packet);
  const Bytes bytes = transport_of(packet);
  return header.protocol == kIcmp
             ? internet_checksum(bytes)
             : transport_checksum(header.source, header.destination, header.protocol, bytes);
}

bool is_sound(const Bytes& packet, const Layout& layout) {
  const std::size_t at = payload_at(packet);
  if (packet.size() < at + layout.header) return false;
  const bool is_udp = header_of(packet).protocol == kUdpProtocol;
  const std::size_t length = is_udp ? load_be16(packet.data() + at + 4) : layout.header;
  if (length < layout.header || at + length > packet.size()) return false;
  if (is_udp && load_be16(packet.data() + at + 6) == 0) return true;
  return transport_sum(packet) == 0;
}

void put_address(Bytes& packet, std::size_t at, IpAddress address) {
  if (address.is_ipv4()) return store_be32(packet.data() + at, address.ipv4().bits);
  const Ipv6Address bytes = address.ipv6();
  std::ranges::copy(bytes.bytes, packet.begin() + static_cast<std::ptrdiff_t>(at));
}

/// Addresses of the IP header at `at`, whose IPv4 checksum is left as it is.
void put_addresses(Bytes& packet, std::size_t at, IpAddress source, IpAddress destination) {
  const bool ipv4 = source.is_ipv4();
  put_address(packet, at + (ipv4 ? 12 : 8), source);
  put_address(packet, at + (ipv4 ? 16 : 24), destination);
}

void put_ports(Bytes& packet, std::size_t at, const node::ConntrackTuple& tuple) {
  if (tuple.protocol == kTcpProtocol || tuple.protocol == kUdpProtocol) {
    store_be16(packet.data() + at, tuple.source_port);
    store_be16(packet.data() + at + 2, tuple.destination_port);
  } else if (tuple.protocol == kIcmp || tuple.protocol == kIcmpv6) {
    store_be16(packet.data() + at + 4, tuple.source_port);
  }
}

/// The sum of all 16-bit words of [begin, end).
std::uint32_t words(const Bytes& bytes, std::size_t begin, std::size_t end) {
  std::uint32_t sum = 0;
  for (std::size_t at = begin; at + 2 <= end; at += 2)
    sum += load_be16(bytes.data() + at);
  return sum;
}

/// HC' = ~(~HC + ~m + m') (RFC 1624).
void correct(Bytes& bytes, std::size_t at, std::uint32_t before, std::uint32_t after) {
  std::uint64_t sum = std::uint16_t(~load_be16(bytes.data() + at));
  sum += std::uint64_t{0xffff} * 0x10000 - before + after;
  while (sum >> 16 != 0)
    sum = (sum & 0xffff) + (sum >> 16);
  store_be16(bytes.data() + at, static_cast<std::uint16_t>(~sum));
}

}  // namespace

std::optional<node::ConntrackTuple> shown_tuple(const Bytes& packet) {
  const forward::IpFields header = header_of(packet);
  node::ConntrackTuple tuple{
      .source = header.source, .destination = header.destination, .protocol = header.protocol};
  const auto layout = layout_of(header.protocol);
  if (!layout) return tuple;
  if (!is_sound(packet, *layout)) return std::nullopt;
  const std::uint8_t* transport = packet.data() + payload_at(packet);
  const bool is_icmp = header.protocol == kIcmp || header.protocol == kIcmpv6;
  tuple.source_port = load_be16(transport + (is_icmp ? 4 : 0));
  tuple.destination_port = load_be16(transport + (is_icmp ? 0 : 2));
  return tuple;
}

std::optional<node::ConntrackTuple> quoted_tuple(const Bytes& packet) {
  if (!header_of(packet).is_icmp()) return std::nullopt;
  const auto error = decode(packet, {}).icmp;
  if (!error || !is_sound(packet, *layout_of(header_of(packet).protocol))) return std::nullopt;
  return node::ConntrackTuple{.source = error->quoted_source,
                              .destination = error->quoted_destination,
                              .source_port = error->quoted_source_port,
                              .destination_port = error->quoted_destination_port,
                              .protocol = error->quoted_protocol};
}

std::uint8_t tcp_flags_of(const Bytes& packet) {
  const std::size_t at = payload_at(packet);
  if (header_of(packet).protocol != kTcpProtocol || packet.size() < at + 14) return 0;
  return packet[at + 13];
}

Bytes with_tuple(Bytes packet, const node::ConntrackTuple& tuple) {
  const std::size_t at = payload_at(packet);
  put_addresses(packet, 0, tuple.source, tuple.destination);
  const auto ttl = header_of(packet).ttl;
  packet = with_ttl(std::move(packet), ttl);  // Sums the header anew.
  const auto layout = layout_of(tuple.protocol);
  if (!layout) return packet;
  put_ports(packet, at, tuple);
  const bool is_udp = tuple.protocol == kUdpProtocol;
  if (is_udp && load_be16(packet.data() + at + layout->checksum) == 0) return packet;
  store_be16(packet.data() + at + layout->checksum, 0);
  std::uint16_t sum = transport_sum(packet);
  if (is_udp && sum == 0) sum = 0xffff;
  store_be16(packet.data() + at + layout->checksum, sum);
  return packet;
}

Bytes with_quote(Bytes packet, IpAddress source, IpAddress destination,
                 const node::ConntrackTuple& quoted) {
  const std::size_t at = payload_at(packet) + kIcmpHeader;
  const bool ipv4 = source.is_ipv4();
  const std::size_t transport =
      at + payload_at(Bytes(packet.begin() + static_cast<std::ptrdiff_t>(at), packet.end()));
  const std::size_t addresses = at + (ipv4 ? 12 : 8);
  const std::size_t addresses_end = at + (ipv4 ? 20 : 40);
  const auto layout = layout_of(quoted.protocol);
  const bool has_ports = layout && packet.size() >= transport + 8;
  const auto ports = [&] { return has_ports ? words(packet, transport, transport + 6) : 0u; };

  // Type, code and checksum of ICMP are among these words, and do not change in between.
  const std::uint32_t old_addresses = words(packet, addresses, addresses_end);
  const std::uint32_t old_ports = ports();
  put_addresses(packet, at, quoted.source, quoted.destination);
  if (has_ports) put_ports(packet, transport, quoted);
  const std::uint32_t new_addresses = words(packet, addresses, addresses_end);
  const std::uint32_t new_ports = ports();

  if (ipv4) correct(packet, at + 10, old_addresses, new_addresses);
  const bool has_sum = layout && packet.size() >= transport + layout->header;
  const std::size_t sum_at = transport + (layout ? layout->checksum : 0);
  const bool no_sum =
      has_sum && quoted.protocol == kUdpProtocol && load_be16(packet.data() + sum_at) == 0;
  if (has_sum && !no_sum) {
    const bool pseudo = quoted.protocol != kIcmp;
    correct(packet, sum_at, old_ports + (pseudo ? old_addresses : 0),
            new_ports + (pseudo ? new_addresses : 0));
    const bool says_none =
        quoted.protocol == kUdpProtocol && load_be16(packet.data() + sum_at) == 0;
    if (says_none) store_be16(packet.data() + sum_at, 0xffff);
  }
  const std::size_t message = payload_at(packet);
  put_addresses(packet, 0, source, destination);
  store_be16(packet.data() + message + 2, 0);
  store_be16(packet.data() + message + 2, transport_sum(packet));
  const auto ttl = header_of(packet).ttl;
  return with_ttl(std::move(packet), ttl);
}

}  // namespace overlane::reference
