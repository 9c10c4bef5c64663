#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "dataplane/kernel/namespaces/network_namespace.h"
#include "dataplane/net/address.h"
#include "sim/random/stream.h"

namespace overlane::fastpath {

/// Sends raw frames on an interface (packet(7)).
class FrameSocket {
 public:
  static Parsed<FrameSocket> open(const kernel::NetworkNamespace& place,
                                  const std::string& interface);

  /// False if the interface refuses it: too large, or its queue is full.
  bool send(std::span<const std::uint8_t> frame) const;

 private:
  explicit FrameSocket(kernel::OwnedFd fd) : fd_(std::move(fd)) {}

  kernel::OwnedFd fd_;
};

/// Whether a frame contains VXLAN (RFC 7348) in IPv4, including its header.
bool is_vxlan(std::span<const std::uint8_t> frame);

/// An ICMP error to the sender of `frame`: the MTU of the next link is `mtu`.
std::vector<std::uint8_t> too_large(std::span<const std::uint8_t> frame, std::uint16_t mtu);

/// The link of a frame.
enum class Wire : std::uint8_t { Pods, Uplink };

/// An endless sequence of invalid or hostile frames for one port of the fast path: truncated,
/// random or flipped bytes, forged ARP and Neighbour Discovery, incomplete fragments, nested
/// tunnels, and packets to arbitrary addresses. Forged neighbour messages claim the pod's address,
/// but not those of nodes.
class Malformed {
 public:
  /// `sender` is the real neighbour and the source of three of four frames.
  Malformed(Wire wire, const MacAddress& port, const MacAddress& sender, std::uint64_t seed);

  /// The next frame; valid until the next call.
  const std::vector<std::uint8_t>& next();

 private:
  using Bytes = std::vector<std::uint8_t>;

  std::uint8_t byte() { return static_cast<std::uint8_t>(random_.next()); }
  std::size_t below(std::size_t bound) { return random_.below(bound); }
  MacAddress any_mac();
  Ipv4Address any_neighbour();
  /// Prepends a header to `frame_`.
  void push_ethernet(const MacAddress& to, std::uint16_t type);
  void push_ipv4(Ipv4Address from, Ipv4Address to, std::uint8_t protocol, std::uint16_t offset = 0,
                 bool more = false);
  void push_udp(std::uint16_t port);
  void push_vxlan();
  void payload(std::size_t most);

  // Each of these builds one kind of frame.
  void sound();
  void cut();
  void noise();
  void flipped();
  void arp();
  void discovery();
  void fragment();
  void nested();
  void stranger();

  Wire wire_;
  MacAddress port_;
  MacAddress sender_;
  RandomStream random_;
  Bytes frame_;
};

}  // namespace overlane::fastpath
