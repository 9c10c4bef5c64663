#include "dataplane/reference/tunnel_headers.h"

#include <algorithm>
#include <array>
#include <bit>

#include "dataplane/net/byte_order.h"
#include "dataplane/net/checksum.h"
#include "dataplane/net/flow_hash.h"
#include "dataplane/reference/ip_bytes.h"

namespace overlane::reference {
namespace {

/// Outer ECN by the inner ECN: 0 Not-ECT, 1 ECT(1), 2 ECT(0), 3 CE. Linux sends ECT(0) for CE
/// (INET_ECN_encapsulate, include/net/inet_ecn.h).
constexpr std::array<std::uint8_t, 4> kOuterEcn{0, 1, 2, 2};
constexpr std::uint8_t kDropped = 255;
/// Inner ECN after decapsulation, by [inner][outer] (RFC 6040, figure 4).
constexpr std::array<std::array<std::uint8_t, 4>, 4> kInnerEcn{{
    {0, 0, 0, kDropped},
    {1, 1, 1, 3},
    {2, 1, 2, 3},
    {3, 3, 3, 3},
}};

void put16(Bytes& bytes, std::size_t value) {
  bytes.push_back(static_cast<std::uint8_t>(value >> 8));
  bytes.push_back(static_cast<std::uint8_t>(value));
}
void put32(Bytes& bytes, std::uint32_t value) {
  put16(bytes, value >> 16);
  put16(bytes, value & 0xffff);
}

void put_address(Bytes& bytes, IpAddress address) {
  if (address.is_ipv4()) return put32(bytes, address.ipv4().bits);
  const Ipv6Address ipv6 = address.ipv6();
  bytes.insert(bytes.end(), ipv6.bytes.begin(), ipv6.bytes.end());
}

void put_mac(Bytes& bytes, const MacAddress& mac) {
  bytes.insert(bytes.end(), mac.bytes.begin(), mac.bytes.end());
}

struct Outer {
  const TunnelEnds& ends;
  std::size_t length;  ///< Bytes of the whole outer packet.
  std::uint8_t ecn;
  bool dont_fragment;
  std::uint8_t ttl;
  std::uint8_t protocol;
  std::uint32_t flow_label;
};

Bytes outer_header(const Outer& outer) {
  if (outer.ends.destination.is_ipv4()) {
    Bytes bytes{0x45, outer.ecn};
    put16(bytes, outer.length);
    put16(bytes, 0);
    put16(bytes, outer.dont_fragment ? 0x4000 : 0);
    bytes.push_back(outer.ttl);
    bytes.push_back(outer.protocol);
    put16(bytes, 0);
    put_address(bytes, outer.ends.source);
    put_address(bytes, outer.ends.destination);
    store_be16(bytes.data() + 10, internet_checksum(bytes));
    return bytes;
  }
  Bytes bytes;
  put32(bytes, 0x60000000u | std::uint32_t{outer.ecn} << 20 | outer.flow_label);
  put16(bytes, outer.length - 40);
  bytes.push_back(outer.protocol);
  bytes.push_back(outer.ttl);
  put_address(bytes, outer.ends.source);
  put_address(bytes, outer.ends.destination);
  return bytes;
}

/// The hash of the inner flow over the fields of skb_get_hash: addresses, protocol, and ports if
/// the packet is no fragment.
std::uint32_t hash_of(const Bytes& inner) {
  const forward::IpFields header = header_of(inner);
  FlowKey key{
      .source = header.source, .destination = header.destination, .protocol = header.protocol};
  const std::size_t at = payload_at(inner);
  const bool has_ports = key.protocol == 6 || key.protocol == 17;
  if (has_ports && !header.is_fragment() && inner.size() >= at + 4) {
    key.source_port = load_be16(inner.data() + at);
    key.destination_port = load_be16(inner.data() + at + 2);
  }
  return flow_hash(key);
}

/// The UDP source port of a flow in the range [first, last) (udp_flow_src_port, include/net/udp.h).
std::uint16_t source_port(std::uint32_t hash, std::uint64_t first, std::uint64_t last) {
  const std::uint64_t folded = hash ^ static_cast<std::uint32_t>(hash << 16);
  return static_cast<std::uint16_t>(first + folded * (last - first) / (std::uint64_t{1} << 32));
}

void put_little_endian32(Bytes& bytes, std::uint32_t value) {
  for (int i = 0; i < 4; ++i)
    bytes.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
}

void sum_udp(const TunnelEnds& ends, Bytes& datagram) {
  const std::uint16_t sum = transport_checksum(ends.source, ends.destination, 17, datagram);
  store_be16(datagram.data() + 6, sum == 0 ? 0xffff : sum);
}

/// A UDP header and a WireGuard transport message with a plain payload and a zero tag.
Bytes wireguard_message(const Bytes& inner, const TunnelEnds& ends) {
  Bytes bytes;
  put16(bytes, ends.port);
  put16(bytes, ends.port);
  put16(bytes, 8 + 16 + inner.size() + ends.padding + 16);
  put16(bytes, 0);
  put_little_endian32(bytes, 4);
  put_little_endian32(bytes, ends.vni);
  put_little_endian32(bytes, 0);
  put_little_endian32(bytes, 0);
  bytes.insert(bytes.end(), inner.begin(), inner.end());
  bytes.resize(bytes.size() + ends.padding + 16);
  sum_udp(ends, bytes);
  return bytes;
}

/// A UDP header, a VXLAN or Geneve header, and an Ethernet frame with the inner packet.
Bytes udp_tunnel(Encapsulation encapsulation, const Bytes& inner, const TunnelEnds& ends) {
  const bool vxlan = encapsulation == Encapsulation::Vxlan;
  const std::uint16_t type = header_of(inner).is_ipv4() ? 0x0800 : 0x86dd;
  Bytes bytes;
  const std::uint32_t hash = hash_of(inner);
  put16(bytes, vxlan ? source_port(hash, 32768, 60999) : source_port(hash, 1, 65535));
  put16(bytes, ends.port);
  put16(bytes, inner.size() + 30);
  put16(bytes, 0);
  put32(bytes, vxlan ? 0x08000000 : 0x00006558);
  put32(bytes, ends.vni << 8);
  put_mac(bytes, ends.destination_mac);
  put_mac(bytes, ends.source_mac);
  put16(bytes, type);
  bytes.insert(bytes.end(), inner.begin(), inner.end());
  if (vxlan || !ends.destination.is_ipv4()) sum_udp(ends, bytes);
  return bytes;
}

constexpr std::size_t kUdpBytes = 8;
constexpr std::size_t kEthernet = 14;

Bytes from(const Bytes& bytes, std::size_t begin) {
  return {bytes.begin() + static_cast<std::ptrdiff_t>(begin), bytes.end()};
}

MacAddress mac_at(const Bytes& bytes, std::size_t at) {
  MacAddress mac;
  std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), 6, mac.bytes.begin());
  return mac;
}

/// The inner packet at `begin`, if it starts with a fixed header of that IP version.
Result<Opened, Drop> opened(const Bytes& payload, std::size_t begin, int version) {
  Opened result{.inner = from(payload, begin)};
  const std::size_t header = version == 4 ? 20 : 40;
  if (result.inner.size() < header || result.inner[0] >> 4 != version) {
    return fail(Drop::Malformed);
  }
  return result;
}

/// The IP packet and the addresses of the Ethernet frame at `begin`.
Result<Opened, Drop> opened_frame(const Bytes& payload, std::size_t begin) {
  if (payload.size() < begin + kEthernet) return fail(Drop::Malformed);
  const int type = load_be16(payload.data() + begin + 12);
  if (type != 0x0800 && type != 0x86dd) return fail(Drop::UnsupportedProtocol);
  auto result = opened(payload, begin + kEthernet, type == 0x0800 ? 4 : 6);
  if (!result) return result;
  result->destination_mac = mac_at(payload, begin);
  result->source_mac = mac_at(payload, begin + 6);
  return result;
}

Result<Opened, Drop> opened_vxlan(const Bytes& payload) {
  constexpr std::size_t kVxlan = 8;
  if (payload.size() < kUdpBytes + kVxlan + kEthernet) return fail(Drop::Malformed);
  const std::uint8_t* header = payload.data() + kUdpBytes;
  if ((header[0] & 0x08) == 0) return fail(Drop::Malformed);
  const bool clean = header[0] == 0x08 && load_be24(header + 1) == 0 && header[7] == 0;
  if (!clean) return fail(Drop::UnsupportedProtocol);
  return opened_frame(payload, kUdpBytes + kVxlan);
}

Result<Opened, Drop> opened_geneve(const Bytes& payload, bool takes_critical_options) {
  constexpr std::size_t kGeneve = 8;
  if (payload.size() < kUdpBytes + kGeneve) return fail(Drop::Malformed);
  const std::uint8_t* header = payload.data() + kUdpBytes;
  if (header[0] >> 6 != 0) return fail(Drop::Malformed);
  if ((header[1] & 0x40) != 0 && !takes_critical_options) return fail(Drop::UnsupportedProtocol);
  if (load_be16(header + 2) != 0x6558) return fail(Drop::UnsupportedProtocol);
  const std::size_t options = (header[0] & 0x3f) * 4u;
  return opened_frame(payload, kUdpBytes + kGeneve + options);
}

/// The packet in a WireGuard transport message.
Result<Opened, Drop> opened_wireguard(const Bytes& payload) {
  constexpr std::size_t kHeader = 16;
  constexpr std::size_t kTag = 16;
  if (payload.size() < kUdpBytes + kHeader) return fail(Drop::Malformed);
  const std::size_t size = payload.size() - kUdpBytes;
  const std::uint8_t* header = payload.data() + kUdpBytes;
  const int type = header[0];
  const bool is_whole = (type == 1 && size == 148) || (type == 2 && size == 92) ||
                        (type == 3 && size == 64) || (type == 4 && size >= kHeader + kTag);
  if (!is_whole || load_be24(header + 1) != 0) return fail(Drop::Malformed);
  if (type != 4 || size == kHeader + kTag) return fail(Drop::UnsupportedProtocol);
  Bytes sealed = payload;
  sealed.resize(payload.size() - kTag);
  return opened(sealed, kUdpBytes + kHeader, sealed[kUdpBytes + kHeader] >= 0x60 ? 6 : 4);
}

}  // namespace

std::size_t tunnel_header_bytes(Encapsulation encapsulation, bool over_ipv6) {
  switch (encapsulation) {
    case Encapsulation::None:
      return 0;
    case Encapsulation::Ipip:
    case Encapsulation::Sit:
      return 20;
    case Encapsulation::Ip6Tnl:
      return 40 + 8;
    case Encapsulation::Vxlan:
    case Encapsulation::Geneve:
      return (over_ipv6 ? 40 : 20) + 8 + 8 + 14;
    case Encapsulation::Wireguard:
      return (over_ipv6 ? 40 : 20) + 8 + 16;
  }
  return 0;
}

std::size_t wireguard_padding(std::size_t length, std::size_t mtu) {
  if (length > mtu) length %= mtu;
  std::size_t padded = length;
  while (padded % 16 != 0 && padded < mtu)
    ++padded;
  return padded - length;
}

bool is_over_udp(Encapsulation encapsulation) {
  return encapsulation == Encapsulation::Vxlan || encapsulation == Encapsulation::Geneve ||
         encapsulation == Encapsulation::Wireguard;
}

std::optional<std::uint8_t> limit_behind(const Bytes& inner) {
  constexpr std::uint8_t kDefault = 4;
  if (header_of(inner).is_ipv4()) return kDefault;
  std::size_t field = 6;
  std::size_t header = 40;
  while (header < payload_at(inner)) {
    const int kind = inner[field];
    const std::size_t units = kind == 44 ? 0 : inner[header + 1];
    const std::size_t end = header + (kind == 51 ? (units + 2) * 4 : (units + 1) * 8);
    std::size_t option = header + 2;
    while (kind == 60 && option + 2 < end) {
      if (inner[option] == 4 && inner[option + 1] == 1) {
        const std::uint8_t left = inner[option + 2];
        return left == 0 ? std::nullopt : std::optional(static_cast<std::uint8_t>(left - 1));
      }
      option += inner[option] == 0 ? 1u : inner[option + 1] + 2u;
    }
    field = header;
    header = end;
  }
  return kDefault;
}

Bytes wrap(Encapsulation encapsulation, const Bytes& inner, const TunnelEnds& ends) {
  const forward::IpFields header = header_of(inner);
  const bool is_udp = is_over_udp(encapsulation);
  const bool is_wireguard = encapsulation == Encapsulation::Wireguard;
  const bool over_ipv6 = !ends.destination.is_ipv4();
  const std::size_t tail = is_wireguard ? ends.padding + 16 : 0;
  const bool is_ipip = encapsulation == Encapsulation::Ipip;
  const std::uint8_t inner_protocol = header.is_ipv4() ? 4 : 41;
  const bool has_limit = encapsulation == Encapsulation::Ip6Tnl;
  Bytes bytes =
      outer_header({.ends = ends,
                    .length = inner.size() + tunnel_header_bytes(encapsulation, over_ipv6) + tail,
                    .ecn = kOuterEcn[header.tos & 3],
                    .dont_fragment = is_ipip && header.dont_fragment,
                    .ttl = is_ipip ? header.ttl : std::uint8_t{64},
                    .protocol = is_udp      ? std::uint8_t{17}
                                : has_limit ? std::uint8_t{60}
                                            : inner_protocol,
                    .flow_label = has_limit ? std::rotl(hash_of(inner), 16) & 0xfffff : 0});
  if (has_limit) {
    // Destination options: the encapsulation limit and one byte of padding.
    const std::uint8_t limit = limit_behind(inner).value_or(0);
    const Bytes options{inner_protocol, 0, 4, 1, limit, 1, 1, 0};
    bytes.insert(bytes.end(), options.begin(), options.end());
  }
  const Bytes rest = is_wireguard ? wireguard_message(inner, ends)
                     : is_udp     ? udp_tunnel(encapsulation, inner, ends)
                                  : inner;
  bytes.insert(bytes.end(), rest.begin(), rest.end());
  return bytes;
}

std::optional<std::uint8_t> tos_after_unwrapping(std::uint8_t inner, std::uint8_t outer) {
  const std::uint8_t ecn = kInnerEcn[inner & 3][outer & 3];
  if (ecn == kDropped) return std::nullopt;
  return static_cast<std::uint8_t>((inner & 0xfc) | ecn);
}

Result<Bytes, Drop> udp_datagram(const Bytes& packet) {
  const forward::IpFields ip = header_of(packet);
  Bytes segment = from(packet, std::min(payload_at(packet), packet.size()));
  if (segment.size() < kUdpBytes) return fail(Drop::Malformed);
  std::size_t length = load_be16(segment.data() + 4);
  if (length == 0 && !ip.is_ipv4()) length = segment.size();
  if (length < kUdpBytes || length > segment.size()) return fail(Drop::Malformed);
  segment.resize(length);
  const bool is_summed = load_be16(segment.data() + 6) != 0;
  const bool is_right =
      is_summed ? transport_checksum(ip.source, ip.destination, 17, segment) == 0 : ip.is_ipv4();
  if (!is_right) return fail(Drop::BadChecksum);
  return segment;
}

Result<Opened, Drop> open_tunnel(Encapsulation encapsulation, std::uint8_t protocol,
                                 const Bytes& payload, bool takes_critical_options) {
  switch (encapsulation) {
    case Encapsulation::None:
      break;
    case Encapsulation::Ipip:
    case Encapsulation::Sit:
    case Encapsulation::Ip6Tnl:
      return opened(payload, 0, protocol == 4 ? 4 : 6);
    case Encapsulation::Vxlan:
      return opened_vxlan(payload);
    case Encapsulation::Geneve:
      return opened_geneve(payload, takes_critical_options);
    case Encapsulation::Wireguard:
      return opened_wireguard(payload);
  }
  return fail(Drop::UnsupportedProtocol);
}

}  // namespace overlane::reference
