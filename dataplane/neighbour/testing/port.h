#pragma once

#include <string>
#include <vector>

#include "dataplane/neighbour/link.h"
#include "dataplane/wire/testing/bytes.h"

namespace overlane::neighbour::testing {

using overlane::testing::Bytes;

inline const MacAddress kOurMac{{2, 0, 0, 0, 0, 1}};
inline const MacAddress kTheirMac{{2, 0, 0, 0, 0, 2}};
inline const MacAddress kOtherMac{{2, 0, 0, 0, 0, 3}};

inline IpAddress ip(const char* text) {
  return IpAddress::parse(text).value();
}

/// Returns the content of a frame in words, such as "10.0.0.1 asks ff:ff:ff:ff:ff:ff: who has
/// 10.0.0.2?".
std::string said(std::span<const std::uint8_t> frame);

/// A port with the MAC kOurMac and the addresses 10.0.0.1, 2001:db8::1 and fe80::ff:fe00:1. It
/// records the events of its link in order.
class Port {
 public:
  explicit Port(Settings settings = {});

  Link link;
  Picos now = seconds(100);
  std::vector<Bytes> frames;
  std::vector<std::string> events;
  std::vector<Mark> marks;  ///< Marks of packets that were sent or given up.

  bool receive(const Bytes& frame) { return link.receive(frame, now, *this); }
  void send(const IpAddress& next_hop, const Bytes& packet, Mark mark = 0) {
    link.send(next_hop, packet, now, *this, mark);
  }
  void resolve(const IpAddress& next_hop) { link.resolve(next_hop, now, *this); }
  /// Advances the time, and calls tick() whenever an action is due.
  void pass(Picos time);
  /// Returns the events since the last call.
  std::vector<std::string> take_events();

  void transmit(std::span<const std::uint8_t> frame, Mark mark);
  void transmit_own(std::span<const std::uint8_t> frame);
  void learned(const IpAddress& address, const MacAddress& mac);
  void lost(const IpAddress& address);
  void unanswered(const IpAddress& next_hop, std::span<const std::uint8_t> packet, Mark mark);
  void undelivered(const IpAddress& next_hop, std::span<const std::uint8_t> packet, Mark mark);
};

/// Frames of other ports. The Ethernet header of an ARP frame has the same MACs as the ARP packet.
Bytes arp(std::uint16_t operation, const MacAddress& sender_mac, const IpAddress& sender,
          const IpAddress& target, const MacAddress& destination);
Bytes arp_request(const IpAddress& sender, const IpAddress& target,
                  const MacAddress& sender_mac = kTheirMac);
Bytes arp_reply(const IpAddress& sender, const MacAddress& sender_mac = kTheirMac);

/// A neighbour message from kTheirMac.
Bytes neighbour_frame(const wire::NeighbourMessage& message, const IpAddress& source,
                      const IpAddress& destination, const MacAddress& destination_mac);
/// A solicitation to the solicited-node address of the target, with the MAC of the sender.
Bytes solicitation(const IpAddress& source, const IpAddress& target);
/// An advertisement to the port at 2001:db8::1.
Bytes advertisement(const wire::NeighbourMessage& message);

/// An IPv4 packet; with 20 bytes only its header.
Bytes packet_from(const IpAddress& source, std::size_t bytes = 20);

}  // namespace overlane::neighbour::testing
