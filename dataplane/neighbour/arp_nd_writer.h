#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "dataplane/net/address.h"
#include "dataplane/wire/address_resolution.h"

namespace overlane::neighbour {

// Writes the frames that a port sends, and declares LinkEvents, the events of a link for its owner.

/// A number that the sender attaches to a packet. Every event about the packet returns it.
using Mark = std::uint32_t;

/// Events of a link for its owner. Arguments are valid until the call returns; a handler must not
/// call the link.
class LinkEvents {
 public:
  virtual ~LinkEvents() = default;
  /// A frame to transmit, with a packet from send(). It may be shorter than Ethernet's 60 bytes;
  /// the port has to pad it.
  virtual void transmit(std::span<const std::uint8_t> frame, Mark mark) = 0;
  /// A frame to transmit with the link's own message: an ARP or ND request or answer.
  virtual void transmit_own(std::span<const std::uint8_t> frame) = 0;
  /// The MAC of a neighbour became known, or changed.
  virtual void learned(const IpAddress& address, const MacAddress& mac) = 0;
  /// The MAC of a neighbour is no longer known.
  virtual void lost(const IpAddress& address) = 0;
  /// A packet was dropped because the next hop did not answer.
  virtual void unanswered(const IpAddress& next_hop, std::span<const std::uint8_t> packet,
                          Mark mark) = 0;
  /// A packet was dropped for another reason: the queue or the table is full, or no neighbour can
  /// have the address.
  virtual void undelivered(const IpAddress& next_hop, std::span<const std::uint8_t> packet,
                           Mark mark) = 0;
};

/// Forwards the events to any type with the functions of LinkEvents. The handler must outlive this
/// object.
template <typename Handler>
class LinkEventsTo final : public LinkEvents {
 public:
  explicit LinkEventsTo(Handler& handler) : handler_(handler) {}
  void transmit(std::span<const std::uint8_t> frame, Mark mark) override {
    handler_.transmit(frame, mark);
  }
  void transmit_own(std::span<const std::uint8_t> frame) override { handler_.transmit_own(frame); }
  void learned(const IpAddress& address, const MacAddress& mac) override {
    handler_.learned(address, mac);
  }
  void lost(const IpAddress& address) override { handler_.lost(address); }
  void unanswered(const IpAddress& next_hop, std::span<const std::uint8_t> packet,
                  Mark mark) override {
    handler_.unanswered(next_hop, packet, mark);
  }
  void undelivered(const IpAddress& next_hop, std::span<const std::uint8_t> packet,
                   Mark mark) override {
    handler_.undelivered(next_hop, packet, mark);
  }

 private:
  Handler& handler_;
};

/// An IP packet from send().
struct ToSend {
  std::span<const std::uint8_t> bytes;
  Mark mark = 0;
};

/// Writes the frames that a port sends, byte for byte as Linux does.
class ArpNdWriter {
 public:
  /// `own` are the port's addresses, the possible sources of requests; `frame` is scratch memory.
  /// All references must outlive this object.
  ArpNdWriter(const MacAddress& mac, std::span<const IpAddress> own,
              std::vector<std::uint8_t>& frame, LinkEvents& events)
      : mac_(mac), own_(own), frame_(frame), events_(events) {}

  /// Sends a request for an address: by multicast or broadcast, or to the known MAC if there is
  /// one. `waiting` is a packet for the address, or empty. If its source is an address of the port,
  /// the request has the same source. Without an address of its own the port sends ARP from
  /// 0.0.0.0.
  void send_request(const IpAddress& target, const std::optional<MacAddress>& known,
                    std::span<const std::uint8_t> waiting);

  /// Answers a request for one of the port's addresses.
  void answer(const wire::ArpPacket& request);
  void answer(const wire::NeighbourMessage& advertisement, const IpAddress& destination,
              const MacAddress& destination_mac);

  /// Sends an IP packet.
  void deliver(const MacAddress& destination, const ToSend& packet);

  LinkEvents& events() { return events_; }

 private:
  /// Returns the source address of a request of this family.
  IpAddress source(Family family, std::span<const std::uint8_t> waiting) const;
  void send(const wire::ArpPacket& packet, const MacAddress& destination);
  void send(const wire::NeighbourMessage& message, const IpAddress& source,
            const IpAddress& destination, const MacAddress& destination_mac);
  /// Starts a frame and returns the span for its payload.
  std::span<std::uint8_t> start(const MacAddress& destination, std::uint16_t ether_type,
                                std::size_t payload_bytes);

  const MacAddress& mac_;
  std::span<const IpAddress> own_;
  std::vector<std::uint8_t>& frame_;
  LinkEvents& events_;
};

}  // namespace overlane::neighbour
