#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dataplane/kernel/namespaces/network_namespace.h"
#include "dataplane/net/address.h"
#include "results/finding/finding.h"

namespace overlane::kernel {

// Two observers of the packets that a node emits: PacketPort at the far end of a veth (packet(7)),
// and LocalSockets for packets that the node delivers to itself (raw(7)). collect() waits until all
// of them are quiet.

/// A frame that left the node, without its Ethernet header.
struct Frame {
  MacAddress destination;
  std::vector<std::uint8_t> packet;
};

/// One end of a veth pair, read and written by a packet socket (packet(7)). Packets sent here leave
/// through the other end, and packets sent into the other end are received here. The descriptor is
/// readable when a frame is waiting.
class PacketPort {
 public:
  /// Opens `device` in `place` and brings it up. The device's link-layer address does not matter.
  static Parsed<PacketPort> open(const NetworkNamespace& place, const std::string& device);

  /// Sends an IPv4 or IPv6 packet (by its version) to `destination` on the link.
  Result<void, std::string> send(const MacAddress& destination,
                                 std::span<const std::uint8_t> packet) const;

  /// Returns the next frame with an IP packet, if one is waiting. Skips Neighbour Discovery,
  /// multicast listener reports and frames without IP, which do not belong to an experiment.
  std::optional<Frame> receive() const;

  int fd() const { return fd_.get(); }

 private:
  explicit PacketPort(OwnedFd fd) : fd_(std::move(fd)) {}

  OwnedFd fd_;
};

/// Everything that a node delivers to itself, after reassembly, as raw sockets (raw(7)) receive it:
/// after the packet filters, and before tunnel devices. Tunnel packets belong to the devices and
/// are omitted: there are no sockets for protocols 4 and 41, and UDP to `tunnel_ports` is skipped.
class LocalSockets {
 public:
  static Parsed<LocalSockets> open(const NetworkNamespace& node,
                                   std::vector<std::uint16_t> tunnel_ports);

  /// Sends a packet, including its IP header, from the node itself. An error is that of errno.
  Result<void, std::string> send(std::span<const std::uint8_t> packet) const;

  /// Opens a listener on a UDP port, so that the node does not answer "port unreachable". Does
  /// nothing for a tunnel's port, whose packets go to a device or are dropped.
  Result<void, std::string> listen(const NetworkNamespace& node, std::uint16_t udp_port);

  /// Returns the next packet, if one is waiting. An IPv6 header is restored from the socket's
  /// ancillary data (RFC 3542), without extension headers.
  std::optional<std::vector<std::uint8_t>> receive() const;

  /// Descriptors to poll.
  std::vector<int> fds() const;

 private:
  struct Socket {
    OwnedFd fd;
    bool ipv6 = false;
    std::uint8_t protocol = 0;
  };

  std::vector<Socket> sockets_;
  std::vector<Socket> senders_;
  std::vector<OwnedFd> listeners_;
  std::vector<std::uint16_t> tunnel_ports_;
};

/// Time to wait for missing packets. The timers of a node (ipfrag_time) take 1 s or more.
inline constexpr std::chrono::milliseconds kPatience{500};

/// Waits for packets at the sockets `fds`. `take` takes the packets that are waiting and returns
/// the total number so far. Ends when no packet has arrived for `quiet` after the `expected` ones,
/// or when the expected number has not been reached within kPatience. Packets beyond the expected
/// number that arrive after kPatience, because the machine was busy, stay in the sockets: a timer
/// sent them.
void collect(std::span<const int> fds, std::size_t expected, std::chrono::milliseconds quiet,
             const std::function<std::size_t()>& take);

}  // namespace overlane::kernel
