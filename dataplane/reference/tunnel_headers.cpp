#include "dataplane/reference/tunnel_headers.h"

#include <array>
#include <bit>

#include "dataplane/net/byte_order.h"
#include "dataplane/net/checksum.h"
#include "dataplane/net/flow_hash.h"
#include "dataplane/reference/ip_bytes.h"

namespace overlane::reference {
namespace {

/// By the inner ECN bits; RFC 6040 as Linux does it: 0 Not-ECT, 1 ECT(1), 2 ECT(0), 3 CE.
constexpr std::array<std::uint8_t, 4> kOuterEcn{0, 1, 2, 2};
constexpr std::uint8_t kDropped = 255;
/// [inner][outer].
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
  std::size_t length;  ///< All of the outer packet.
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

/// Hashed as skb_get_hash sees the inner flow: addresses and protocol, ports only of whole packets.
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

/// udp_flow_src_port: VXLAN draws from the local port range, Geneve from all ports.
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

/// UDP, then a WireGuard transport message, whose payload is not sealed and whose tag is zero.
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

/// UDP, then the VXLAN or Geneve header, then the inner Ethernet header.
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

}  // namespace overlane::reference
