#pragma once

#include <cstdint>
#include <span>

#include "dataplane/net/address.h"

namespace overlane::neighbour {

/// The sender's mark of a packet, returned with every event about it.
using Mark = std::uint32_t;

/// Events of a link for its owner. Arguments last until the call returns; a handler must not call
/// the link.
class LinkEvents {
 public:
  virtual ~LinkEvents() = default;
  /// A frame to transmit, with a packet from send(). It may be shorter than Ethernet's 60 bytes:
  /// the port pads it.
  virtual void transmit(std::span<const std::uint8_t> frame, Mark mark) = 0;
  /// The same with the link's own message: an ARP or ND request or answer.
  virtual void say(std::span<const std::uint8_t> frame) = 0;
  /// The address of a neighbour became known, or changed.
  virtual void learned(const IpAddress& address, const MacAddress& mac) = 0;
  /// The address of a neighbour is no longer known.
  virtual void lost(const IpAddress& address) = 0;
  /// A packet was dropped because the next hop did not answer.
  virtual void unanswered(const IpAddress& next_hop, std::span<const std::uint8_t> packet,
                          Mark mark) = 0;
  /// A packet was dropped for another reason: the queue or the table is full, or no neighbour can
  /// have the address.
  virtual void undelivered(const IpAddress& next_hop, std::span<const std::uint8_t> packet,
                           Mark mark) = 0;
};

/// Any type that has these functions.
template <typename Handler>
class LinkEventsTo final : public LinkEvents {
 public:
  explicit LinkEventsTo(Handler& handler) : handler_(handler) {}
  void transmit(std::span<const std::uint8_t> frame, Mark mark) override {
    handler_.transmit(frame, mark);
  }
  void say(std::span<const std::uint8_t> frame) override { handler_.say(frame); }
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

}  // namespace overlane::neighbour
