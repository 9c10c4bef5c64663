#pragma once

#include <cstdint>
#include <vector>

#include "dataplane/net/address.h"
#include "sim/random/stream.h"

namespace overlane::fastpath {

/// Which wire a frame is for: what it may hold differs.
enum class Wire : std::uint8_t { Pods, Uplink };

/// An endless row of frames that no decent peer sends, to one port of the fast path: cut, random or
/// flipped bytes, ARP and Neighbour Discovery from anybody, fragments that never end, tunnels in
/// tunnels, and packets to all the world. Neighbour messages claim the pod's address, too; those of
/// nodes they leave alone.
class Malformed {
 public:
  /// `sender` is who is there in truth, and is said to have sent three of four.
  Malformed(Wire wire, const MacAddress& port, const MacAddress& sender, std::uint64_t seed);

  /// Until the next call.
  const std::vector<std::uint8_t>& next();

 private:
  using Bytes = std::vector<std::uint8_t>;

  std::uint8_t byte() { return static_cast<std::uint8_t>(random_.next()); }
  std::size_t below(std::size_t bound) { return random_.below(bound); }
  MacAddress any_mac();
  Ipv4Address any_neighbour();
  /// A header in front of `frame_`.
  void push_ethernet(const MacAddress& to, std::uint16_t type);
  void push_ipv4(Ipv4Address from, Ipv4Address to, std::uint8_t protocol, std::uint16_t offset = 0,
                 bool more = false);
  void push_udp(std::uint16_t port);
  void push_vxlan();
  void payload(std::size_t most);

  // Each makes a frame of its kind.
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
