#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dataplane/forward/packet.h"
#include "dataplane/net/drop.h"
#include "dataplane/node/runtime/reassembly.h"

namespace overlane::forward {

// The result of a decision. It is one of three: emissions (packets that leave, with their egress
// and next hop), a drop reason, or a held fragment. An Outcome is a plain value. Callers reuse it
// from packet to packet, so that the hot path does not allocate.

/// Where a packet enters a node.
enum class Ingress : std::uint8_t {
  Pod,     ///< From a local pod's veth; the packet's source says which pod.
  Uplink,  ///< From the fabric.
  Host,    ///< Made by the node itself (ICMP errors, host-network sockets).
};

/// Where a packet leaves the node.
enum class Egress : std::uint8_t {
  Pod,     ///< Into a local pod's veth: delivered to the pod of `inner.destination`.
  Host,    ///< Delivered to the node itself.
  Uplink,  ///< Sent to the fabric.
};

struct Emission {
  Egress egress = Egress::Uplink;
  Packet packet;
  /// Uplink: the on-link next hop, a gateway or a neighbour. It equals the destination if the
  /// destination is on link.
  IpAddress next_hop;
  /// True for the ICMP error that the packet caused, false for the packet and its fragments.
  bool is_reply = false;
  /// WireGuard: the MTU of the inner packet in bytes, which limits its padding; else 0.
  std::uint32_t sealing_mtu = 0;

  auto operator<=>(const Emission&) const = default;
};

/// Returns the key under which the fragments of one packet are reassembled.
inline node::ReassemblyKey reassembly_key(const IpFields& header) {
  return {header.source, header.destination, header.identification,
          header.is_ipv4() ? header.protocol : std::uint8_t{0}};
}

/// The result for one packet: 0…n emissions, or a drop, perhaps with an ICMP error among the
/// emissions.
struct Outcome {
  std::vector<Emission> emissions;
  std::optional<Drop> drop;
  /// The key of the packet to which a held fragment belongs.
  std::optional<node::ReassemblyKey> held;
  /// Keys of the packets that this fragment completed, outer packets before their inner ones.
  std::vector<node::ReassemblyKey> completed;

  void clear() {
    emissions.clear();
    drop.reset();
    held.reset();
    completed.clear();
  }
  bool operator==(const Outcome&) const = default;
};

/// One decision on a packet's path, in words for a trace.
struct Step {
  std::string place;     ///< "node-1", "vpc".
  std::string decision;  ///< "route", "encapsulate", "deliver", "drop".
  std::string because;   ///< One sentence.
  /// The line of the state's text (to_string) that decided; empty if none did.
  std::string state_entry;
  std::optional<Drop> drop;  ///< Reason, for the decision "drop".
};

/// "pod", "uplink" or "host".
std::string_view to_string(Ingress ingress);
std::string_view to_string(Egress egress);

}  // namespace overlane::forward
