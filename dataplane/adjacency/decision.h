#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>

#include "dataplane/adjacency/adjacency.h"
#include "dataplane/adjacency/probe.h"
#include "dataplane/forward/encapsulate.h"

namespace overlane::adjacency {

/// What is decided about packets, as far as it does not depend on the packet: one hop less, and the
/// outer headers of a tunnel, if it is one's.
struct Decision {
  forward::Egress egress = forward::Egress::Uplink;
  IpAddress next_hop;
  Encapsulation encapsulation = Encapsulation::None;
  forward::TunnelEnds ends;

  auto operator<=>(const Decision&) const = default;
};

/// Where packets come in, and the tunnel that they come in by, if it is one.
struct WayIn {
  forward::Ingress ingress = forward::Ingress::Pod;
  Encapsulation encapsulation = Encapsulation::None;
  forward::TunnelEnds ends;
};

/// Finds decisions that hold for all packets from one address to another, in IPv6 all of TCP and
/// UDP; none where WireGuard
/// wraps them, whose headers are no constant.
class Decider {
 public:
  /// Both must outlive it.
  Decider(const node::NodeState& state, std::span<const AddressClass> classes)
      : probe_(state, classes) {}

  /// Whether a packet gets through as one.
  bool passes(const WayIn& way, IpAddress source, IpAddress destination);

  /// What is decided about a packet of every kind: UDP, TCP that opens a connection, TCP in one, an
  /// echo request, an ICMP error, another protocol; in IPv6 the first three. Nothing when that
  /// differs, or is not for all.
  std::optional<Decision> decision(const WayIn& way, IpAddress source, IpAddress destination);

  /// The largest packet, with DF or without, for which the decision holds, in bytes; less than
  /// least_bytes() when there is none.
  std::uint32_t largest(const WayIn& way, const Decision& decision, IpAddress source,
                        IpAddress destination);

 private:
  std::optional<Decision> decide(const WayIn& way, const forward::Packet& packet);

  Probe probe_;
  std::array<std::uint32_t, 2> last_largest_{};  ///< By family.
};

}  // namespace overlane::adjacency
