#pragma once

#include "dataplane/encap/flow_port.h"
#include "dataplane/encap/outer_header.h"
#include "dataplane/encap/outer_packet.h"
#include "dataplane/net/checksum.h"

namespace overlane::encap {

inline constexpr std::uint8_t kUdp = 17;
inline constexpr std::uint32_t kUdpBytes = 8;

/// The outer IP and UDP headers of one tunnel, for the encapsulations that have a header of their
/// own between UDP and the inner packet.
class UdpTunnel {
 public:
  /// The encapsulation's own header: how long it is, and the one's-complement sum of its bytes.
  struct Middle {
    std::uint32_t bytes = 0;
    std::uint32_t sum = 0;
  };

  UdpTunnel(const OuterRules& rules, const IpAddress& source, const IpAddress& destination)
      : ip_(rules, source, destination) {}

  /// Bytes in front of the encapsulation's own header.
  std::uint32_t size() const { return ip_.size() + kUdpBytes; }
  bool fits(std::uint32_t behind_udp) const { return ip_.fits(kUdpBytes + behind_udp); }

  /// Writes size() bytes in front of the middle, which stands in front of `inner`.
  void write(std::span<std::uint8_t> inner, const InnerPacket& facts, const Middle& middle,
             std::uint16_t identification) const {
    const OuterRules& rules = ip_.rules();
    const std::uint32_t source_port = flow_source_port(rules, inner_flow_hash(inner, facts.family));
    const std::uint32_t length = kUdpBytes + middle.bytes + facts.length;
    std::uint32_t checksum = 0;
    if (rules.udp_checksum == UdpChecksum::Computed) {
      const std::uint32_t sum = ip_.address_sum() + kUdp + 2 * length + source_port +
                                rules.destination_port + middle.sum + ones_complement_sum(inner);
      checksum = fold(sum) == 0xffff ? 0xffff : static_cast<std::uint16_t>(~fold(sum));
    }
    std::uint8_t* udp = inner.data() - middle.bytes - kUdpBytes;
    store_be32(udp, source_port << 16 | rules.destination_port);
    store_be32(udp + 4, length << 16 | checksum);
    ip_.write(udp - ip_.size(), facts,
              {.protocol = kUdp, .payload = length, .identification = identification});
  }

 private:
  OuterHeader ip_;
};

/// Whether the checksum of a datagram of `length` bytes that has one is right.
bool udp_checksum_is_right(const OuterPacket& outer, std::size_t length);

/// The outer packet cut to its UDP datagram, as __udp4_lib_rcv and __udp6_lib_rcv accept it
/// (net/ipv4/udp.c, net/ipv6/udp.c): Drop::Malformed for a length that lies, where 0 over IPv6
/// means all of the packet; Drop::BadChecksum for a wrong checksum and, over IPv6, for none, unless
/// `zero_over_ipv6` (`udp6zerocsumrx`).
inline Result<OuterPacket, Drop> read_udp(const OuterPacket& outer, bool zero_over_ipv6) {
  if (outer.protocol != kUdp) return fail(Drop::UnsupportedProtocol);
  const std::size_t left = outer.bytes.size() - outer.header_bytes;
  const std::uint8_t* at = outer.bytes.data() + outer.header_bytes;
  if (left < kUdpBytes) return fail(Drop::Malformed);
  const bool ipv6 = outer.bytes[0] >> 4 == 6;
  std::size_t length = load_be16(at + 4);
  if (ipv6 && length == 0) length = left;
  if (length < kUdpBytes || length > left) return fail(Drop::Malformed);
  const bool has_checksum = load<std::uint16_t>(at + 6) != 0;
  if (has_checksum ? !udp_checksum_is_right(outer, length) : ipv6 && !zero_over_ipv6) {
    return fail(Drop::BadChecksum);
  }
  OuterPacket datagram = outer;
  datagram.bytes = outer.bytes.first(outer.header_bytes + length);
  return datagram;
}

}  // namespace overlane::encap
