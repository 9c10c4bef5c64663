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

// Both ways to observe what a node emits: PacketPort at the far end of a veth (packet(7)),
// LocalSockets for what the node delivers to itself (raw(7)). collect() waits until all ports
// are quiet.

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

/// Everything that a node delivers to itself, whole and after reassembly, as raw sockets (raw(7))
/// see it: the packet filters have let it through, and no tunnel device has taken it yet. Tunnel
/// packets are for the devices and are left out: protocols 4 and 41 have no socket, UDP to
/// `tunnel_ports` is skipped.
class LocalSockets {
 public:
  static Parsed<LocalSockets> open(const NetworkNamespace& node,
                                   std::vector<std::uint16_t> tunnel_ports);

  /// Sends a packet as the node itself would, header included; the message is the errno's.
  Result<void, std::string> send(std::span<const std::uint8_t> packet) const;

  /// Opens a listener on a UDP port, so that the node does not answer "port unreachable". Does
  /// nothing for a tunnel's port, whose packets are for a device or are dropped.
  Result<void, std::string> listen(const NetworkNamespace& node, std::uint16_t udp_port);

  /// The next packet, if one waits. An IPv6 header is put together again from what the socket
  /// tells (RFC 3542), without extension headers.
  std::optional<std::vector<std::uint8_t>> receive() const;

  /// Descriptors to wait on.
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

/// How long what is missing is waited for. The timers of a node (ipfrag_time) take 1 s or more.
inline constexpr std::chrono::milliseconds kPatience{500};

/// Waits for packets at the sockets `fds`. `take` takes what waits there, and says how many packets
/// there are in all. Ends when nothing more comes for `quiet` after the `expected`, or when less
/// than those came for so long that they will not. What comes that late beyond the expected, for
/// the machine was busy elsewhere, is left at the sockets: a timer sent it.
void collect(std::span<const int> fds, std::size_t expected, std::chrono::milliseconds quiet,
             const std::function<std::size_t()>& take);

}  // namespace overlane::kernel
