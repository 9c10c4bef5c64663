#pragma once

#include <cstdint>

#include "dataplane/forward/packet.h"

namespace overlane::forward {

/// Builds the descriptor of a packet as its sender makes it: whole, not encapsulated. Fields that
/// are not set have the defaults of Packet. Without length() the packet has headers and no payload.
class PacketBuilder {
 public:
  PacketBuilder(std::uint8_t protocol, IpAddress source, IpAddress destination) {
    packet_.inner = {.source = source, .destination = destination, .protocol = protocol};
    packet_.inner.total_length = packet_.inner.header_bytes() + transport_bytes(protocol);
  }
  static PacketBuilder udp(IpAddress source, IpAddress destination) {
    return {kUdp, source, destination};
  }
  static PacketBuilder tcp(IpAddress source, IpAddress destination, std::uint8_t flags = 0) {
    PacketBuilder builder(kTcp, source, destination);
    builder.packet_.tcp_flags = flags;
    return builder;
  }
  /// An ICMP or ICMPv6 echo request (RFC 792, RFC 4443 4.1 and 4.2).
  static PacketBuilder echo_request(IpAddress source, IpAddress destination,
                                    std::uint16_t identifier) {
    return icmp(source, destination, identifier, destination.is_ipv4() ? 8 : 128);
  }
  static PacketBuilder echo_reply(IpAddress source, IpAddress destination,
                                  std::uint16_t identifier) {
    return icmp(source, destination, identifier, destination.is_ipv4() ? 0 : 129);
  }

  PacketBuilder& ports(std::uint16_t source, std::uint16_t destination) {
    packet_.source_port = source;
    packet_.destination_port = destination;
    return *this;
  }
  PacketBuilder& tcp_flags(std::uint8_t flags) {
    packet_.tcp_flags = flags;
    return *this;
  }
  /// Sets the length of the whole IP packet in bytes.
  PacketBuilder& length(std::uint32_t bytes) {
    packet_.inner.total_length = bytes;
    return *this;
  }
  /// Sets or clears DF. Has no effect in IPv6, which has no such bit.
  PacketBuilder& dont_fragment(bool set = true) {
    packet_.inner.dont_fragment = set && packet_.inner.is_ipv4();
    return *this;
  }
  PacketBuilder& identification(std::uint32_t value) {
    packet_.inner.identification = value;
    return *this;
  }
  PacketBuilder& ttl(std::uint8_t hops) {
    packet_.inner.ttl = hops;
    return *this;
  }

  const Packet& build() const { return packet_; }

  /// Returns the bytes of the transport header without options; 0 for protocols other than TCP, UDP
  /// and ICMP.
  static constexpr std::uint32_t transport_bytes(std::uint8_t protocol) {
    if (protocol == kTcp) return 20;
    return protocol == kUdp || protocol == kIcmp || protocol == kIcmpv6 ? 8 : 0;
  }

 private:
  static PacketBuilder icmp(IpAddress source, IpAddress destination, std::uint16_t identifier,
                            std::uint8_t type) {
    PacketBuilder builder(destination.is_ipv4() ? kIcmp : kIcmpv6, source, destination);
    builder.ports(identifier, static_cast<std::uint16_t>(type << 8));
    return builder;
  }

  Packet packet_;
};

}  // namespace overlane::forward
