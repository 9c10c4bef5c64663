#include "dataplane/reference/open_tunnel.h"

#include <algorithm>

#include "dataplane/net/byte_order.h"
#include "dataplane/net/checksum.h"
#include "dataplane/reference/ip_bytes.h"

namespace overlane::reference {
namespace {

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

/// The inner packet when it begins as one of that IP version.
Result<Opened, Drop> opened(const Bytes& payload, std::size_t begin, int version) {
  Opened result{.inner = from(payload, begin)};
  const std::size_t header = version == 4 ? 20 : 40;
  if (result.inner.size() < header || result.inner[0] >> 4 != version) {
    return fail(Drop::Malformed);
  }
  return result;
}

/// An Ethernet frame with an IP packet.
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

/// A transport message with something inside.
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
