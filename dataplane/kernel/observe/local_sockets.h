#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "dataplane/kernel/namespaces/network_namespace.h"
#include "results/finding/finding.h"

namespace overlane::kernel {

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

}  // namespace overlane::kernel
