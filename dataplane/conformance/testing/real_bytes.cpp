#include "dataplane/conformance/testing/real_bytes.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "dataplane/kernel/experiment/experiment.h"
#include "dataplane/net/byte_order.h"
#include "dataplane/net/checksum.h"
#include "dataplane/net/testing/checksum_oracle.h"
#include "dataplane/node/state/node_state.h"
#include "dataplane/reference/ip_bytes.h"
#include "dataplane/wire/transport.h"
#include "dataplane/wire/tunnel_headers.h"

namespace overlane::conformance::testing {
namespace {

using forward::IpFields;
using forward::Packet;
using Span = std::span<const std::uint8_t>;

/// IPv4 options (a multiple of 4 bytes), or an IPv6 extension header (a multiple of 8 bytes) whose
/// next header is filled in later.
struct Extra {
  std::uint8_t kind;  ///< Next header value of an IPv6 extension header.
  Bytes bytes;
};
/// Options of RFC 791 3.1: no operation, experimental options (RFC 4727) with and without the
/// copied flag, router alert (RFC 2113), end of options.
const std::vector<Extra> kOptions{
    {0, {1, 1, 1, 1}},
    {0, {0x9e, 4, 7, 8}},
    {0, {0x1e, 6, 1, 2, 3, 4, 0x94, 4, 0, 0, 0, 0}},
    {0, {0x1e, 4, 5, 6, 1, 0x9e, 3, 9}},
};
/// Hop-by-hop and destination options with padding only (RFC 8200 4.3, 4.6), and a routing header
/// with no segment left (RFC 8200 4.4).
const std::vector<Extra> kExtensions{
    {0, {0, 0, 1, 4, 0, 0, 0, 0}},
    {60, {0, 1, 1, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
    {43, {0, 0, 253, 0, 0, 0, 0, 0}},
};

std::size_t checksum_at(std::uint8_t protocol) {
  if (protocol == forward::kTcp) return 16;
  return protocol == forward::kUdp ? 6 : 2;
}
std::size_t transport_header(const Packet& packet) {
  if (packet.icmp) return 8 + (packet.inner.is_ipv4() ? 20 : 40) + 8;
  if (packet.inner.protocol == forward::kTcp) return 20;
  return forward::has_ports(packet.inner.protocol) || packet.inner.is_icmp() ? 8 : 0;
}

void sum(const IpFields& header, std::span<std::uint8_t> segment) {
  std::uint8_t* at = segment.data() + checksum_at(header.protocol);
  store_be16(at, 0);
  const std::uint16_t checksum =
      header.protocol == forward::kIcmp
          ? internet_checksum(segment)
          : transport_checksum(header.source, header.destination, header.protocol, segment);
  store_be16(at, header.protocol == forward::kUdp && checksum == 0 ? 0xffff : checksum);
}

void fill(std::span<std::uint8_t> bytes, RandomStream& random) {
  for (std::uint8_t& byte : bytes)
    byte = static_cast<std::uint8_t>(random.next());
}

/// The bytes of the inner packet, without tunnel headers.
Bytes bare_bytes(const Packet& packet, RandomStream& random) {
  Bytes bytes = reference::encode(packet);
  const IpFields& header = packet.inner;
  const std::span<std::uint8_t> segment = std::span(bytes).subspan(header.header_bytes());
  if (header.fragment_offset != 0) {
    fill(segment, random);
    return bytes;
  }
  const std::size_t headers = transport_header(packet);
  if (segment.size() < headers) return bytes;
  fill(segment.subspan(headers), random);
  if (headers == 0 || header.is_fragment()) return bytes;
  sum(header, segment);
  if (header.protocol == forward::kUdp && header.is_ipv4() && random.below(4) == 0) {
    store_be16(segment.data() + 6, 0);
  }
  return bytes;
}

Bytes with_extra(Bytes packet, const Extra& extra) {
  const bool ipv4 = packet[0] >> 4 == 4;
  packet.insert(packet.begin() + (ipv4 ? 20 : 40), extra.bytes.begin(), extra.bytes.end());
  if (!ipv4) {
    packet[40] = packet[6];
    packet[6] = extra.kind;
    store_be16(packet.data() + 4, static_cast<std::uint32_t>(packet.size() - 40));
    return packet;
  }
  packet[0] = static_cast<std::uint8_t>(packet[0] + extra.bytes.size() / 4);
  store_be16(packet.data() + 2, static_cast<std::uint32_t>(packet.size()));
  const std::uint8_t ttl = packet[8];
  return reference::with_ttl(std::move(packet), ttl);
}

/// The checksum of a segment with its pseudo header (RFC 9293 3.1, RFC 8200 8.1), bit by bit. Zeros
/// do not change the sum, so one layout serves both families.
std::uint16_t by_bits(const IpFields& header, Span segment) {
  Bytes bytes;
  if (header.protocol != forward::kIcmp) {
    for (const IpAddress address : {header.source, header.destination}) {
      const Ipv6Address ipv6 = address.is_ipv4() ? Ipv6Address{} : address.ipv6();
      std::array<std::uint8_t, 4> ipv4{};
      if (address.is_ipv4()) store_be32(ipv4.data(), address.ipv4().bits);
      bytes.insert(bytes.end(), ipv6.bytes.begin(), ipv6.bytes.end());
      bytes.insert(bytes.end(), ipv4.begin(), ipv4.end());
    }
    std::array<std::uint8_t, 8> rest{};
    store_be32(rest.data(), static_cast<std::uint32_t>(segment.size()));
    rest[7] = header.protocol;
    bytes.insert(bytes.end(), rest.begin(), rest.end());
  }
  bytes.insert(bytes.end(), segment.begin(), segment.end());
  return overlane::testing::checksum_by_bits(bytes);
}

std::string wrong_transport(const IpFields& header, Span segment) {
  const bool is_udp = header.protocol == forward::kUdp;
  if (!forward::has_ports(header.protocol) && !header.is_icmp()) return "";
  if (segment.size() < checksum_at(header.protocol) + 2) return "cut off";
  if (is_udp) {
    segment = segment.first(std::min<std::size_t>(segment.size(), load_be16(segment.data() + 4)));
    if (segment.size() < 8) return "udp length";
    if (load_be16(segment.data() + 6) == 0) return header.is_ipv4() ? "" : "no udp checksum";
  }
  return by_bits(header, segment) == 0 ? "" : "transport";
}

/// Offset of the inner packet in the segment, or the size of the segment if there is none. A
/// datagram to a pod is no tunnel packet, even to a tunnel port, because a Service may choose any
/// port of its endpoint.
std::size_t inside(const node::NodeState& state, const IpFields& header, Span segment) {
  const bool is_ip = header.protocol == forward::kIpip || header.protocol == forward::kIpv6InIp;
  const bool is_udp = header.protocol == forward::kUdp && segment.size() > 30;
  if (!is_udp) return is_ip ? std::size_t{0} : segment.size();
  if (state.cluster->pod_cidrs().longest_match(header.destination) != nullptr)
    return segment.size();
  switch (node::tunnel_at(state, load_be16(segment.data() + 2))) {
    case Encapsulation::None:
      return segment.size();
    case Encapsulation::Wireguard:
      return wire::kUdpBytes + wire::kWireguardHeaderBytes;
    default:
      return 30;
  }
}

}  // namespace

Bytes real_bytes(const node::NodeState& state, Packet packet, RandomStream& random) {
  Bytes inner = bare_bytes(packet, random);
  const auto& extras = packet.inner.is_ipv4() ? kOptions : kExtensions;
  if (!packet.inner.is_fragment() && random.below(3) == 0) {
    inner = with_extra(std::move(inner), extras[random.below(extras.size())]);
  }
  if (!packet.is_encapsulated()) return inner;
  const auto more = static_cast<std::uint32_t>(inner.size()) - packet.inner.total_length;
  packet.inner.total_length += more;
  packet.outer.total_length += more;
  Bytes bytes = kernel::wire_bytes(state, packet);
  const std::size_t at = std::min(kernel::inner_offset(packet), bytes.size());
  std::copy_n(inner.begin(), std::min(inner.size(), bytes.size() - at),
              bytes.begin() + static_cast<std::ptrdiff_t>(at));
  const std::span<std::uint8_t> segment = std::span(bytes).subspan(packet.outer.header_bytes());
  if (packet.outer.protocol == forward::kUdp && segment.size() >= 8) sum(packet.outer, segment);
  return bytes;
}

std::string wrong_checksum(const node::NodeState& state, Span packet) {
  const Bytes bytes(packet.begin(), packet.end());
  if (const auto fault = reference::header_fault(bytes)) return std::string(to_string(*fault));
  const IpFields header = reference::header_of(bytes);
  const std::size_t at = reference::payload_at(bytes);
  if (header.is_ipv4() && overlane::testing::checksum_by_bits(packet.first(at)) != 0) {
    return "ipv4 header";
  }
  if (header.is_fragment()) return "";
  const Span segment = packet.subspan(at);
  std::string wrong = wrong_transport(header, segment);
  const std::size_t inner = inside(state, header, segment);
  if (!wrong.empty() || inner == segment.size()) return wrong;
  const Bytes padded(segment.begin() + static_cast<std::ptrdiff_t>(inner), segment.end());
  const auto fault = reference::header_fault(padded);
  wrong =
      fault ? std::string(to_string(*fault)) : wrong_checksum(state, reference::trimmed(padded));
  return wrong.empty() ? "" : "inner " + wrong;
}

}  // namespace overlane::conformance::testing
