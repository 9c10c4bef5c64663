#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dataplane/kernel/namespaces/network_namespace.h"
#include "dataplane/net/address.h"
#include "results/finding/finding.h"

namespace overlane::kernel {

/// A frame that came out of the node, without its Ethernet header.
struct Frame {
  MacAddress destination;
  std::vector<std::uint8_t> packet;
};

/// One end of a veth pair, as a packet socket (packet(7)) holds it: what is sent here comes out of
/// the other end, and what goes into the other end is received here. The descriptor is readable
/// when a frame waits.
class PacketPort {
 public:
  /// Opens `device` in `place` and brings it up. Its address does not matter.
  static Parsed<PacketPort> open(const NetworkNamespace& place, const std::string& device);

  /// Sends an IPv4 or IPv6 packet (by its first four bits) to `destination` on the link.
  Result<void, std::string> send(const MacAddress& destination,
                                 std::span<const std::uint8_t> packet) const;

  /// The next frame with an IP packet in it, if one waits. Neighbour discovery, multicast
  /// membership reports and anything that is not IP are no packets of a case, and are skipped.
  std::optional<Frame> receive() const;

  int fd() const { return fd_.get(); }

 private:
  explicit PacketPort(OwnedFd fd) : fd_(std::move(fd)) {}

  OwnedFd fd_;
};

}  // namespace overlane::kernel
