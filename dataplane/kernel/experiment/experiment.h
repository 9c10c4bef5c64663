#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dataplane/forward/outcome.h"
#include "dataplane/forward/packet.h"
#include "dataplane/kernel/experiment/counters.h"
#include "dataplane/kernel/set_up/set_up.h"
#include "dataplane/node/state/node_state.h"
#include "results/finding/finding.h"

namespace overlane::kernel {

// The referee: the same state on a real Linux kernel. An Experiment is a node (as commands,
// set_up.h) and packets to send into it; run() makes the node in network namespaces, sends, and
// returns what came out and which counters moved. It is a plain value that can travel into
// user-mode Linux (place.h). Running one needs root and leaves nothing behind.

/// One packet on its way into the node, or time that passes there.
struct Injection {
  forward::Ingress ingress = forward::Ingress::Pod;
  /// Pod: the veth it comes from. Uplink: which, or empty for the only one. Host: empty.
  std::string device;
  std::vector<std::uint8_t> packet;  ///< From the outermost IP header on; empty for none.
  /// How many packets ought to come out: less is waited for a little longer. Changes no result.
  std::uint32_t expected = 1;
  /// A UDP port on which the node listens; 0 for none. Else it answers "port unreachable".
  std::uint16_t udp_listener = 0;
  std::uint32_t wait_ms = 0;  ///< How long nothing is done before.

  auto operator<=>(const Injection&) const = default;
};

/// A packet that came out of the node, or reached it.
struct Emitted {
  forward::Egress egress = forward::Egress::Uplink;
  std::string device;                 ///< Empty for Host.
  std::optional<IpAddress> next_hop;  ///< By its link-layer address; nothing when that is no one's.
  std::vector<std::uint8_t> packet;   ///< From the outermost IP header on.

  auto operator<=>(const Emitted&) const = default;
};

/// What the kernel made of one injection.
struct Observed {
  std::vector<Emitted> emitted;  ///< In the order of ports, then of time; Host last.
  Counters counters;             ///< Counters that moved.
  std::string refused;           ///< Why the packet could not even be sent ("Message too long").

  bool operator==(const Observed&) const = default;
};

/// A node and what it is to be sent, one after the other: what it learns from one packet holds for
/// the next. A plain value, complete without the NodeState, so that it can travel.
struct Experiment {
  SetUp set_up;
  std::vector<std::uint16_t> tunnel_ports;  ///< UDP ports that are for tunnel devices.
  std::vector<Injection> injections;

  bool operator==(const Experiment&) const = default;
};

Experiment make_experiment(const node::NodeState& state, std::vector<Injection> injections,
                           std::span<const IpAddress> more_neighbours = {});

/// Makes the node in namespaces of the running kernel, sends, and reports one Observed per
/// injection; or the command that failed. Needs root. Takes everything away when it returns, and
/// the kernel does so when the process ends before.
Parsed<std::vector<Observed>> run(const Experiment& experiment);

/// reference::encode, and the link-layer addresses inside VXLAN, which no descriptor has: those of
/// the members of the cluster that have the outer addresses.
std::vector<std::uint8_t> wire_bytes(const node::NodeState& state, const forward::Packet& packet);

/// Where the inner IP packet begins in those bytes: 0 in a bare packet.
std::size_t inner_offset(const forward::Packet& packet);

/// The packet as an injection that waits for `expected` packets. From a pod it comes through the
/// veth of the pod that has its source address, or else of the first pod. The node listens for it.
Injection inject(const node::NodeState& state, const forward::Packet& packet,
                 forward::Ingress ingress, std::size_t expected);

}  // namespace overlane::kernel
