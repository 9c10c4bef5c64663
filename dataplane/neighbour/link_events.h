#pragma once

#include <cstdint>
#include <span>

#include "dataplane/net/address.h"

namespace overlane::neighbour {

/// What whoever sends a packet wants to hear again with it.
using Mark = std::uint32_t;

/// What a link has for whoever drives it. All of it lasts until the call returns, and none of these
/// may call back into the link.
class LinkEvents {
 public:
  virtual ~LinkEvents() = default;
  /// A frame to put on the wire, with a packet that send() was given, or gets at once. It may be
  /// shorter than Ethernet's 60 bytes: the port pads it.
  virtual void transmit(std::span<const std::uint8_t> frame, Mark mark) = 0;
  /// The same with a message of the link's own: a question or an answer.
  virtual void say(std::span<const std::uint8_t> frame) = 0;
  /// The address of a neighbour is known from now on, or another than before.
  virtual void learnt(const IpAddress& address, const MacAddress& mac) = 0;
  /// The address of a neighbour is no longer known.
  virtual void lost(const IpAddress& address) = 0;
  /// A packet was given up because nobody answered.
  virtual void unanswered(const IpAddress& next_hop, std::span<const std::uint8_t> packet,
                          Mark mark) = 0;
  /// A packet was given up otherwise: too many wait, the table is full, or no neighbour can have
  /// the address.
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
  void learnt(const IpAddress& address, const MacAddress& mac) override {
    handler_.learnt(address, mac);
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
