#pragma once

#include <cstdint>
#include <span>

#include "dataplane/net/address.h"

namespace overlane::neighbour {

/// What a link has for whoever drives it. All of it lasts until the call returns, and none of these
/// may call back into the link.
class Outlet {
 public:
  virtual ~Outlet() = default;
  /// A frame to put on the wire. It may be shorter than Ethernet's 60 bytes: the port pads it.
  virtual void transmit(std::span<const std::uint8_t> frame) = 0;
  /// The address of a neighbour is known from now on, or another than before.
  virtual void learnt(const IpAddress& address, const MacAddress& mac) = 0;
  /// The address of a neighbour is no longer known.
  virtual void lost(const IpAddress& address) = 0;
  /// A packet was given up: nobody answered, too many wait, or the table is full.
  virtual void undelivered(const IpAddress& next_hop, std::span<const std::uint8_t> packet) = 0;
};

/// Any type that has these four functions.
template <typename Handler>
class OutletTo final : public Outlet {
 public:
  explicit OutletTo(Handler& handler) : handler_(handler) {}
  void transmit(std::span<const std::uint8_t> frame) override { handler_.transmit(frame); }
  void learnt(const IpAddress& address, const MacAddress& mac) override {
    handler_.learnt(address, mac);
  }
  void lost(const IpAddress& address) override { handler_.lost(address); }
  void undelivered(const IpAddress& next_hop, std::span<const std::uint8_t> packet) override {
    handler_.undelivered(next_hop, packet);
  }

 private:
  Handler& handler_;
};

}  // namespace overlane::neighbour
