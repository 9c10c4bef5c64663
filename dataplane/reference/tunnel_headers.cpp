#include "dataplane/reference/tunnel_headers.h"

#include <array>

#include "dataplane/net/byte_order.h"
#include "dataplane/net/checksum.h"
#include "dataplane/net/flow_hash.h"

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

struct Outer {
  IpAddress source;
  IpAddress destination;
  std::size_t length;
  std::uint8_t ecn;
  bool dont_fragment;
  std::uint8_t ttl;
  std::uint8_t protocol;
};

Bytes ipv4_header(const Outer& outer) {
  Bytes bytes{0x45, outer.ecn};
  put16(bytes, outer.length);
  put16(bytes, 0);
  put16(bytes, outer.dont_fragment ? 0x4000 : 0);
  bytes.push_back(outer.ttl);
  bytes.push_back(outer.protocol);
  put16(bytes, 0);
  put32(bytes, outer.source.ipv4().bits);
  put32(bytes, outer.destination.ipv4().bits);
  store_be16(bytes.data() + 10, internet_checksum(bytes));
  return bytes;
}

/// Hashed as udp_flow_src_port does it: addresses and protocol, ports only of whole packets.
std::uint16_t source_port_for(const Bytes& inner) {
  FlowKey key{.source = Ipv4Address{load_be32(inner.data() + 12)},
              .destination = Ipv4Address{load_be32(inner.data() + 16)},
              .protocol = inner[9]};
  const bool is_fragment = (load_be16(inner.data() + 6) & 0x3fff) != 0;
  const bool has_ports = key.protocol == 6 || key.protocol == 17;
  if (has_ports && !is_fragment && inner.size() >= 24) {
    key.source_port = load_be16(inner.data() + 20);
    key.destination_port = load_be16(inner.data() + 22);
  }
  const std::uint32_t hash = flow_hash(key);
  const std::uint64_t folded = hash ^ static_cast<std::uint32_t>(hash << 16);
  return static_cast<std::uint16_t>(32768 + folded * (60999 - 32768) / (std::uint64_t{1} << 32));
}

}  // namespace

Bytes wrap_in_ipip(const Bytes& inner, IpAddress source, IpAddress destination) {
  Bytes bytes = ipv4_header({.source = source,
                             .destination = destination,
                             .length = inner.size() + 20,
                             .ecn = kOuterEcn[inner[1] & 3],
                             .dont_fragment = (inner[6] & 0x40) != 0,
                             .ttl = inner[8],
                             .protocol = 4});
  bytes.insert(bytes.end(), inner.begin(), inner.end());
  return bytes;
}

Bytes wrap_in_vxlan(const Bytes& inner, IpAddress source, IpAddress destination, std::uint32_t vni,
                    std::uint16_t port) {
  Bytes bytes = ipv4_header({.source = source,
                             .destination = destination,
                             .length = inner.size() + 50,
                             .ecn = kOuterEcn[inner[1] & 3],
                             .dont_fragment = false,
                             .ttl = 64,
                             .protocol = 17});
  put16(bytes, source_port_for(inner));
  put16(bytes, port);
  put16(bytes, inner.size() + 30);
  put16(bytes, 0);
  put32(bytes, 0x08000000);
  put32(bytes, vni << 8);
  bytes.insert(bytes.end(), 12, 0);
  put16(bytes, 0x0800);
  bytes.insert(bytes.end(), inner.begin(), inner.end());
  return bytes;
}

std::optional<std::uint8_t> tos_after_unwrapping(std::uint8_t inner, std::uint8_t outer) {
  const std::uint8_t ecn = kInnerEcn[inner & 3][outer & 3];
  if (ecn == kDropped) return std::nullopt;
  return static_cast<std::uint8_t>((inner & 0xfc) | ecn);
}

}  // namespace overlane::reference
